package session

import (
	"testing"
	"time"

	"turns/model"
)

// TestARunStandsAsItsSubagentsDo: the row of a main run shows its waiting subagent and the place.
func TestARunStandsAsItsSubagentsDo(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	ago := func(d time.Duration) int64 { return now.Add(-d).UnixMilli() }
	// run returns a session whose last record is quiet ago.
	run := func(path, id, starter string, quiet time.Duration, e model.Ending) *Session {
		e.Since, e.At = ago(quiet), 7
		s := Of(model.Summary{Path: path, Format: "f", Session: id, Starter: starter, Sessions: 1, Messages: 9, Last: ago(quiet), Written: ago(quiet), Ending: e}, now)
		return &s
	}
	calls := func(tool string) model.Ending {
		return model.Ending{State: model.RunOpen, Due: model.DueResult, Running: tool, Tools: tool, Runs: 1}
	}
	turned := model.Ending{State: model.RunFinished}
	broken := model.Ending{State: model.RunFailed, Reason: "API error"}
	circles := model.Ending{State: model.RunOpen, Due: model.DueAnswer, Again: 9, Same: "Bash"}
	thinks := model.Ending{State: model.RunOpen, Due: model.DueAnswer}
	const sec, min = time.Second, time.Minute
	for _, c := range []struct {
		name   string
		run    *Session
		agents []*Session
		want   string // the reason; where is the path of its place, "" for the run itself
		where  string
		busy   int
	}{
		{"alone", run("/r", "r", "", sec, calls("Task")), nil, "Task running", "", 0},
		{"it works", run("/r", "r", "", 20*min, calls("Task")), []*Session{run("/a", "a", "r", sec, calls("Bash"))}, "Task running", "", 1},
		{"it asks", run("/r", "r", "", 20*min, calls("Task")), []*Session{run("/a", "a", "r", sec, calls("AskUserQuestion")), run("/b", "b", "r", sec, thinks)}, "agent: asks you", "/a", 1},
		{"it asks before the run waits", run("/r", "r", "", min, calls("wait")), []*Session{run("/a", "a", "r", 9*min, calls("AskUserQuestion"))}, "agent: asks you", "/a", 0},
		{"it has an edit to allow, and the run has turned to its user", run("/r", "r", "", 2*min, turned), []*Session{run("/a", "a", "r", min, calls("Edit"))}, "agent: Edit to allow", "/a", 0},
		{"it was left behind", run("/r", "r", "", 2*min, turned), []*Session{run("/a", "a", "r", 30*min, calls("Edit"))}, "idle", "", 0},
		{"it has given its result", run("/r", "r", "", sec, calls("Task")), []*Session{run("/a", "a", "r", 2*sec, turned)}, "Task running", "", 0},
		{"it goes in a circle", run("/r", "r", "", min, calls("Task")), []*Session{run("/a", "a", "r", sec, circles)}, "agent: Bash, 9 times the same", "/a", 0},
		{"it has failed", run("/r", "r", "", min, calls("Task")), []*Session{run("/a", "a", "r", 30*sec, broken)}, "agent: API error", "/a", 0},
		{"the run goes on after a failure", run("/r", "r", "", sec, thinks), []*Session{run("/a", "a", "r", min, broken)}, "thinking", "", 0},
		{"all are silent", run("/r", "r", "", 9*min, calls("Task")), []*Session{run("/a", "a", "r", 8*min, calls("Bash"))}, "agent: stuck 8m", "/a", 0},
		{"a question comes before silence", run("/r", "r", "", 9*min, calls("Task")), []*Session{run("/a", "a", "r", 8*min, calls("Bash")), run("/b", "b", "r", 7*min, calls("AskUserQuestion"))}, "agent: asks you", "/b", 0},
		{"the run asks by itself", run("/r", "r", "", sec, calls("AskUserQuestion")), []*Session{run("/a", "a", "r", sec, calls("Edit"))}, "asks you", "", 1},
		{"one of a subagent's", run("/r", "r", "", min, calls("Task")), []*Session{run("/a", "a", "r", sec, calls("Task")), run("/b", "b", "a", sec, calls("AskUserQuestion"))}, "agent: asks you", "/b", 1},
		{"those of one id", run("/r", "r", "", min, calls("Task")), []*Session{run("/a", "r", "r", sec, calls("AskUserQuestion"))}, "agent: asks you", "/a", 0},
		{"of another run", run("/r", "r", "", sec, calls("Task")), []*Session{run("/a", "a", "x", sec, calls("AskUserQuestion"))}, "Task running", "", 0},
		{"in a ring", run("/r", "r", "a", sec, calls("Task")), []*Session{run("/a", "a", "r", sec, calls("Bash"))}, "Task running", "", 1},
	} {
		all := map[string]*Session{c.run.Path: c.run}
		f := NewFamilies(func(path string) *Session { return all[path] })
		for _, a := range c.agents { // the newest come first in a list
			all[a.Path] = a
			f.Put(a)
		}
		f.Put(c.run)
		f.Settle(c.run, now)
		if c.where == "" {
			c.where = "/r"
		}
		if got := c.run.Where(); c.run.Reason != c.want || c.run.State().Words() != c.want || got != (Place{c.where, 7}) || c.run.Agents != c.busy {
			t.Errorf("%s: %q (%q) at %v, %d work; want %q at %s, %d", c.name, c.run.Reason, c.run.State().Words(), got, c.run.Agents, c.want, c.where, c.busy)
		}
	}
}

// TestACopiedFolderIsNotLive: a copied folder is as old as its records: the new file time of a
// subagent does not make its session live.
func TestACopiedFolderIsNotLive(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	old := now.Add(-100 * 24 * time.Hour).UnixMilli()
	for _, c := range []struct {
		name  string
		agent model.Summary
		want  bool
	}{
		{"copied", model.Summary{Last: old}, false},
		{"without times", model.Summary{}, false},
		{"it grew while turns looked", model.Summary{Last: old, Grew: true}, true},
		{"still written", model.Summary{Last: now.UnixMilli()}, true},
	} {
		summary := func(path, id, starter string, s model.Summary, written time.Time) *Session {
			s.Path, s.Format, s.Session, s.Starter, s.Sessions, s.Messages, s.Written = path, "f", id, starter, 1, 9, written.UnixMilli()
			s.Ending = model.Ending{State: model.RunFinished}
			x := Of(s, now)
			return &x
		}
		run := summary("/r", "r", "", model.Summary{Last: old}, now.Add(-time.Second))
		agent := summary("/a", "a", "r", c.agent, now)
		all := map[string]*Session{run.Path: run, agent.Path: agent}
		f := NewFamilies(func(path string) *Session { return all[path] })
		f.Put(agent)
		f.Put(run)
		f.Settle(run, now)
		if got := run.State().Live(); got != c.want {
			t.Errorf("%s: live is %v (%s), want %v", c.name, got, run.Reason, c.want)
		}
	}
}
