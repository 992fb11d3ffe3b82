package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// People look for commands in their own words.
func TestThePaletteKnowsPeoplesWords(t *testing.T) {
	wanted := map[string]string{ // a word, and a command that must be among the first three results
		"cost": "context", "diff": "files", "money": "context", "copy": "copy", "subagent": "open", "theme": "theme", "quit": "quit",
	}
	inList := map[string]string{"money": "cost", "copy": "copy-path", "subagent": "subagents", "theme": "theme", "quit": "quit", "tag": "label"}
	for keys, words := range map[string]map[string]string{"": wanted, "S": inList} {
		for word, command := range words {
			b := newBench(t, sample(), paneOptions(), 120, 30)
			b.press(strings.TrimSpace(keys + " :"))
			typeIn(b, word)
			p := b.a.dialogs[len(b.a.dialogs)-1].(*palette)
			found := p.found()
			ok := false
			for _, c := range found[:min(len(found), 3)] {
				ok = ok || c.name == command
			}
			if !ok {
				t.Errorf("%q after %q: %d rows, %q is not among the first three", word, keys, len(found), command)
			}
		}
	}
	b := newBench(t, sample(), paneOptions(), 120, 30)
	b.press(":")
	typeIn(b, "xyzzy")
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, `no command matches "xyzzy"`) {
		t.Errorf("nothing matches, and the box does not say so:\n%s", frame)
	}
}

// Each keyword belongs to an existing command.
func TestKeywordsNameCommands(t *testing.T) {
	names := map[string]bool{"theme": true}
	for _, c := range keyTable() {
		names[c.name] = true
	}
	for _, g := range paneGroups() {
		for _, k := range g.Keys {
			names[k.Name] = true
		}
	}
	for name := range keywords {
		if !names[name] {
			t.Errorf("there is no command %q", name)
		}
	}
}

// The help shows rows in full, explains the margin, and its box keeps its size during typing.
func TestTheHelpShowsRowsWhole(t *testing.T) {
	for _, w := range []int{80, 100, 140} {
		b := newBench(t, sample(), paneOptions(), w, 24)
		b.press("?")
		p := b.a.dialogs[0].(*help)
		var text strings.Builder
		for _, line := range p.lines(min(w, 110) - 4) {
			n := 0
			for _, s := range line {
				n += len([]rune(ansi.Strip(s.Text)))
				text.WriteString(s.Text + " ")
			}
			if n > min(w, 110)-4 {
				t.Errorf("%d columns: a line of the help has %d cells", w, n)
			}
		}
		all := strings.Join(strings.Fields(text.String()), " ")
		for _, r := range p.rows {
			for word := range strings.FieldsSeq(r.Help) {
				if !strings.Contains(strings.ReplaceAll(all, " ", ""), word) {
					t.Errorf("%d columns: %q of %q is not shown", w, word, r.Help)
				}
			}
		}
		for _, sign := range []string{"█", "❯ prompts", "✗ errors", "◦ search hits", "\" notes"} {
			if !strings.Contains(all, sign) {
				t.Errorf("the help does not explain %s", sign)
			}
		}
		box := func() (top, bottom int) {
			lines := strings.Split(ansi.Strip(b.frame()), "\n")
			for i, line := range lines {
				if strings.Contains(line, "╭") || strings.Contains(line, "┌─") {
					top = i
				}
				if strings.Contains(line, "╰") || strings.Contains(line, "└─") {
					bottom = i
				}
			}
			return top, bottom
		}
		top, bottom := box()
		typeIn(b, "copy")
		if x, y := box(); x != top || y != bottom {
			t.Errorf("%d columns: the box was at %d to %d, and after typing at %d to %d", w, top, bottom, x, y)
		}
	}
}
