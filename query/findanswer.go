package query

import (
	"context"

	"turns/model"
)

// lineRoom is about how many bytes of a line an answer holds.
const lineRoom = 400

// SearchEach gives each message of a selection that matches, with its first line that does, in order as they are found.
func SearchEach(ctx context.Context, sel Selection, p *Pattern, yield func(SearchMatch) bool) error {
	var last SearchMatch
	some := false
	for h, err := range Find(ctx, sel, p) {
		if err != nil {
			return err
		}
		if some && h.ID == last.ID {
			last.Count += max(1, len(h.Ranges))
			continue
		}
		if some && !yield(last) {
			return nil
		}
		last, some = searchMatch(sel.Snap, &h), true
	}
	if some {
		yield(last)
	}
	return ctx.Err()
}

// Search is SearchEach, collected.
func Search(ctx context.Context, sel Selection, p *Pattern) (*SearchAnswer, error) {
	a := &SearchAnswer{Version: AnswerVersion, Query: p.filter.Source()}
	err := SearchEach(ctx, sel, p, func(m SearchMatch) bool {
		a.Matches = append(a.Matches, m)
		return true
	})
	a.Messages = len(a.Matches)
	return a, err
}

func searchMatch(s *model.Snapshot, h *Hit) SearchMatch {
	head := s.HeadRow(h.ID)
	m := SearchMatch{ID: h.ID, Index: s.Pos(h.ID), Role: head.Role.String(), Time: Stamp(head.Time), Where: h.Where(), Tool: h.Tool,
		Count: max(1, len(h.Ranges))}
	if head.Role == model.Other && head.Name != 0 {
		m.Role = s.Name(head.Name)
	}
	m.Line, m.Spans, _, _ = h.Around(lineRoom)
	return m
}
