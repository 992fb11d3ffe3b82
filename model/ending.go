package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// RunState is the state of a session, as far as its transcript shows.
type RunState uint8

// The states, from best to worst.
const (
	RunUnknown RunState = iota // the record just stops
	RunFinished
	RunOpen // a call has no result, or an answer of the model is due
	RunInterrupted
	RunFailed
)

var runStates = [...]string{"unknown", "finished", "unfinished", "interrupted", "failed"}

// String returns the state's word in filters and answers.
func (s RunState) String() string { return runStates[min(int(s), len(runStates)-1)] }

// MarshalText writes the word.
func (s RunState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word.
func (s *RunState) UnmarshalText(b []byte) error {
	n := slices.Index(runStates[:], string(b))
	if string(b) == "open" { // in caches of earlier versions
		n = int(RunOpen)
	}
	if n < 0 {
		return fmt.Errorf("unknown state of a session %q", b)
	}
	*s = RunState(n)
	return nil
}

// stateOf returns the state for an end that a format recorded.
func stateOf(o Outcome) RunState {
	switch o {
	case Unknown, Success, Half:
		return RunFinished
	case Stopped, Denied, Cancelled:
		return RunInterrupted
	case Running, Background:
		return RunOpen
	}
	return RunFailed
}

// Due is the event that a session waits for.
type Due uint8

// The values of Due.
const (
	DueNothing Due = iota
	DueAnswer      // from the model
	DueResult      // from a call
)

var dues = [...]string{DueNothing: "nothing", DueAnswer: "answer", DueResult: "result"}

// MarshalText writes the word.
func (d Due) MarshalText() ([]byte, error) { return []byte(dues[min(int(d), len(dues)-1)]), nil }

// UnmarshalText reads the word.
func (d *Due) UnmarshalText(b []byte) error {
	n := slices.Index(dues[:], string(b))
	if n < 0 {
		return fmt.Errorf("unknown word for what is due %q", b)
	}
	*d = Due(n)
	return nil
}

// Ending is the end of a session, or the current state of a running one. All lists and answers
// use it.
type Ending struct {
	State   RunState
	Reason  string
	Ended   bool    // the format itself records the end
	Outcome Outcome // as the format recorded it
	Score   float64
	Scored  bool
	Due     Due
	Running string // tool of the last of the running calls
	Runs    int
	Since   int64 // Unix ms since when Due waits, or of the last message; 0 unknown

	Turn bool // a turn ended: the agent waits for the next prompt
	// tools of the running calls, each once, the last first, one per line
	Tools string
	Leave int // number of calls that wait for the user's permission
	// how often the last call was made, one time after the other, with the same result
	Again int
	Same  string // tool of that call
	// position of the message that decides the state; -1 for the last message if only the end
	// of the file was read
	At int
	// the longest step so far without a wait for the user, in ms
	Pace int64
	Cut  bool // the unread part may have more calls like the last
}

// Ending returns how a session ended. The format's own end counts first, then the reason why the
// last response stopped, then the last message. If a part of the transcript was not read, only the
// rows after from decide whether calls are running.
func (s *Snapshot) Ending(session int, from ID) Ending {
	if session < 0 || session >= len(s.ix.Sessions) {
		return Ending{}
	}
	live := s.ix.Live
	end := -1
	for i := len(live) - 1; i >= 0; i-- {
		if int(s.ix.Threads[s.HeadRow(live[i]).Thread].Session) != session {
			continue
		}
		if end = max(end, i); s.hasWords(live[i]) {
			return s.endingAt(session, i, end, from)
		}
	}
	return s.endingAt(session, -1, end, from)
}

// hasWords reports whether a message of a main thread is more than context.
func (s *Snapshot) hasWords(id ID) bool {
	h := s.HeadRow(id)
	return s.ix.Threads[h.Thread].Main && h.Role != System && h.Role != Developer &&
		(h.Flags&Injected == 0 || h.Flags&Interrupted != 0)
}

// endingAt is Ending with known positions, -1 for none: of the last message, and of the last one
// including those of subagents.
func (s *Snapshot) endingAt(session, pos, end int, from ID) Ending {
	se := &s.ix.Sessions[session]
	e := Ending{Reason: CleanLine(se.Reason), Ended: se.Ended, Outcome: se.Outcome, Score: se.Score, Scored: se.Scored}
	if se.Ended {
		e.State = stateOf(se.Outcome)
	}
	if pos < 0 {
		return e
	}
	last := s.ix.Live[pos]
	e.Since, e.At, e.Turn = s.HeadRow(last).Time, pos, se.Ended && se.Turn
	s.running(&e, end, from)
	if len(s.ix.Sessions) == 1 {
		e.Cut = s.repeated(&e, pos, from)
		e.Pace = s.pace(from)
	}
	state, why := s.endByLast(se, last)
	if state == RunUnknown && s.userWentOn(pos, end) {
		state, why = RunFinished, "end of turn"
	}
	if state == RunOpen && e.Runs > 0 { // others of the same response may have theirs
		why = noResult
	}
	if !se.Ended || e.Turn && state == RunFailed { // a failed turn has not done its work
		e.State, e.Reason = state, cmp.Or(e.Reason, why)
	}
	if from > 0 {
		e.At -= len(s.ix.Live)
	}
	switch h := s.HeadRow(last); {
	case e.Runs > 0:
		e.Due = DueResult
	case h.Role != Assistant || h.Flags&Partial != 0 || s.owed(se, h):
		e.Due = DueAnswer
	}
	return e
}

// userWentOn reports whether the message at a position is an answer in words, followed by an action
// of the user other than a prompt, such as running a command: the turn had ended.
func (s *Snapshot) userWentOn(pos, end int) bool {
	h := s.HeadRow(s.ix.Live[pos])
	if h.Role != Assistant || h.Flags&HasWords == 0 || h.Flags&HasCalls != 0 {
		return false
	}
	for i := pos + 1; i <= end; i++ {
		if next := s.HeadRow(s.ix.Live[i]); next.Thread == h.Thread && next.Role == User {
			return true
		}
	}
	return false
}

// CutOff is the reason of a session whose last message announced a tool call without recording
// it.
const CutOff = "cut off before a tool call"

// noResult is the reason of a session that ends with a call without a result.
const noResult = "a call has no result"

// endByLast judges a session by its last message.
func (s *Snapshot) endByLast(se *Session, last ID) (RunState, string) {
	h := s.HeadRow(last)
	switch {
	case h.Flags&APIError != 0:
		return RunFailed, "API error"
	case h.Flags&Interrupted != 0:
		return RunInterrupted, "interrupted"
	case h.Flags&HasOpenCall != 0 || slices.ContainsFunc(s.Calls(last), func(c CallRow) bool { return c.Pending() }):
		return RunOpen, noResult
	case h.Role == Tool || h.Role == User && h.Flags&(Injected|Recap) == 0:
		return RunOpen, "the model has not answered"
	case h.Role != Assistant:
		return RunUnknown, ""
	case s.owed(se, h):
		return RunOpen, "the model has not answered"
	}
	switch se.Stop {
	case StopEnd:
		return RunFinished, "end of turn"
	case StopTool:
		return RunOpen, CutOff
	case StopAborted:
		return RunInterrupted, "aborted"
	case StopLength:
		return RunFailed, "output limit"
	case StopRefusal:
		return RunFailed, "refusal"
	case StopError:
		return RunFailed, "error"
	}
	return RunUnknown, ""
}

// owed reports whether the model continues after its last message: so far it has only thought, or
// the message has the results of its calls.
func (s *Snapshot) owed(se *Session, h *Head) bool {
	switch se.Stop {
	case StopUnknown:
		return h.Flags&HasWords == 0 && h.Flags&(HasCalls|HasReasoning) != 0
	case StopTool:
		return h.Flags&HasCalls != 0
	}
	return false
}

// runningWithin limits the messages from the end to search for running calls.
const runningWithin = 64

// running finds the running calls: those of the last turn without a result.
func (s *Snapshot) running(e *Ending, pos int, from ID) {
	below := false // a subagent runs a call: show that one's position
	for i := pos; i >= 0 && i > pos-runningWithin && s.ix.Live[i] >= from; i-- {
		h := s.HeadRow(s.ix.Live[i])
		main := s.ix.Threads[h.Thread].Main
		if h.Flags&Prompt != 0 && main {
			return
		}
		if h.Flags&HasCalls == 0 || !s.waits(h) {
			continue
		}
		for _, c := range s.Calls(s.ix.Live[i]) {
			if c.Pending() && c.Outcome != Background {
				if e.Runs++; e.Runs == 1 {
					e.Running = s.Name(c.Tool)
				}
				if tool := s.Name(c.Tool); e.Runs <= toolsMost && !slices.Contains(strings.Split(e.Tools, "\n"), tool) {
					e.Tools = strings.TrimPrefix(e.Tools+"\n"+tool, "\n")
				}
				if c.Flags&NeedsLeave != 0 {
					e.Leave++
				}
				if e.Since = h.Time; !main || !below {
					e.At = i
				}
				below = below || !main
			}
		}
	}
}

// waits reports whether a call of a message has no result. It copies nothing, because a dashboard
// calls it for many messages per second.
func (s *Snapshot) waits(h *Head) bool {
	for row := h.LastCall; row != NoRow; {
		c := s.ix.Calls.Row(int(row))
		if c.Pending() {
			return true
		}
		row = c.Prev
	}
	return false
}

// toolsMost limits the named running calls.
const toolsMost = 16

// repeated counts how often the last call of the main thread was made in a row within the turn. cut
// reports whether the unread part may have more of them.
func (s *Snapshot) repeated(e *Ending, pos int, from ID) (cut bool) {
	var first *Call
	for i := pos; i >= 0 && i > pos-4*runningWithin; i-- {
		if s.ix.Live[i] < from {
			return true
		}
		h := s.HeadRow(s.ix.Live[i])
		if h.Flags&Prompt != 0 {
			return false
		}
		if h.Flags&(HasCalls|HasResults) != HasCalls || !s.ix.Threads[h.Thread].Main {
			continue // a chain of results, not of its own calls
		}
		for row := h.LastCall; row != NoRow; row = s.Call(CallID(row)).Prev {
			c := s.Call(CallID(row))
			switch {
			case first == nil:
				first = c
			case c.Tool != first.Tool || c.Same != first.Same || c.ResultSize != first.ResultSize && !first.Pending():
				return false
			case first.Pending(): // without a result yet: use the results of the earlier ones
				first = c
			}
			if c.Same == 0 {
				return false
			}
			e.Again++
			e.Same = s.Name(c.Tool)
		}
	}
	return false
}

// paceWithin limits the messages from the end that are used for the pace.
const paceWithin = 512

// pace returns the longest time between two messages, if the later one is not a prompt.
func (s *Snapshot) pace(from ID) (most int64) {
	live := s.ix.Live
	for i := len(live) - 1; i > 0 && i > len(live)-paceWithin && live[i-1] >= from; i-- {
		h, before := s.HeadRow(live[i]), s.HeadRow(live[i-1])
		if h.Flags&(Prompt|Queued) == 0 && h.Time != 0 && before.Time != 0 {
			most = max(most, h.Time-before.Time)
		}
	}
	return most
}

// Endings returns the Ending of every session in one walk over the messages.
func (s *Snapshot) Endings() []Ending {
	last, end := make([]int, len(s.ix.Sessions)), make([]int, len(s.ix.Sessions))
	for i := range last {
		last[i], end[i] = -1, -1
	}
	for pos, id := range s.ix.Live {
		session := s.ix.Threads[s.HeadRow(id).Thread].Session
		if end[session] = pos; s.hasWords(id) {
			last[session] = pos
		}
	}
	ends := make([]Ending, len(last))
	for i := range ends {
		ends[i] = s.endingAt(i, last[i], end[i], 0)
	}
	return ends
}

// JoinEndings returns the common ending of several sessions: the last one's, with the number in
// each state. Trials with scores have the worst of their states, and the mean of their scores.
func JoinEndings(ends []Ending) Ending {
	if len(ends) == 1 {
		return ends[0]
	}
	out := Ending{}
	var counts [len(runStates)]int
	scored, ended := 0, 0
	for i := range ends {
		e := &ends[i]
		counts[e.State]++
		if e.Ended {
			ended++
		}
		if e.Scored {
			scored++
			out.Score += e.Score
		}
	}
	var parts []string
	for _, state := range [...]RunState{RunFinished, RunUnknown, RunOpen, RunInterrupted, RunFailed} {
		if counts[state] > 0 {
			out.State = state
			parts = append(parts, fmt.Sprintf("%d %s", counts[state], state))
		}
	}
	out.Reason, out.Ended = strings.Join(parts, ", "), ended > 0 && ended == len(ends)
	if out.Scored = scored > 0; out.Scored {
		out.Score /= float64(scored)
	} else if len(ends) > 0 {
		out.State = ends[len(ends)-1].State
	}
	return out
}
