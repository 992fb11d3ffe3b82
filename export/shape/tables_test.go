package shape

import (
	"fmt"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/query"
	"turns/query/describe"
)

// TestFieldsOfRecordsOnce: an export does not repeat a field of a record that the shape of the
// message already contains.
func TestFieldsOfRecordsOnce(t *testing.T) {
	call := `{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}`
	for _, c := range []struct {
		format, text string
		gone         []string // recorded names that the shape replaces
	}{
		{"agent-c", `[{"id":"m1","role":"assistant","interaction_id":"i","validity_state":"active","reasoning_content":"r","content":[{"type":"text","text":"a"}],"tool_calls":[` + call + `]},` +
			`{"id":"m2","role":"tool","interaction_id":"i","validity_state":"active","tool_call_id":"c","content":"b"}]`, nil},
		{"agentsmithy", `{"dialog_id":"d","messages":[{"type":"human","content":"q","index":0},{"type":"ai","content":"a","index":1,"tool_calls":[{"id":"c","name":"f","args":{}}]}]}`, []string{"type"}},
		{"dexto", `[{"id":"m1","role":"assistant","content":"a","reasoning":"r","toolCalls":[` + call + `]},{"id":"m2","role":"tool","content":"b","toolCallId":"c","name":"f"}]`,
			[]string{"toolCalls", "toolCallId", "reasoning"}},
		{"dexto", `[{"id":"m1","role":"assistant","content":"a","reasoning_content":"r","tool_calls":[` + call + `]},{"id":"m2","role":"tool","content":"b","tool_call_id":"c","name":"f"},` +
			`{"id":"m3","role":"assistant","content":"a","function_call":{"name":"f","arguments":"{}"}}]`, []string{"function_call"}},
		{"pydantic-ai", `[{"kind":"request","parts":[{"part_kind":"user-prompt","content":"q","timestamp":"2026-03-01T09:00:00Z"}]},{"kind":"response","parts":[{"part_kind":"text","content":"a"}],"timestamp":"2026-03-01T09:01:00Z"}]`,
			[]string{"parts"}},
		{"nikita", `[{"id":1,"conversation_id":"v","role":"user","content":"q","timestamp":"2026-03-01T09:00:00Z"},{"id":2,"conversation_id":"v","role":"nikita","content":"a","timestamp":"2026-03-01T09:01:00Z"}]`, nil},
	} {
		view := describe.NewView(query.Everything(exporttest.FromBytes(t, c.text, c.format)), nil)
		if view.Len() < 2 {
			t.Fatalf("%s: %d messages", c.format, view.Len())
		}
		out := jsonl(t, view, export.Options{})
		for line := range strings.Lines(out) {
			if line, _, _ = strings.Cut(line, `,"_conversation"`); strings.Contains(line, ` 2":`) {
				t.Errorf("%s: a field twice in %s", c.format, line)
			}
			for _, name := range c.gone {
				if at := strings.Index(line, `"`+name+`":`); at >= 0 && (name != "type" || !strings.Contains(line[:at], "tool_calls")) {
					t.Errorf("%s: %s once more in %s", c.format, name, line)
				}
			}
		}
	}
}

// TestAroundMessages: aroundMessages returns the fields of a document other than its messages and
// its prompt.
func TestAroundMessages(t *testing.T) {
	for _, name := range []string{"messages", "legacy_messages", "transcript", "history", "events", "tool_calls", "reasoning_blocks"} {
		rest, lists := aroundMessages(fmt.Appendf(nil, `{"a":1,%q:[{"b":2}],"c":3}`, name), nil)
		if string(rest) != `{"a":1,"c":3}` || lists != 1 {
			t.Errorf("around %s: %s, %d lists", name, rest, lists)
		}
		text := fmt.Sprintf(`{%q:"no list"}`, name)
		if rest, lists := aroundMessages([]byte(text), nil); string(rest) != text || lists != 0 {
			t.Errorf("around %s: %s, %d lists", text, rest, lists)
		}
	}
	for _, name := range []string{"system", "system_prompt", "systemPrompt", "instructions"} {
		if rest, _ := aroundMessages(fmt.Appendf(nil, `{%q:"be brief","a":1}`, name), nil); string(rest) != `{"a":1}` {
			t.Errorf("around %s: %s", name, rest)
		}
	}
	rest, lists := aroundMessages([]byte(`{"other":[1],"tool_calls":[1,2]}`), [][]byte{[]byte(`7`), []byte(`8`)})
	if string(rest) != `{"other":[1],"tool_calls":[7,8]}` || lists != 0 {
		t.Errorf("with calls: %s, %d lists", rest, lists)
	}
	for _, text := range []string{`{}`, `{"messages":[]}`, `{"a":1`} {
		if rest, _ := aroundMessages([]byte(text), nil); rest != nil {
			t.Errorf("around %s: %s", text, rest)
		}
	}
}

// TestNamesAreTakenOnce: an extra field of a result gets a number if the API has a field of that
// name.
func TestNamesAreTakenOnce(t *testing.T) {
	for _, name := range []string{"role", "content", "tool_calls", "tool_call_id", "reasoning_content", "is_error", "name"} {
		snap := model.FromMessages([]model.Message{
			{Role: model.Assistant, Blocks: []model.Content{{Kind: model.ToolCall, ID: "c", Name: "f", Text: "{}"}}},
			{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: "c", Name: "f", Text: "a", Extra: []model.KeyValue{{Name: name, Value: "x"}}}}},
		})
		out := jsonl(t, describe.NewView(query.Everything(snap), nil), export.Options{})
		if !strings.Contains(out, `"`+name+` 2":"x"`) || strings.Contains(out, `"`+name+`":"x"`) {
			t.Errorf("%s: %s", name, out)
		}
	}
}
