package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/ui/sessions"
)

// typeCommand types a line into the palette, key by key, and presses Enter.
func typeCommand(b *bench, line string) {
	b.press(":")
	typeIn(b, line)
	b.press("enter")
}

func TestPaletteTakesArguments(t *testing.T) {
	b := newBench(t, sample(), paneOptions(), 120, 30)
	for _, c := range []struct {
		line string
		ok   func() bool
	}{
		{"filter is:error", func() bool { return b.a.h.View.On && b.a.h.View.Text == "is:error" }},
		{"filter", func() bool { return b.a.bar.Active() }},
		{"theme light", func() bool { return b.a.h.Styles.Theme.Name == "light" }},
		{"theme lihgt", func() bool { return strings.Contains(b.a.status, `did you mean "light"?`) }},
		{"time start", func() bool { return strings.HasPrefix(b.a.status, "time: since the start") }},
		{"time of day", func() bool { return strings.Contains(b.a.status, "shows clock, start, before") }},
		{"search fixture", func() bool {
			return b.a.list.SearchText() == "fixture" && strings.HasPrefix(b.a.list.SearchStatus(), "1 of ")
		}},
		{"12", func() bool { it, _ := b.a.list.CurItem(); return it.Index == 12 }},
		{"export docx", func() bool { return strings.Contains(b.a.status, "docx") }},
		{"sessions end:failed", func() bool { d := b.a.listing(); return d != nil && d.Filter.Text == "end:failed" }},
	} {
		b.a.dialogs = nil
		b.a.bar.End()
		b.press("esc esc esc")
		if typeCommand(b, c.line); !c.ok() {
			t.Errorf(":%s leads to %q\n%s", c.line, b.a.status, ansi.Strip(b.frame()))
		}
	}
	b.a.dialogs = nil
	typeCommand(b, "export md")
	if files, _ := filepath.Glob(filepath.Join(b.a.h.Opts.Dir, "*.md")); len(files) != 1 {
		entries, _ := os.ReadDir(b.a.h.Opts.Dir)
		t.Errorf(":export md writes %v and says %q", entries, b.a.status)
	}
}

func TestPaletteCompletes(t *testing.T) {
	b := newBench(t, sample(), paneOptions(), 120, 30)
	for _, c := range []struct{ typed, want string }{
		{"filt", "filter "}, {"theme hi", "theme high-contrast"}, {"filter is:err", "filter is:error"}, {"filter is:error rol", "filter is:error role:"}, {"wra", "wrap"}, {"nothing such", "nothing such"},
	} {
		b.press(":")
		typeIn(b, c.typed)
		b.press("tab")
		if got := b.a.dialogs[0].(*palette).field.Text; got != c.want {
			t.Errorf("tab makes %q of %q, want %q", got, c.typed, c.want)
		}
		b.press("esc")
	}
	b.press(":")
	typeIn(b, "theme ")
	b.press("down enter")
	if got := b.a.h.Styles.Theme.Name; got != "dark" {
		t.Errorf("the second theme is %q", got)
	}
	if want := `theme = "dark" in the configuration keeps it`; !strings.Contains(b.a.status, want) {
		t.Errorf("a theme says %q, want %q", b.a.status, want)
	}
	typeCommand(b, "theme")
	if text := ansi.Strip(b.frame()); !strings.Contains(text, "colour-blind") {
		t.Errorf("a command that wants more does not offer it:\n%s", text)
	}
}

// Over the session list the palette offers the commands of the list.
func TestPaletteOfTheSessionList(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 120, 30)
	b.press("S")
	d := b.a.listing()
	typeCommand(b, "filter agent:codex")
	if d.Filter.Text != "agent:codex" || b.a.listing() != d {
		t.Errorf("the filter is %q", d.Filter.Text)
	}
	b.press("esc")
	typeCommand(b, "3")
	if d.Table.Cur != 2 {
		t.Errorf(":3 leads to line %d", d.Table.Cur)
	}
	b.press(":")
	if text := ansi.Strip(b.frame()); strings.Contains(text, "half-page") || !strings.Contains(text, "follow-newest") {
		t.Errorf("these are not the commands of the list:\n%s", text)
	}
	typeIn(b, "theme light")
	b.press("enter")
	if b.a.h.Styles.Theme.Name != "light" {
		t.Error(":theme does nothing in the list")
	}
	typeCommand(b, "close")
	if b.a.listing() != nil {
		t.Error(":close leaves the list open")
	}
}

func TestNextSessionWithAnError(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 120, 30)
	b.press("S g")
	d := b.a.dialogs[0].(*sessions.List)
	for _, key := range []string{"e", "e", "e", "E", "E"} {
		was := d.Table.Cur
		b.press(key)
		if s := d.All[d.Shown[d.Table.Row()]]; s.Errors == 0 && s.State().Key() != "failed" || d.Table.Cur == was {
			t.Errorf("%s leads from line %d to %d, %d errors", key, was, d.Table.Cur, s.Errors)
		}
	}
	b.press("f")
	typeIn(b, "project:nowhere")
	if b.press("enter e"); b.a.status != "no listed session has an error" {
		t.Errorf("without any it says %q", b.a.status)
	}
}
