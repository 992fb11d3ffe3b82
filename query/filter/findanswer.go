package filter

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/human"
)

// lineRoom is about the number of bytes of a line in an answer.
const lineRoom = 400

// SearchEach yields each matching message of a selection with its first matching line, in order, as
// it finds them.
func SearchEach(ctx context.Context, sel query.Selection, p *Pattern, yield func(SearchMatch) bool) error {
	var last SearchMatch
	some := false
	for h, err := range Find(ctx, sel, p, nil) {
		if err != nil {
			return err
		}
		if some && h.ID == last.ID && h.Field == "" {
			last.Count += max(1, len(h.Ranges))
			continue
		}
		if some && !yield(last) {
			return nil
		}
		last, some = searchMatch(sel.Snap, &h), true
	}
	if some && !yield(last) {
		return nil
	}
	if sel.Len() == query.Everything(sel.Snap).Len() {
		p.recorded(query.RecordedOf(sel.Snap), model.NoID, maxRanges, func(h Hit) bool { return yield(searchMatch(sel.Snap, &h)) })
	}
	return ctx.Err()
}

func searchMatch(s *model.Snapshot, h *Hit) SearchMatch {
	if h.Field != "" {
		m := SearchMatch{ID: model.NoID, Index: -1, Role: "recorded", Where: h.Field, Count: max(1, len(h.Ranges))}
		m.Line, m.Spans, _, _ = h.Around(lineRoom)
		return m
	}
	head := s.HeadRow(h.ID)
	m := SearchMatch{ID: h.ID, Index: human.Index(s.Pos(h.ID)), Role: head.Role.String(), Time: human.Stamp(head.Time), Where: h.where(), Tool: human.TextOrNull(h.Tool),
		Count: max(1, len(h.Ranges))}
	if head.Role == model.Other && head.Name != 0 {
		m.Role = s.Name(head.Name)
	}
	m.Line, m.Spans, _, _ = h.Around(lineRoom)
	return m
}

// SearchMatch is a matching message and its first matching line.
type SearchMatch struct {
	ID    model.ID         `json:"-"`
	Index human.Index      `json:"index"` // null for bookkeeping
	Role  string           `json:"role"`
	Time  human.Stamp      `json:"time"`
	Where string           `json:"where"` // text, reasoning, call, result …
	Tool  human.TextOrNull `json:"tool_name"`
	// as recorded: one line of the text, or the part of it around the match
	Line  string   `json:"line"`
	Spans [][2]int `json:"spans"` // matching byte ranges of Line, ascending
	Count int      `json:"count"` // matches in the message; 0: not counted
}

// String formats the match as one line without colours: index, role or tool, text.
func (m *SearchMatch) String() string {
	index := human.NotSaid
	if m.Index >= 0 {
		index = strconv.Itoa(int(m.Index))
	}
	who := m.Role
	if m.Tool != "" {
		who = string(m.Tool)
	}
	who = human.OneLine(who, 24)
	who += strings.Repeat(" ", max(11-human.Width(who), 0))
	return strings.TrimRight(fmt.Sprintf("%6s  %s  %s", index, who, strings.Join(strings.Fields(m.Fit(m.Line)), " ")), " ")
}

// Fit cleans a part of the line for people: a part of a result as a terminal would show it.
func (m *SearchMatch) Fit(part string) string {
	if m.Where == model.ToolResult.String() {
		return model.Printed(part)
	}
	return model.Clean(part)
}
