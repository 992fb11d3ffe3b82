package ui

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/modeltest"
	"turns/ui/config"
	"turns/ui/panes"
	"turns/ui/screen"
)

// pressable returns a table key as pressed: for a chord with any second key, one with a meaning.
func pressable(key string) string {
	switch key {
	case "m *", "' *":
		return key[:1] + " q"
	case "y *":
		return "y y"
	}
	return key
}

// everyKey returns all keys of the screen.
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

// TestEveryKeyAnswers presses every key of the table in every pane, with and without content: the
// screen changes, or explains why not.
func TestEveryKeyAnswers(t *testing.T) {
	leaves := []string{"Q", "q", "ctrl+c", "ctrl+z", "ctrl+l"}
	// At the end of a movement, or without a layer to leave, no change is the answer, as in every
	// pager.
	moves := strings.Fields("j k down up h l left right ctrl+e ctrl+y ctrl+d ctrl+u space ctrl+f pgdown b ctrl+b pgup g G home end H M L esc tab shift+tab")
	moves = append(moves, "z t", "z z", "z b", "z c", "z m", "z M", "z C")
	moves = append(moves, "0") // part of a count outside the lanes
	keys := everyKey()
	all := []string{"e", "t Z enter", "e enter", "S"}
	for _, e := range panes.Registry() {
		if e.Key != "" {
			all = append(all, e.Key+" Z")
		}
	}
	for name, begins := range map[string][]string{"priced": all, "empty": {"", "t Z", "w Z", "S"}} {
		snap := priced()
		if name == "empty" {
			snap = model.FromMessages(nil)
		}
		for i, begin := range begins {
			for k, key := range keys {
				some := modeltest.Some(i+k, 6) || begin == "e" && !testing.Short()
				if slices.Contains(leaves, key) || slices.Contains(moves, key) || !some {
					continue
				}
				b := newBench(t, snap, paneOptions(), 100, 30)
				b.press(begin)
				b.a.status = ""
				before, dialogs, events := b.frame(), len(b.a.dialogs), b.a.statusGen
				b.press(pressable(key))
				if b.frame() == before && len(b.a.dialogs) == dialogs && b.a.statusGen == events {
					t.Errorf("%s, after %q: %q does nothing and says nothing", name, begin, key)
				}
			}
		}
	}
}

// The help begins with the keys of the front view.
func TestHelpBeginsWithThePane(t *testing.T) {
	for keys, want := range map[string]string{"?": "Most used", "t ?": "In every table", "s ?": "Statistics", "e enter ?": "Detail", "S ?": "Session list"} {
		b := newBench(t, priced(), paneOptions(), 100, 30)
		b.press(keys)
		p, ok := b.a.dialogs[len(b.a.dialogs)-1].(*help)
		if !ok || p.rows[0].Group != want {
			t.Errorf("after %s the help begins with %q, want %q", keys, p.rows[0].Group, want)
		}
	}
}

// A bound key acts in the timeline, in panes and in lists; key line, help and palette show it.
func TestChosenKeys(t *testing.T) {
	o := paneOptions()
	set := config.Config{Keys: map[string][]string{"down": {"n"}, "next-hit": {"ctrl+n"}, "search": {"z s"}, "open-whole": {"o"}, "filter": {"ctrl+t"}, "tools": {"b"}, "reverse": {"ctrl+r"}, "copy": {"c"}}}
	o.Keys = set.Bind(Commands())
	b := newBench(t, priced(), o, 160, 40)
	was := b.a.list.CurKey
	if b.press("n"); b.a.list.CurKey == was {
		t.Error("n does not go to the next row")
	}
	if b.press("j"); !strings.Contains(b.a.status, "j does nothing here") {
		t.Errorf("j says %q", b.a.status)
	}
	b.press("z s")
	if !b.a.list.Searching() {
		t.Error("zs does not search")
	}
	b.press("n j")
	if got := b.a.list.SearchText(); got != "nj" {
		t.Errorf("what is typed is %q", got)
	}
	b.press("esc")
	if line := frameLine(b, -1); !strings.Contains(line, "Ctrl-t filter") || !strings.Contains(line, "zs search") && !strings.Contains(line, "z search") {
		t.Errorf("the key line is %q", line)
	}
	b.press("b n")
	if b.a.h.Focus != screen.PaneTools || b.a.panes[screen.PaneTools].(*panes.Tools).Table.Cur != 1 {
		t.Error("b and n do not go to the second tool")
	}
	b.press("esc ?")
	if !strings.Contains(frameWith(b, "next row (scrolls"), "│ n  ") {
		t.Errorf("the help has %q", frameWith(b, "next row (scrolls"))
	}
	if b.press("e d i t"); !strings.Contains(frameWith(b, "edit the filter"), "│ Ctrl-t") {
		t.Errorf("the help has %q", frameWith(b, "edit the filter"))
	}
	b.press("esc : t o o l")
	if !strings.Contains(frameWith(b, "tool summary"), " b ") {
		t.Errorf("the palette has %q", frameWith(b, "tool summary"))
	}
	b.press("esc c")
	if b.a.pending != "y" {
		t.Error("c does not ask what to copy")
	}
	b.press("esc S n")
	if b.a.status != "" {
		t.Errorf("in the list n says %q", b.a.status)
	}
}

