package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/ui/compare"
	"turns/ui/config"
	"turns/ui/panes"
	"turns/ui/screen"
	"turns/ui/sessions"
)

// command is a row of the key table: what a key does outside of text fields. The dispatcher, the
// help, the key line, the palette and the README use it.
type command struct {
	// as Bubble Tea spells them; a chord is two keys, "z t"; "m *" accepts any second key
	keys  []string
	name  string // name in the palette and after ":"
	group string
	help  string
	hint  string // the word in the key line; "": not shown there
	habit string
	// why returns why the command cannot run, "" if it can; nil: it always can
	why func(a *app) string
	do  func(a *app, n int, key string) tea.Cmd // n is the typed count, 0 for none
}

// anytime reports whether a command works without a session.
func (c *command) anytime() bool { return c.group == groupRest || c.name == "sessions" }

// rows reports whether a command opens, closes or selects rows of the timeline, which makes no
// sense while a pane covers them.
func (c *command) rows() bool {
	return c.group == groupOpen && c.name != "detail" && c.name != "wrap" || c.name == "select"
}

const (
	groupMove   = "Move"
	groupThings = "Jump"
	groupOpen   = "Open and close"
	groupPanes  = "Panes"
	groupFind   = "Filter and search"
	groupTake   = "Copy and export"
	groupRest   = "General"
)

// keyTable returns the table. Each app makes its own because the functions refer to one another.
func keyTable() []command {
	var t []command
	t = append(t, moveCommands()...)
	t = append(t, thingCommands()...)
	t = append(t, openCommands()...)
	t = append(t, paneCommands()...)
	t = append(t, findCommands()...)
	t = append(t, takeCommands()...)
	return append(t, restCommands()...)
}

// keymap finds the command of typed keys.
type keymap struct {
	table  []command
	byKeys map[string]int
	prefix map[string]bool
}

func newKeymap() *keymap {
	m := &keymap{table: keyTable(), byKeys: map[string]int{}, prefix: map[string]bool{}}
	for i := range m.table {
		for _, k := range m.table[i].keys {
			m.byKeys[k] = i
			if first, _, chord := strings.Cut(k, " "); chord {
				m.prefix[first] = true
			}
		}
	}
	return m
}

// find returns the command of a key after the pending keys. more reports that the key starts a
// chord.
func (m *keymap) find(pending, key string) (c *command, more bool) {
	if pending != "" {
		if i, ok := m.byKeys[pending+" "+key]; ok {
			return &m.table[i], false
		}
		if i, ok := m.byKeys[pending+" *"]; ok {
			return &m.table[i], false
		}
		return nil, false
	}
	if m.prefix[key] {
		return nil, true
	}
	if i, ok := m.byKeys[key]; ok {
		return &m.table[i], false
	}
	return nil, false
}

// named returns the command with a name, nil for none.
func (m *keymap) named(name string) *command {
	for i := range m.table {
		if m.table[i].name == name {
			return &m.table[i]
		}
	}
	return nil
}

// KeyRow is a row of the key table for documentation.
type KeyRow struct{ Group, Keys, Help, Habit string }

// Keys returns the key table of the screen, as printed in the documentation, with the user's key
// bindings (nil: none).
func Keys(chosen *config.Keys) []KeyRow {
	var rows []KeyRow
	for _, c := range keyTable() {
		rows = append(rows, KeyRow{c.group, screen.Labels(c.keys, chosen), c.help, c.habit})
	}
	for _, g := range paneGroups() {
		for _, k := range g.Keys {
			rows = append(rows, KeyRow{g.Name, screen.Labels(k.Keys, chosen), k.Help, ""})
		}
	}
	return rows
}

// Commands returns the commands that keys can be bound to.
func Commands() []config.Command {
	var out []config.Command
	for _, c := range keyTable() {
		out = append(out, config.Command{Name: c.name, Keys: c.keys, Help: c.help})
	}
	return append(out, config.Command{Name: "reverse", Keys: []string{"R"}, Help: "reverse the order of a table"})
}

// OtherKeys returns the keys of panes and lists, which own commands cannot use either.
func OtherKeys() []config.Command {
	var out []config.Command
	for _, g := range paneGroups() {
		for _, k := range g.Keys {
			out = append(out, config.Command{Name: k.Name, Keys: k.Keys, Help: k.Help})
		}
	}
	return out
}

// paneGroups returns the keys that apply in panes and lists only. Other keys act there as in the
// timeline, if they have a meaning.
func paneGroups() []screen.KeyGroup {
	groups := append(panes.KeyGroups(), compare.KeyGroups()...)
	groups = append(groups, screen.KeyGroup{Name: (&sessions.List{}).Group(), Keys: (&sessions.List{}).Keys()})
	return append(groups, sessions.KeyGroups()...)
}

// groupOf returns the name of a dialog's key group, "" for none.
func groupOf(d screen.Dialog) string {
	if g, ok := d.(screen.Grouped); ok {
		return g.Group()
	}
	return ""
}

// keyOf returns the first key of a command for people, as rebound by the user.
func (a *app) keyOf(name string) string {
	return screen.Labels(a.keys.named(name).keys[:1], a.h.Opts.Keys)
}
