package session

import (
	"testing"
	"time"

	"turns/model"
	"turns/query/querytest"
)

// TestChores: subagents that work for their program, by their file or title.
func TestChores(t *testing.T) {
	agent := func(path, title string) *Session {
		return &Session{Summary: model.Summary{Starter: "s", Path: path, Title: title}}
	}
	of := []*Session{agent("/w/agent-acompact-1.jsonl", ""), agent("/w/a.jsonl", "Warmup "), agent("/w/b.jsonl", "Look"), agent("/w/c.jsonl", "Test")}
	for i, want := range []string{"compaction", "warm-up", "", ""} {
		if got := of[i].Chore(); got != want {
			t.Errorf("%s %q works at %q, want %q", of[i].Path, of[i].Title, got, want)
		}
	}
	if got := (&Session{Summary: model.Summary{Title: "warmup"}}).Chore(); got != "" {
		t.Errorf("a session of a user works at %q", got)
	}
	for n, want := range map[int]string{0: "", 1: "1 compaction", 4: "2 agents, 1 compaction, 1 warm-up"} {
		if got := AgentsInWords(of[:n]); got != want {
			t.Errorf("%d subagents are %q, want %q", n, got, want)
		}
	}
}

// TestRowsOfSessions: a session without a number has no value for it.
func TestRowsOfSessions(t *testing.T) {
	row := func(started, last int64, cost float64, place *Place) Row {
		s := &Session{Summary: model.Summary{Started: started, Last: last}, Cost: cost, Place: place}
		return s.Row()
	}
	for _, c := range []struct {
		started, last int64
		want          bool
	}{{0, 5000, false}, {5000, 5000, false}, {5000, 5001, true}} {
		if r := row(c.started, c.last, 0, nil); (r.Duration != nil) != c.want {
			t.Errorf("from %d to %d the duration is %v", c.started, c.last, r.Duration)
		}
	}
	if r := row(0, 0, 0, nil); r.Cost != nil || r.State.Subagent != nil {
		t.Errorf("without a cost or subagent: %+v, %v", r.Cost, r.State.Subagent)
	}
	if r := row(0, 0, 2, &Place{Path: "/w/a.jsonl"}); r.Cost == nil || r.Cost.Dollars != 2 || *r.State.Subagent != "/w/a.jsonl" {
		t.Errorf("with both: %+v, %v", r.Cost, r.State.Subagent)
	}
	if *known("x") != "x" || known("") != nil {
		t.Error("only a value that is not empty is known")
	}
}

// TestSessionGrew: a session grew if its file was known and is larger now.
func TestSessionGrew(t *testing.T) {
	for _, c := range []struct {
		before, now int64
		want        bool
	}{{0, 9, false}, {9, 9, false}, {9, 8, false}, {9, 10, true}} {
		s, was := &Session{Summary: model.Summary{Bytes: c.now}}, &Session{Summary: model.Summary{Bytes: c.before}}
		if s.Replaces(was); s.Grew != c.want {
			t.Errorf("from %d to %d bytes it grew: %v", c.before, c.now, s.Grew)
		}
	}
	for outcome, want := range map[model.Outcome]bool{model.Success: true, model.Failure: false} {
		s := &Session{Summary: model.Summary{Ending: model.Ending{Scored: true, Outcome: outcome}}}
		if s.Passes() != want {
			t.Errorf("a score with %v passes: %v", outcome, s.Passes())
		}
	}
}

// TestWhatACallWaitsFor: only a call that explains a waiting session waits for its user.
func TestWhatACallWaitsFor(t *testing.T) {
	for _, c := range []struct {
		doing Doing
		leave int
		tool  string
		asked bool
		want  Doing
	}{
		{Question, 0, "AskUserQuestion", false, Question},
		{Approval, 0, "Bash", false, Approval},
		{Approval, 1, "Bash", false, Running},
		{Approval, 1, "Bash", true, Approval},
		{Question, 0, "Bash", true, Running},
		{Running, 0, "AskUserQuestion", true, Running},
		{Waiting, 0, "AskUserQuestion", true, Running},
	} {
		st := State{Doing: c.doing, End: model.Ending{Leave: c.leave}}
		if got := st.WaitsFor(c.tool, c.asked); got != c.want {
			t.Errorf("%s in a session that is %v waits for %v, want %v", c.tool, c.doing, got, c.want)
		}
	}
}

