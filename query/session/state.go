package session

import (
	"strings"
	"time"

	"turns/model"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
)

// How long a silent session stays in a state.
const (
	liveFor    = 5 * time.Minute // still being written
	stuckMost  = time.Hour       // maximum for working, even with long steps
	leaveAfter = 20 * time.Second
	settleFor  = 5 * time.Second // the model continues, if the end of its turn is not recorded
	restFor    = time.Hour       // the user is expected to continue after a turn
	goneAfter  = 12 * time.Hour  // the session is abandoned
)

// stuckSteps is the multiple of its longest step after which a session is stuck.
const stuckSteps = 3

// copiedAfter is the minimum time between the last record and the last write of a copied or
// restored transcript. Records without a time zone cause a smaller difference.
const copiedAfter = 26 * time.Hour

// Live reports whether a session is still being written.
func Live(s *model.Summary, now time.Time) bool {
	return (!s.Ended || s.Turn) && s.Sessions <= 1 && s.Written != 0 && quiet(s, now) < liveFor && !copied(s)
}

// copied reports whether the time of a transcript's file is unrelated to its session: it was
// written long after its last record, or its records have no times, or later ones. A file that grew
// while the program watched it is not a copy.
func copied(s *model.Summary) bool {
	if s.Grew {
		return false
	}
	apart := time.UnixMilli(s.Written).Sub(time.UnixMilli(s.Last))
	return s.Written != 0 && (s.Last == 0 || apart >= copiedAfter || apart <= -copiedAfter)
}

// quiet returns the time since the last write; the maximum for a transcript without one, or without
// a time to compare.
func quiet(s *model.Summary, now time.Time) time.Duration {
	switch {
	case s.Written == 0 || now.IsZero():
		return 1 << 62
	case copied(s):
		if age := now.Sub(time.UnixMilli(s.Last)); s.Last != 0 && age > 0 {
			return max(age, copiedAfter)
		}
		return 1 << 62
	}
	return now.Sub(time.UnixMilli(s.Written))
}

// Doing is the activity of a session, what it waits for, or how it ended.
type Doing uint8

// Activities and ends of a session.
const (
	Unknown Doing = iota
	Finished
	Open
	Interrupted
	Failed
	Several  // of a file with several scored sessions: how many passed
	Running  // tools
	Thinking // the model has to answer
	Waiting  // for the next prompt
	Question // for an answer of its user
	Plan     // for approval of a plan
	Approval // for permission to run the call
	Silent   // no write for longer than its steps take
	Looping  // the same call again and again
)

// kindsOf are the properties of each.
var kindsOf = [...]struct {
	name, glyph string
	stage       human.State
	tone        answer.Tone
}{
	Unknown: {"", "", human.Finished, answer.Dim}, Finished: {"end", "✓", human.Finished, answer.Good}, Open: {"open", "◌", human.Idle, answer.Dim},
	Interrupted: {"interrupted", "■", human.Finished, answer.Warn}, Failed: {"error", "✗", human.Failed, answer.Bad}, Several: {"several", "", human.Unknown, answer.Dim},
	Running: {"tool", "●", human.Running, answer.Going}, Thinking: {"model", "●", human.Running, answer.Going},
	Waiting: {"prompt", "○", human.Idle, answer.Name}, Question: {"question", "●", human.Waiting, answer.Name},
	Plan: {"plan", "●", human.Waiting, answer.Name}, Approval: {"approval", "●", human.Waiting, answer.Name},
	Silent: {"silence", "◌", human.Stuck, answer.Warn}, Looping: {"loop", "◌", human.Stuck, answer.Warn},
}

// String returns the activity as one word.
func (d Doing) String() string { return kindsOf[d].name }

// State is the state of a session.
type State struct {
	Doing  Doing
	End    model.Ending
	Since  time.Time // start of the activity; zero if unknown, or if there is none
	Silent time.Duration
	Passed int // out of Judged
	Judged int
	Agent  bool // a subagent caused the state
	// Several is the number of sessions without scores in the file, whose last one is in this
	// state; 0 for one.
	Several int
	AtLeast bool // a lower bound
}

// ends maps the recorded ends to their states.
var ends = [...]Doing{
	model.RunUnknown: Unknown, model.RunFinished: Finished, model.RunOpen: Open, model.RunInterrupted: Interrupted, model.RunFailed: Failed,
}

// State returns the state at the time of the last look.
func (s *Session) State() State { return s.stateAt(s.now) }

// stateAt returns a later state, without another look at the subagents.
func (s *Session) stateAt(now time.Time) State {
	if s.agent == nil {
		return StateOf(s.withSubagents(), now)
	}
	st := StateOf(s.agent, now)
	st.Agent = true
	return st
}

