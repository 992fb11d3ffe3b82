package session

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"turns/model"
	"turns/query/describe"
	"turns/query/human"
)

// liveFor is how long after its last write a transcript that has not ended counts
// as being written, and after which one that is followed counts as silent.
const liveFor = 5 * time.Minute

// copiedAfter is how much later than its last record a transcript is written only
// where it is copied or restored. Some records name no zone, which is less.
const copiedAfter = 26 * time.Hour

// Live reports whether somebody writes a session.
func Live(s *model.Summary, now time.Time) bool {
	written := time.UnixMilli(s.Written)
	return !s.Ended && s.Sessions <= 1 && s.Written != 0 && now.Sub(written) < liveFor &&
		(s.Last == 0 || written.Sub(time.UnixMilli(s.Last)) < copiedAfter)
}

// Doing is how a session stands: what it does, if it is live, else how it ended.
type Doing uint8

// What a session does, or how it ended.
const (
	Unknown Doing = iota
	Finished
	Open
	Interrupted
	Failed
	Several  // of a file of many: how many ended how
	Running  // tools
	Thinking // the model has to answer
	Waiting  // for its user
	Silent   // nothing was written for a while
)

// State is how a session stands.
type State struct {
	Doing  Doing
	End    model.Ending
	Since  time.Time // of what is going on; zero where it is unknown, or nothing goes on
	Silent time.Duration
	Passed int // of so many that were judged
	Judged int
}

// ends are the states of those that nobody writes.
var ends = [...]Doing{
	model.RunUnknown: Unknown, model.RunFinished: Finished, model.RunOpen: Open, model.RunInterrupted: Interrupted, model.RunFailed: Failed,
}

// State is how the session stands.
func (s *Session) State() State { return StateOf(&s.Summary, s.Live) }

// StateOf is how a session stands that somebody writes, or does not.
func StateOf(s *model.Summary, live bool) State {
	st := State{End: s.Ending, Passed: s.Passed, Judged: s.Judged}
	switch {
	case s.Sessions > 1:
		st.Doing = Several
	case !live || s.Ended:
		st.Doing = ends[s.State]
	case s.Runs > 0:
		st.Doing = Running
	case s.Due == model.DueAnswer:
		st.Doing = Thinking
	case s.Partial && s.Messages == 0: // nothing was read that tells
		st.Doing = ends[s.State]
	default:
		st.Doing = Waiting
	}
	if st.Live() && s.Since != 0 {
		st.Since = time.UnixMilli(s.Since)
	}
	return st
}

// After is the state of a session that is followed and was last written to so long
// ago: one that works and writes nothing is silent.
func (st State) After(quiet time.Duration) State {
	if (st.Doing == Running || st.Doing == Thinking) && quiet > liveFor {
		st.Doing, st.Silent, st.Since = Silent, quiet.Truncate(time.Minute), time.Time{}
	}
	return st
}

// Live reports whether the state is of a session that is being written.
func (st State) Live() bool { return st.Doing >= Running }

// Glyph is the sign of a state, "" for none.
func (st State) Glyph() string {
	return [...]string{
		Unknown: "", Finished: "✓", Open: "◌", Interrupted: "■", Failed: "✗", Several: "",
		Running: "●", Thinking: "●", Waiting: "●", Silent: "◌",
	}[st.Doing]
}

// plain are reasons that say no more than that a run has finished.
var plain = map[string]bool{"": true, "end_turn": true, "end of turn": true, "completed": true, "success": true, "stop": true}

// Words say a state, "" for one that is not known.
func (st State) Words() string {
	reason := model.CleanLine(st.End.Reason)
	if st.End.Scored && !strings.Contains(reason, "reward") && !st.Live() && st.Doing != Several {
		return fmt.Sprintf("score %.3g", st.End.Score)
	}
	switch st.Doing {
	case Finished:
		if plain[reason] {
			return "finished"
		}
		return reason
	case Failed:
		return cmp.Or(reason, "failed")
	case Interrupted:
		return cmp.Or(reason, "interrupted")
	case Open:
		if st.End.Due == model.DueAnswer {
			return "no answer"
		}
		return "no result"
	case Several:
		if st.Judged > 0 {
			return human.Count(st.Passed) + " of " + human.Count(st.Judged) + " passed"
		}
		if st.End.State != model.RunUnknown {
			return reason
		}
	case Running:
		if st.End.Runs > 1 {
			return human.Plural(st.End.Runs, "call") + " running"
		}
		_, word, _ := describe.FamilyOf(st.End.Running)
		return model.CleanLine(word) + " running"
	case Thinking:
		return "model"
	case Waiting:
		return "waits for you"
	case Silent:
		return "silent " + human.Took(st.Silent)
	}
	return ""
}

// String is the sign and the words.
func (st State) String() string { return strings.TrimSpace(st.Glyph() + " " + st.Words()) }

// Key is what the filter key end: calls a state.
func (st State) Key() string {
	if st.Live() {
		return model.RunOpen.String()
	}
	return st.End.State.String()
}