// TestStatesAtTheirLimits: a state changes just after its time.
func TestStatesAtTheirLimits(t *testing.T) {
	now := time.UnixMilli(querytest.T0)
	turn := model.Ending{Ended: true, Turn: true, State: model.RunFinished, Outcome: model.Success}
	open := model.Ending{Turn: true, State: model.RunOpen}
	cut := model.Ending{State: model.RunOpen, Reason: model.CutOff}
	for _, c := range []struct {
		of    model.Ending
		quiet time.Duration
		want  string
	}{
		{turn, restFor, "○ idle"}, {turn, restFor + 1, "✓ finished"},
		{open, goneAfter + 1, "✓ finished"},
		{cut, goneAfter + 1, "◌ cut off"},
	} {
		s := model.Summary{Ending: c.of, Messages: 3, Sessions: 1}
		s.Written = now.UnixMilli()
		s.Last = s.Written
		if got := StateOf(&s, now.Add(c.quiet)).String(); got != c.want {
			t.Errorf("%+v after %v is %q, want %q", c.of, c.quiet, got, c.want)
		}
	}
	for state, words := range map[model.RunState]map[string]bool{
		model.RunOpen: {"idle": true, "unfinished": true, "failed": false}, model.RunFailed: {"failed": true, "unfinished": false},
	} {
		st := State{Doing: ends[state], End: model.Ending{State: state}}
		for word, want := range words {
			if got := st.ends(word); got != want {
				t.Errorf("a session that ended %v matches end:%s: %v", state, word, got)
			}
		}
	}
	s := &Session{Summary: model.Summary{Written: 5, Last: 4}}
	for heard, want := range map[int64]int64{4: 4, 5: 4, 6: 6} {
		if s.heard = heard; s.withSubagents().Last != want {
			t.Errorf("a subagent was written at %d: the session at %d, want %d", heard, s.withSubagents().Last, want)
		}
	}
	if got := Running.CallWords(); got != "running" {
		t.Errorf("a running call is %q, want running", got)
	}
}

// TestHowSeveralSessionsEnded: how many passed, and how many have no score.
func TestHowSeveralSessionsEnded(t *testing.T) {
	for _, c := range []struct {
		of   model.Summary
		want string
	}{
		{model.Summary{Sessions: 3, Judged: 3, Passed: 2, Ending: model.Ending{Score: 0.5}}, "2 of 3 passed, mean score 0.5"},
		{model.Summary{Sessions: 4, Judged: 3, Passed: 2, Ending: model.Ending{Score: 0.5}}, "2 of 3 passed, mean score 0.5, 1 without a score"},
		{model.Summary{Sessions: 2, Ending: model.Ending{Reason: "2 failed"}}, "2 sessions: 2 failed"},
	} {
		if got := judgeSeveral(&c.of).Why; got != c.want {
			t.Errorf("%+v ended %q, want %q", c.of, got, c.want)
		}
	}
	for _, c := range []struct {
		s    Session
		want float64
	}{
		{Session{Summary: model.Summary{Judged: 4, Passed: 1}}, 0.25}, {Session{Summary: model.Summary{Ending: model.Ending{Scored: true, Score: 0.5}}}, 0.5},
	} {
		if got := c.s.score(); got != c.want {
			t.Errorf("the score is %v, want %v", got, c.want)
		}
	}
}

// TestWarningsBeforeTheName: the name follows a warning of unread content.
func TestWarningsBeforeTheName(t *testing.T) {
	s := &Session{Summary: model.Summary{Path: "/w/a.jsonl"}}
	if got := s.Warned(); got != "a.jsonl" {
		t.Errorf("without a warning: %q", got)
	}
	if s.Unread = "2 blobs"; s.Warned() != "unread 2 blobs · a.jsonl" {
		t.Errorf("with unread content: %q", s.Warned())
	}
}
