package ui

import (
	"strings"

	"turns/ui/screen"

	tea "charm.land/bubbletea/v2"
)

// key routes a key to the dialog on top, the edited line, the focused pane, or the key table.
func (a *app) key(msg tea.KeyPressMsg) tea.Cmd {
	gen := a.nextKey()
	cmd := tea.Cmd(nil)
	if own := a.ownKey(msg); own != nil {
		cmd = a.runOwn(own, a.listing())
	} else if msg, ok := a.meant(msg); ok {
		typing := a.typing()
		cmd = a.keyed(msg)
		a.touring.pressed(screen.KeyName(msg), typing)
	}
	a.keyDone(gen)
	return cmd
}

// tooEarly queues a key that needs a session until the session has messages.
func (a *app) tooEarly(msg tea.KeyPressMsg) bool {
	name := screen.KeyName(msg)
	if a.h.Snap != nil || len(a.dialogs) > 0 || a.ended || name == "ctrl+c" {
		return false
	}
	if c, _ := a.keys.find("", name); len(a.early) == 0 && c != nil && c.anytime() {
		return false
	}
	a.early = append(a.early, msg)
	return true
}

// lateKeys handles the queued keys.
func (a *app) lateKeys() tea.Cmd {
	var cmds []tea.Cmd
	for _, msg := range a.early {
		cmds = append(cmds, a.key(msg))
	}
	a.early = nil
	return tea.Batch(cmds...)
}

// meant translates a pressed key by the user's key bindings; false if it has no meaning. In a line
// of text, keys are not translated.
func (a *app) meant(msg tea.KeyPressMsg) (tea.KeyPressMsg, bool) {
	chosen := a.h.Opts.Keys
	if !chosen.Changed() || a.typing() || a.pending != "" && a.pending != "z" {
		return msg, true
	}
	name := screen.KeyName(msg)
	pressed := a.chord(name)
	meant := chosen.Means(a.pending, name)
	if meant == pressed {
		return msg, true
	}
	a.pending = ""
	if meant == "" || len(a.dialogs) > 0 && strings.HasPrefix(meant, "z ") { // lists have no chords
		a.dropCount()
		a.complain(screen.KeyLabel(pressed) + " does nothing here: " + a.h.Key("?") + " lists the keys")
		return msg, false
	}
	if first, second, chord := strings.Cut(meant, " "); chord {
		a.pending, meant = first, second
	}
	return screen.KeyPress(meant), true
}

// typing reports whether keys go into a line of text.
func (a *app) typing() bool {
	if n := len(a.dialogs); n > 0 {
		if t, ok := a.dialogs[n-1].(interface{ Typed() bool }); ok && t.Typed() {
			return true
		}
		_, keys := a.dialogs[n-1].(screen.Grouped)
		return !keys
	}
	return a.bar.Active() || a.list.Searching()
}

func (a *app) keyed(msg tea.KeyPressMsg) tea.Cmd {
	if n := len(a.dialogs); n > 0 {
		d := a.dialogs[n-1]
		done, cmd := d.Key(msg)
		if done {
			a.closeDialog(d)
		}
		return cmd
	}
	if a.bar.Active() {
		return a.bar.Key(msg)
	}
	if a.list.Searching() {
		return a.list.SearchKey(msg)
	}
	name := screen.KeyName(msg)
	if a.digit(name, a.takesZero()) {
		return nil
	}
	if a.pending == "" && a.h.Focus != screen.PaneNone && a.panes[a.h.Focus] != nil {
		if handled, cmd := a.panes[a.h.Focus].Key(name, a.count); handled {
			a.dropCount()
			return cmd
		}
	}
	c, more := a.keys.find(a.pending, name)
	if more {
		a.pending = name
		if name == "y" && a.list.Taking() {
			a.pending = ""
			c = a.keys.named("copy")
		} else {
			return nil
		}
	}
	pending := a.pending
	a.pending = ""
	n := a.count
	if c == nil {
		a.dropCount()
		if pending != "" && name != "esc" {
			return a.complain(screen.KeyLabel(pending) + screen.KeyLabel(name) + " does nothing here: " + a.h.Key("?") + " lists the keys")
		}
		if name != "esc" && pending == "" {
			return a.complain(a.h.Key(name) + " does nothing here: " + a.h.Key("?") + " lists the keys")
		}
		return nil
	}
	cmd := a.run(c, n, name)
	a.dropCount()
	return cmd
}

// takesZero reports whether the focused pane uses 0 as a key.
func (a *app) takesZero() bool {
	p, ok := a.panes[a.h.Focus].(screen.ZeroKeyed)
	return ok && p.TakesZero()
}

func (a *app) closeDialog(d screen.Dialog) {
	for i := range a.dialogs {
		if a.dialogs[i] == d {
			a.dialogs = append(a.dialogs[:i], a.dialogs[i+1:]...)
			if e, ok := d.(screen.Ender); ok {
				e.End() // ends its background work
			}
			return
		}
	}
}

// run runs a command, or shows why it cannot run.
func (a *app) run(c *command, n int, key string) tea.Cmd {
	if a.h.Snap == nil && !c.anytime() {
		return a.complain("no transcript is open yet")
	}
	if a.covered() && c.rows() {
		return a.complain("the pane covers the timeline: " + a.h.Key("esc") + " shows it")
	}
	if c.why != nil {
		if why := c.why(a); why != "" {
			return a.complain(why)
		}
	}
	return c.do(a, n, key)
}
