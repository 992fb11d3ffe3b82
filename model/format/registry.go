package format

import (
	"fmt"
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/agentc"
	"turns/model/format/agents"
	"turns/model/format/agentsmithy"
	"turns/model/format/chats"
	"turns/model/format/claude"
	"turns/model/format/cline"
	"turns/model/format/codex"
	"turns/model/format/copilot"
	"turns/model/format/cursor"
	"turns/model/format/described"
	"turns/model/format/dexto"
	"turns/model/format/evals"
	"turns/model/format/gemini"
	"turns/model/format/gptme"
	"turns/model/format/infer"
	"turns/model/format/kiro"
	"turns/model/format/kit"
	"turns/model/format/langchain"
	"turns/model/format/openai"
	"turns/model/format/opencode"
	"turns/model/format/openhands"
	"turns/model/format/otel"
	"turns/model/format/pi"
	"turns/model/format/prose"
	"turns/model/format/providers"
	"turns/model/format/pydantic"
	"turns/model/format/vercel"
)

// formats are all formats in order of precedence: those with a distinct shape first, then the
// families that share field names, then the fallbacks.
var formats = []*model.Format{
	// Coding agents.
	claude.CodeFormat(),
	claude.StreamFormat(),
	codex.Format(),
	codex.ExecFormat(),
	copilot.CLIFormat(),
	copilot.VSCodeFormat(),
	opencode.Format(),
	cursor.Format(),
	agents.CrushFormat(),
	agents.GooseFormat(),
	agents.HermesFormat(),
	agents.ZedFormat(),
	gemini.CLIFormat(),
	gemini.StreamFormat(),
	gemini.AntigravityFormat(),
	gemini.QwenCodeFormat(),
	pi.Format(),
	pi.StreamFormat(),
	agents.AiderFormat(),
	cline.Format(),
	agents.KimiFormat(),
	kiro.Format(),
	ampFormat(),
	agents.GrokFormat(),
	vibeFormat(),
	gptme.Format(),

	// Frameworks and applications.
	agentc.Format(),
	dexto.Format(),
	agentsmithy.Format(),
	chats.NikitaFormat(),
	pydantic.Format(),
	langchain.Format(),
	claude.ManagedAgentsFormat(),
	otel.Format(),
	langchain.LangSmithFormat(),
	openai.ResponsesFormat(),
	vercel.UIFormat(),
	vercel.ModelFormat(),
	gemini.APIFormat(),
	providers.BedrockFormat(),
	providers.StrandsFormat(),

	// Evaluations, chat exports and training data.
	chats.TablesFormat(),
	evals.InspectFormat(),
	evals.SweAgentFormat(),
	evals.MiniSWEFormat(),
	evals.AtifFormat(),
	openhands.Format(),
	evals.TauBenchFormat(),
	evals.VerifiersFormat(),
	chats.ChatGPTFormat(),
	claude.ChatFormat(),
	chats.OpenWebUIFormat(),
	chats.LibreChatFormat(),
	chats.ShareGPTFormat(),

	// APIs.
	providers.AnthropicFormat(),
	openai.Format(),

	// Fallbacks.
	genericFormat(),
	inferredFormat(),
	kit.RecordsFormat(),
}

// fallbacks is the number of formats at the end without distinctive marks.
const fallbacks = 3

// All returns the formats in order of precedence.
func All() []*model.Format {
	return slices.Insert(slices.Clone(formats), len(formats)-fallbacks, written()...)
}

// Recorded returns the bytes to search for in a recording for each displayed text: the text, or the
// recorded value if the displayed text is composed by a format.
func Recorded(texts [][]byte) [][]byte {
	all := texts
	for _, f := range formats {
		for _, word := range f.Words {
			if !slices.ContainsFunc(texts, func(t []byte) bool { return strings.Contains(word.Word, strings.ToLower(string(t))) }) {
				continue
			}
			for _, where := range word.Where {
				all = append(slices.Clip(all), []byte(where))
			}
		}
	}
	return all
}

