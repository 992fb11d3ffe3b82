package session_test

import (
	"fmt"
	"testing"

	"turns/model"
	"turns/query/querytest"
	"turns/query/session"
)

// TestJudge: only a later call of the same kind about the same subject resolves an error.
func TestJudge(t *testing.T) {
	say, call, tool := querytest.Message, querytest.Call, querytest.Tool
	ask := say(model.User, "Fix it.")
	bash := func(id, cmd string) model.Message {
		return querytest.Null(model.Assistant, call(id, "Bash", `{"command":"`+cmd+`"}`))
	}
	read := func(id, path string) model.Message {
		return querytest.Null(model.Assistant, call(id, "Read", `{"file_path":"`+path+`"}`))
	}
	good := func(id string) model.Message { return tool(querytest.Result(id, "ok")) }
	bad := func(id string) model.Message { return tool(querytest.Failed(id, "no such thing")) }
	done := say(model.Assistant, "All is **well**.")
	for _, c := range []struct {
		name       string
		run        []model.Message
		live       bool
		why        string
		index      int
		unresolved int
	}{
		{"nothing", nil, false, "", -1, 0},
		{"an answer", []model.Message{ask, done}, false, `the record stops after: "All is well."`, 1, 0},
		{"an answer, live", []model.Message{ask, done}, true, `waits for you: "All is well."`, 1, 0},
		{"no answer", []model.Message{ask}, false, `no answer to "Fix it."`, 0, 0},
		{"made good", []model.Message{ask, bash("a", "go test ./a"), bad("a"), bash("b", "go test ./b"), good("b"), done}, false,
			`the record stops after: "All is well."`, 5, 0},
		{"of another kind", []model.Message{ask, bash("a", "go test ./a"), bad("a"), bash("b", "git push"), good("b"), done}, false,
			`the record stops after: "All is well." · 1 error unresolved, last: Bash go test ./a: no such thing, #1`, 5, 1},
		{"another file", []model.Message{ask, read("a", "/x"), bad("a"), read("b", "/y"), good("b"), done}, false,
			`the record stops after: "All is well." · 1 error unresolved, last: Read /x: no such thing, #1`, 5, 1},
		{"the same file", []model.Message{ask, read("a", "/x"), bad("a"), read("b", "/x"), good("b"), done}, false,
			`the record stops after: "All is well."`, 5, 0},
		{"a call without a result", []model.Message{ask, bash("a", "sleep 9")}, false, "no result of Bash sleep 9", 1, 0},
		{"a call that runs", []model.Message{ask, bash("a", "sleep 9")}, true, "runs Bash sleep 9", 1, 0},
		{"a call that runs, another is done", []model.Message{ask, querytest.Null(model.Assistant, call("a", "Bash", `{"command":"ls"}`), call("b", "Bash", `{"command":"sleep 9"}`)), good("a")},
			true, "runs Bash sleep 9", 1, 0},
		{"calls of which one is done", []model.Message{ask, querytest.Null(model.Assistant, call("a", "Bash", `{"command":"ls"}`), call("b", "Bash", `{"command":"sleep 9"}`)), good("a")},
			false, "no result of Bash sleep 9", 1, 0},
		{"a question", []model.Message{ask, querytest.Null(model.Assistant, call("q", "AskUserQuestion", `{"question":"Drop it?"}`))}, true,
			`waits for you: "Drop it?"`, 1, 0},
	} {
		j, err := session.Judge(t.Context(), model.FromMessages(c.run), 0, c.live)
		if err != nil || j.Why != c.why || int(j.Index) != c.index || j.Unresolved != c.unresolved {
			t.Errorf("%s: %q at #%d, %d unresolved, %v; want %q at #%d, %d", c.name, j.Why, j.Index, j.Unresolved, err, c.why, c.index, c.unresolved)
		}
	}
}

// TestOldFailures: a failure counts among the last 400 calls, and not before.
func TestOldFailures(t *testing.T) {
	for later, want := range map[int]int{399: 1, 400: 0} {
		run := []model.Message{
			querytest.Message(model.User, "Fix it."), querytest.Null(model.Assistant, querytest.Call("bad", "Bash", `{"command":"make"}`)), querytest.Tool(querytest.Failed("bad", "no")),
		}
		for i := range later {
			id := fmt.Sprint(i)
			run = append(run, querytest.Null(model.Assistant, querytest.Call(id, "Read", `{"file_path":"/`+id+`"}`)), querytest.Tool(querytest.Result(id, "ok")))
		}
		if j, err := session.Judge(t.Context(), model.FromMessages(run), 0, false); err != nil || j.Unresolved != want {
			t.Errorf("a failure before %d other calls: %d unresolved errors, %v; want %d", later, j.Unresolved, err, want)
		}
	}
}
