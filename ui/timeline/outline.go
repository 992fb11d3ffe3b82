package timeline

import (
	"slices"
	"sort"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/ui/screen"
)

// Outline lists the row numbers of prompts, errors and context sent with results, ascending, for
// jumps, the scroll bar and folded turns. It needs some bytes for each of these and none for other
// rows. It never changes once in use; a later one shares its data.
type Outline struct {
	Version uint64
	Rows    int // number of examined rows
	prompts []int32
	Errors  []int32
	context []int32
	Ready   bool
}

// outlineInline is the most rows examined in Update; for more, a command does it.
const outlineInline = 50_000

// OutlineMsg carries an outline computed by a command.
type OutlineMsg struct{ Outline *Outline }

// extend examines the new rows of s, or all of them if the rows are not in order of arrival.
func (o *Outline) extend(s *model.Snapshot) *Outline {
	n := &Outline{Version: s.Version(), Rows: s.Rows(), Ready: true}
	from := 0
	inOrder := s.Rows() == 0 || s.RowNumber(model.ID(s.Rows()-1)) == s.Rows()-1
	if o.Ready && inOrder && o.Rows <= s.Rows() {
		from = o.Rows
		n.prompts, n.Errors, n.context = slices.Clip(o.prompts), slices.Clip(o.Errors), slices.Clip(o.context)
		for id := range s.Changed(o.Version) {
			if int(id) < from {
				n.amend(s, id)
			}
		}
	}
	for row := from; row < s.Rows(); row++ {
		id := s.Row(row)
		h := s.HeadRow(id)
		if isPrompt(s, h) {
			n.prompts = append(n.prompts, int32(row))
		}
		if isContext(h) {
			n.context = append(n.context, int32(row))
		}
		n.Errors = appendErrors(n.Errors, s, id, h)
	}
	if !slices.IsSorted(n.Errors) {
		slices.Sort(n.Errors)
	}
	n.Errors = slices.Compact(n.Errors)
	return n
}

// appendErrors adds the rows that show the errors of a row: itself, or the callers of failed
// results.
func appendErrors(rows []int32, s *model.Snapshot, id model.ID, h *model.Head) []int32 {
	if screen.IsError(h) {
		rows = append(rows, int32(s.RowNumber(id)))
	}
	if h.Op == model.Say && h.Flags&model.HasFailure != 0 && h.Flags&model.HasResults != 0 {
		for _, c := range s.Answers(id) {
			if c.Msg != model.NoID && c.Outcome.Failed() {
				rows = append(rows, int32(s.RowNumber(c.Msg)))
			}
		}
	}
	return rows
}

// amend adds or removes a row that was examined before.
func (o *Outline) amend(s *model.Snapshot, id model.ID) {
	h := s.HeadRow(id)
	row := int32(s.RowNumber(id))
	o.prompts = withRow(o.prompts, row, isPrompt(s, h))
	o.context = withRow(o.context, row, isContext(h))
	for _, r := range appendErrors(nil, s, id, h) {
		o.Errors = withRow(o.Errors, r, true)
	}
}

func withRow(rows []int32, row int32, is bool) []int32 {
	i, found := slices.BinarySearch(rows, row)
	switch {
	case is && !found:
		return slices.Insert(slices.Clone(rows), i, row)
	case !is && found:
		return slices.Delete(slices.Clone(rows), i, i+1)
	}
	return rows
}

func isPrompt(s *model.Snapshot, h *model.Head) bool {
	if h.Op != model.Say || h.Flags&model.Prompt == 0 || h.Flags&(model.Rewound|model.OffBranch) != 0 {
		return false
	}
	t := s.Threads()
	return int(h.Thread) >= len(t) || t[h.Thread].Main || uint32(t[h.Thread].Call) == model.NoRow
}

func isContext(h *model.Head) bool {
	return h.Op == model.Say && addsContext(h) && h.Flags&(model.Rewound|model.OffBranch) == 0
}

// RefreshOutline updates the outline to a new snapshot, in a command if that takes long.
func (l *List) RefreshOutline() tea.Cmd {
	s := l.h.Snap
	if s.Rows()-l.Outline.Rows <= outlineInline && (l.Outline.Ready || s.Rows() <= outlineInline) {
		l.Outline = l.Outline.extend(s)
		return nil
	}
	old := l.Outline
	return screen.Background(func() tea.Msg { return OutlineMsg{old.extend(s)} })
}

