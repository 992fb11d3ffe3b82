package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// A wheel sends one event per notch, a touchpad many per frame. The first acts immediately; those
// until the next frame are summed before they reach Update, so a burst needs no more frames than
// the screen shows.

// wheelSum is the wheel movement since the last frame.
type wheelSum struct {
	busy bool // the last frame was drawn for the wheel
	x, y int
	n    int // lines, positive downwards
}

// wheelMsg turns the wheel at a cell; wheelDueMsg marks the next frame after it.
type (
	wheelMsg    struct{ x, y, n int }
	wheelDueMsg struct{}
)

// wheelLines is how many lines one event scrolls.
const wheelLines = 3

// wheelOf returns how many lines a wheel event scrolls, 0 for other buttons.
func wheelOf(m tea.Mouse) int {
	switch m.Button {
	case tea.MouseWheelUp:
		return -wheelLines
	case tea.MouseWheelDown:
		return wheelLines
	}
	return 0
}

// sumWheel filters messages before Update: it passes the first event of the wheel and collects the
// later ones of the frame.
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

// wheeled scrolls, and schedules the next scroll by the events until the next frame.
func (a *app) wheeled(msg tea.Msg) tea.Cmd {
	a.cameTo = nil
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
