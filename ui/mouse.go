package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// click is where and when the mouse was pressed last, to tell a double click.
type click struct {
	x, y int
	at   time.Time
}

const (
	doubleClick = 400 * time.Millisecond
	wheelLines  = 3
)

// mouse acts on the pane under the pointer.
func (a *app) mouse(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	if a.h.snap == nil || len(a.dialogs) > 0 {
		return nil
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		n := wheelLines
		if m.Button == tea.MouseWheelUp {
			n = -n
		} else if m.Button != tea.MouseWheelDown {
			return nil
		}
		if k, _, _, ok := a.paneAt(m.X, m.Y); ok {
			a.panes[k].Wheel(n)
			return nil
		}
		a.list.scroll(n, false)
		return a.moved()
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft {
			return nil
		}
		now := a.h.opts.now()
		double := a.lastClick.x == m.X && a.lastClick.y == m.Y && now.Sub(a.lastClick.at) < doubleClick
		a.lastClick = click{m.X, m.Y, now}
		if double {
			a.lastClick.at = time.Time{}
		}
		return a.clicked(m.X, m.Y, double)
	case tea.MouseMotionMsg:
		return a.dragged(m.X, m.Y)
	case tea.MouseReleaseMsg:
		a.drag = false
	}
	return nil
}

// paneAt is the pane at a cell of the screen, with the cell within it.
func (a *app) paneAt(x, y int) (k paneKind, px, py int, ok bool) {
	s := a.lay.side
	if s.w == 0 || !s.contains(x, y) {
		return paneNone, 0, 0, false
	}
	px, py = x-s.x, y-s.y
	if !a.stacked() {
		return a.side, px, py, a.panes[a.side] != nil
	}
	switch top := a.lay.sideSplit; {
	case top == 0 && a.h.focus == paneStats:
		return paneStats, px, py, true
	case top == 0 || py < top:
		return paneTools, px, py, true
	default:
		return paneStats, px, py - top - 1, true
	}
}

func (a *app) clicked(x, y int, double bool) tea.Cmd {
	if k, px, py, ok := a.paneAt(x, y); ok {
		a.h.focus = k
		return tea.Batch(a.panes[k].Click(px, py, double), a.moved())
	}
	if a.lay.filter && y == a.lay.list.y-1-b2i(a.lay.head) {
		return a.editFilter()
	}
	if a.lay.keys && y == a.h0-1 {
		return a.clickHint(x)
	}
	r := a.lay.list
	if !r.contains(x, y) {
		return nil
	}
	if !a.covered() {
		a.h.focus = paneNone
	}
	if x == r.x+r.w-1 && a.list.slots() > 0 {
		a.drag = true
		return a.scrollTo(y - r.y)
	}
	l := a.list
	places := l.onScreen()
	n := y - r.y
	if n >= len(places) {
		return nil
	}
	p := places[n]
	if sticky := l.stickyPlaces(); n < len(sticky) {
		p = sticky[n]
	}
	l.selectPlace(p)
	l.reveal()
	if it, ok := l.curItem(); ok && p.chunk == 0 && !double {
		if at := l.col.fold + l.indent(&it); x == at || x == at+1 {
			l.toggleCur()
			l.reveal()
			return a.moved()
		}
	}
	if double {
		return a.enterDetail()
	}
	return a.moved()
}

// dragged extends a selection over rows, or moves the scroll bar.
func (a *app) dragged(x, y int) tea.Cmd {
	r := a.lay.list
	if a.drag {
		return a.scrollTo(y - r.y)
	}
	if a.covered() || !r.contains(x, y) || a.lastClick.y == y && a.list.taken == nil || a.lastClick.x >= r.w {
		return nil
	}
	l := a.list
	places := l.onScreen()
	if n := y - r.y; n < len(places) {
		if l.taken == nil {
			k := l.curKey
			l.taken = &k
		}
		l.selectPlace(places[n])
	}
	return a.moved()
}

// scrollTo goes to the place of the conversation that a line of the scroll bar stands for.
func (a *app) scrollTo(n int) tea.Cmd {
	l := a.list
	slots := l.slots()
	slot := min(max(n*slots/max(l.rows, 1), 0), slots-1)
	if n >= l.rows-1 {
		slot = slots - 1
	}
	if p, ok := l.locate(itemKey{id: l.slotID(slot)}); ok {
		l.selectPlace(p)
		l.center(l.rows / 2)
		l.reveal()
	}
	return a.moved()
}

// clickHint does what a key of the key line says.
func (a *app) clickHint(x int) tea.Cmd {
	text := stripped(a.keyLine())
	for i := range a.keys.table {
		c := &a.keys.table[i]
		if c.hint == "" {
			continue
		}
		label := keyLabel(c.keys[0]) + " " + c.hint
		if at := indexCells(text, label); at >= 0 && x >= at && x < at+width(label) {
			return a.run(c, 0, c.keys[0])
		}
	}
	return nil
}

// indexCells is the cell at which a part of a text begins.
func indexCells(text, part string) int {
	for i := 0; i+len(part) <= len(text); i++ {
		if text[i:i+len(part)] == part {
			return width(text[:i])
		}
	}
	return -1
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
