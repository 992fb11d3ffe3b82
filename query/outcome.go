package query

import (
	"turns/model"
	"turns/query/human"
)

// RunOutcome is how a run ended, as its format says.
type RunOutcome struct {
	State  string   `json:"state"` // finished, failed, interrupted, open, unknown
	Reason string   `json:"reason"`
	Score  *float64 `json:"score"`
}

// The states of a run.
const (
	RunFinished    = "finished"
	RunFailed      = "failed"
	RunInterrupted = "interrupted"
	RunOpen        = "open" // a call has no result, or an answer of the model is due
	RunUnknown     = "unknown"
)

// Outcome is how a session of the snapshot ended: by the format's own end where it
// has one, else by why the last response stopped, else by what stands last.
func Outcome(s *model.Snapshot, session int) RunOutcome {
	ss := s.Sessions()
	if session < 0 || session >= len(ss) {
		return RunOutcome{State: RunUnknown}
	}
	se := &ss[session]
	out := RunOutcome{State: RunUnknown, Reason: model.CleanLine(se.Reason)}
	if se.Scored {
		score := se.Score
		out.Score = &score
	}
	if se.Ended {
		out.State = outcomeState(se.Outcome)
		return out
	}
	last, ok := lastMessage(s, session)
	if !ok {
		return out
	}
	return outcomeByLast(s, se, last, out)
}

// outcomeState is the state that an outcome of a run stands for.
func outcomeState(o model.Outcome) string {
	switch o {
	case model.Unknown, model.Success, model.Half:
		return RunFinished
	case model.Stopped, model.Denied, model.Cancelled:
		return RunInterrupted
	case model.Running, model.Background:
		return RunOpen
	}
	return RunFailed
}

// outcomeByLast judges a session without an end by its last message.
func outcomeByLast(s *model.Snapshot, se *model.Session, last model.ID, out RunOutcome) RunOutcome {
	h := s.HeadRow(last)
	reason := func(state, why string) RunOutcome {
		out.State = state
		if out.Reason == "" {
			out.Reason = why
		}
		return out
	}
	switch {
	case h.Flags&model.APIError != 0:
		return reason(RunFailed, "API error")
	case h.Flags&model.Interrupted != 0:
		return reason(RunInterrupted, "interrupted")
	case h.Flags&model.HasOpenCall != 0 || hasOpenCall(s, last):
		return reason(RunOpen, "a call has no result")
	case h.Role == model.Tool || h.Role == model.User && h.Flags&(model.Injected|model.Summary) == 0:
		return reason(RunOpen, "the model has not answered")
	case h.Role != model.Assistant:
		return out
	}
	switch se.Stop {
	case model.StopEnd:
		return reason(RunFinished, stopNames[se.Stop])
	case model.StopAborted:
		return reason(RunInterrupted, stopNames[se.Stop])
	case model.StopLength, model.StopRefusal, model.StopError:
		return reason(RunFailed, stopNames[se.Stop])
	case model.StopTool:
		return reason(RunOpen, stopNames[se.Stop])
	}
	return out
}

var stopNames = [...]string{"", "end of turn", "tool call", "output limit", "refusal", "error", "aborted"}

func hasOpenCall(s *model.Snapshot, id model.ID) bool {
	for _, c := range s.Calls(id) {
		if Pending(&c.Call) {
			return true
		}
	}
	return false
}

// lastMessage is the last message of a session's main thread that is more than
// context.
func lastMessage(s *model.Snapshot, session int) (model.ID, bool) {
	live, threads := s.LiveIDs(), s.Threads()
	for i := len(live) - 1; i >= 0; i-- {
		h := s.HeadRow(live[i])
		th := &threads[h.Thread]
		if int(th.Session) != session || !th.Main {
			continue
		}
		if h.Role == model.System || h.Role == model.Developer || h.Flags&model.Injected != 0 && h.Flags&model.Interrupted == 0 {
			continue
		}
		return live[i], true
	}
	return model.NoID, false
}

// OutcomeOf is how everything that is selected ended: of one session its own end;
// of many the worst, with how many of them.
func OutcomeOf(s *model.Snapshot, sessions []bool) RunOutcome {
	counts := map[string]int{}
	var last RunOutcome
	n, scored, score := 0, 0, 0.0
	ends := sessionEnds(s, sessions)
	for i, in := range sessions {
		if !in {
			continue
		}
		o := ends[i]
		counts[o.State]++
		if o.Score != nil {
			scored++
			score += *o.Score
		}
		last = o
		n++
	}
	if n <= 1 {
		if n == 0 {
			last.State = RunUnknown
		}
		return last
	}
	out := RunOutcome{State: RunUnknown}
	for _, state := range [...]string{RunFinished, RunUnknown, RunOpen, RunInterrupted, RunFailed} {
		if counts[state] > 0 {
			out.State = state
			if out.Reason != "" {
				out.Reason += ", "
			}
			out.Reason += human.Count(counts[state]) + " " + state
		}
	}
	if scored > 0 {
		mean := score / float64(scored)
		out.Score = &mean
	}
	return out
}

// sessionEnds is Outcome for every session at once: one walk from the end.
func sessionEnds(s *model.Snapshot, sessions []bool) []RunOutcome {
	ends := make([]RunOutcome, len(sessions))
	if len(sessions) == 1 {
		ends[0] = Outcome(s, 0)
		return ends
	}
	last := make([]model.ID, len(sessions))
	for i := range last {
		last[i] = model.NoID
	}
	threads := s.Threads()
	for _, id := range s.LiveIDs() {
		h := s.HeadRow(id)
		if th := &threads[h.Thread]; th.Main && h.Role != model.System && h.Role != model.Developer &&
			(h.Flags&model.Injected == 0 || h.Flags&model.Interrupted != 0) {
			last[th.Session] = id
		}
	}
	for i := range ends {
		se := &s.Sessions()[i]
		out := RunOutcome{State: RunUnknown, Reason: model.CleanLine(se.Reason)}
		if se.Scored {
			score := se.Score
			out.Score = &score
		}
		switch {
		case se.Ended:
			out.State = outcomeState(se.Outcome)
		case last[i] != model.NoID:
			out = outcomeByLast(s, se, last[i], out)
		}
		ends[i] = out
	}
	return ends
}
