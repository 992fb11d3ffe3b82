package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/query/label"
	"turns/ui/take"
	"turns/ui/transcripts"
)

// labelBench is the sample with a label store and ana as the reader.
func labelBench(t *testing.T) (*bench, *transcripts.Labels) {
	t.Helper()
	o := paneOptions()
	o.Labels = &transcripts.Labels{Path: filepath.Join(t.TempDir(), "labels.jsonl"), By: "ana"}
	o.LabelWords = []string{"#loop", "#lost"}
	return newBench(t, sample(), o, 120, 30), o.Labels
}

// say types a text into the label line and saves it.
func (b *bench) say(text string) {
	b.press(".")
	b.typed(text)
	b.press("enter")
}

func (b *bench) typed(text string) {
	for _, r := range text {
		if key, ok := map[rune]string{' ': "space", '\t': "tab", '⇧': "shift+tab"}[r]; ok {
			b.press(key)
			continue
		}
		b.press(string(r))
	}
}

// row returns the screen line under the cursor.
func (b *bench) row() string {
	for line := range strings.SplitSeq(ansi.Strip(b.frame()), "\n") {
		if strings.HasPrefix(line, "›") {
			return line
		}
	}
	return ""
}

// saidBy describes the labels of a store.
func saidBy(t *testing.T, store *transcripts.Labels) (said []string) {
	t.Helper()
	set, bad, err := store.Read()
	if err != nil || bad > 0 {
		t.Fatal(bad, err)
	}
	for _, l := range set.Current() {
		said = append(said, strings.TrimSpace(l.By+" "+string(l.Scope)+" "+l.Words()))
	}
	return said
}

// A label typed on a row is stored for the message, call, turn or session.
func TestTheLabelLine(t *testing.T) {
	for _, c := range []struct{ keys, typed, want string }{
		{"g p", "#flaky", "ana  #flaky"},
		{"g p", "#l\t", "ana  #loop"},
		{"g p", "#l\t\t", "ana  #lost"},
		{"g p", "+", "ana  good"},
		{"g p", "-", "ana  bad"},
		{"g p", "quality=2", "ana  quality 2"},
		{"g p", "reads the wrong file", `ana  "reads the wrong file"`},
		{"g e", "- #loop hangs here", `ana call bad; ana call #loop; ana call "hangs here"`},
		{"g e", "⇧+", "ana turn good"},
		{"g e", "⇧⇧#done", "ana run #done"},
		{"g e", "⇧⇧⇧#done", "ana call #done"},
		{"g p v j", "#two", "ana  #two; ana  #two"},
	} {
		b, store := labelBench(t)
		b.press(c.keys)
		b.say(c.typed)
		if got := strings.Join(saidBy(t, store), "; "); got != c.want {
			t.Errorf("%s . %q says %q, want %q", c.keys, c.typed, got, c.want)
		}
	}
}

// Used words are offered after those of the team. Esc and an empty line write no label.
func TestTheLabelLineOffers(t *testing.T) {
	b, store := labelBench(t)
	b.press("g p")
	b.say("#later")
	b.press("j .")
	b.typed("#l")
	if s := ansi.Strip(b.frame()); !strings.Contains(s, "#loop  #lost  #later") {
		t.Errorf("the line does not offer the words:\n%s", s)
	}
	b.press("esc . enter")
	if s := ansi.Strip(b.frame()); !strings.Contains(s, "the label is empty") {
		t.Errorf("an empty line does not say what is missing:\n%s", s)
	}
	b.press("esc")
	if got := saidBy(t, store); len(got) != 1 {
		t.Errorf("the store says %q", got)
	}
}