// meanings are keys and words; the help of such a key contains one of its words wherever it acts,
// so that keys mean the same in every pane.
var meanings = [...]struct{ keys, words string }{
	{"j down ctrl+e", "next|scroll one line|row on"}, {"k up ctrl+y", "previous|line back"},
	{"space ctrl+f pgdown ctrl+d", "page on"}, {"b ctrl+b pgup ctrl+u", "page back"}, {"g home", "first|beginning"}, {"G end", "last|end"},
	{"H", "top"}, {"M", "middle"}, {"L", "bottom"}, {"[ ]", "jumps"},
	{"e E", "error|failed"}, {"!", "why the session ended|failures|what fails"}, {"I", "repeated calls|loops"}, {"n N", "hit|found|difference|previous one"}, {"p P", "prompt"}, {"c C", "call"}, {"o O", "same tool|start of the session"}, {"* #", "same file"},
	{"l right", "open|list the sessions|all fields|go to|the calls of|next list|other one|show|compare the runs"}, {"h left", "close|back|previous list|other one|fold"},
	// a table has no outline
	{"enter", "open|list the sessions|all fields|go to|jump|detail|the calls of|compare the runs"}, {"r", "rendered"}, {"> <", "level of detail|column"},
	{"tab shift+tab", "pane|other"}, {"t", "tool"}, {"s", "statistics|messages, calls"}, {"@", "turns"}, {"w", "context|cost"}, {"d", "detail|whole texts"},
	{"J K", "scroll|show the result|hunk"}, {"{ }", "turn|version"}, {"Z", "full screen"}, {"S", "list"}, {"Y", "reading mode|same place"}, {"D", "compare"}, {"W", "unfinished|back"}, {"=", "of the session|all folders|by tool"}, {"a", "rows around"},
	{"/", "search|find|letters|title"}, {"f", "filter"}, {"i", "injected"}, {"+", "only|filter by|zoom in"}, {"-", "without|zoom out"}, {"v V", "select|take"}, {"y", "copy"}, {"x X", "export|write"},
	{"F", "follow"}, {":", "command"}, {"? f1", "help"}, {"esc", "back|close"}, {"q", "close|back"}, {"Q", "quit"}, {"ctrl+c", "quit"}, {".", "label"}, {";", "undo"},
}

// TestOneMeaningForEachKey fails if a key means one thing in the timeline and another in a view
// over it.
func TestOneMeaningForEachKey(t *testing.T) {
	type use struct{ where, help string }
	uses := map[string][]use{}
	for _, c := range keyTable() {
		for _, k := range c.keys {
			uses[k] = append(uses[k], use{c.group, c.help})
		}
	}
	for _, g := range paneGroups() {
		for _, k := range g.Keys {
			for _, key := range k.Keys {
				uses[key] = append(uses[key], use{g.Name, k.Help})
			}
		}
	}
	words := map[string]*regexp.Regexp{}
	for _, m := range meanings {
		for key := range strings.FieldsSeq(m.keys) {
			words[key] = regexp.MustCompile(`(?i)` + m.words)
		}
	}
	for key, all := range uses {
		for _, u := range all {
			if len(all) > 1 && (words[key] == nil || !words[key].MatchString(u.help)) {
				t.Errorf("%q in %s is %q; it means %v", key, u.where, u.help, words[key])
			}
		}
	}
}

// rebound binds every command to an otherwise unused key, and returns the default keys.
func rebound() (set config.Config, was map[string]bool, now []string) {
	set, was = config.Config{Keys: map[string][]string{}}, map[string]bool{}
	for i, c := range Commands() {
		key := string(rune('\u0410' + i)) // letters used by no label
		set.Keys[c.Name], now = []string{key}, append(now, key)
		for _, k := range c.Keys {
			label := screen.KeyLabel(k)
			was[label], was[strings.ToLower(label)] = true, true
		}
	}
	// words and signs of ordinary sentences
	for _, word := range []string{"a", "A", "I", "end", "-", "+", "=", ":", "|", "#", "*", "%", "."} {
		delete(was, word)
	}
	return set, was, now
}

// namesKey matches a key named in a sentence of the screen.
var namesKey = regexp.MustCompile(`(\S+) (?:copies|shows all|draws the picture|shows them|jump|opens it|chooses)`)

// If all keys are rebound, no sentence and no line of the screen names another key.
func TestNoKeyIsNamedThatIsNotBound(t *testing.T) {
	modeltest.Long(t, "it presses every key")
	set, was, now := rebound()
	o := paneOptions()
	o.Keys = set.Bind(Commands())
	old := func(where, text string) {
		for word := range strings.FieldsSeq(text) {
			if was[strings.Trim(word, ",;:()")] {
				t.Errorf("%s names %q: %q", where, word, strings.TrimSpace(text))
			}
		}
	}
	press := func(b *bench, meant string) {
		for k := range strings.FieldsSeq(meant) {
			b.press(o.Keys.Press(k))
		}
	}
	for name, snap := range map[string]*model.Snapshot{"priced": priced(), "sample": sample(), "empty": model.FromMessages(nil)} {
		for _, front := range []string{"", "t", "s", "@", "w", "d", "enter", "e enter", "S", "?", "v", "x"} {
			b := newBench(t, snap, o, 120, 30)
			for i, key := range now {
				if i > 0 && !modeltest.Some(i, 11) {
					continue
				}
				for range 3 { // text fields have fixed keys
					b.press("esc")
					press(b, "esc")
				}
				press(b, front)
				if b.a.status = ""; front != "" || i > 0 {
					b.press(key)
				}
				where := name + ", " + key + " after " + front
				old(where, b.a.status)
				for line := range strings.Lines(ansi.Strip(b.frame())) {
					if m := namesKey.FindStringSubmatch(line); m != nil && (was[m[1]] || was[m[1][:1]+"x"]) {
						t.Errorf("%s names %q: %q", where, m[1], strings.TrimSpace(line))
					}
				}
				if !b.a.typing() {
					old(where+": the key line", frameLine(b, -1))
				}
			}
		}
	}
}
