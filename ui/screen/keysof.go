package screen

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"turns/ui/config"
)

// KeyLabel formats a key for people.
func KeyLabel(k string) string {
	if first, second, chord := strings.Cut(k, " "); chord {
		if second == "*" {
			second = "x"
		}
		second = cmp.Or(second, " ")
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

// KeyName returns the key table's name of a pressed key; "" for pasted text.
func KeyName(msg tea.KeyPressMsg) string {
	k := tea.Key(msg)
	if k.Code == tea.KeyExtended {
		return ""
	}
	if k.Text != "" && k.Text != " " && k.Mod&^tea.ModShift == 0 {
		return k.Text
	}
	s := k.Keystroke()
	if s == "shift+space" {
		return "space"
	}
	return s
}

// KeyPress returns the key press for a name of KeyName.
func KeyPress(name string) tea.KeyPressMsg {
	var mod tea.KeyMod
	for prefix, m := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			mod, name = mod|m, rest
		}
	}
	if code, ok := namedKeys[name]; ok {
		k := tea.KeyPressMsg{Code: code, Mod: mod}
		if name == "space" && mod == 0 {
			k.Text = " "
		}
		return k
	}
	r, _ := utf8.DecodeRuneInString(name)
	k := tea.KeyPressMsg{Code: r, Mod: mod}
	if mod == 0 {
		k.Text = name
	}
	return k
}

var namedKeys = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "insert": tea.KeyInsert, "f1": tea.KeyF1, "f2": tea.KeyF2,
}

// AddDigit appends a typed digit to a count; false if the key is not a digit.
func AddDigit(count int, name string) (int, bool) {
	if len(name) != 1 || name[0] < '0' || name[0] > '9' {
		return count, false
	}
	return min(count*10+int(name[0]-'0'), 1<<30), true
}

// Labels formats keys for people, as rebound by the user.
func Labels(keys []string, chosen *config.Keys) string {
	var words []string
	for _, k := range keys {
		if k = chosen.Press(k); k != "" {
			words = append(words, KeyLabel(k))
		}
	}
	return strings.Join(words, " ")
}

// Key formats a key for a sentence, as rebound by the user.
func (h *Host) Key(meant string) string {
	pressed := cmp.Or(h.Opts.Keys.Press(meant), meant)
	label := hintKey(pressed)
	if _, second, _ := strings.Cut(pressed, " "); second != "" && second != "*" {
		label = KeyLabel(pressed)
	}
	if h.Opts.ASCII {
		label = InLetters(label)
	}
	return label
}

// keyWords replaces the symbols of keys with words.
var keyWords = strings.NewReplacer("⏎", "Enter", "↑", "Up", "↓", "Down", "←", "Left", "→", "Right")

// Spelled returns hints without symbols, for an ASCII terminal.
func Spelled(hints []Hint, ascii bool) []Hint {
	if !ascii {
		return hints
	}
	out := slices.Clone(hints)
	for i := range out {
		out[i].Key = keyWords.Replace(out[i].Key)
	}
	return out
}

// InLetters replaces the symbols in a key label with words.
func InLetters(label string) string { return keyWords.Replace(label) }

// Chosen returns hints with the user's key bindings.
func Chosen(hints []Hint, chosen *config.Keys) []Hint {
	if !chosen.Changed() {
		return hints
	}
	meant := map[string]string{}
	for _, k := range chosen.Bound() {
		meant[KeyLabel(k)], meant[hintKey(k)] = KeyLabel(chosen.Press(k)), hintKey(chosen.Press(k))
	}
	out := slices.Clone(hints)
	for i := range out {
		words := strings.Fields(out[i].Key)
		for n, w := range words {
			if key, ok := meant[w]; ok {
				words[n] = key
			}
		}
		out[i].Key = strings.Join(strings.Fields(strings.Join(words, " ")), " ")
	}
	return slices.DeleteFunc(out, func(h Hint) bool { return h.Key == "" })
}

// Key is a row of the key table that applies in one pane or list only. The pane's dispatch, its key
// line, the help and the README use it.
type Key struct {
	Keys  []string // as in a command
	Help  string
	Name  string // name in the palette; "": not listed there
	Hint  string // the word in the key line; "": not shown there
	Label string // precedes the hint; "" is the first key
	Do    func(n int, key string) tea.Cmd
}

// NoRow reports that there is no row to act on.
func NoRow(h *Host) tea.Cmd {
	return h.Complain("no row here")
}

// TableHints returns the key hints of a pane with a table, exporting last. A table without rows has
// none.
func TableHints(t *Table, keys []Key) []Hint {
	if t.N == 0 {
		return nil
	}
	sorting := []Hint{{"< >", "sort"}, {"R", "reverse"}, {"/", "find"}}
	at := slices.IndexFunc(keys, func(k Key) bool { return k.Keys[0] == "x" })
	if at < 0 {
		return append(HintsOf(keys), sorting...)
	}
	return append(append(HintsOf(keys[:at]), sorting...), HintsOf(keys[at:])...)
}

// Pressed runs the action of a key; false for a key not in keys.
func Pressed(keys []Key, key string, n int) (bool, tea.Cmd) {
	for i := range keys {
		if slices.Contains(keys[i].Keys, key) {
			return true, keys[i].Do(n, key)
		}
	}
	return false, nil
}

// HintsOf returns the hints of keys for the key line.
func HintsOf(keys []Key) []Hint {
	var out []Hint
	for _, k := range keys {
		if k.Hint != "" {
			label := cmp.Or(k.Label, hintKey(k.Keys[0]))
			out = append(out, Hint{label, k.Hint})
		}
	}
	return out
}

// hintKey formats a key for the key line.
func hintKey(k string) string {
	first, _, _ := strings.Cut(k, " ") // of a chord the first key, which leads to the others
	switch first {
	case "esc", "tab":
		return first
	}
	return KeyLabel(first)
}

// TakeTwo toggles one in a selection of at most two; a third drops the oldest.
func TakeTwo[T comparable](taken []T, one T) []T {
	if i := slices.Index(taken, one); i >= 0 {
		return slices.Delete(taken, i, i+1)
	}
	return append(taken[max(len(taken)-1, 0):], one)
}
