package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/ui/paint"
	"turns/ui/screen"
)

// MaxColumns and MaxRows limit the window: without them, a terminal that reports an absurd size
// would need gigabytes to draw.
const (
	MaxColumns = 2000
	MaxRows    = 1000
)

func clamped(size tea.WindowSizeMsg) tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: min(max(size.Width, 0), MaxColumns), Height: min(max(size.Height, 0), MaxRows)}
}

// scrollAt scrolls the part under a cell.
func (a *app) scrollAt(x, y, n int) tea.Cmd {
	if k := len(a.dialogs); k > 0 {
		switch d := a.dialogs[k-1].(type) {
		case screen.ChoosingDialog:
			return d.WheelAt(x-a.dialogAt.x, y-a.dialogAt.y, n)
		case screen.ScrollingDialog:
			d.Wheel(n)
		}
		return nil
	}
	if _, ok := a.bar.Dropped(x, y-(a.lay.list.y-paint.BoolInt(a.lay.head))); ok {
		a.bar.Wheel(n / wheelLines)
		return nil
	}
	if a.h.Snap == nil {
		return nil
	}
	if k, _, _, ok := a.paneAt(x, y); ok {
		a.panes[k].Wheel(n)
		return nil
	}
	a.list.Scroll(n, false)
	a.list.Moved()
	return nil
}

// click is the last mouse press, to recognise a double click.
type click struct {
	x, y int
	at   time.Time
}

// doubleClick is the most time between the presses of a double click.
const doubleClick = 400 * time.Millisecond

// mouse acts on the pane under the pointer.
func (a *app) mouse(msg tea.MouseMsg) tea.Cmd {
	a.cameTo = nil
	m := msg.Mouse()
	if a.h.Snap == nil && len(a.dialogs) == 0 {
		return nil
	}
	switch msg.(type) {
	case tea.MouseWheelMsg: // an event that sumWheel did not see
		if n := wheelOf(m); n != 0 {
			return a.scrollAt(m.X, m.Y, n)
		}
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft {
			return nil
		}
		now := a.h.Opts.Time()
		double := a.lastClick.x == m.X && a.lastClick.y == m.Y && now.Sub(a.lastClick.at) < doubleClick
		a.lastClick = click{m.X, m.Y, now}
		if double {
			a.lastClick.at = time.Time{}
		}
		if len(a.dialogs) > 0 {
			return a.clickDialog(m.X, m.Y, double)
		}
		return a.clicked(m.X, m.Y, double)
	case tea.MouseMotionMsg:
		if len(a.dialogs) > 0 {
			return nil
		}
		return a.dragged(m.X, m.Y)
	case tea.MouseReleaseMsg:
		a.drag = false
	}
	return nil
}

// paneAt returns the pane at a screen cell, and the cell within it.
func (a *app) paneAt(x, y int) (k screen.PaneKind, px, py int, ok bool) {
	s := a.lay.side
	if s.w == 0 || !s.contains(x, y) {
		return screen.PaneNone, 0, 0, false
	}
	px, py = x-s.x, y-s.y
	if !a.stacked() {
		return a.side, px, py, a.panes[a.side] != nil
	}
	switch top := a.lay.sideSplit; {
	case top == 0 && a.h.Focus == screen.PaneStats:
		return screen.PaneStats, px, py, true
	case top == 0 || py < top:
		return screen.PaneTools, px, py, true
	default:
		return screen.PaneStats, px, py - top - 1, true
	}
}

func (a *app) clicked(x, y int, double bool) tea.Cmd {
	if k, px, py, ok := a.paneAt(x, y); ok {
		a.focus(k)
		cmd := a.panes[k].Click(px, py, double)
		a.list.Moved()
		return cmd
	}
	second := paint.BoolInt(a.lay.second)
	if bar := a.lay.list.y - 1 - paint.BoolInt(a.lay.head) - second; a.lay.filter {
		if y == bar {
			if name := a.verdict.commandAt(x); name != "" {
				return a.keys.named(name).do(a, 0, "")
			}
		}
		if took, cmd := a.bar.ClickDrop(x, y-bar-1); took {
			return cmd
		}
		switch {
		case y == bar && a.bar.Active():
			a.bar.ClickField(x)
			return nil
		case y >= bar && y <= bar+second:
			return a.editFilter()
		}
	}
	if a.lay.keys && y == a.h0-1 {
		return a.clickHint(x)
	}
	r := a.lay.list
	if !r.contains(x, y) {
		return nil
	}
	if !a.covered() {
		a.focus(screen.PaneNone)
	}
	if x == r.x+r.w-1 && a.list.Slots() > 0 {
		a.drag = true
		return a.scrollTo(y - r.y)
	}
	l := a.list
	places := l.OnScreen()
	n := y - r.y
	if n >= len(places) {
		return nil
	}
	p := places[n]
	if sticky := l.StickyPlaces(); n < len(sticky) {
		p = sticky[n]
	}
	l.SelectPlace(p)
	l.Reveal()
	if it, ok := l.CurItem(); ok && p.Chunk == 0 && !double {
		if at := l.Col.Fold + l.Indent(&it); x == at || x == at+1 {
			l.ToggleCur()
			l.Reveal()
			a.list.Moved()
			return nil
		}
	}
	if double {
		return a.enterDetail()
	}
	a.list.Moved()
	return nil
}

