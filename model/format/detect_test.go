package format

import (
	"cmp"
	"testing"

	"turns/model"
)

// TestDetectChat checks the borders between the chat formats, their fallbacks and similar records.
// Formats with a distinct shape are tested by their samples.
func TestDetectChat(t *testing.T) {
	tests := []struct{ name, path, data, want string }{
		{"plain list", "x.json", `[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`, "openai"},
		{"a single message", "x.json", `{"role":"user","content":"a"}`, "openai"},
		{"unknown role", "x.json", `[{"role":"narrator","content":"a"}]`, "generic"},
		{"unknown role among calls", "x.json", `[{"role":"narrator","content":"a"},{"role":"tool","tool_call_id":"c","content":"b"}]`, "openai"},
		{"messages of a Claude", "x.json", `{"model":"claude-x","messages":[{"role":"user","content":"a"}]}`, "anthropic"},
		{"Claude behind OpenAI's API", "x.json", `{"model":"claude-x","messages":[{"role":"tool","tool_call_id":"c","content":"a"}]}`, "openai"},
		{"top-level system", "x.jsonl", `{"system":"s","messages":[{"role":"user","content":"a"}]}`, "anthropic"},
		{"blocks of a system of its own", "x.json", `[{"role":"assistant","content":[{"type":"tool_use","tool_id":"t","tool_name":"f"}]}]`, "agent-c"},
		{"blocks without a type", "x.json", `[{"role":"user","content":[{"text":"a"}]}]`, "bedrock"},
		{"list elsewhere", "x.json", `{"history":[{"role":"user","content":"a"}]}`, "generic"},
		{"a few messages among other lines", "x.jsonl", "{\"a\":1}\n{\"b\":1}\n{\"role\":\"user\",\"content\":\"a\"}", "records"},
		{"package.json", "package.json", `{"name":"x","author":"Ada","version":"1","scripts":{"test":"x"}}`, "records"},
		{"metrics", "x.jsonl", "{\"event\":\"a\",\"time\":1}\n{\"event\":\"b\",\"time\":2}", "records"},
		{"access list", "x.json", `{"items":[{"role":"admin","user":"ada"},{"role":"reader","user":"bob"}]}`, "records"},
		{"numbers", "x.json", `[1,2,3]`, "records"},
		{"lists on lines", "x.jsonl", "[{\"role\":\"user\",\"content\":\"a\"}]\n[{\"role\":\"user\",\"content\":\"b\"}]", "openai"},
		{"lists of calls on lines", "x.jsonl", "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"b\"}]\n[]", "openai"},
		{"lists of blocks on lines", "x.jsonl", "[{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}]}]\n[{\"role\":\"user\",\"content\":\"b\"}]", "anthropic"},
		{"lists of speakers on lines", "x.jsonl", "[{\"speaker\":\"ada\",\"text\":\"a\"}]\n[{\"speaker\":\"bob\",\"text\":\"b\"}]", "generic"},
		{"lists of numbers on lines", "x.jsonl", "[1,2]\n[3,4]", "records"},
		{"lists of texts on lines", "x.jsonl", "[\"user\",\"a\"]\n[\"assistant\",\"b\"]", "records"},
		{"lists of rows on lines", "x.jsonl", "[{\"id\":1,\"content\":\"a\"}]\n[{\"id\":2,\"content\":\"b\"}]", "records"},
		{"lists of accounts on lines", "x.jsonl", "[{\"role\":\"admin\",\"user\":\"ada\"}]\n[{\"role\":\"reader\",\"user\":\"bob\"}]", "records"},
		{"a few messages among rows on lines", "x.jsonl", "[{\"id\":1},{\"id\":2},{\"role\":\"user\",\"content\":\"a\"}]\n[{\"id\":3}]", "records"},
		{"Cline's history", "x.json", `[{"role":"user","content":"<task>a</task>"},{"role":"assistant","content":[{"type":"text","text":"b"}]}]`, "cline"},
		{"Cline's marks in a list of calls", "x.json", `[{"role":"user","content":"<task>a</task>"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"b"}]`, "openai"},
		{"Cline's marks under a system prompt", "x.json", `[{"role":"system","content":"use <task>"},{"role":"user","content":"a"}]`, "openai"},
		{"prose", "x.txt", "User: hello\n", "records"},
		{"nothing", "x.jsonl", "", "records"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := sampleOf(test.path, []byte(test.data))
			f, m := Detect(s)
			if f.Name != test.want {
				t.Errorf("detected as %s (%d: %s), want %s", f.Name, m.Score, m.Reason, test.want)
			}
			all := Explain(s)
			if len(all) == 0 || all[0].Format.Name != f.Name || all[len(all)-1].Format.Name != "records" {
				t.Errorf("Explain does not begin with what Detect found and end with records")
			}
			underCeilings(t, s)
		})
	}
}

// underCeilings checks that no format scores higher than its Highest.
func underCeilings(t *testing.T, s *model.Sample) {
	t.Helper()
	for _, e := range Explain(s) {
		if highest := cmp.Or(e.Format.Highest, 100); e.Match.Score > highest {
			t.Errorf("%s gives %d, its highest is %d", e.Format.Name, e.Match.Score, highest)
		}
	}
}

// TestScoresOfChats: the bounds that decide about envelopes are the scores of the plainest messages
// and of messages in the shape of a provider.
func TestScoresOfChats(t *testing.T) {
	for line, want := range map[string]int{
		`{"role":"user","content":"hi"}`: plainScore,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]}`: familyScore,
	} {
		_, m := detectKnown(&model.Sample{Shape: model.Lines, Records: [][]byte{[]byte(line)}})
		if m.Score != want {
			t.Errorf("%s scores %d, want %d: %s", line, m.Score, want, m.Reason)
		}
	}
}

// TestNoRecords: no format but the last one recognises lines before there are any.
func TestNoRecords(t *testing.T) {
	for _, f := range formats[:len(formats)-1] {
		if m := f.Detect(&model.Sample{Shape: model.Lines}); m.Score != 0 {
			t.Errorf("%s scores %d: %s", f.Name, m.Score, m.Reason)
		}
	}
}
