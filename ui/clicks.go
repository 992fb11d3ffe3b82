package ui

import (
	"turns/ui/paint"
	"turns/ui/screen"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

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
	return p.runChosen()
}

// Wheel goes through the commands.
func (p *palette) Wheel(n int) { p.at = max(min(p.at+n, len(p.found())-1), 0) }

// clickField puts the cursor of the filter where it was clicked.
func (b *filterBar) clickField(x int) {
	b.field.At = len(ansi.Truncate(b.field.Text, max(x-paint.Width(screen.FilterLabel)+b.shift, 0), ""))
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