// helpers are the functions for descriptions of formats.
var helpers = described.Kit{
	Moment: kit.MomentOf, Usage: kit.AnyUsage, Counts: kit.CountsNamed, Content: kit.AddContent, Result: kit.AddResult,
	Outcome: kit.OutcomeOfStatus, Keep: kit.KeepNamed, Stop: kit.SetStop, Split: kit.SplitUserRecord,
	Speak: addMessages, Know: kit.Know, Dialogue: prose.Dialogue,
}

// addMessages adds messages in the form of any provider, or of OpenTelemetry.
func addMessages(fs *model.Facts, v []byte, role model.Role) {
	if gemini.AddMessages(fs, v) || otel.AddMessages(fs, v) || providers.BedrockMessages(fs, v) || openai.AddMessages(fs, v) || vercel.AddCalls(fs, v) {
		return
	}
	at := fs.Len()
	langchain.AddMessages(fs, v, role)
	kit.NameResults(fs, at)
}

// inferredScore is the score of an inferred format, as certain as the plainest messages.
const inferredScore = plainScore

// Inferred returns the format that the values of a sample suggest, with the evidence; nil if the
// sample is not a conversation.
func Inferred(s *model.Sample) *infer.Found {
	found, talk := infer.Find(s, helpers), infer.Talk(s, helpers)
	if found == nil || talk != nil && talk.Exceeds(found) {
		return talk
	}
	return found
}

// Infer returns the format that the values of a sample suggest; nil if the sample is not a
// conversation.
func Infer(s *model.Sample) (*model.Format, model.Match) {
	return formatOf(infer.Find(s, helpers), s)
}

// formatOf returns the inferred format of a sample; nil if there is none.
func formatOf(found *infer.Found, s *model.Sample) (*model.Format, model.Match) {
	if found == nil {
		return nil, model.Match{}
	}
	f, err := described.Compile(found.Format, helpers)
	if err != nil {
		return nil, model.Match{}
	}
	m := model.Match{Score: inferredScore, Reason: found.Reason}
	if len(found.Left) > 0 {
		m.Reason += "; not read: " + strings.Join(found.Left, ", ")
	}
	if s.Shape == model.Lines {
		m.Variant = 1
	}
	f.Detect = func(*model.Sample) model.Match { return m }
	return f, m
}

// inferredFormat returns the format that stands by name for all inferred ones.
func inferredFormat() *model.Format {
	return &model.Format{
		Name: infer.Name, Title: "Inferred from what it holds",
		Detect: func(*model.Sample) model.Match { return model.Match{} },
		Parse:  kit.RecordsParse,
	}
}

// Find returns the format with a name; the error lists the valid names.
func Find(name string) (*model.Format, error) {
	named := func(f *model.Format) bool { return f.Name == name }
	if i := slices.IndexFunc(formats, named); i >= 0 {
		return formats[i], nil
	}
	all := All()
	if i := slices.IndexFunc(all, named); i >= 0 {
		return all[i], nil
	}
	names := make([]string, 0, len(all))
	for _, f := range all {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("unknown format %q; known are %s", name, strings.Join(names, ", "))
}

// Members returns the files of a transcript that is a folder with files of these names, and those
// that repeat them; nil if no format recognises the folder.
func Members(path string, names []string) []string {
	f := folderFormat(path, names)
	if f == nil {
		return nil
	}
	members := f.Unroll.Members(slices.Clone(names))
	for _, name := range f.Unroll.Copies {
		if slices.Contains(names, name) {
			members = append(members, name)
		}
	}
	return members
}

// folderFormat returns the format of a folder with files of these names; nil if there is none.
func folderFormat(path string, names []string) (found *model.Format) {
	s := &model.Sample{Path: path, Shape: model.Folder, Names: names}
	best := 0
	for _, f := range folders(names) {
		if m := f.Detect(s); m.Score > best {
			best, found = m.Score, f
		}
	}
	return found
}

// Together reports whether a file is only a part of the session in its folder, which has files of
// these names.
func Together(folder, file string, names []string) bool {
	f := folderFormat(folder, names)
	return f != nil && f.Unroll.Together && slices.Contains(Members(folder, names), file)
}

// plainScore is the score of messages with only a role and content.
const plainScore = 30