// promptAbove returns the row of the prompt of a slot's turn.
func (l *List) promptAbove(slot int) (place, bool) {
	n, ok := l.promptSlot(slot)
	if !ok {
		return place{}, false
	}
	if p, ok := l.seekInto(n, 1, func(it *item) bool { return it.Key.Kind == screen.RowLine }); ok {
		return p, true
	}
	return place{Slot: n}, len(l.itemsOf(n)) > 0
}

// promptSlot returns the slot of the prompt at or before a slot. Until the outline is ready, it
// examines only some thousand rows.
func (l *List) promptSlot(slot int) (int, bool) {
	if l.View().On {
		return 0, false
	}
	if o := l.Outline; o.Ready {
		i := sort.Search(len(o.prompts), func(i int) bool { return int(o.prompts[i]) > slot })
		if i == 0 {
			return 0, false
		}
		return int(o.prompts[i-1]), true
	}
	for n := min(slot, l.Slots()-1); n >= 0 && n > slot-8192; n-- {
		if isPrompt(l.h.Snap, l.h.Snap.HeadRow(l.SlotID(n))) {
			return n, true
		}
	}
	return 0, false
}

// nextPrompt returns the slot of the prompt after a slot, or the number of slots.
func (l *List) nextPrompt(slot int) int {
	o := l.Outline
	i := sort.Search(len(o.prompts), func(i int) bool { return int(o.prompts[i]) > slot })
	if i == len(o.prompts) {
		return l.Slots()
	}
	return int(o.prompts[i])
}

// turnClosed reports whether the rows of the turn with this prompt are folded, and whether only its
// steps are shown.
func (l *List) turnClosed(prompt model.ID) (closed, steps bool) {
	switch l.turnOpen[prompt] {
	case OpenClosed:
		return true, false
	case openShort, OpenWhole:
		return false, false
	}
	return l.Level == 1, l.Level == 2
}

// folded reports whether a slot has no rows because its turn is folded.
func (l *List) folded(h *model.Head, slot int) bool {
	if l.Level >= 3 && len(l.turnOpen) == 0 || l.View().On {
		return false
	}
	prompt, ok := l.promptSlot(slot)
	if !ok || prompt == slot {
		return false
	}
	closed, steps := l.turnClosed(l.SlotID(prompt))
	return closed || steps && (h.Op != model.Say || h.Role != model.Assistant)
}

func (l *List) foldedSlot(slot int) bool {
	if slot < 0 || slot >= l.Slots() {
		return false
	}
	id := l.SlotID(slot)
	return l.folded(l.h.Snap.HeadRow(id), slot)
}

// skipFolded returns the slot itself, or the next one in a direction that is outside a folded turn.
func (l *List) skipFolded(slot, dir int) int {
	if slot < 0 || slot >= l.Slots() || l.Level >= 3 && len(l.turnOpen) == 0 || l.View().On || !l.Outline.Ready {
		return slot
	}
	prompt, ok := l.promptSlot(slot)
	if !ok || prompt == slot {
		return slot
	}
	if closed, _ := l.turnClosed(l.SlotID(prompt)); !closed {
		return slot
	}
	if dir < 0 {
		return prompt
	}
	return l.nextPrompt(slot)
}

// StickyPlaces returns the rows that stay at the top while their content scrolls below them: the
// prompt, the call of a subagent.
func (l *List) StickyPlaces() []place {
	if l.View().On || l.Rows < 6 || l.Slots() == 0 {
		return nil
	}
	var rows []place
	top, ok := l.item(l.Top)
	if !ok {
		return nil
	}
	if p, ok := l.promptAbove(l.Top.Slot); ok && before(p, l.Top) {
		if it, ok := l.item(p); ok && it.Key.Kind == screen.RowLine {
			rows = append(rows, p)
		}
	}
	if top.Depth > 0 && l.Rows >= 10 {
		if p, ok := l.parentOf(l.Top, top.Depth); ok {
			rows = append(rows, p)
		}
	}
	return rows
}
