package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/ui/paint"
	"turns/ui/take"
)

// clickOn clicks a cell some columns to the right of the start of a text.
func clickOn(t *testing.T, b *bench, text string, further int) {
	t.Helper()
	x, y := placeOn(t, b, text)
	b.send(tea.MouseClickMsg{X: x + further, Y: y, Button: tea.MouseLeft})
	b.send(tea.MouseReleaseMsg{X: x + further, Y: y, Button: tea.MouseLeft})
}

func wheelOn(t *testing.T, b *bench, text string, button tea.MouseButton) {
	t.Helper()
	x, y := placeOn(t, b, text)
	b.send(tea.MouseWheelMsg{X: x, Y: y, Button: button})
}

func placeOn(t *testing.T, b *bench, text string) (x, y int) {
	t.Helper()
	for y, line := range strings.Split(ansi.Strip(b.frame()), "\n") {
		if at := strings.Index(line, text); at >= 0 {
			return paint.Width(line[:at]), y
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, ansi.Strip(b.frame()))
	return 0, 0
}

func TestExportDialogTakesClicks(t *testing.T) {
	secret := "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xYz"
	b := takeBench(t, model.FromMessages(append(sampleMessages(), say(model.User, 3100, words("token "+secret+" here")))), nil)
	b.press("x")
	d := b.a.dialogs[0].(*take.Dialog)
	for _, c := range []struct {
		text    string
		further int
		ok      func() bool
	}{
		{"selection  none", 0, func() bool { return d.What == take.ExportView && strings.Contains(b.a.status, "v selects") }},
		{"○ item", 4, func() bool { return d.What == take.ExportItem && d.Field == take.FieldWhat }},
		{"○ all", 0, func() bool { return d.What == take.ExportAll }},
		{"markdown ›", 9, func() bool { return d.Choice.Format != "markdown" && d.Field == take.FieldFormat }},
		{"‹ ", 0, func() bool { return d.Choice.Format == "markdown" }},
		{" html", 1, func() bool { return d.Choice.Format == "html" && strings.HasSuffix(d.Path.Text, ".html") }},
		{"[x] results", 5, func() bool { return !d.Choice.Results && d.Field == take.FieldWith && d.With == 1 }},
		{"s shows where", 0, func() bool { return strings.Contains(d.Where, "github") }},
		{"k shows them", 3, func() bool { return !d.Choice.Redact[true] }},
		{"[x] ~ for home", 0, func() bool { return !d.Choice.Relative && d.Field == take.FieldPaths }},
		{"○ clipboard", 0, func() bool { return d.To == take.ToClipboard && d.Field == take.FieldTo }},
		{"○ command", 0, func() bool {
			return d.To == take.ToCommand && strings.Contains(ansi.Strip(b.frame()), "⏎ run ─┘")
		}},
		{"○ file", 0, func() bool { return d.To == take.ToFile }},
	} {
		clickOn(t, b, c.text, c.further)
		if !c.ok() {
			t.Fatalf("a click on %q: what %d, format %s, field %d, where %q, path %q\n%s", c.text, d.What, d.Choice.Format, d.Field, d.Where, d.Path.Text, ansi.Strip(b.frame()))
		}
	}
	if len(files(t, b.a.h.Opts.Dir)) != 0 || len(b.a.dialogs) != 1 {
		t.Fatal("a click on a choice wrote something")
	}
	clickOn(t, b, "⏎ write ─┘", 0)
	if got := files(t, b.a.h.Opts.Dir); len(got) != 1 || !strings.HasSuffix(got[0], ".html") || len(b.a.dialogs) != 0 {
		t.Errorf("a click on the word in the frame wrote %v, %d dialogs left", got, len(b.a.dialogs))
	}
}

func TestExportDialogTakesTheWheel(t *testing.T) {
	b := takeBench(t, priced(), nil)
	b.press("x")
	d := b.a.dialogs[0].(*take.Dialog)
	wheelOn(t, b, "‹ markdown", tea.MouseWheelDown)
	if d.Choice.Format == "markdown" {
		t.Error("the wheel does not go through the formats")
	}
	wheelOn(t, b, "format", tea.MouseWheelUp)
	wheelOn(t, b, "● view", tea.MouseWheelDown)
	if d.What != take.ExportItem || d.Choice.Format != "markdown" { // no selection
		t.Errorf("the wheel over what is exported chooses %d, format %s", d.What, d.Choice.Format)
	}
	wheelOn(t, b, "● item", tea.MouseWheelDown)
	b.send(tea.MouseWheelMsg{X: b.a.dialogAt.x + 4, Y: b.a.dialogAt.y + d.RuleAt + 2, Button: tea.MouseWheelDown})
	b.frame()
	if d.From == 0 {
		t.Error("the wheel does not scroll the beginning of the result")
	}
	for range 50 {
		b.a.scrollAt(b.a.dialogAt.x+4, b.a.dialogAt.y+d.RuleAt+2, 30)
		checkFrame(t, b, "the end of the result")
	}
	if wheelOn(t, b, "[x] results", tea.MouseWheelDown); !d.Choice.Results {
		t.Error("the wheel switches a box")
	}
}

func TestPaletteTakesClicks(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 100, 30)
	b.press(":")
	p := b.a.dialogs[0].(*palette)
	clickOn(t, b, "half-page-down", 0)
	if len(b.a.dialogs) != 1 || p.found()[p.at].name != "half-page-down" {
		t.Fatalf("a click chooses %s, %d dialogs", p.found()[p.at].name, len(b.a.dialogs))
	}
	wheelOn(t, b, "half-page-down", tea.MouseWheelDown)
	if p.at <= 4 {
		t.Errorf("the wheel leaves the cursor at %d", p.at)
	}
	typeIn(b, "time")
	clickOn(t, b, "› time", 2)
	if len(b.a.dialogs) != 0 || !strings.HasPrefix(b.a.status, "time: ") {
		t.Errorf("a click on the chosen command says %q, %d dialogs left", b.a.status, len(b.a.dialogs))
	}
}

