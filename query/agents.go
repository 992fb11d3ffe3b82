package query

import (
	"strings"

	"turns/model"
)

// AgentRun is what a thread of the conversation did: a subagent, or the main line
// of a session.
type AgentRun struct {
	Thread   uint32
	Model    string // of its first response
	Messages int
	Calls    int
	Errors   int
	Pending  int
	Start    Stamp
	End      Stamp
}

// AgentRuns is what every thread did, by number of the thread. It reads heads
// only.
func AgentRuns(s *model.Snapshot) []AgentRun {
	runs := make([]AgentRun, len(s.Threads()))
	for i := range runs {
		runs[i].Thread = uint32(i)
	}
	for _, id := range s.LiveIDs() {
		h := s.HeadRow(id)
		r := &runs[h.Thread]
		r.Messages++
		if h.Role == model.Assistant && r.Model == "" {
			r.Model = s.Name(h.Name)
		}
		if h.Time != 0 {
			if r.Start == 0 || Stamp(h.Time) < r.Start {
				r.Start = Stamp(h.Time)
			}
			r.End = max(r.End, Stamp(h.Time))
		}
	}
	for i := range s.CallCount() {
		c := s.Call(model.CallID(i))
		if c.Msg == model.NoID {
			continue
		}
		h := s.HeadRow(c.Msg)
		if h.Flags&model.Rewound != 0 {
			continue
		}
		r := &runs[h.Thread]
		r.Calls++
		if c.Outcome.Failed() {
			r.Errors++
		}
		if Pending(c) {
			r.Pending++
		}
	}
	return runs
}

// String is the run as the row of the call that started it says it: "haiku-4-5 ·
// 19 calls · 2 errors".
func (r *AgentRun) String() string {
	parts := make([]string, 0, 3)
	if r.Model != "" {
		parts = append(parts, oneLine(r.Model, 30))
	}
	parts = append(parts, Plural(r.Calls, "call"))
	if r.Errors > 0 {
		parts = append(parts, Plural(r.Errors, "error"))
	}
	return strings.Join(parts, " · ")
}
