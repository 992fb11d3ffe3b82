package session

import (
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query/human"
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
	const never = -1
	now := time.UnixMilli(1_700_000_000_000)
	running := func(tools string, more func(*model.Ending)) model.Summary {
		e := model.Ending{State: model.RunOpen, Due: model.DueResult, Running: strings.Split(tools, "\n")[0], Tools: tools, Runs: 1 + strings.Count(tools, "\n")}
		if more != nil {
			more(&e)
		}
		return model.Summary{Ending: e}
	}
	turn := ended(model.Success, model.RunFinished, "task_complete")
	turn.Turn = true
	for _, c := range []struct {
		s     model.Summary
		quiet time.Duration
		want  string
		stage human.State
	}{
		{model.Summary{Ending: open(model.DueResult, "Bash", 1)}, 0, "● Bash running", human.Running},
		{model.Summary{Ending: open(model.DueResult, "Bash", 2)}, 0, "● 2 calls running", human.Running},
		{model.Summary{Ending: open(model.DueAnswer, "", 0)}, 0, "● thinking", human.Running},
		{model.Summary{}, 0, "○ idle", human.Idle},
		{model.Summary{}, 2 * time.Hour, "", human.Finished},
		{model.Summary{Partial: true}, 0, "", human.Finished},
		{model.Summary{Ending: open(model.DueResult, "", 0)}, never, "◌ no result", human.Idle},
		{model.Summary{Ending: open(model.DueAnswer, "", 0)}, never, "◌ no answer", human.Idle},
		{model.Summary{Ending: open(model.DueAnswer, "", 0)}, 13 * time.Hour, "◌ no answer", human.Idle},
		{model.Summary{Ending: open(model.DueAnswer, "", 0)}, 12*time.Minute + time.Second, "◌ stuck 12m", human.Stuck},
		{model.Summary{Ending: model.Ending{State: model.RunOpen, Due: model.DueAnswer, Pace: 300_000}}, 12 * time.Minute, "● thinking", human.Running},
		{running("Bash", nil), 10 * time.Minute, "◌ stuck 10m", human.Stuck},
		{running("Bash", func(e *model.Ending) { e.Again, e.Same = 4, "Bash" }), 0, "◌ Bash, 4 times the same", human.Stuck},
		{running("Bash", func(e *model.Ending) { e.Leave = 1 }), 0, "● Bash to allow", human.Waiting},
		{running("Edit", nil), time.Second, "● Edit running", human.Running},
		{running("Edit", nil), time.Minute, "● Edit to allow", human.Waiting},
		{running("Edit\nBash", nil), time.Minute, "● 2 calls running", human.Running},
		{running("Bash\nAskUserQuestion", nil), 2 * time.Hour, "● asks you", human.Waiting},
		{running("ExitPlanMode", nil), 0, "● plan for you", human.Waiting},
		{model.Summary{Ending: turn}, 0, "○ idle", human.Idle},
		{model.Summary{Ending: turn}, 2 * time.Hour, "✓ finished", human.Finished},
		{model.Summary{Ending: model.Ending{State: model.RunInterrupted, Due: model.DueAnswer}}, 0, "○ idle", human.Idle},
		{model.Summary{Ending: scored(1, ended(model.Success, model.RunFinished, ""))}, never, "✓ score 1", human.Finished},
		{model.Summary{Ending: scored(0, ended(model.Failure, model.RunFailed, ""))}, never, "✗ score 0", human.Failed},
		{model.Summary{Ending: ended(model.Success, model.RunFinished, "submitted")}, never, "✓ submitted", human.Finished},
		{model.Summary{Ending: ended(model.Success, model.RunFinished, "end_turn")}, 0, "✓ finished", human.Finished},
		{model.Summary{Ending: ended(model.Failure, model.RunFailed, "max iterations")}, never, "✗ max iterations", human.Failed},
		{model.Summary{Ending: model.Ending{State: model.RunFailed, Reason: "API error"}}, 0, "✗ API error", human.Failed},
		{model.Summary{Ending: ended(model.Stopped, model.RunInterrupted, "interrupted")}, never, "■ interrupted", human.Finished},
		{model.Summary{Ending: scored(0.5, model.Ending{})}, never, "score 0.5", human.Finished},
		{model.Summary{Sessions: 3, Judged: 2, Passed: 1}, never, "1 of 2 passed", human.Unknown},
		{model.Summary{Sessions: 2, Ending: model.Ending{State: model.RunFailed, Reason: "1 finished, 1 failed"}}, never,
			"✗ 2 sessions, last failed", human.Failed},
		{model.Summary{Sessions: 3, Ending: model.Ending{State: model.RunFinished, Reason: "2 finished, 1 failed"}}, never,
			"✓ 3 sessions, last finished", human.Finished},
		{model.Summary{Sessions: 7, Ending: model.Ending{State: model.RunOpen, Reason: "7 unfinished"}}, never, "◌ 7 unfinished", human.Idle},
		{model.Summary{Sessions: 2, Partial: true, Ending: model.Ending{State: model.RunFailed, Reason: "1 finished, 1 failed"}}, never,
			"✗ 2+ sessions, last failed", human.Failed},
		{model.Summary{Ending: ended(model.Success, model.RunFinished, "routine")}, never, "✓ finished", human.Finished},
		{model.Summary{Ending: ended(model.Success, model.RunFinished, "turn.completed")}, never, "✓ finished", human.Finished},
		{model.Summary{Ending: ended(model.Failure, model.RunFailed, "turn.failed")}, never, "✗ failed", human.Failed},
		{model.Summary{Ending: ended(model.Failure, model.RunFailed, "error_max_turns")}, never, "✗ turn limit reached", human.Failed},
		{model.Summary{}, never, "", human.Finished},
		{model.Summary{Messages: 2}, time.Second, "● thinking", human.Running},
	} {
		at := now
		if c.quiet == never {
			at = time.Time{}
		}
		c.s.Written = now.Add(-c.quiet).UnixMilli()
		c.s.Last = c.s.Written
		if got := StateOf(&c.s, at); got.String() != c.want || got.Stage() != c.stage {
			t.Errorf("%+v, quiet for %v: %q, %v; want %q, %v", c.s.Ending, c.quiet, got, got.Stage(), c.want, c.stage)
		}
	}
}

// TestIsLive: a recently written session is live, unless it has ended, the file holds several, or
// it was written so long after its last record that it must be a copy.
func TestIsLive(t *testing.T) {
	now := time.Date(2026, 2, 11, 21, 0, 0, 0, time.UTC)
	at := func(ago time.Duration) int64 { return now.Add(-ago).UnixMilli() }
	for _, c := range []struct {
		s    model.Summary
		want bool
	}{
		{model.Summary{Written: at(time.Minute), Last: at(time.Minute), Sessions: 1}, true},
		{model.Summary{Written: at(time.Minute), Sessions: 1}, false}, // no record has a time: it may be a copy
		{model.Summary{Written: at(time.Minute), Sessions: 1, Grew: true}, true},
		{model.Summary{Written: at(time.Minute), Last: at(-48 * time.Hour), Sessions: 1}, false}, // written by another clock
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