func TestCompletionTakesClicks(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 100, 30)
	b.press("f")
	typeIn(b, "role:")
	wheelOn(t, b, "assistant   ", tea.MouseWheelDown)
	if b.a.bar.Sel != 1 || !b.a.bar.Open {
		t.Errorf("the wheel chooses candidate %d", b.a.bar.Sel)
	}
	clickOn(t, b, "tool   ", 2)
	if got := b.a.bar.Field.Text; got != "role:tool " || strings.TrimSpace(b.a.h.View.Text) != "role:tool" {
		t.Errorf("a click on a candidate writes %q, the filter is %q", got, b.a.h.View.Text)
	}
	clickOn(t, b, "role:tool", 4)
	if b.a.bar.Field.At != 4 || !b.a.bar.Active() {
		t.Errorf("a click in the line puts the cursor at %d", b.a.bar.Field.At)
	}
	b.press("esc")
	if b.a.bar.Field.Text != "" {
		t.Errorf("esc after a click leaves %q", b.a.bar.Field.Text)
	}
}

// A click on the key after the reason of the end runs the key; a click on the reason edits the
// filter, on both of its lines.
func TestTheReasonIsClicked(t *testing.T) {
	for _, w := range []int{100, 200} {
		b := newBench(t, priced(), paneOptions(), w, 36)
		b.press("!")
		want, _ := b.a.list.Selected()
		b.press("g")
		b.clickOn("! jump")
		if got, _ := b.a.list.Selected(); got != want || b.a.bar.Active() {
			t.Errorf("%d columns: the click goes to #%d, the key to #%d", w, got, want)
		}
		b.clickOn("no result of Bash")
		if !b.a.bar.Active() {
			t.Errorf("%d columns: a click on the reason does not edit the filter", w)
		}
	}
}
