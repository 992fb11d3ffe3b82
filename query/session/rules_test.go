package session

import (
	"fmt"
	"testing"
	"time"

	"turns/model"
)

// judged returns the state of a session whose file was last written ago before now.
func judged(format string, ago time.Duration, e model.Ending) State {
	now := time.Date(2026, 2, 11, 21, 0, 0, 0, time.UTC)
	at := now.Add(-ago).UnixMilli()
	s := Of(model.Summary{Path: "/r", Format: format, Session: "r", Sessions: 1, Messages: 9, Last: at, Written: at, Ending: e}, now)
	return s.State()
}

// TestHowLongAStateLasts: a silent session changes its state after each of these times.
func TestHowLongAStateLasts(t *testing.T) {
	calls := func(tool string) model.Ending {
		return model.Ending{State: model.RunOpen, Due: model.DueResult, Running: tool, Tools: tool, Runs: 1}
	}
	slow := calls("Bash")
	slow.Pace = (10 * time.Minute).Milliseconds()
	slowest := calls("Bash")
	slowest.Pace = (10 * time.Hour).Milliseconds()
	for _, c := range []struct {
		name          string
		format        string
		ending        model.Ending
		after         time.Duration
		before, later Doing
	}{
		{"a call runs for five minutes", "f", calls("Bash"), 5 * time.Minute, Running, Silent},
		{"and for three times the longest step", "f", slow, 30 * time.Minute, Running, Silent},
		{"but not over an hour", "f", slowest, time.Hour, Running, Silent},
		{"a call that takes no time lacks permission", "f", calls("Edit"), 20 * time.Second, Running, Approval},
		{"but not in pi", "pi", calls("Edit"), 5 * time.Minute, Running, Silent},
		{"nor in mini-swe-agent", "mini-swe-agent", calls("Edit"), 5 * time.Minute, Running, Silent},
		{"nor in swe-agent", "swe-agent", calls("Edit"), 5 * time.Minute, Running, Silent},
		{"an answer may continue for five seconds", "f", model.Ending{State: model.RunUnknown}, 5*time.Second - time.Millisecond, Thinking, Waiting},
	} {
		if got := judged(c.format, c.after, c.ending).Doing; got != c.before {
			t.Errorf("%s: after %v it is %v, want %v", c.name, c.after, kindsOf[got], kindsOf[c.before])
		}
		if got := judged(c.format, c.after+time.Millisecond, c.ending).Doing; got != c.later {
			t.Errorf("%s: after more than %v it is %v, want %v", c.name, c.after, kindsOf[got], kindsOf[c.later])
		}
	}
}

// TestCopiedTranscripts: a file written 26 hours or more before or after its last record is a copy.
func TestCopiedTranscripts(t *testing.T) {
	for apart, want := range map[time.Duration]bool{
		26 * time.Hour: true, 26*time.Hour - time.Millisecond: false, -26 * time.Hour: true, -26*time.Hour + time.Millisecond: false,
	} {
		s := model.Summary{Last: 1e12, Written: 1e12 + apart.Milliseconds()}
		if got := copied(&s); got != want {
			t.Errorf("written %v after its last record: a copy %v", apart, got)
		}
	}
	now := time.UnixMilli(2e12)
	for silent, want := range map[time.Duration]bool{5*time.Minute - time.Millisecond: true, 5 * time.Minute: false} {
		at := now.Add(-silent).UnixMilli()
		if got := Live(&model.Summary{Last: at, Written: at, Sessions: 1}, now); got != want {
			t.Errorf("silent for %v: live %v", silent, got)
		}
	}
}

// TestUrgency: the order in which the row of a session prefers the states of its subagents.
func TestUrgency(t *testing.T) {
	for urgency, list := range [][]Doing{{Question, Plan, Approval}, {Silent, Looping}, {Failed}, {Running, Thinking}, {Waiting, Finished, Interrupted, Open, Unknown}} {
		for _, doing := range list {
			if got := (State{Doing: doing}).urgency(); got != urgency {
				t.Errorf("%v has the urgency %d, want %d", kindsOf[doing], got, urgency)
			}
		}
	}
}

// TestNestedSubagents: the row of a session includes subagents down to the eighth generation.
func TestNestedSubagents(t *testing.T) {
	all := map[string]*Session{}
	f := NewFamilies(func(path string) *Session { return all[path] })
	for i := range 12 {
		s := &Session{Summary: model.Summary{Path: fmt.Sprintf("/%02d", i), Format: "f", Session: fmt.Sprint(i), Sessions: 1}}
		if i > 0 {
			s.Starter = fmt.Sprint(i - 1)
		}
		all[s.Path] = s
		f.Put(s)
	}
	if got := f.Root(all["/11"]); got != "/03" {
		t.Errorf("the eighth parent of /11 is %s", got)
	}
	if below := f.Below(all["/00"]); len(below) != 8 || below[7].Path != "/08" {
		t.Errorf("%d subagents below /00", len(below))
	}
}
