package format

import (
	"embed"
	"slices"
	"sync"

	"turns/model"
	"turns/model/format/kit"
)

// rules are the descriptions of the formats in this file. They are apart from the others, whose
// records only they recognise: the signs of these are in Go, so that recognition need not compile
// them.
//
//go:embed rules/*.toml
var rules embed.FS

// byRules completes a format whose records a description reads. The first record compiles it.
func byRules(f *model.Format) *model.Format {
	parse := sync.OnceValue(func() func(model.Record, *model.Facts) error {
		text, err := rules.ReadFile("rules/" + f.Name + ".toml")
		if err != nil {
			panic(err) // the folder is embedded
		}
		own, err := Own(f.Name, text)
		if err != nil {
			panic(err) // a test reads them all
		}
		return own.Parse
	})
	f.Parse = func(rec model.Record, fs *model.Facts) error { return parse()(rec, fs) }
	return f
}

// filesNamed returns the files of a folder that have one of these names, in their order.
func filesNamed(wanted ...string) func(names []string) []string {
	return func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(wanted), func(name string) bool { return !slices.Contains(names, name) })
	}
}

// vibeFormat reads a session of Mistral Vibe: messages of OpenAI's API with the additional fields
// message_id and injected, and meta.json with a description of the session.
func vibeFormat() *model.Format {
	return byRules(&model.Format{
		Name:    "mistral-vibe",
		Resume:  "vibe --resume ID",
		Highest: 88,
		Title:   "Mistral Vibe session",
		Where:   []string{"~/.vibe/logs/session/*"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InFiles, Score: 80, Reason: "a folder with messages.jsonl and meta.json", Is: kit.Signs{"messages.jsonl", "meta.json"}},
			kit.Clue{In: kit.InDocument, Score: 80, Reason: "a session's description with session_id and stats",
				Is: kit.Signs{"session_id & stats.session_prompt_tokens"}},
			kit.Clue{Score: 88, Reason: "messages with message_id and injected", Is: kit.Signs{"injected & message_id & role:string"}},
		),
		Unroll: &model.Unroll{Members: filesNamed("meta.json", "messages.jsonl"), BriefMembers: filesNamed("meta.json")},
	})
}

// ampFormat reads a thread of Amp: a document with messages.
func ampFormat() *model.Format {
	return byRules(&model.Format{
		Name:   "amp",
		Resume: "amp threads continue ID",
		Title:  "Amp thread",
		Where:  []string{"~/.local/share/amp/threads/T-*.json"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InDocument, Score: 92, Reason: "a document with an id T-…, v, created and messages",
				Is: kit.Signs{"messages & id=T-* & v|created"}},
			kit.Clue{In: kit.InDocument, Score: 85, Reason: "messages with messageId and toolUseID",
				Is: kit.Signs{"messages[](messageId & role:string & content[].toolUseID)"}},
		),
		Lists: func(model.Match) []string { return []string{"messages"} },
	})
}
