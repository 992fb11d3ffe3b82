package load

import (
	"cmp"
	"context"

	"turns/model"
	"turns/model/format"
)

// Summarise reads the beginning and the end of a transcript. Its errors are those of opening it;
// for an unknown file, the summary has the format records.
func Summarise(ctx context.Context, path string) (model.Summary, error) {
	l := newLister(&Hints{}).summarised(ctx, byAge(ctx, []string{path})[0], nil)
	return l.Summary, l.Err
}

// fill sets the summary of a snapshot. If the middle of the transcript was not read, the rows from
// behind on are after the gap: earlier calls may have results in it.
func fill(ctx context.Context, s *model.Summary, snap *model.Snapshot, r *model.Reader, f *model.Format, behind model.ID) {
	count(s, snap, f, behind)
	s.Title = model.NewTitles(snap, r).Whole(ctx)
	s.Quotas = snap.LastQuotas(ctx)
}

// count is fill without the title, which requires reading texts.
func count(s *model.Summary, snap *model.Snapshot, f *model.Format, behind model.ID) {
	se := &snap.Sessions()[0]
	s.Format, s.Agent = f.Name, f.Title
	if f.Agent != nil {
		s.Agent = cmp.Or(f.Agent(se), f.Title)
	}
	if sources := snap.Sources(); len(sources) > 0 {
		s.Agent = agentOf(sources[0].Path, s.Agent)
	}
	s.Project, s.Session, s.Model = se.Field("cwd"), se.Field("session"), snap.Model(0)
	if f.Starter != nil {
		s.Starter = f.Starter(s.Path, se)
	}
	s.Messages = snap.Len()
	s.Unread = model.UnreadWords(format.Unread(f, snap))
	s.Conversations(snap, behind)
	s.Span(snap, 0)
	s.Asked = snap.LastAsked()
	for _, u := range used(snap) {
		s.Tokens += u.output
		s.OutputLeast += u.counted
		s.Bill.Add(u.bill, model.Bill{})
	}
	for _, id := range snap.LiveIDs() {
		if snap.HeadRow(id).FailedResponse() {
			s.Failed++
		}
	}
	for i := range snap.CallCount() {
		c := snap.Call(model.CallID(i))
		if !snap.Counted(c) {
			continue
		}
		s.Count(c)
		if c.Pending() && c.Msg < behind {
			s.Pending--
		}
	}
}

// use is the recorded usage of a conversation.
type use struct {
	output  int64 // tokens
	counted int64 // the same, with the size of the text instead of placeholders
	bill    model.Bill
}

// used returns the usage of each conversation: of its responses on all branches, or its format's
// total. Rewound responses count for the bill, but not as output of the session.
func used(snap *model.Snapshot) []use {
	sums := make([]use, len(snap.Sessions()))
	threads := snap.Threads()
	for n := range snap.Rows() {
		id := model.ID(n)
		h := snap.HeadRow(id)
		if h.Usage == model.NoRow || threads[h.Thread].Apart {
			continue
		}
		t, ok := snap.Tokens(id)
		if !ok {
			continue
		}
		sum := &sums[threads[h.Thread].Session]
		u := t.Usage()
		sum.bill.Use(&u, snap.Name(h.Name))
		if h.Flags&model.Rewound == 0 {
			sum.output += max(u.Output, 0)
			sum.counted += h.OutputLeast(u.Output)
		}
	}
	totals := make(map[uint32]*model.Usage)
	for _, t := range snap.Totals() {
		switch {
		case int(t.Session) >= len(sums):
		case t.Usage.Scope == model.Total: // the last one counts
			totals[t.Session] = &t.Usage
		default:
			sums[t.Session].output += max(t.Usage.Output, 0)
			sums[t.Session].counted += max(t.Usage.Output, 0)
			sums[t.Session].bill.Use(&t.Usage, "")
		}
	}
	for session, u := range totals {
		sum := &sums[session]
		if u.Output >= 0 {
			sum.output, sum.counted = u.Output, u.Output
		}
		if u.HasCost || sum.bill.Dollars == 0 && u.Input >= 0 && u.Output >= 0 {
			sum.bill = model.Bill{}
			sum.bill.Use(u, "")
		}
	}
	return sums
}

// estimate sets the likely number of messages, if the rest is like the part read.
func estimate(s *model.Summary, read int64) {
	if s.Messages > 0 && read > 0 {
		s.Estimate = int(float64(s.Messages) * float64(s.Bytes) / float64(read))
	}
}
