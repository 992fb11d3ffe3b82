package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/export"
)

// hotSpot is a part of a dialog that the mouse does something with: cells from up to to of a line.
type hotSpot struct {
	y, from, to int
	click       func() tea.Cmd
	wheel       func(dir int) tea.Cmd // nil: what lies under it takes the wheel
}

// hotSpots are those of what was drawn last.
type hotSpots struct {
	spots []hotSpot
	lines int // drawn so far
}

// line makes the line that is drawn next react to the mouse.
func (h *hotSpots) line(click func() tea.Cmd, wheel func(dir int) tea.Cmd) {
	h.spots = append(h.spots, hotSpot{h.lines, 0, 1 << 16, click, wheel})
}

// part makes a part of it react to a click.
func (h *hotSpots) part(from, to int, click func() tea.Cmd) {
	h.spots = append(h.spots, hotSpot{h.lines, from, to, click, nil})
}

// at is what lies at a cell and is wanted: a part before its line.
func (h *hotSpots) at(x, y int, want func(*hotSpot) bool) *hotSpot {
	for _, s := range slices.Backward(h.spots) {
		if s.y == y && x >= s.from && x < s.to && want(&s) {
			return &s
		}
	}
	return nil
}

// Click chooses what lies there; a click on the word in the frame writes.
func (d *exportDialog) Click(x, y int, _ bool) (done bool, cmd tea.Cmd) {
	if end := d.hot.lines + 1; y == end {
		if foot := width(d.doing()) + 4; x >= d.w-foot {
			return d.enter()
		}
		return false, nil
	}
	if s := d.hot.at(x-2, y-1, func(*hotSpot) bool { return true }); s != nil {
		return false, s.click()
	}
	return false, nil
}

// WheelAt goes through the choices under the pointer, or through the beginning of the result.
func (d *exportDialog) WheelAt(x, y, n int) tea.Cmd {
	dir := 1
	if n < 0 {
		dir = -1
	}
	if s := d.hot.at(x-2, y-1, func(s *hotSpot) bool { return s.wheel != nil }); s != nil {
		return s.wheel(dir)
	}
	if y > d.ruleAt {
		d.from = max(d.from+n, 0)
	}
	return nil
}

// doing is what Enter does.
func (d *exportDialog) doing() string {
	if d.to == toCommand {
		return "⏎ run"
	}
	return "⏎ write"
}

// hotField makes the line that is drawn next choose a field and do something with it; the wheel goes through its choices.
func (d *exportDialog) hotField(at int, do func() tea.Cmd) {
	var wheel func(dir int) tea.Cmd
	if at == fieldWhat || at == fieldFormat {
		wheel = func(dir int) tea.Cmd { d.field = at; return d.change(at, dir) }
	}
	d.hot.line(d.inField(at, do), wheel)
}

// inField chooses a field and does something with it; nil is nothing.
func (d *exportDialog) inField(at int, do func() tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd {
		d.field = at
		if do == nil {
			return nil
		}
		return do()
	}
}

// pickPlace chooses where the export goes.
func (d *exportDialog) pickPlace(to int) func() tea.Cmd {
	return func() tea.Cmd { d.to = to; return nil }
}

// pickBox switches a check box.
func (d *exportDialog) pickBox(n int) func() tea.Cmd {
	return func() tea.Cmd {
		d.with = n
		d.toggle()
		return d.try()
	}
}

// step goes a format on or back.
func (d *exportDialog) step(dir int) func() tea.Cmd {
	return func() tea.Cmd { return d.change(fieldFormat, dir) }
}

// pickWhat chooses what is exported.
func (d *exportDialog) pickWhat(what exportWhat) func() tea.Cmd {
	return func() tea.Cmd {
		if what == exportSelection && d.h.request.selection().Len() == 0 {
			d.h.request.complain("nothing selected: v selects")
			return nil
		}
		d.what = what
		d.propose()
		return d.try()
	}
}

// pickFormat chooses a format by its name.
func (d *exportDialog) pickFormat(name string) func() tea.Cmd {
	return func() tea.Cmd {
		names := export.Names()
		return d.change(fieldFormat, slices.Index(names, name)-slices.Index(names, d.choice.format))
	}
}

// Click chooses a command; a click on the chosen one does it.
func (p *palette) Click(x, y int, double bool) (done bool, cmd tea.Cmd) {
	at := p.top + y - 2
	if y < 2 || y-2 >= p.rows || at >= len(p.found()) {
		return false, nil
	}
	if at != p.at && !double {
		p.at = at
		return false, nil
	}
	p.at = at
	return true, p.runChosen()
}

// Wheel goes through the commands.
func (p *palette) Wheel(n int) { p.at = max(min(p.at+n, len(p.found())-1), 0) }

// clickField puts the cursor of the filter where it was clicked.
func (b *filterBar) clickField(x int) {
	b.field.at = len(ansi.Truncate(b.field.text, max(x-width(label)+b.shift, 0), ""))
	b.open = false
}

// clickDrop takes the candidate that was clicked; false where there is none.
func (b *filterBar) clickDrop(x, y int) (bool, tea.Cmd) {
	n, ok := b.dropped(x, y)
	if !ok {
		return false, nil
	}
	b.sel = n
	return true, b.take()
}

// dropped is the candidate at a cell of the lines under the bar.
func (b *filterBar) dropped(x, y int) (int, bool) {
	if !b.on || !b.open || y < 0 || y >= b.dropAt.h || x < b.dropAt.x || x >= b.dropAt.x+b.dropAt.w {
		return 0, false
	}
	n := b.dropFrom + y
	return n, n < len(b.list.Candidates)
}

// wheel goes through the candidates.
func (b *filterBar) wheel(n int) {
	b.sel, b.picked = max(min(b.sel+n, len(b.list.Candidates)-1), 0), true
}
