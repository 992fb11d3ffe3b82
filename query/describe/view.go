package describe

import (
	"context"
	"slices"
	"sort"

	"turns/model"
	"turns/query"
	"turns/query/filter"
)

// View is a selection and the part of it that people see: of a message with three calls, only the
// one that matches a filter. Exports for programs write complete messages and use only Selection.
type View struct {
	query.Selection
	match *filter.Result // nil: everything of the selected messages
	rows  *chosenRows    // nil: not limited to single rows
}

// ChosenRow is a row to show without the rest of its message.
type ChosenRow struct {
	ID    model.ID     // message
	Call  model.CallID // call of the row; NoRow for another block
	Block int          // that block; -1 for the whole message
}

// chosenRows are the rows of a view of single rows.
type chosenRows struct {
	calls  map[model.CallID]bool
	blocks map[model.ID][]int // other blocks of messages; -1: all
}

// NewView shows a selection as left by a filter. match may be nil.
func NewView(sel query.Selection, match *filter.Result) View {
	if match != nil {
		sel.Calls = match.Selection(sel.Snap).Calls
	}
	return View{Selection: sel, match: match}
}

// NewRowsView shows rows without the rest of their messages: a call includes its result and the
// result's images. Rows of unknown messages are left out. If a result is unreadable, the view lacks
// its images and NewRowsView returns an error as well.
func NewRowsView(ctx context.Context, s *model.Snapshot, rows []ChosenRow) (View, error) {
	v := View{Selection: query.Selection{Snap: s, Calls: []uint64{}}, rows: &chosenRows{calls: map[model.CallID]bool{}, blocks: map[model.ID][]int{}}}
	pairs, ids := query.NewPairs(s), map[model.ID]bool{}
	var failed error
	for _, row := range rows {
		if row.Call == model.CallID(model.NoRow) {
			v.rows.blocks[row.ID] = append(v.rows.blocks[row.ID], row.Block)
			ids[row.ID] = true
			if row.Block < 0 {
				for _, c := range query.CallsOf(s, row.ID) {
					v.addCall(c.ID, ids)
				}
			}
			continue
		}
		v.addCall(row.Call, ids)
		if err := v.addMedia(ctx, pairs, row.Call); failed == nil {
			failed = err
		}
	}
	for id := range ids {
		if id != model.NoID && s.Pos(id) >= 0 {
			v.IDs = append(v.IDs, id)
		}
	}
	slices.SortFunc(v.IDs, func(a, b model.ID) int { return s.Pos(a) - s.Pos(b) })
	return v, failed
}

// addCall shows a call and its result.
func (v *View) addCall(id model.CallID, ids map[model.ID]bool) {
	c := v.Snap.Call(id)
	ids[c.Msg], ids[c.Result] = true, true
	v.rows.calls[id] = true
	for len(v.Calls) <= int(id/64) {
		v.Calls = append(v.Calls, 0)
	}
	v.Calls[id/64] |= 1 << (id % 64)
}

// addMedia shows the images in the result of a call.
func (v *View) addMedia(ctx context.Context, pairs *query.Pairs, id model.CallID) error {
	answer := v.Snap.Call(id).Result
	if answer == model.NoID || v.Snap.HeadRow(answer).Flags&model.HasMedia == 0 {
		return nil
	}
	m, result, err := pairs.Result(ctx, id)
	if result != nil {
		v.rows.blocks[answer] = append(v.rows.blocks[answer], query.MediaOfResult(m, result.ID)...)
	}
	return err
}

// Narrowed reports whether messages may be shown in part.
func (v View) Narrowed() bool { return v.match != nil || v.rows != nil }

// ShowsCall reports whether the view has the row of a call. A call without a row in the index,
// such as one that an earlier message made, is always shown.
func (v View) ShowsCall(id model.CallID) bool {
	if v.rows != nil {
		return v.rows.calls[id]
	}
	return v.match == nil || id == model.CallID(model.NoRow) || v.match.HasCall(id)
}

// ShowsBlock reports whether the view has a block of a message, other than calls and results.
func (v View) ShowsBlock(id model.ID, block int, kind model.BlockKind) bool {
	if v.rows != nil {
		chosen := v.rows.blocks[id]
		return slices.Contains(chosen, block) || slices.Contains(chosen, -1)
	}
	if v.match == nil {
		return true
	}
	i := v.find(id)
	return i >= 0 && v.match.Blocks[i]&filter.BlockOf(kind) != 0
}

// ShowsRow reports whether the view has a row that describes a part of a message.
func (v View) ShowsRow(id model.ID, line *Line) bool {
	switch {
	case !v.Narrowed():
		return true
	case line.Call != model.CallID(model.NoRow):
		return v.ShowsCall(line.Call)
	case line.Kind == LineReasoning:
		return v.ShowsBlock(id, line.Block, model.Reasoning)
	case line.Kind == LineMedia:
		return v.ShowsBlock(id, line.Block, model.Media)
	case line.Kind == LineOther && v.Snap.HeadRow(id).Role != model.Other: // else its text
		return v.ShowsBlock(id, line.Block, model.OtherBlock)
	}
	return v.ShowsBlock(id, line.Block, model.Words)
}

// CountRows counts rows exactly up to these limits; above them the estimate stays.
const (
	countedMessages = 500
	countedBytes    = 1 << 20
)

// CountRows counts the rows of the messages in a filter's result, for which it reads some texts. If
// there are too many, the estimate from the heads remains.
func CountRows(ctx context.Context, s *model.Snapshot, r *filter.Result) error {
	v := View{Selection: r.Selection(s), match: r}
	rows, read, size := r.Rows, 0, int64(0)
	for i, id := range r.IDs {
		if r.Blocks[i] != 0 {
			read, size = read+1, size+int64(s.HeadRow(id).Size)
			rows -= r.Blocks[i].Rows()
		}
	}
	if read > countedMessages || size > countedBytes {
		return nil
	}
	var d Describer
	for i, id := range r.IDs {
		if r.Blocks[i] == 0 {
			continue
		}
		m, err := s.Body(ctx, id)
		if err != nil {
			return err
		}
		described := mediaOfCalls(m, s.Answers(id))
		for k := range m.Blocks {
			if kind := m.Blocks[k].Kind; kind == model.ToolCall || kind == model.ToolResult {
				continue
			}
			if line, ok := d.prose(m, k, described); ok && v.ShowsRow(id, &line) {
				rows++
			}
		}
	}
	r.Rows, r.Estimated = rows, false
	return nil
}

// find returns the index of a message among the matches, -1 if it is not one.
func (v View) find(id model.ID) int {
	ids, pos := v.match.IDs, v.Snap.Pos(id)
	i := sort.Search(len(ids), func(i int) bool { return v.Snap.Pos(ids[i]) >= pos })
	if i < len(ids) && ids[i] == id {
		return i
	}
	return -1
}

// MatchedCalls returns the matching calls of a message if only its calls match, because the filter
// was about calls.
func (v View) MatchedCalls(id model.ID) (calls []model.CallID) {
	if v.match == nil {
		return nil
	}
	at := v.find(id)
	if at < 0 || v.match.Blocks[at] != 0 {
		return nil
	}
	rows := v.Snap.Calls(id)
	if len(rows) == 0 {
		rows = v.Snap.Answers(id)
	}
	for _, c := range rows {
		if v.match.HasCall(c.ID) {
			calls = append(calls, c.ID)
		}
	}
	return calls
}
