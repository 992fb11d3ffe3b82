package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

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

// labels are keys as people write them.
func labels(keys []string) string {
	words := make([]string, len(keys))
	for i, k := range keys {
		words[i] = keyLabel(k)
	}
	return strings.Join(words, " ")
}

// paneKey is a row of the key table that holds in one pane or list only. What the pane does with a key, its key line, the help and the README are made
// from it.
type paneKey struct {
	keys  []string // as those of a command
	help  string
	hint  string // the word in the key line; "" keeps it out of there
	label string // what stands before it there; "" is the first key
	do    func(n int, key string) tea.Cmd
}

// noRow says that there is nothing to act on.
func noRow(h *host) tea.Cmd {
	h.complain("no row here")
	return nil
}

// tableHints are the words of the key line of a pane with a table; what exports it comes last. A table without rows has nothing to do.
func tableHints(t *table, keys []paneKey) []hint {
	if t.n == 0 {
		return nil
	}
	sorting := []hint{{"< >", "sort"}, {"R", "reverse"}, {"/", "find"}}
	at := slices.IndexFunc(keys, func(k paneKey) bool { return k.keys[0] == "x" })
	if at < 0 {
		return append(hintsOf(keys), sorting...)
	}
	return append(append(hintsOf(keys[:at]), sorting...), hintsOf(keys[at:])...)
}

// pressed does what a key is for; false for a key that is none of these.
func pressed(keys []paneKey, key string, n int) (bool, tea.Cmd) {
	for i := range keys {
		if slices.Contains(keys[i].keys, key) {
			return true, keys[i].do(n, key)
		}
	}
	return false, nil
}

// hintsOf are the words of the key line.
func hintsOf(keys []paneKey) []hint {
	var out []hint
	for _, k := range keys {
		if k.hint != "" {
			label := k.label
			if label == "" {
				label = hintKey(k.keys[0])
			}
			out = append(out, hint{label, k.hint})
		}
	}
	return out
}

// hintKey is a key as the key line writes it.
func hintKey(k string) string {
	first, _, _ := strings.Cut(k, " ") // of two keys the first, which leads to the others
	switch first {
	case "esc", "tab":
		return first
	}
	return keyLabel(first)
}
