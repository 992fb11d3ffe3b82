package load

import (
	"context"

	"turns/model"
	"turns/model/format"
)

// Part is one conversation of a source with many: a log of an evaluation, an export of a chat
// application, a file of training samples. Its number is the index in [model.Snapshot.Sessions].
type Part struct {
	Number int `json:"number"`
	model.Summary
}

// Parts summarises each conversation of a source that counts.
func Parts(ctx context.Context, snap *model.Snapshot) []Part {
	var from model.Source
	if sources := snap.Sources(); len(sources) > 0 {
		from = sources[0]
	}
	sessions := snap.Sessions()
	starter := func(*model.Session) string { return "" }
	if f, err := format.Find(from.Format); err == nil && f.Starter != nil {
		starter = func(s *model.Session) string { return f.Starter(from.Path, s) }
	}
	all := make([]Part, len(sessions))
	ends, uses := snap.Endings(), used(snap)
	for i := range sessions {
		se := &sessions[i]
		all[i] = Part{i, model.Summary{
			Path: from.Path, Format: from.Format, Agent: agentOf(from.Path, from.Title), Sessions: 1, Tokens: uses[i].output, OutputLeast: uses[i].counted, Bill: uses[i].bill,
			Project: se.Field("cwd"), Title: se.Field("title"), Session: se.Field("session"), Model: se.Field("model"), Starter: starter(se),
			Ending: ends[i],
		}}
	}
	threads := snap.Threads()
	of := func(id model.ID) *model.Summary { return &all[threads[snap.HeadRow(id).Thread].Session].Summary }
	for n := range snap.Rows() {
		id := model.ID(n)
		if h := snap.HeadRow(id); !threads[h.Thread].Apart && h.Flags&model.Rewound == 0 {
			of(id).Clock(h.Time)
		}
	}
	for _, id := range snap.LiveIDs() {
		s := of(id)
		s.Messages++
		if snap.HeadRow(id).FailedResponse() {
			s.Failed++
		}
		if name := snap.ModelOf(id); name != "" {
			s.Model = name
		}
	}
	for i := range snap.CallCount() {
		c := snap.Call(model.CallID(i))
		switch {
		case !snap.Counted(c):
		case c.Msg != model.NoID:
			of(c.Msg).Count(c)
		default:
			of(c.Result).Count(c)
		}
	}
	parts, titles := all[:0], model.NewTitles(snap, nil)
	for i := range all {
		p := &all[i]
		if !snap.Counts(i) {
			continue
		}
		p.Title = titles.Of(ctx, i)
		parts = append(parts, *p)
	}
	return parts
}