// dragged extends a selection over rows, or moves the scroll bar.
func (a *app) dragged(x, y int) tea.Cmd {
	r := a.lay.list
	if a.drag {
		return a.scrollTo(y - r.y)
	}
	if a.covered() || !r.contains(x, y) || a.lastClick.y == y && !a.list.Taking() || a.lastClick.x >= r.w {
		return nil
	}
	l := a.list
	places := l.OnScreen()
	if n := y - r.y; n < len(places) {
		l.Take()
		l.SelectPlace(places[n])
	}
	a.list.Moved()
	return nil
}

// scrollTo goes to the place that a line of the scroll bar represents.
func (a *app) scrollTo(n int) tea.Cmd {
	l := a.list
	slots := l.Slots()
	slot := min(max(n*slots/max(l.Rows, 1), 0), slots-1)
	if n >= l.Rows-1 {
		slot = slots - 1
	}
	if p, ok := l.Locate(screen.RowKey{ID: l.SlotID(slot)}); ok {
		l.SelectPlace(p)
		l.Center(l.Rows / 2)
		l.Reveal()
	}
	a.list.Moved()
	return nil
}

// clickDialog passes a click to the dialog on top, or to the key line.
func (a *app) clickDialog(x, y int, double bool) tea.Cmd {
	if a.lay.keys && y == a.h0-1 {
		return a.clickHint(x)
	}
	d := a.dialogs[len(a.dialogs)-1]
	if m, ok := d.(screen.MouseDialog); ok && a.dialogAt.contains(x, y) {
		done, cmd := m.Click(x-a.dialogAt.x, y-a.dialogAt.y, double)
		if done {
			a.closeDialog(d)
		}
		return cmd
	}
	return nil
}

// clickHint runs the clicked key of the key line. In a group of keys it is the one under the
// pointer.
func (a *app) clickHint(x int) tea.Cmd {
	text := paint.Stripped(a.keyLine())
	first, last := a.hints()
	for _, t := range append(first, last...) {
		at := indexCells(text, t.Key+" "+t.Text)
		if at < 0 || x < at || x >= at+paint.Width(t.Key)+1+paint.Width(t.Text) {
			continue
		}
		keys := strings.Fields(t.Key)
		key := keys[0]
		for i := len(keys) - 1; i > 0; i-- {
			if from := at + paint.Width(strings.Join(keys[:i], " ")) + 1; x >= from && x < at+paint.Width(t.Key) {
				key = keys[i]
				break
			}
		}
		if msg, ok := pressOf(key); ok {
			return a.key(msg)
		}
	}
	return nil
}

// pressOf returns the key press for a label of the key line.
func pressOf(label string) (msg tea.KeyPressMsg, ok bool) {
	codes := map[string]rune{"⏎": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "↑": tea.KeyUp, "↓": tea.KeyDown, "←": tea.KeyLeft, "→": tea.KeyRight}
	if code, ok := codes[label]; ok {
		return tea.KeyPressMsg{Code: code}, true
	}
	if rest, ctrl := strings.CutPrefix(label, "^"); ctrl && len(rest) == 1 {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}, true
	}
	if r := []rune(label); len(r) == 1 {
		return tea.KeyPressMsg{Code: r[0], Text: label}, true
	}
	return tea.KeyPressMsg{}, false
}

// indexCells returns the cell at which part begins in text, -1 if it is missing.
func indexCells(text, part string) int {
	for i := 0; i+len(part) <= len(text); i++ {
		if text[i:i+len(part)] == part {
			return paint.Width(text[:i])
		}
	}
	return -1
}
