package session_test

import (
	"context"
	"errors"
	"testing"

	"turns/model"
	"turns/query/querytest"
	"turns/query/session"
)

// TestJudgeOfAnEnd: the reason for an end comes from the log, then the last error, then the last
// message.
func TestJudgeOfAnEnd(t *testing.T) {
	say, call, tool := querytest.Message, querytest.Call, querytest.Tool
	ask, done := say(model.User, "Fix it."), say(model.Assistant, "All is well.")
	bash := func(id, cmd string) model.Message {
		return querytest.Null(model.Assistant, call(id, "Bash", `{"command":"`+cmd+`"}`))
	}
	good := func(id string) model.Message { return tool(querytest.Result(id, "ok")) }
	bad := func(id string) model.Message { return tool(querytest.Failed(id, "no such thing")) }
	circle := func(n int) []model.Message {
		msgs := []model.Message{ask}
		for i := range n {
			id := string(rune('a' + i))
			msgs = append(msgs, bash(id, "ls"), good(id))
		}
		return msgs
	}
	overloaded := say(model.Assistant, "Overloaded")
	overloaded.Op, overloaded.Flags = model.Note, model.APIError
	plan := querytest.Null(model.Assistant, call("p", "ExitPlanMode", `{}`))
	for _, c := range []struct {
		name    string
		run     []model.Message
		outcome model.Outcome
		reason  string
		live    bool
		why     string
		index   int
	}{
		{"a reason and an error", []model.Message{ask, bash("a", "make"), bad("a"), done}, model.Failure, "max_turns", false,
			"turn limit reached: Bash make: no such thing, #1", 1},
		{"two errors", []model.Message{ask, bash("a", "make"), bad("a"), bash("b", "git push"), bad("b"), done}, model.Failure, "error", false,
			"failed: Bash git push: no such thing, #3 · 1 more unresolved", 3},
		{"a reason that says nothing", []model.Message{ask, done}, model.Failure, "failure", false, `failed: "All is well."`, 1},
		{"an error of the program", []model.Message{ask, done, overloaded}, model.Failure, "", false, "failed: Overloaded", -1},
		{"the user stopped it", []model.Message{ask, done}, model.Stopped, "aborted", false, `interrupted after: "All is well."`, 1},
		{"stopped for a reason", []model.Message{ask, done}, model.Stopped, "escape", false, `escape: "All is well."`, 1},
		{"finished", []model.Message{ask, done}, model.Success, "end_turn", false, `finished: "All is well."`, 1},
		{"finished, somebody writes it", []model.Message{ask, done}, model.Success, "end_turn", true, `waits for you: "All is well."`, 1},
		{"finished without a word", []model.Message{ask, bash("a", "ls"), good("a")}, model.Success, "", false, "finished", 2},
		{"finished by a call without a result", []model.Message{ask, say(model.Assistant, "Here it is.", call("s", "submit", `{"answer":"12"}`))}, model.Success, "submitted", false,
			`submitted: "Here it is."`, 1},
		{"a call without a result, stopped", []model.Message{ask, bash("a", "ls")}, model.Stopped, "aborted", false, "no result of Bash ls", 1},
		{"in a circle", circle(4), model.Failure, "max_turns", false,
			"turn limit reached; the last 4 calls were one and the same: Bash ls (#1 … #7)", 7},
		{"in no circle yet", circle(3), model.Failure, "max_turns", false, "turn limit reached", 6},
		{"finished after a circle", append(circle(4), done), model.Success, "", false, `finished: "All is well."`, 9},
		{"a plan waits", []model.Message{ask, plan}, model.Running, "", true, `waits for you: "ExitPlanMode"`, 1},
		{"with its answer outstanding", []model.Message{ask, say(model.Assistant, "Let me see.", call("a", "Bash", `{"command":"ls"}`)), good("a")},
			model.Running, "", false, `not answered; said last: "Let me see."`, 1},
		{"at work", []model.Message{ask, bash("a", "ls"), good("a")}, model.Running, "", true, "running", 2},
		{"at work on a prompt", []model.Message{ask}, model.Running, "", true, `running: "Fix it."`, 0},
	} {
		snap := model.FromMessages(c.run)
		snap.Sessions()[0].Ended, snap.Sessions()[0].Outcome, snap.Sessions()[0].Reason = true, c.outcome, c.reason
		j, err := session.Judge(t.Context(), snap, 0, c.live)
		if err != nil || j.Why != c.why || int(j.Index) != c.index {
			t.Errorf("%s: %q at #%d, %v; want %q at #%d", c.name, j.Why, j.Index, err, c.why, c.index)
		}
	}
}

// TestJudgeOfAFailedRequest: the reason is the error message.
func TestJudgeOfAFailedRequest(t *testing.T) {
	failed := querytest.Flagged(querytest.Message(model.Assistant, "API Error: 529 overloaded"), model.APIError)
	snap := model.FromMessages([]model.Message{querytest.Message(model.User, "Fix it."), failed})
	j, err := session.Judge(t.Context(), snap, 0, false)
	if err != nil || j.State != model.RunFailed || j.Why != "API Error: 529 overloaded" || j.Index != 1 {
		t.Errorf("%+v, %v", j, err)
	}
	if j, err := session.Judge(t.Context(), snap, 1, false); err != nil || j.Why != "" || j.Index != -1 {
		t.Errorf("a conversation that is not there: %+v, %v", j, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := session.Judge(ctx, snap, 0, false); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