// withSubagents returns the session with the later of its own and its subagents' last write.
func (s *Session) withSubagents() *model.Summary {
	if s.heard <= s.Written {
		return &s.Summary
	}
	sum := s.Summary
	sum.Written, sum.Last = s.heard, max(sum.Last, s.heard)
	return &sum
}

// StateOf returns the state of a session at a time; without a time, how it ended.
func StateOf(s *model.Summary, now time.Time) State {
	st := State{End: s.Ending, Passed: s.Passed, Judged: s.Judged}
	if s.Sessions > 1 && s.Judged == 0 {
		st.Several, st.AtLeast = s.Sessions, s.Partial
		st.Doing = ends[st.End.State]
		return st
	}
	silent := quiet(s, now)
	if st.Doing = doing(s, silent); st.Doing == Silent {
		st.Silent = silent.Truncate(time.Minute)
	}
	if st.Live() && st.Doing != Silent && s.Since != 0 {
		st.Since = time.UnixMilli(s.Since)
	}
	return st
}

// doing returns the activity of a session after a time of silence.
func doing(s *model.Summary, silent time.Duration) Doing {
	e := &s.Ending
	over := ends[e.State]
	if e.Turn && e.State == model.RunOpen { // a result after the end of the turn does not matter
		over = Finished
	}
	switch {
	case s.Sessions > 1:
		return Several
	case e.Ended && !e.Turn, silent > goneAfter, e.State == model.RunFailed:
		return over
	case e.Runs > 0 && !e.Ended:
		return waitsFor(s, silent)
	case e.State == model.RunInterrupted || e.Ended: // it is the user's turn
	case e.Due == model.DueAnswer || e.State == model.RunOpen:
		return works(s, silent, Thinking)
	case s.Partial && s.Messages == 0: // the records read so far do not decide
		return over
	}
	switch {
	case silent > restFor:
		return over
	case e.State == model.RunUnknown && silent < settleFor && s.Messages > 0:
		return Thinking
	}
	return Waiting
}

// neverAsks are the formats of agents that run every call without permission.
var neverAsks = map[string]bool{"pi": true, "mini-swe-agent": true, "swe-agent": true}

// asks returns what a tool asks its user for, Unknown if it does not ask.
func asks(tool string) Doing {
	switch {
	case describe.AsksLeave(tool):
		return Plan
	case describe.AsksHuman(tool):
		return Question
	}
	return Unknown
}

// WaitsFor returns what a call that explains the state waits for: its user, or, as Running, its
// result. leave reports whether a request for permission was recorded for the call.
func (st State) WaitsFor(tool string, leave bool) Doing {
	switch d := asks(tool); {
	case st.Stage() != human.Waiting || st.Doing == Waiting:
	case d != Unknown:
		return d
	case st.Doing == Approval && (leave || st.End.Leave == 0):
		return Approval
	}
	return Running
}

// waitsFor returns what a session with pending calls waits for.
func waitsFor(s *model.Summary, silent time.Duration) Doing {
	atOnce := true
	for tool := range strings.SplitSeq(s.Tools, "\n") {
		if d := asks(tool); d != Unknown {
			return d
		}
		f, _, _ := describe.FamilyOf(tool)
		if f != describe.FamilyRead && f != describe.FamilyWrite && f != describe.FamilySearch && f != describe.FamilyTodo {
			atOnce = false
		}
	}
	// Reading and writing files takes no time: the call lacks permission.
	if s.Leave > 0 || atOnce && silent > leaveAfter && !neverAsks[s.Format] {
		return Approval
	}
	return works(s, silent, Running)
}

// works returns an activity, or how it got stuck.
func works(s *model.Summary, silent time.Duration, what Doing) Doing {
	patience := max(liveFor, stuckSteps*time.Duration(s.Pace)*time.Millisecond)
	switch {
	case silent > min(patience, stuckMost):
		return Silent
	case s.Again >= sameCalls:
		return Looping
	}
	return what
}

// Stage returns the state in one word of the glossary.
func (st State) Stage() human.State { return kindsOf[st.Doing].stage }

// Live reports whether the state is of a continuing session.
func (st State) Live() bool { return st.Doing >= Running }

// glyph returns the sign of a state, "" if there is none.
func (st State) glyph() string { return kindsOf[st.Doing].glyph }

// Tone returns the tone for drawing a state.
func (st State) Tone() answer.Tone { return kindsOf[st.Doing].tone }

// Key returns the value of the filter key end: for a state.
func (st State) Key() string {
	switch {
	case st.Live():
		return st.Stage().String()
	case st.End.State == model.RunOpen:
		return human.Idle.String()
	}
	return st.End.State.String()
}

// ends reports whether a value of the filter key end: matches a state.
func (st State) ends(word string) bool {
	if word == model.RunOpen.String() {
		return st.Live() || st.End.State == model.RunOpen
	}
	return st.Key() == word
}
