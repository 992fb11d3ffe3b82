package session

import (
	"testing"
	"time"

	"turns/model"
)

func TestAgentName(t *testing.T) {
	for title, want := range map[string]string{
		"Claude Code session": "Claude Code", "Codex rollout": "Codex", "τ-bench or τ²-bench results": "τ-bench", "Cline, Roo Code or Kilo Code task": "Cline, Roo Code",
		"GitHub Copilot CLI": "Copilot CLI", "Crush": "Crush", "Inspect AI evaluation log": "Inspect AI", "Codex exec --json": "Codex exec", "Pi session": "Pi", "Dexto (Saiki) messages": "Dexto",
	} {
		if got := (&Session{Summary: model.Summary{Agent: title}}).AgentName(); got != want {
			t.Errorf("%q is called %q, want %q", title, got, want)
		}
	}
}

func TestStates(t *testing.T) {
	ended := func(o model.Outcome, state model.RunState, reason string) model.Ending {
		return model.Ending{Ended: true, Outcome: o, State: state, Reason: reason}
	}
	scored := func(score float64, e model.Ending) model.Ending {
		e.Score, e.Scored = score, true
		return e
	}
	open := func(due model.Due, running string, calls int) model.Ending {
		return model.Ending{State: model.RunOpen, Due: due, Running: running, Runs: calls}
	}
	for _, c := range []struct {
		s    model.Summary
		live bool
		want string
	}{
		{model.Summary{Ending: open(model.DueResult, "Bash", 1)}, true, "● Bash running"},
		{model.Summary{Ending: open(model.DueResult, "Bash", 2)}, true, "● 2 calls running"},
		{model.Summary{Ending: open(model.DueAnswer, "", 0)}, true, "● model"},
		{model.Summary{}, true, "● waits for you"},
		{model.Summary{Partial: true}, true, ""},
		{model.Summary{Ending: open(model.DueResult, "", 0)}, false, "◌ no result"},
		{model.Summary{Ending: open(model.DueAnswer, "", 0)}, false, "◌ no answer"},
		{model.Summary{Ending: scored(1, ended(model.Success, model.RunFinished, ""))}, false, "✓ score 1"},
		{model.Summary{Ending: scored(0, ended(model.Failure, model.RunFailed, ""))}, false, "✗ score 0"},
		{model.Summary{Ending: ended(model.Success, model.RunFinished, "submitted")}, false, "✓ submitted"},
		{model.Summary{Ending: ended(model.Success, model.RunFinished, "end_turn")}, true, "✓ finished"},
		{model.Summary{Ending: ended(model.Failure, model.RunFailed, "max iterations")}, false, "✗ max iterations"},
		{model.Summary{Ending: model.Ending{State: model.RunFailed, Reason: "API error"}}, false, "✗ API error"},
		{model.Summary{Ending: ended(model.Stopped, model.RunInterrupted, "interrupted")}, false, "■ interrupted"},
		{model.Summary{Ending: scored(0.5, model.Ending{})}, false, "score 0.5"},
		{model.Summary{Sessions: 3, Judged: 2, Passed: 1}, false, "1 of 2 passed"},
		{model.Summary{Sessions: 2, Ending: model.Ending{State: model.RunFailed, Reason: "1 finished, 1 failed"}}, false, "1 finished, 1 failed"},
		{model.Summary{}, false, ""},
	} {
		if got := StateOf(&c.s, c.live).String(); got != c.want {
			t.Errorf("%+v, live %v: %q, want %q", c.s, c.live, got, c.want)
		}
	}
}

// One that is followed and writes nothing is silent, unless it waits for its user.
func TestSilence(t *testing.T) {
	busy, waits := State{Doing: Running}, State{Doing: Waiting}
	if got := busy.After(12*time.Minute + time.Second).Words(); got != "silent 12m00s" {
		t.Errorf("says %q", got)
	}
	if busy.After(time.Minute) != busy || waits.After(time.Hour) != waits {
		t.Error("too early, or of one that waits")
	}
}

// TestIsLive: what was written just now is live, unless it has ended, holds many, or
// was written so long after its last record that somebody copied it.
func TestIsLive(t *testing.T) {
	now := time.Date(2026, 2, 11, 21, 0, 0, 0, time.UTC)
	at := func(ago time.Duration) int64 { return now.Add(-ago).UnixMilli() }
	for _, c := range []struct {
		s    model.Summary
		want bool
	}{
		{model.Summary{Written: at(time.Minute), Last: at(time.Minute), Sessions: 1}, true},
		{model.Summary{Written: at(time.Minute), Sessions: 1}, true}, // no record has a time
		{model.Summary{Written: at(time.Minute), Last: at(9 * time.Hour), Sessions: 1}, true},
		{model.Summary{Written: at(time.Minute), Last: at(48 * time.Hour), Sessions: 1}, false},
		{model.Summary{Written: at(6 * time.Minute), Last: at(6 * time.Minute), Sessions: 1}, false},
		{model.Summary{Written: at(time.Minute), Last: at(time.Minute), Sessions: 2}, false},
		{model.Summary{Written: at(time.Minute), Last: at(time.Minute), Sessions: 1, Ending: model.Ending{Ended: true}}, false},
	} {
		if got := Live(&c.s, now); got != c.want {
			t.Errorf("%+v is live: %v", c.s, got)
		}
	}
}
