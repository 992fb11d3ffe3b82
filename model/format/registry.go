package format

import (
	"fmt"
	"slices"
	"strings"

	"turns/model"
)

// formats are all formats in order of precedence: those with a shape of their
// own first, then the families that share field names, then the fallbacks.
var formats = []*model.Format{
	// Coding agents.
	claudeCodeFormat(),
	claudeStreamFormat(),
	codexFormat(),
	codexExecFormat(),
	copilotCLIFormat(),
	vscodeCopilotFormat(),
	openCodeFormat(),
	cursorFormat(),
	crushFormat(),
	gooseFormat(),
	hermesFormat(),
	zedFormat(),
	geminiCLIFormat(),
	geminiStreamFormat(),
	antigravityFormat(),
	qwenCodeFormat(),
	piFormat(),
	piStreamFormat(),
	droidFormat(),
	aiderFormat(),
	clineFormat(),
	kimiFormat(),
	kiroFormat(),
	ampFormat(),
	grokFormat(),
	vibeFormat(),
	gptmeFormat(),
	dshFormat(),

	// Frameworks and applications.
	agentCFormat(),
	dextoFormat(),
	agentsmithyFormat(),
	nikitaFormat(),
	pydanticFormat(),
	langchainFormat(),
	managedAgentsFormat(),
	otelFormat(),
	langsmithFormat(),
	responsesFormat(),
	vercelUIFormat(),
	vercelModelFormat(),
	geminiAPIFormat(),
	bedrockFormat(),

	// Evaluations, chat exports and training data.
	inspectFormat(),
	sweAgentFormat(),
	miniSWEFormat(),
	atifFormat(),
	openHandsFormat(),
	tauBenchFormat(),
	chatGPTFormat(),
	claudeAIFormat(),
	openWebUIFormat(),
	shareGPTFormat(),

	// APIs.
	anthropicFormat(),
	openaiFormat(),

	// Fallbacks.
	genericFormat(),
	recordsFormat(),
}

// All is the formats in order of precedence.
func All() []*model.Format { return slices.Clone(formats) }

// Find is the format of that name; the error lists the names there are.
func Find(name string) (*model.Format, error) {
	names := make([]string, 0, len(formats))
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("unknown format %q; known are %s", name, strings.Join(names, ", "))
}

// chatCeiling is the highest score that the formats of the chat family and the
// fallbacks give; what is recognised by more needs none of their work.
const chatCeiling = 70

// inChatFamily are the formats that never score above chatCeiling.
func inChatFamily(name string) bool {
	return name == "openai" || name == "anthropic" || name == "generic" || name == "records"
}

// Detect is the format that a sample is most likely written in and what it says
// of the sample. Ties go to the earlier format. There always is one: what no
// format knows is records.
func Detect(s *model.Sample) (*model.Format, model.Match) {
	best, match := formats[len(formats)-1], model.Match{}
	for _, f := range formats {
		if match.Score > chatCeiling && inChatFamily(f.Name) {
			continue
		}
		if m := f.Detect(s); m.Score > match.Score {
			best, match = f, m
		}
	}
	return best, match
}

// Explained is what one format thinks of a sample.
type Explained struct {
	Format *model.Format
	Match  model.Match
}

// Explain is what every format that recognises the sample thinks of it, the best
// first.
func Explain(s *model.Sample) []Explained {
	var all []Explained
	for _, f := range formats {
		if m := f.Detect(s); m.Score > 0 {
			all = append(all, Explained{f, m})
		}
	}
	slices.SortStableFunc(all, func(a, b Explained) int { return b.Match.Score - a.Match.Score })
	return all
}
