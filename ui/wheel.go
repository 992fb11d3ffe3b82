package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/ui/paint"
	"turns/ui/screen"
)

// A wheel sends an event for each notch, a touchpad many of them for each frame. The first is done
// at once; those that come until the next frame are summed up before they reach Update, so that a
// burst costs no more frames than the screen shows.

// wheelSum is what was turned since the last frame.
type wheelSum struct {
	busy bool // a frame has just been drawn for the wheel
	x, y int
	n    int // lines, positive downwards
}

// wheelMsg turns the wheel at a cell; wheelDueMsg is the next frame after it.
type (
	wheelMsg    struct{ x, y, n int }
	wheelDueMsg struct{}
)

// wheelOf is how many lines a wheel event scrolls; 0 for buttons that are no wheel.
func wheelOf(m tea.Mouse) int {
	switch m.Button {
	case tea.MouseWheelUp:
		return -wheelLines
	case tea.MouseWheelDown:
		return wheelLines
	}
	return 0
}

// sumWheel is the filter before Update: it lets the first event of the wheel through and keeps what
// follows within a frame.
func sumWheel(m tea.Model, msg tea.Msg) tea.Msg {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		return clamped(size)
	}
	a, ok := appOf(m)
	w, wheel := msg.(tea.MouseWheelMsg)
	if !ok || !wheel {
		return msg
	}
	n := wheelOf(w.Mouse())
	switch {
	case n == 0:
		return nil
	case !a.wheel.busy:
		a.wheel.busy = true
		return wheelMsg{w.X, w.Y, n}
	}
	a.wheel.x, a.wheel.y = w.X, w.Y
	a.wheel.n += n
	return nil
}

// MaxColumns and MaxRows: a window has no more columns and rows than anybody can see: a terminal
// that says else would be drawn in gigabytes.
const (
	MaxColumns = 2000
	MaxRows    = 1000
)

func clamped(size tea.WindowSizeMsg) tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: min(max(size.Width, 0), MaxColumns), Height: min(max(size.Height, 0), MaxRows)}
}

// wheeled scrolls, and looks after a frame whether there is more.
func (a *app) wheeled(msg tea.Msg) tea.Cmd {
	m, first := msg.(wheelMsg)
	if !first {
		m = wheelMsg{a.wheel.x, a.wheel.y, a.wheel.n}
	}
	a.wheel = wheelSum{x: m.x, y: m.y}
	if m.n == 0 {
		return nil
	}
	a.wheel.busy = true
	return tea.Batch(a.scrollAt(m.x, m.y, m.n), a.h.After(time.Second/frameRate, wheelDueMsg{}))
}

// scrollAt scrolls what lies under a cell.
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
	if _, ok := a.bar.dropped(x, y-(a.lay.list.y-paint.BoolInt(a.lay.head))); ok {
		a.bar.wheel(n / wheelLines)
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
	return a.list.Moved()
}