// Labels appear in the row, in full in the detail and as counts in the stats; u and U go to them,
// and a filter selects them.
func TestLabelsOnTheScreen(t *testing.T) {
	b, _ := labelBench(t)
	b.press("g p")
	b.say("+ #loop")
	first, _ := b.a.list.Selected()
	if row := b.row(); !strings.HasPrefix(row, "›+") {
		t.Errorf("the row of a good message is %q", row)
	}
	b.press("e")
	b.say("reads the wrong file")
	second, callOf := b.a.list.Selected()
	if row := b.row(); !strings.HasPrefix(row, `›"`) {
		t.Errorf("the row of a call with a note is %q", row)
	}
	for _, key := range []string{"g u", "G U U"} {
		b.press(key)
		if id, _ := b.a.list.Selected(); id != first {
			t.Errorf("%s leads to %d, want %d", key, id, first)
		}
	}
	b.press("u")
	if id, call := b.a.list.Selected(); id != second || call != callOf {
		t.Errorf("u leads to %d, %d; want %d, %d", id, call, second, callOf)
	}
	b.press("enter")
	if s := ansi.Strip(b.frame()); !strings.Contains(s, "reads the wrong file") {
		t.Errorf("the detail does not hold the note:\n%s", s)
	}
	b.press("esc s")
	if s := ansi.Strip(b.frame()); !strings.Contains(s, "labels      3") {
		t.Errorf("the stats do not count the labels:\n%s", s)
	}
	b.a.h.View.On = false
	b.press(":")
	b.a.dialogs[0].(*palette).field.Set("filter verdict:good")
	b.press("enter")
	if r := b.a.h.View.Result; r == nil || !slices.Contains(r.IDs, first) || slices.Contains(r.IDs, second) {
		t.Errorf("verdict:good selects %+v, want %d and not %d", r, first, second)
	}
}

// Undo removes the labels set here, step by step, and restores those they replaced. The labels of
// others stay.
func TestUndoOfLabels(t *testing.T) {
	b, store := labelBench(t)
	b.press("g p")
	b.say("+")
	b.say("-")
	bob := &transcripts.Labels{Path: store.Path, By: "bob"}
	set, _, err := store.Read()
	if err != nil {
		t.Fatal(err)
	}
	said := set.Current()[0]
	pen := bob.Pen(time.Unix(2e9, 0))
	if err := bob.Add(pen.Write(said.Run, said.Scope, said.At, nil, label.Typed{Add: []label.Mark{{Kind: label.Label, Name: "bobs"}}})); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, want string }{
		{"u", "ana  bad; bob  #bobs"}, {";", "ana  good; bob  #bobs"}, {";", "bob  #bobs"}, {";", "bob  #bobs"},
	} {
		b.press(c.key)
		if got := strings.Join(saidBy(t, store), "; "); got != c.want {
			t.Fatalf("after %s the store says %q, want %q", c.key, got, c.want)
		}
	}
	if s := ansi.Strip(b.frame()); !strings.Contains(s, "no label of this session to undo") {
		t.Errorf("a last ; does not say why it did nothing:\n%s", s)
	}
}

// An export from the screen contains labels unless their box is off; without labels there is no
// box.
func TestExportBoxOfLabels(t *testing.T) {
	b, _ := labelBench(t)
	export := func(keys string) string {
		b.press("x")
		b.press(keys)
		frame := ansi.Strip(b.frame())
		b.press("esc")
		return frame
	}
	if s := export("tab"); strings.Contains(s, "] labels") {
		t.Errorf("there is a box for labels where there are none:\n%s", s)
	}
	b.press("g p")
	b.say("#flaky")
	b.send(tea.WindowSizeMsg{Width: 80, Height: 30})
	if s := export("tab tab"); !strings.Contains(s, "[x] labels") {
		t.Errorf("there is no box for labels:\n%s", s)
	}
	out := filepath.Join(t.TempDir(), "out.md")
	b.press("x tab tab left space")
	d := b.a.dialogs[0].(*take.Dialog)
	d.Path.Set(out)
	b.press("enter")
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "#flaky") {
		t.Error("labels are written although their box is empty")
	}
	b.press("x")
	if b.a.dialogs[0].(*take.Dialog).Choice.Labels {
		t.Error("the box is full again")
	}
}
