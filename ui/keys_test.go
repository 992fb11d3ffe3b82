package ui

import (
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// pressable is a key of the table as a person presses it: of a chord with any second key one that means something.
func pressable(key string) string {
	switch key {
	case "m *", "' *":
		return key[:1] + " q"
	case "y *":
		return "y y"
	}
	return key
}

// everyKey is every key that anything on the screen knows.
func everyKey() []string {
	var keys []string
	for _, c := range keyTable() {
		keys = append(keys, c.keys...)
	}
	for _, g := range paneGroups() {
		for _, k := range g.Keys {
			keys = append(keys, k.Keys...)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// TestEveryKeyAnswers presses every key of the table in every pane, of a conversation and where there is nothing: the screen changes, or says why it does
// not.
func TestEveryKeyAnswers(t *testing.T) {
	leaves := []string{"Q", "q", "ctrl+c", "ctrl+z", "ctrl+l"}
	// Where a movement ends, or a layer is not there, that nothing moves is the answer, as in every pager.
	moves := strings.Fields("j k down up h l left right ctrl+e ctrl+y ctrl+d ctrl+u space ctrl+f pgdown b ctrl+b pgup g G home end H M L esc tab shift+tab")
	moves = append(moves, "z t", "z z", "z b", "z c", "z m", "z M", "z C")
	keys := everyKey()
	for name, begins := range map[string][]string{
		"priced": {"e", "t Z", "t Z enter", "s Z", "@ Z", "w Z", "e enter", "S"}, "empty": {"", "t Z", "w Z", "S"},
	} {
		snap := priced()
		if name == "empty" {
			snap = model.FromMessages(nil)
		}
		for i, begin := range begins {
			for k, key := range keys {
				if slices.Contains(leaves, key) || slices.Contains(moves, key) || begin != "e" && !modeltest.Some(i+k, 3) {
					continue
				}
				b := newBench(t, snap, paneOptions(), 100, 30)
				b.press(begin)
				b.a.said = ""
				before, dialogs, events := b.frame(), len(b.a.dialogs), b.a.sayGen
				b.press(pressable(key))
				if b.frame() == before && len(b.a.dialogs) == dialogs && b.a.sayGen == events {
					t.Errorf("%s, after %q: %q does nothing and says nothing", name, begin, key)
				}
			}
		}
	}
}

// The help begins with the keys of what the reader looks at.
func TestHelpBeginsWithThePane(t *testing.T) {
	for keys, want := range map[string]string{"?": "Move", "t ?": "In every table", "s ?": "Statistics", "e enter ?": "Detail", "S ?": "Session list"} {
		b := newBench(t, priced(), paneOptions(), 100, 30)
		b.press(keys)
		p, ok := b.a.dialogs[len(b.a.dialogs)-1].(*help)
		if !ok || p.rows[0].Group != want {
			t.Errorf("after %s the help begins with %q, want %q", keys, p.rows[0].Group, want)
		}
	}
}
