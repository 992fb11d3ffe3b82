package load

import (
	"context"

	"turns/model"
)

// Summarise reads the windows of a transcript. Errors are those of opening it; a
// file that is no transcript gives the format records.
func Summarise(ctx context.Context, path string) (model.Summary, error) {
	l := newLister(&Hints{}).summarised(ctx, byAge(ctx, []string{path})[0], nil)
	return l.Summary, l.Err
}

// fill says what a snapshot holds. Of a transcript whose middle was not read the
// rows from behind on lie after it: calls before may have their results there.
func fill(ctx context.Context, s *model.Summary, snap *model.Snapshot, r *model.Reader, f *model.Format, behind model.ID) {
	count(s, snap, f, behind)
	s.Title = model.NewTitles(snap, r).Whole(ctx)
}

// count is fill without the title, for which texts have to be read.
func count(s *model.Summary, snap *model.Snapshot, f *model.Format, behind model.ID) {
	s.Format, s.Agent = f.Name, f.Title
	se := &snap.Sessions()[0]
	s.Project, s.Session, s.Model = se.Field("cwd"), se.Field("session"), snap.Model(0)
	s.Messages = snap.Len()
	s.Conversations(snap, behind)
	s.Span(snap, 0)
	for _, n := range outputs(snap) {
		s.Tokens += n
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

// outputs are the recorded output tokens of each conversation: of its responses on
// all branches, or what its format says of it as a whole.
func outputs(snap *model.Snapshot) []int64 {
	sums := make([]int64, len(snap.Sessions()))
	threads := snap.Threads()
	for n := range snap.Rows() {
		id := model.ID(n)
		h := snap.HeadRow(id)
		if h.Usage == model.NoRow || h.Flags&model.Rewound != 0 || threads[h.Thread].Apart {
			continue
		}
		if u, ok := snap.Tokens(id); ok && u.Output != model.NoTokens {
			sums[threads[h.Thread].Session] += int64(u.Output)
		}
	}
	totals := make(map[uint32]int64)
	for _, t := range snap.Totals() {
		switch {
		case int(t.Session) >= len(sums) || t.Usage.Output < 0:
		case t.Usage.Scope == model.Total: // the last one that was said holds
			totals[t.Session] = t.Usage.Output
		default:
			sums[t.Session] += t.Usage.Output
		}
	}
	for session, n := range totals {
		sums[session] = n
	}
	return sums
}

// estimate says how many messages there likely are, if the rest is as what was
// read.
func estimate(s *model.Summary, read int64) {
	if s.Messages > 0 && read > 0 {
		s.Estimate = int(float64(s.Messages) * float64(s.Bytes) / float64(read))
	}
}
