package dialect_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/summary"
)

// history is a document of AgentSmithy: two calls with previews of their results, and a third
// that no message contains. Its totals exceed the sum of its messages.
const history = `{"dialog_id":"d","messages":[
{"type":"system","content":"Be brief.","index":0},
{"type":"human","content":"read it","index":1,"timestamp":"2025-10-15T20:00:00.000Z"},
{"type":"reasoning","content":"I need to read it","index":2,"timestamp":"2025-10-15T20:00:01.500Z","reasoning_id":4,"model_name":"gpt-4o"},
{"type":"ai","content":"","index":3,"tool_calls":[{"id":"c1","name":"read_file","args":{"path":"a.py"}},{"id":"c2","name":"grep","args":{"q":"x"}}]},
{"type":"ai","content":"Flask.","index":4}],
"tool_calls":[
{"tool_call_id":"c1","tool_name":"read_file","args":{},"result_preview":"Read a.py","has_full_result":true,"timestamp":"2025-10-15T20:00:02.000Z","message_index":-1},
{"tool_call_id":"c2","tool_name":"grep","args":{},"result_preview":"Error: no match","has_full_result":false,"timestamp":"2025-10-15T20:00:02.500Z","message_index":3},
{"tool_call_id":"c9","tool_name":"ghost","args":{"a":1},"result_preview":"no message named me","has_full_result":false,"timestamp":"2025-10-15T20:00:05.000Z","message_index":2}],
"total_messages":99,"total_reasoning":1,"total_tool_calls":3}`

// smithyHistory has the fields of a history that the test compares.
type smithyHistory struct {
	Messages       []smithyMessage
	Calls          []smithyCall `json:"tool_calls"`
	TotalMessages  int          `json:"total_messages"`
	TotalReasoning int          `json:"total_reasoning"`
	TotalCalls     int          `json:"total_tool_calls"`
}

// smithyMessage is an entry of the list of messages.
type smithyMessage struct {
	Type, Content string
	Index         int
	Time          time.Time                   `json:"timestamp"`
	Model         string                      `json:"model_name"`
	Calls         []struct{ ID, Name string } `json:"tool_calls"`
}

// smithyCall is an entry of the list of calls.
type smithyCall struct {
	ID      string    `json:"tool_call_id"`
	Name    string    `json:"tool_name"`
	Preview string    `json:"result_preview"`
	Full    bool      `json:"has_full_result"`
	Time    time.Time `json:"timestamp"`
}

func readHistory(t *testing.T, text string) (h smithyHistory) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return h
}

