package screen

import (
	"slices"

	"turns/model"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/lang"
)

// View is a filter and its result. The slots of the timeline are the rows of the snapshot, or with
// a filter only the matching ones.
type View struct {
	On     bool
	Text   string       // the filter as typed; stays while it is off
	Filter *lang.Filter // nil for none
	// messages with rows, in row order: matching messages, callers of matching results, neighbours
	Ids     []model.ID
	matched map[model.ID]bool // matching messages and callers of matching results
	rows    describe.View     // their visible rows
	Result  *filter.Result
	Errors  []int32 // slots with errors
	Matcher *filter.Matcher
	Finder  *filter.LineFinder // of the texts in the filter; nil: none
	Around  int                // rows shown around each match
	Version uint64             // of the snapshot that was filtered
}

// FilterEnv returns the data that filters need in addition to the messages.
func (h *Host) FilterEnv() filter.Env {
	env := filter.Env{Now: h.Opts.Time(), Loc: h.Zone, Turns: h.Turns, Labels: h.Labelled.Here, Read: h.Read, Does: describe.Does}
	if h.Tokens != nil {
		env.Tokens = h.Tokens
	}
	return env
}

// Messages returns the matching messages in order, without their neighbours; nil until the filter
// has run.
func (v *View) Messages() []model.ID {
	if v.Result == nil {
		return nil
	}
	return v.Result.IDs
}

// Shows reports whether a line of a message in the view matches or belongs to a neighbour.
func (v *View) Shows(id model.ID, ln *describe.Line) bool {
	if v.Result == nil {
		return true
	}
	return !v.matched[id] || v.rows.ShowsRow(id, ln)
}

// Arrange finds the messages with rows: matches, callers of matching results, and neighbours.
func (v *View) Arrange(s *model.Snapshot) {
	v.rows = describe.NewView(v.Result.Selection(s), v.Result)
	v.matched = make(map[model.ID]bool, len(v.Result.IDs))
	v.Ids = make([]model.ID, 0, len(v.Result.IDs))
	add := func(id model.ID) {
		if !v.matched[id] {
			v.matched[id] = true
			v.Ids = append(v.Ids, id)
		}
	}
	for _, id := range v.Result.IDs {
		h := s.HeadRow(id)
		own := h.Flags&model.HasResults == 0 || h.Flags&(model.HasWords|model.HasOrphan|model.HasCalls) != 0
		if h.Flags&model.HasResults != 0 {
			for _, c := range s.Answers(id) {
				switch {
				case c.Msg == model.NoID:
					own = true
				case v.Result.HasCall(c.ID):
					add(c.Msg)
				}
			}
		}
		if own {
			add(id)
		}
	}
	if v.Around > 0 {
		v.addNeighbours(s)
	}
	slices.SortFunc(v.Ids, func(a, b model.ID) int { return s.RowNumber(a) - s.RowNumber(b) })
	v.Errors = nil
	for slot, id := range v.Ids {
		if h := s.HeadRow(id); h.Flags&model.HasCalls == 0 && IsError(h) || h.Flags&model.APIError != 0 || v.failed(s, id) {
			v.Errors = append(v.Errors, int32(slot))
		}
	}
}

// failed reports whether a visible call of a message failed.
func (v *View) failed(s *model.Snapshot, id model.ID) bool {
	return slices.ContainsFunc(s.Calls(id), func(c model.CallRow) bool {
		return c.Outcome.Failed() && (!v.matched[id] || v.Result.HasCall(c.ID))
	})
}

// addNeighbours adds messages before and after each match.
func (v *View) addNeighbours(s *model.Snapshot) {
	seen := make(map[model.ID]bool, len(v.Ids)*3)
	for _, id := range v.Ids {
		seen[id] = true
	}
	for _, id := range slices.Clone(v.Ids) {
		for _, dir := range [...]int{-1, 1} {
			left := v.Around
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
					v.Ids = append(v.Ids, n)
				}
			}
		}
	}
}

// IsError reports whether a row is an error itself. A failed result is not: the row of its call
// shows it.
func IsError(h *model.Head) bool {
	if h.Op == model.Unreadable {
		return true
	}
	if h.Op != model.Say || h.Flags&(model.Rewound|model.OffBranch) != 0 {
		return false
	}
	return h.Flags&model.APIError != 0 || h.Flags&model.HasFailure != 0 && h.Flags&(model.HasCalls|model.HasOrphan) != 0
}

// HasFailedCall reports whether a call of a message failed.
func HasFailedCall(s *model.Snapshot, id model.ID) bool {
	return slices.ContainsFunc(s.Calls(id), func(c model.CallRow) bool { return c.Outcome.Failed() })
}
