package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// command is a row of the key table: what a key does, everywhere but in text fields. The dispatcher, the help, the key line, the palette and
// the key table of the README are made from it.
type command struct {
	keys  []string // as Bubble Tea spells them; a chord such as "z t" is two keys; "m *" takes any second key
	name  string   // what the palette and :name take
	group string
	help  string
	hint  string // the word in the key line; "" keeps it out of there
	habit string
	why   func(a *app) string                     // "" when it can act, else why it cannot; nil: it always can
	do    func(a *app, n int, key string) tea.Cmd // n is the count that was typed, 0 for none
}

// rows reports whether a command does something with the rows of the timeline that cannot be seen elsewhere: they are opened, closed, taken.
func (c *command) rows() bool {
	return c.group == groupOpen && c.name != "detail" || c.name == "select"
}

const (
	groupMove   = "Move"
	groupThings = "Next and previous thing"
	groupOpen   = "Open and close"
	groupPanes  = "Panes"
	groupFind   = "Filter and search"
	groupTake   = "Take away"
	groupRest   = "The rest"
)

// keyTable is the table. It is made per app because its functions refer to one another.
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

// keymap finds the command of keys as they are typed.
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

// find is the command of a key after the keys that are pending. more says that the key begins a chord.
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

// named is the command that the palette knows under a name.
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

// Keys is the key table of the screen, as the README prints it.
func Keys() []KeyRow {
	var rows []KeyRow
	for _, c := range keyTable() {
		rows = append(rows, KeyRow{c.group, labels(c.keys), c.help, c.habit})
	}
	for _, g := range paneGroups() {
		for _, k := range g.keys {
			rows = append(rows, KeyRow{g.name, labels(k.keys), k.help, ""})
		}
	}
	return rows
}

// labels are keys as people write them.
func labels(keys []string) string {
	words := make([]string, len(keys))
	for i, k := range keys {
		words[i] = keyLabel(k)
	}
	return strings.Join(words, " ")
}

// keyLabel is a key as people write it.
func keyLabel(k string) string {
	if first, second, chord := strings.Cut(k, " "); chord {
		if second == "*" {
			second = "x"
		}
		if second == "" {
			second = " "
		}
		return first + second
	}
	if l, ok := keyLabels[k]; ok {
		return l
	}
	if strings.HasPrefix(k, "ctrl+") {
		return "Ctrl-" + k[5:]
	}
	return k
}

var keyLabels = map[string]string{
	"down": "↓", "up": "↑", "left": "←", "right": "→", "enter": "⏎", "space": "Space", "pgdown": "PgDn", "pgup": "PgUp", "home": "Home",
	"end": "End", "tab": "Tab", "shift+tab": "Shift-Tab", "esc": "Esc", "f1": "F1", "f2": "F2",
}

// keyName is how the table spells a key that was pressed.
func keyName(msg tea.KeyPressMsg) string {
	k := tea.Key(msg)
	if k.Text != "" && k.Text != " " && k.Mod&^tea.ModShift == 0 {
		return k.Text
	}
	s := k.Keystroke()
	if s == "shift+space" {
		return "space"
	}
	return s
}

// addDigit is a count with another digit typed behind it; false for a key that is
// no digit.
func addDigit(count int, name string) (int, bool) {
	if len(name) != 1 || name[0] < '0' || name[0] > '9' {
		return count, false
	}
	return min(count*10+int(name[0]-'0'), 1<<30), true
}
