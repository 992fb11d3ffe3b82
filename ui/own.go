package ui

import (
	tea "charm.land/bubbletea/v2"

	"turns/ui/config"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/sessions"
)

// groupOwn is the heading of the user's own commands in the help.
const groupOwn = "Own commands"

// ownKey returns the user's command for a key, nil for none.
func (a *app) ownKey(msg tea.KeyPressMsg) *config.OwnCommand {
	if len(a.h.Opts.Commands) == 0 || a.typing() {
		return nil
	}
	key := a.chord(screen.KeyName(msg))
	here := (*config.OwnCommand).InSession
	switch {
	case a.listing() != nil:
		here = (*config.OwnCommand).InList
	case len(a.dialogs) > 0:
		return nil
	}
	for i := range a.h.Opts.Commands {
		if c := &a.h.Opts.Commands[i]; c.Key == key && here(c) {
			return c
		}
	}
	return nil
}

// runOwn runs an own command on a list of sessions; nil: on the open session.
func (a *app) runOwn(c *config.OwnCommand, d *sessions.List) tea.Cmd {
	a.typed = typed{}
	if d != nil {
		values, why := d.OwnValues(c.Context == config.OnList)
		if why != "" {
			return a.complain(why)
		}
		return a.desk.OwnOf(c, values)
	}
	return a.desk.Own(c)
}

// ownEntries returns the own commands for the palette over a list; nil: over the timeline.
func (a *app) ownEntries(d *sessions.List) []entry {
	here := (*config.OwnCommand).InSession
	if d != nil {
		here = (*config.OwnCommand).InList
	}
	var all []entry
	for i := range a.h.Opts.Commands {
		if c := &a.h.Opts.Commands[i]; here(c) {
			all = append(all, entry{name: c.Name, key: screen.KeyLabel(c.Key), help: "own command: " + paint.OneLine(c.Run), do: func() tea.Cmd { return a.runOwn(c, d) }})
		}
	}
	return all
}

// ownRows returns the own commands for the help.
func ownRows(h *screen.Host) (rows []KeyRow) {
	for i := range h.Opts.Commands {
		c := &h.Opts.Commands[i]
		key := ":" + c.Name
		if c.Key != "" {
			key = screen.KeyLabel(c.Key)
		}
		rows = append(rows, KeyRow{groupOwn, key, c.Name + " (" + c.Context + "): " + c.Run, ""})
	}
	return rows
}
