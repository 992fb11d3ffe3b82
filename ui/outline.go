package ui

import (
	"slices"
	"sort"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/ui/screen"
)

// outline is where prompts and errors stand: numbers of rows, ascending. It is what jumps, the scroll bar and folded turns need, some bytes
// for each prompt and error and nothing for the rest. An outline is never changed once it is shown; a later one shares what was found before.
type outline struct {
	version uint64
	rows    int // rows that were looked at
	prompts []int32
	errors  []int32
	ready   bool
}

// outlineInline is how many rows are looked at in Update; more are for a command.
const outlineInline = 50_000

type outlineMsg struct{ outline *outline }

// extend looks at what is new in s. Where the rows lie in another order than they arrived, all are looked at.
func (o *outline) extend(s *model.Snapshot) *outline {
	n := &outline{version: s.Version(), rows: s.Rows(), ready: true}
	from := 0
	inOrder := s.Rows() == 0 || s.RowNumber(model.ID(s.Rows()-1)) == s.Rows()-1
	if o.ready && inOrder && o.rows <= s.Rows() {
		from = o.rows
		n.prompts, n.errors = slices.Clip(o.prompts), slices.Clip(o.errors)
		for id := range s.Changed(o.version) {
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
		n.errors = appendErrors(n.errors, s, id, h)
	}
	if !slices.IsSorted(n.errors) {
		slices.Sort(n.errors)
	}
	n.errors = slices.Compact(n.errors)
	return n
}

// appendErrors adds the rows that show the errors of a row: itself, or the callers of the results that failed.
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

// amend puts a row that was looked at before into the lists, or takes it out.
func (o *outline) amend(s *model.Snapshot, id model.ID) {
	h := s.HeadRow(id)
	row := int32(s.RowNumber(id))
	o.prompts = withRow(o.prompts, row, isPrompt(s, h))
	for _, r := range appendErrors(nil, s, id, h) {
		o.errors = withRow(o.errors, r, true)
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

// refreshOutline brings the outline up to a new snapshot, in a command where that takes long.
func (l *list) refreshOutline() tea.Cmd {
	s := l.h.Snap
	if s.Rows()-l.outline.rows <= outlineInline && (l.outline.ready || s.Rows() <= outlineInline) {
		l.outline = l.outline.extend(s)
		return nil
	}
	old := l.outline
	return screen.Background(func() tea.Msg { return outlineMsg{old.extend(s)} })
}

// promptAbove is the row of the prompt of the turn that a slot lies in.
func (l *list) promptAbove(slot int) (place, bool) {
	n, ok := l.promptSlot(slot)
	if !ok {
		return place{}, false
	}
	p := place{slot: n}
	items := l.itemsOf(n)
	for i := range items {
		if items[i].key.Kind == screen.RowLine {
			p.item = i
			return p, true
		}
	}
	return p, len(items) > 0
}

// promptSlot is the slot of the prompt at or before a slot. While the outline is not there, only some thousand rows are looked at.
func (l *list) promptSlot(slot int) (int, bool) {
	if l.view().On {
		return 0, false
	}
	if o := l.outline; o.ready {
		i := sort.Search(len(o.prompts), func(i int) bool { return int(o.prompts[i]) > slot })
		if i == 0 {
			return 0, false
		}
		return int(o.prompts[i-1]), true
	}
	for n := min(slot, l.slots()-1); n >= 0 && n > slot-8192; n-- {
		if isPrompt(l.h.Snap, l.h.Snap.HeadRow(l.slotID(n))) {
			return n, true
		}
	}
	return 0, false
}

// nextPrompt is the slot of the prompt after a slot, or the number of slots.
func (l *list) nextPrompt(slot int) int {
	o := l.outline
	i := sort.Search(len(o.prompts), func(i int) bool { return int(o.prompts[i]) > slot })
	if i == len(o.prompts) {
		return l.slots()
	}
	return int(o.prompts[i])
}

// turnClosed reports whether the rows of the turn with this prompt are folded away, and whether only its steps are shown.
func (l *list) turnClosed(prompt model.ID) (closed, steps bool) {
	switch l.turnOpen[prompt] {
	case openClosed:
		return true, false
	case openShort, openWhole:
		return false, false
	}
	return l.level == 1, l.level == 2
}

// folded reports whether a slot has no rows because its turn is folded.
func (l *list) folded(id model.ID, h *model.Head, slot int) bool {
	if l.level >= 3 && len(l.turnOpen) == 0 || l.view().On {
		return false
	}
	prompt, ok := l.promptSlot(slot)
	if !ok || prompt == slot {
		return false
	}
	closed, steps := l.turnClosed(l.slotID(prompt))
	return closed || steps && (h.Op != model.Say || h.Role != model.Assistant)
}

func (l *list) foldedSlot(slot int) bool {
	if slot < 0 || slot >= l.slots() {
		return false
	}
	id := l.slotID(slot)
	return l.folded(id, l.h.Snap.HeadRow(id), slot)
}

// skipFolded is the slot itself, or the next one in a direction that is not inside a folded turn.
func (l *list) skipFolded(slot, dir int) int {
	if slot < 0 || slot >= l.slots() || l.level >= 3 && len(l.turnOpen) == 0 || l.view().On || !l.outline.ready {
		return slot
	}
	prompt, ok := l.promptSlot(slot)
	if !ok || prompt == slot {
		return slot
	}
	if closed, _ := l.turnClosed(l.slotID(prompt)); !closed {
		return slot
	}
	if dir < 0 {
		return prompt
	}
	return l.nextPrompt(slot)
}

// stickyPlaces are the rows that stay on the first lines while what belongs to them scrolls under them: the prompt, the call of a subagent.
func (l *list) stickyPlaces() []place {
	if l.view().On || l.rows < 6 || l.slots() == 0 {
		return nil
	}
	var rows []place
	top, ok := l.item(l.top)
	if !ok {
		return nil
	}
	if p, ok := l.promptAbove(l.top.slot); ok && before(p, l.top) {
		if it, ok := l.item(p); ok && it.key.Kind == screen.RowLine {
			rows = append(rows, p)
		}
	}
	if top.depth > 0 && l.rows >= 10 {
		items := l.itemsOf(l.top.slot)
		for i := l.top.item - 1; i >= 0; i-- {
			if items[i].depth < top.depth {
				rows = append(rows, place{slot: l.top.slot, item: i})
				break
			}
		}
	}
	return rows
}
