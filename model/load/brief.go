package load

import (
	"context"
	"errors"

	"turns/model"
)

// errNotBrief reports a format that needs the complete store to describe its conversations.
var errNotBrief = errors.New("its conversations are not told without reading it as a whole")

// briefUnroll returns how to unroll a store for a list, nil if the format does not support that.
func briefUnroll(u *model.Unroll) *model.Unroll {
	if u == nil || u.Brief == nil && u.BriefMembers == nil {
		return nil
	}
	return &model.Unroll{Queries: u.Brief, Members: u.BriefMembers}
}

// summariseBrief summarises a store that is too large to read for a list, by the cheap queries of
// its format or otherwise only by its name.
func (l *lister) summariseBrief(ctx context.Context, s *model.Summary) ([]Part, error) {
	limits := model.Limits{}.Brief()
	limits.Records, limits.Rows = 0, 0 // rows without texts
	parts, _, err := all(ctx, s, s.Path, Options{Workers: 1, Limits: limits, brief: true, Hints: l.hints})
	if err != nil && parts == nil {
		return nil, l.begins(ctx, s)
	}
	if s.Messages == 0 { // no counts are known
		s.Sessions = max(len(parts), 1)
	}
	vague(s)
	if s.Sessions < 2 {
		return nil, err
	}
	for i := range parts {
		vague(&parts[i].Summary)
	}
	return parts, err
}

// slowWords warn of a database of which the queries were ended before their last row.
const slowWords = "rest: the queries take too long"

// named completes the list of conversations of a database whose queries took too long: those of
// parts, and all that its format names cheaply.
func (l *lister) named(ctx context.Context, s *model.Summary, parts []Part) []Part {
	brief := model.Summary{Path: s.Path, Bytes: s.Bytes, Written: s.Written}
	all, err := l.summariseBrief(ctx, &brief)
	if err != nil || brief.Sessions <= max(s.Sessions, 1) {
		return parts // nothing more is known
	}
	brief.Unread = s.Unread
	all[0].Summary.Unread = s.Unread // one row of the store warns
	*s = brief
	return all
}

// vague removes the data of a summary that is unknown if messages were counted but not read.
func vague(s *model.Summary) {
	s.Partial, s.Estimate = true, s.Messages
	s.Calls, s.Errors, s.Failed, s.Pending = 0, 0, 0, 0
	if !s.Ended {
		s.Ending = model.Ending{Score: s.Score, Scored: s.Scored}
	}
}
