package load

import (
	"context"

	"turns/model"
)

// Part is one conversation of a source that has many: a log of an evaluation, an
// export of a chat application, a file of training samples. Its number is that of
// [model.Snapshot.Sessions].
type Part struct {
	Number int `json:"number"`
	Summary
}

// Parts summarises each conversation of a source. A conversation without messages
// that says nothing of itself is left out: it is the frame around the others.
func Parts(ctx context.Context, snap *model.Snapshot) []Part {
	var from model.Source
	if sources := snap.Sources(); len(sources) > 0 {
		from = sources[0]
	}
	sessions := snap.Sessions()
	all := make([]Part, len(sessions))
	last := make([]model.ID, len(sessions))
	for i := range sessions {
		se := &sessions[i]
		all[i] = Part{i, Summary{
			Path: from.Path, Format: from.Format, Agent: from.Title, Sessions: 1,
			Project: se.Field("cwd"), Title: se.Field("title"), Session: se.Field("session"), Model: se.Field("model"),
			Ended: se.Ended, Outcome: se.Outcome, Reason: se.Reason, Score: se.Score, Scored: se.Scored,
		}}
		last[i] = model.NoID
	}
	threads := snap.Threads()
	of := func(id model.ID) int { return int(threads[snap.HeadRow(id).Thread].Session) }
	for n := range snap.Rows() {
		h := snap.HeadRow(model.ID(n))
		if h.Time == 0 {
			continue
		}
		s := &all[threads[h.Thread].Session]
		if s.Started == 0 || h.Time < s.Started {
			s.Started = h.Time
		}
		s.Last = max(s.Last, h.Time)
	}
	for _, id := range snap.LiveIDs() {
		n := of(id)
		all[n].Messages++
		last[n] = id
		if u, ok := snap.Tokens(id); ok && u.Output != model.NoTokens {
			all[n].Tokens += int64(u.Output)
		}
	}
	countCalls(snap, all, of)
	parts, titles := all[:0], NewTitles(snap)
	for i := range all {
		p := &all[i]
		if p.Messages == 0 && !p.Ended && p.Session == "" && p.Title == "" {
			continue
		}
		if last[i] != model.NoID && !p.Ended {
			role := snap.HeadRow(last[i]).Role
			p.Open = p.Open || role == model.User || role == model.Tool
		}
		p.Title = titles.Of(ctx, i)
		parts = append(parts, *p)
	}
	return parts
}

func countCalls(snap *model.Snapshot, all []Part, of func(model.ID) int) {
	for i := range snap.CallCount() {
		c := snap.Call(model.CallID(i))
		at := c.Msg
		if at == model.NoID {
			at = c.Result
		}
		if at == model.NoID || inherited(snap, c) {
			continue
		}
		p := &all[of(at)]
		p.Calls++
		if c.Outcome.Failed() {
			p.Errors++
		}
		p.Open = p.Open || c.Result == model.NoID && !p.Ended
	}
}

// inherited reports whether a call was copied from the conversation that this one
// goes on from, and counts there.
func inherited(snap *model.Snapshot, c *model.Call) bool {
	at := c.Msg
	if at == model.NoID {
		at = c.Result
	}
	return at != model.NoID && snap.HeadRow(at).Flags&model.Inherited != 0
}

// Passed reports how many of the conversations that have a score did well; judged
// is 0 where none has one.
func Passed(parts []Part) (passed, judged int) {
	for i := range parts {
		p := &parts[i]
		if p.Scored {
			judged++
		}
		if p.Scored && p.Outcome == model.Success {
			passed++
		}
	}
	return passed, judged
}
