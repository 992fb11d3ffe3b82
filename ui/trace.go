package ui

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/ui/screen"
)

// tracer records the messages to the program, for a bug report: one JSON line per message with its
// type, its key, the time to handle it and the size of the frame. It never records text of a
// session, nor typed text, only that something was typed.
type tracer struct {
	tea.Model
	out   *json.Encoder
	now   func() time.Time
	began time.Time
}

// traceLine is a line of a trace.
type traceLine struct {
	At      int64  `json:"at_us"` // since the start of the program
	Message string `json:"message"`
	Key     string `json:"key,omitempty"`
	Update  int64  `json:"update_us"` // including drawing
	Frame   int    `json:"frame_bytes"`
}

// traced returns the program, wrapped in a tracer if a trace was requested.
func traced(a *app, to io.Writer, now func() time.Time) tea.Model {
	if to == nil {
		return a
	}
	return tracer{a, json.NewEncoder(to), now, now()}
}

// appOf returns the app inside its wrappers.
func appOf(m tea.Model) (*app, bool) {
	if i, ok := m.(idler); ok {
		m = i.Model
	}
	if t, ok := m.(tracer); ok {
		m = t.Model
	}
	a, ok := m.(*app)
	return a, ok
}

func (t tracer) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	line := traceLine{Message: fmt.Sprintf("%T", msg)}
	if key, ok := msg.(tea.KeyPressMsg); ok {
		line.Key = "text" // it may be a secret
		if a, ok := t.Model.(*app); key.Text == "" || ok && !a.bar.Active() && len(a.dialogs) == 0 && a.h.Focus == screen.PaneNone && !a.list.Searching() {
			line.Key = key.String()
		}
	}
	from := t.now()
	m, cmd := t.Model.Update(msg)
	line.At, line.Update = from.Sub(t.began).Microseconds(), t.now().Sub(from).Microseconds()
	t.Model = m
	line.Frame = len(m.View().Content)
	_ = t.out.Encode(line) // a failing trace must not end the program
	return t, cmd
}
