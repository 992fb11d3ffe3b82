package ui

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/ui/screen"
)

// tracer writes down what reaches the program, for a report of a bug: a line of JSON for each
// message, with its type, the key that it is, how long the answer took and how large the frame
// became. No text of a conversation is in there, and of what is typed only that it was.
type tracer struct {
	tea.Model
	out   *json.Encoder
	now   func() time.Time
	began time.Time
}

// traceLine is a line of a trace.
type traceLine struct {
	At      int64  `json:"at_us"` // since the program began
	Message string `json:"message"`
	Key     string `json:"key,omitempty"`
	Update  int64  `json:"update_us"` // drawing included
	Frame   int    `json:"frame_bytes"`
}

// traced is the program, or the program with a tracer before it where a trace was asked for.
func traced(a *app, to io.Writer, now func() time.Time) tea.Model {
	if to == nil {
		return a
	}
	return tracer{a, json.NewEncoder(to), now, now()}
}

// appOf is the program behind what stands before it.
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
		line.Key = "text" // which may be a secret
		if a, ok := t.Model.(*app); key.Text == "" || ok && !a.bar.Active() && len(a.dialogs) == 0 && a.h.Focus == screen.PaneNone && !a.list.Searching() {
			line.Key = key.String()
		}
	}
	from := t.now()
	m, cmd := t.Model.Update(msg)
	line.At, line.Update = from.Sub(t.began).Microseconds(), t.now().Sub(from).Microseconds()
	t.Model = m
	line.Frame = len(m.View().Content)
	_ = t.out.Encode(line) // a trace that cannot be written must not end the program
	return t, cmd
}
