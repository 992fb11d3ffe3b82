package ui

import (
	tea "charm.land/bubbletea/v2"

	"turns/query/session"
	"turns/ui/screen"
)

// bell rings, if it is on, on an error and when the session starts to need its reader.
type bell struct {
	h     *screen.Host
	on    bool
	stood session.Doing // state of the session when last checked
}

// toggle turns the bell on or off, and describes it.
func (b *bell) toggle() string {
	b.on = !b.on
	return map[bool]string{true: "bell on an error, and when the session waits for you or is stuck", false: "bell off"}[b.on]
}

// rings rings when the session starts to need its reader.
func (b *bell) rings() tea.Cmd {
	was, st := b.stood, b.h.Doing()
	b.stood = st.Doing
	if was == session.Unknown || was == st.Doing || !st.Stage().Needs() && st.Doing != session.Waiting {
		return nil
	}
	return b.ring()
}

// ring rings if the bell is on.
func (b *bell) ring() tea.Cmd {
	if !b.on {
		return nil
	}
	return tea.Raw("\a")
}
