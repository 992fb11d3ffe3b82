package format

import (
	"testing"

	"turns/model"
	"turns/model/format/agents"
	"turns/model/format/cline"
	"turns/model/format/codex"
	"turns/model/format/cursor"
)

// TestPromptsWithoutTheirWrappers: the message has only the words that the user typed, and the
// agent's text around them is a separate field.
func TestPromptsWithoutTheirWrappers(t *testing.T) {
	parsers := map[string]func(model.Record, *model.Facts) error{
		"codex": codex.Format().Parse, "cline": cline.Format().Parse, "cursor": cursor.Format().Parse,
		"hermes, lines": func(rec model.Record, fs *model.Facts) error {
			rec.Variant = agents.HermesLines
			return agents.HermesFormat().Parse(rec, fs)
		},
	}
	for _, c := range []struct{ name, format, list, line, words, kept string }{
		{"Cline's task", "cline", "$", `{"role":"user","content":"<task>\nFix </task> it\n</task>\n\n<environment_details>\nnoon\n</environment_details>"}`, "Fix </task> it", "<environment_details>\nnoon\n</environment_details>"},
		{"Roo's message", "cline", "$", `{"role":"user","content":[{"type":"text","text":"<user_message>go on</user_message>"}]}`, "go on", ""},
		{"a task that is empty", "cline", "$", `{"role":"user","content":"<task>\n</task>"}`, "<task>\n</task>", ""},
		{"a task that is not closed", "cline", "$", `{"role":"user","content":"<task>Fix it"}`, "<task>Fix it", ""},
		{"a task that is spoken of", "cline", "$", `{"role":"user","content":"what is <task>x</task>?"}`, "what is <task>x</task>?", ""},
		{"an answer of Cline", "cline", "$", `{"role":"assistant","content":"I <task>x</task>"}`, "I <task>x</task>", ""},
		{"Codex in an editor", "codex", "", `{"timestamp":"2025-09-25T21:12:14.126Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# Context from my IDE setup:\n\n## Open tabs:\n- a\n\n## My request for Codex:\nFix it"}]}}`,
			"Fix it", "# Context from my IDE setup:\n\n## Open tabs:\n- a"},
		{"its mirror", "codex", "", `{"timestamp":"2025-09-25T21:12:14.126Z","type":"event_msg","payload":{"type":"user_message","message":"# Context from my IDE setup:\n\n## Open tabs:\n- a\n\n## My request for Codex:\nFix it"}}`,
			"Fix it", "# Context from my IDE setup:\n\n## Open tabs:\n- a"},
		{"a skill of Hermes", "hermes, lines", "", `{"role":"user","timestamp":"2026-08-03T10:20:05Z","content":"[IMPORTANT: The user has invoked the \"plan\" skill.]\n\nPlan.\n\nThe user has provided the following instruction alongside the skill invocation: Fix it"}`,
			"Fix it", "[IMPORTANT: The user has invoked the \"plan\" skill.]\n\nPlan."},
		{"Cursor's query", "cursor", "", `{"role":"user","message":{"content":[{"type":"text","text":"<time>noon</time>\n<user_query>\nFix it\n</user_query>\n<rules>none</rules>"}]}}`, "Fix it", "<time>noon</time><rules>none</rules>"},
	} {
		var fs model.Facts
		if err := parsers[c.format](model.Record{List: c.list, Data: []byte(c.line)}, &fs); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		words, kept := "", ""
		for i := range fs.Len() {
			f := fs.At(i)
			for _, b := range f.Blocks {
				if b.Kind == model.Words && f.Flags&model.Injected == 0 {
					words += b.Text.String()
				} else {
					kept += b.Text.String()
				}
			}
			for _, x := range f.Extra {
				if x.Name == "injected" {
					kept += x.Value.String()
				}
			}
		}
		if unquoted := jsonText(c.words); words != unquoted {
			t.Errorf("%s: the words are %q, want %q", c.name, words, unquoted)
		}
		if unquoted := jsonText(c.kept); kept != unquoted {
			t.Errorf("%s: next to them is %q, want %q", c.name, kept, unquoted)
		}
	}
}

// jsonText returns the text of the inside of a JSON string.
func jsonText(inside string) string { return model.EscapedText([]byte(inside)).String() }
