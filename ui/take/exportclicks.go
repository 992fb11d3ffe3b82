package take

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"turns/export/formats"
	"turns/ui/paint"
)

// hotSpot is a clickable part of a dialog: the cells [from, to) of a line.
type hotSpot struct {
	y, from, to int
	click       func() tea.Cmd
	wheel       func(dir int) tea.Cmd // nil: the part under it handles the wheel
}

// hotSpots are those of the last frame.
type hotSpots struct {
	spots []hotSpot
	lines int // drawn so far
}

// line makes the next line react to the mouse.
func (h *hotSpots) line(click func() tea.Cmd, wheel func(dir int) tea.Cmd) {
	h.spots = append(h.spots, hotSpot{h.lines, 0, 1 << 16, click, wheel})
}

// part makes a part of the next line react to clicks.
func (h *hotSpots) part(from, to int, click func() tea.Cmd) {
	h.spots = append(h.spots, hotSpot{h.lines, from, to, click, nil})
}

// at returns the accepted spot at a cell; parts precede their line.
func (h *hotSpots) at(x, y int, want func(*hotSpot) bool) *hotSpot {
	for _, s := range slices.Backward(h.spots) {
		if s.y == y && x >= s.from && x < s.to && want(&s) {
			return &s
		}
	}
	return nil
}

// Click selects the clicked part; a click on the word in the frame exports.
func (d *Dialog) Click(x, y int, _ bool) (done bool, cmd tea.Cmd) {
	if end := d.hot.lines + 1; y == end {
		if foot := paint.Width(d.doing()) + 4; x >= d.w-foot {
			return d.enter()
		}
		return false, nil
	}
	if s := d.hot.at(x-2, y-1, func(*hotSpot) bool { return true }); s != nil {
		return false, s.click()
	}
	return false, nil
}

// WheelAt goes through the choices under the pointer, or scrolls the preview.
func (d *Dialog) WheelAt(x, y, n int) tea.Cmd {
	dir := 1
	if n < 0 {
		dir = -1
	}
	if s := d.hot.at(x-2, y-1, func(s *hotSpot) bool { return s.wheel != nil }); s != nil {
		return s.wheel(dir)
	}
	if y > d.RuleAt {
		d.From = max(d.From+n, 0)
	}
	return nil
}

// doing is the label of Enter.
func (d *Dialog) doing() string {
	if d.To == ToCommand {
		return "⏎ run"
	}
	return "⏎ write"
}

// hotField makes the next line select a field and call do; the wheel goes through its choices.
func (d *Dialog) hotField(at int, do func() tea.Cmd) {
	var wheel func(dir int) tea.Cmd
	if at == FieldWhat || at == FieldFormat {
		wheel = func(dir int) tea.Cmd { d.Field = at; return d.change(at, dir) }
	}
	d.hot.line(d.inField(at, do), wheel)
}

// inField returns a function that selects a field and calls do, unless it is nil.
func (d *Dialog) inField(at int, do func() tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd {
		d.Field = at
		if do == nil {
			return nil
		}
		return do()
	}
}

// pickPlace sets where the export goes.
func (d *Dialog) pickPlace(to int) func() tea.Cmd {
	return func() tea.Cmd { d.To = to; return nil }
}

// pickBox toggles a check box.
func (d *Dialog) pickBox(n int) func() tea.Cmd {
	return func() tea.Cmd {
		d.With = n
		d.toggle()
		return d.try()
	}
}

// step moves to the next or previous format.
func (d *Dialog) step(dir int) func() tea.Cmd {
	return func() tea.Cmd { return d.change(FieldFormat, dir) }
}

// pickContent sets what to export.
func (d *Dialog) pickContent(what exportContent) func() tea.Cmd {
	return func() tea.Cmd {
		if what == exportSelection && d.h.Rows.Taken().Len() == 0 {
			return d.h.Complain("nothing selected: v selects")
		}
		d.choose(what)
		return d.try()
	}
}

// pickFormat sets a format by name.
func (d *Dialog) pickFormat(name string) func() tea.Cmd {
	return func() tea.Cmd {
		names := formats.Names()
		return d.change(FieldFormat, slices.Index(names, name)-slices.Index(names, d.Choice.Format))
	}
}
