package load

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// checkpointer creates a database like that of LangGraph's checkpointer for SQLite.
func checkpointer(t *testing.T, path string) func(statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := db.Exec(statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
		parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id))`)
	exec(`CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL,
		idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, value BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx))`)
	return exec
}

// graphMessage returns a message as the checkpointer packs it.
func graphMessage(class string, fields ...any) any {
	all := append(modeltest.Pairs{"content", "", "additional_kwargs", modeltest.Pairs{}, "response_metadata", modeltest.Pairs{}, "type", strings.ToLower(class), "name", nil}, fields...)
	return modeltest.Extension{Type: 5, Value: []any{"langchain_core.messages." + strings.ToLower(class), class + "Message", all, "model_validate_json"}}
}

func graphState(ts string, messages ...any) []byte {
	return modeltest.Pack(modeltest.Pairs{"v", 4, "ts", ts, "id", "x", "channel_values", modeltest.Pairs{
		"messages", messages, "summary", "so far", "branch:to:agent", nil, "__start__", "gone"}, "channel_versions", modeltest.Pairs{}})
}

func TestLangGraphCheckpoints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoints.sqlite")
	exec := checkpointer(t, path)
	human := graphMessage("Human", "content", "list", "id", "h1")
	ai := graphMessage("Ai", "id", "a1", "tool_calls", []any{modeltest.Pairs{"name", "ls", "args", modeltest.Pairs{"p", "."}, "id", "c1", "type", "tool_call"}},
		"usage_metadata", modeltest.Pairs{"input_tokens", 5, "output_tokens", 2, "total_tokens", 7})
	tool := graphMessage("Tool", "content", "a.py", "tool_call_id", "c1", "status", "success", "id", "t1")
	put := func(thread, ns, id string, state []byte) {
		exec(`INSERT INTO checkpoints VALUES (?,?,?,NULL,'msgpack',?,?)`, thread, ns, id, state, []byte(`{"source":"loop","step":2}`))
	}
	put("one", "", "1f0-1", graphState("2026-01-01T00:00:00+00:00", human))
	put("one", "", "1f0-2", graphState("2026-01-01T00:00:05+00:00", human, ai, tool))
	put("one", "tools:1", "1f0-3", graphState("2026-01-01T00:00:04+00:00", graphMessage("Human", "content", "inner")))
	put("two", "", "1f0-4", graphState("2026-01-02T00:00:00+00:00", graphMessage("Human", "content", "yes"), graphMessage("Human", "content", "yes")))
	exec(`INSERT INTO checkpoints VALUES ('three','','1f0-5',NULL,'json',?,'{}')`,
		`{"v":1,"ts":"2026-01-03T00:00:00+00:00","channel_values":{"messages":[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"older","id":"h9"}}]}}`)
	write := func(thread, id, task string, idx int, channel string, v any) {
		exec(`INSERT INTO writes VALUES (?,'',?,?,?,?,'msgpack',?)`, thread, id, task, idx, channel, modeltest.Pack(v))
	}
	write("one", "1f0-1", "t0", 0, "messages", []any{graphMessage("Human", "content", "said before", "id", "h0")})
	write("one", "1f0-2", "t1", 0, "messages", graphMessage("Ai", "content", "pending", "id", "a2"))
	write("one", "1f0-2", "t1", 1, "branch:to:x", nil)
	write("two", "1f0-4", "t2", 0, "__interrupt__", []any{modeltest.Extension{Type: 2, Value: []any{"langgraph.types", "Interrupt", modeltest.Pairs{"value", "ok?"}}}})

	s := loadFile(t, path, Options{})
	var got []string
	for _, id := range s.LiveIDs() {
		m, err := s.Body(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		h := s.HeadRow(id)
		text, _ := m.Content()
		se := s.Sessions()[s.Threads()[h.Thread].Session]
		got = append(got, fmt.Sprintf("%s %v %v %q", se.Field("session"), h.Role, h.Flags&model.Sidechain != 0, text))
	}
	want := `one user false "list"
one assistant false ""
one tool false "a.py"
one user true "inner"
one assistant false "pending"
three user false "older"
two user false "yes"
two user false "yes"`
	if got := strings.Join(got, "\n"); got != want {
		t.Errorf("messages\n%s\nwant\n%s", got, want)
	}
	if n := s.CallCount(); n != 1 || s.Call(0).Outcome != model.Success || s.Name(s.Call(0).Tool) != "ls" {
		t.Errorf("%d calls, %+v", n, s.Call(0))
	}
	notes := map[string]int{}
	for n := range s.Rows() {
		if h := s.HeadRow(model.ID(n)); h.Op == model.Note {
			notes[s.Name(h.Name)]++
		}
	}
	if notes["interrupt"] != 1 {
		t.Errorf("notes %v", notes)
	}
	if s.Format() != "langchain" {
		t.Errorf("format %s", s.Format())
	}
}
