package ui

import (
	"slices"

	"turns/model"
	"turns/query"
)

// view is what the filter lets through. Slots of the timeline are rows of the snapshot, or with a filter the matching ones.
type view struct {
	on      bool
	text    string                      // the filter as it was written; stays while it is off
	filter  *query.Filter               // nil for none
	ids     []model.ID                  // what has rows: matching messages, callers of matching results, neighbours; in the order of rows
	matched map[model.ID]query.BlockSet // matching messages with their blocks; callers have none of their own
	result  *query.Result
	errors  []int32 // slots with errors
	matcher *query.Matcher
	finder  *query.LineFinder // of the texts that the filter asks for; nil: none
	around  int               // rows shown around each match
	version uint64            // of the snapshot that was filtered
}

// messages are the messages that match.
func (v *view) messages() []model.ID {
	if v.result == nil {
		return nil
	}
	return v.result.IDs
}

// shows reports whether a line of a message in the view matches, or stands there as a neighbour.
func (v *view) shows(id model.ID, ln *query.Line) bool {
	if v.result == nil {
		return true
	}
	blocks, matches := v.matched[id]
	if ln.Call != noCall {
		return v.result.HasCall(ln.Call) || !matches
	}
	if !matches {
		return true
	}
	switch ln.Kind {
	case query.LineReasoning:
		return blocks&query.BlockReasoning != 0
	case query.LineMedia:
		return blocks&query.BlockMedia != 0
	case query.LineUser, query.LineAssistant, query.LineSystem, query.LineInjected:
		return blocks&(query.BlockWords|query.BlockOther) != 0
	}
	return blocks != 0
}

// arrange finds the messages that have rows: what matches, the callers of results that do, and neighbours.
func (v *view) arrange(s *model.Snapshot) {
	v.matched = make(map[model.ID]query.BlockSet, len(v.result.IDs))
	v.ids = make([]model.ID, 0, len(v.result.IDs))
	add := func(id model.ID, blocks query.BlockSet) {
		if old, ok := v.matched[id]; ok {
			v.matched[id] = old | blocks
			return
		}
		v.matched[id] = blocks
		v.ids = append(v.ids, id)
	}
	for i, id := range v.result.IDs {
		h := s.HeadRow(id)
		own := h.Flags&model.HasResults == 0 || h.Flags&(model.HasWords|model.HasOrphan|model.HasCalls) != 0
		if h.Flags&model.HasResults != 0 {
			for _, c := range s.Answers(id) {
				switch {
				case c.Msg == model.NoID:
					own = true
				case v.result.HasCall(c.ID):
					add(c.Msg, 0)
				}
			}
		}
		if own {
			add(id, v.result.Blocks[i])
		}
	}
	if v.around > 0 {
		v.addNeighbours(s)
	}
	slices.SortFunc(v.ids, func(a, b model.ID) int { return s.RowNumber(a) - s.RowNumber(b) })
	v.errors = nil
	for slot, id := range v.ids {
		if isError(s.HeadRow(id)) || hasFailedCall(s, id) {
			v.errors = append(v.errors, int32(slot))
		}
	}
}

// addNeighbours adds messages before and after each match.
func (v *view) addNeighbours(s *model.Snapshot) {
	seen := make(map[model.ID]bool, len(v.ids)*3)
	for _, id := range v.ids {
		seen[id] = true
	}
	for _, id := range slices.Clone(v.ids) {
		for _, dir := range [...]int{-1, 1} {
			left := v.around
			for row := s.RowNumber(id) + dir; row >= 0 && row < s.Rows() && left > 0; row += dir {
				n := s.Row(row)
				h := s.HeadRow(n)
				if h.Op != model.Say || h.Flags&(model.Rewound|model.OffBranch) != 0 ||
					h.Flags&model.HasResults != 0 && h.Flags&(model.HasWords|model.HasOrphan|model.HasCalls) == 0 {
					continue
				}
				left--
				if !seen[n] {
					seen[n] = true
					v.ids = append(v.ids, n)
				}
			}
		}
	}
}

// isError reports whether a row says by itself that it is an error. Results do not: they belong to the rows of their calls.
func isError(h *model.Head) bool {
	if h.Op == model.Unreadable {
		return true
	}
	if h.Op != model.Say || h.Flags&(model.Rewound|model.OffBranch) != 0 {
		return false
	}
	return h.Flags&model.APIError != 0 || h.Flags&model.HasFailure != 0 && h.Flags&(model.HasCalls|model.HasOrphan) != 0
}

// hasFailedCall reports whether a call of a message failed.
func hasFailedCall(s *model.Snapshot, id model.ID) bool {
	for _, c := range s.Calls(id) {
		if c.Outcome.Failed() {
			return true
		}
	}
	return false
}