// TestAgentSmithyHistory writes a history as recorded: each message and call with its time,
// whether the full result is stored, and totals of the exported messages.
func TestAgentSmithyHistory(t *testing.T) {
	seed, err := os.ReadFile(filepath.Join("..", "..", "testdata", "formats", "agentsmithy", "seed.json"))
	if err != nil {
		t.Fatal(err)
	}
	previews, err := os.ReadFile(filepath.Join("..", "..", "testdata", "formats", "agentsmithy", "previews.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"history": history, "seed": string(seed), "previews": string(previews)} {
		out, _ := written(t, "agentsmithy", exporttest.Everything(exporttest.FromBytes(t, text, "agentsmithy")), export.Options{})
		in, got := readHistory(t, text), readHistory(t, out)
		if !reflect.DeepEqual(got.Messages, in.Messages) {
			t.Errorf("%s: messages\n%+v\nof\n%+v", name, got.Messages, in.Messages)
		}
		for _, c := range in.Calls {
			if !slices.Contains(got.Calls, c) {
				t.Errorf("%s: %+v is not among %+v", name, c, got.Calls)
			}
		}
		if got.TotalMessages != len(got.Messages) || got.TotalCalls != len(got.Calls) || got.TotalReasoning != in.TotalReasoning {
			t.Errorf("%s: totals %+v", name, got)
		}
		again, _ := written(t, "agentsmithy", exporttest.Everything(exporttest.FromBytes(t, out, "agentsmithy")), export.Options{})
		if again != out {
			t.Errorf("%s: written again\n%s\nof\n%s", name, again, out)
		}
	}
}

// TestAgentSmithyPendingCall writes a call without a result: it is still pending when read back.
func TestAgentSmithyPendingCall(t *testing.T) {
	const open = `{"dialog_id":"d","messages":[{"type":"human","content":"list","index":0},` +
		`{"type":"ai","content":"","index":1,"tool_calls":[{"id":"c1","name":"run","args":{"cmd":"ls"}}]}],"tool_calls":[],"total_messages":2}`
	pending := func(text string) int {
		answer, err := summary.Stats(t.Context(), query.Everything(exporttest.FromBytes(t, text, "agentsmithy")), nil)
		if err != nil {
			t.Fatal(err)
		}
		return int(answer.PendingCalls)
	}
	out, _ := written(t, "agentsmithy", exporttest.Everything(exporttest.FromBytes(t, open, "agentsmithy")), export.Options{})
	if a, b := pending(open), pending(out); a != 1 || b != 1 {
		t.Errorf("%d pending, read back %d: %s", a, b, out)
	}
}

// TestAgentSmithyPreview writes a preview of at most 200 characters of a result.
func TestAgentSmithyPreview(t *testing.T) {
	for size, want := range map[int]string{200: strings.Repeat("x", 200), 201: strings.Repeat("x", 199) + "…"} {
		text := `{"dialog_id":"d","messages":[{"type":"human","content":"list","index":0},` +
			`{"type":"ai","content":"","index":1,"tool_calls":[{"id":"c1","name":"run","args":{"cmd":"ls"}}]},` +
			`{"type":"tool","content":"` + strings.Repeat("x", size) + `","tool_call_id":"c1","index":2}],"tool_calls":[],"total_messages":3}`
		out, _ := written(t, "agentsmithy", exporttest.Everything(exporttest.FromBytes(t, text, "agentsmithy")), export.Options{})
		if h := readHistory(t, out); len(h.Calls) != 1 || h.Calls[0].Preview != want {
			t.Errorf("%d characters: %s", size, out)
		}
	}
}

// TestAgentSmithyJournal writes the history of a journal with the times of its calls.
func TestAgentSmithyJournal(t *testing.T) {
	path := filepath.Join(modeltest.Corpus(t), "frameworks", "agentsmithy", "journal.sqlite")
	out, _ := written(t, "agentsmithy", exporttest.Everything(exporttest.Detected(t, path)), export.Options{})
	h := readHistory(t, out)
	at := func(second int) time.Time { return time.Date(2025, 10, 15, 20, 0, second, 0, time.UTC) }
	want := []smithyCall{
		{"call_1", "read_file", "Read file: file.py", true, at(2)},
		{"call_2", "write_file", "denied", true, at(4)},
	}
	if len(h.Messages) != 8 || h.TotalMessages != 8 || h.TotalReasoning != 1 || h.TotalCalls != 2 || !slices.Equal(h.Calls, want) {
		t.Errorf("%s", out)
	}
}

// TestAgentSmithyCallWithoutMessage reads an entry of the list of calls that no message contains as
// a call with its arguments, before or after the messages, and writes it as recorded.
func TestAgentSmithyCallWithoutMessage(t *testing.T) {
	const entry = `{"tool_call_id":"c9","tool_name":"write_file","args":{"a":1},"result_preview":"wrote","has_full_result":false,"timestamp":"2025-10-15T20:00:04.000Z","message_index":1}`
	const named = `{"tool_call_id":"c1","tool_name":"ls","args":{},"result_preview":"a.go","has_full_result":true,"timestamp":"2025-10-15T20:00:03.000Z","message_index":-1}`
	const messages = `"messages":[{"type":"human","content":"list","index":0},{"type":"ai","content":"","index":1,"tool_calls":[{"id":"c1","name":"ls","args":{"p":"."}}]},{"type":"ai","content":"Done.","index":2}]`
	const calls = `"tool_calls":[` + named + "," + entry + "]"
	for name, text := range map[string]string{
		"messages first": `{"dialog_id":"d",` + messages + "," + calls + "}",
		"calls first":    `{"dialog_id":"d",` + calls + "," + messages + "}",
	} {
		snap := exporttest.FromBytes(t, text, "agentsmithy")
		stats, err := summary.Stats(t.Context(), query.Everything(snap), nil)
		if err != nil || stats.ToolCalls != 2 || stats.OrphanResults != 0 || stats.PendingCalls != 0 {
			t.Errorf("%s: %v, %+v", name, err, stats)
		}
		args := map[string]string{}
		for pos := range snap.Len() {
			m, err := snap.Body(t.Context(), snap.At(pos))
			if err != nil {
				t.Fatal(err)
			}
			for i := range m.Blocks {
				if c := &m.Blocks[i]; c.Kind == model.ToolCall {
					args[c.ID] += c.Text
				}
			}
		}
		if args["c1"] != `{"p":"."}` || args["c9"] != `{"a":1}` {
			t.Errorf("%s: arguments %q", name, args)
		}
		out, _ := written(t, "agentsmithy", exporttest.Everything(snap), export.Options{})
		var h struct {
			Calls []json.RawMessage `json:"tool_calls"`
		}
		if err := json.Unmarshal([]byte(out), &h); err != nil || len(h.Calls) != 2 {
			t.Fatalf("%s: %v in %s", name, err, out)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, h.Calls[1]); err != nil || compact.String() != entry {
			t.Errorf("%s: wrote\n%s\nof\n%s", name, compact.String(), entry)
		}
	}
}
