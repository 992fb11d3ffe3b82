package ui

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"turns/query"
	"turns/ui/screen"
	"turns/ui/timeline"
	"turns/ui/transcripts"
)

// brokenPane is a pane that panics.
type brokenPane struct {
	screen.Pane
	render, key, refresh bool
}

func (p brokenPane) Render(w, h int, full, focus bool) []string {
	if p.render {
		var none []string
		return none[h:]
	}
	return p.Pane.Render(w, h, full, focus)
}

func (p brokenPane) Key(key string, n int) (bool, tea.Cmd) {
	if p.key {
		panic("a key that \x1b]2;nobody\a thought of")
	}
	return p.Pane.Key(key, n)
}

func (p brokenPane) Refresh() tea.Cmd {
	if p.refresh {
		return func() tea.Msg { panic("a command that cannot") }
	}
	return p.Pane.Refresh()
}

// brokenFeed panics while the file is read.
type brokenFeed struct{}

func (brokenFeed) Next(context.Context) (transcripts.State, error) { panic("a feed that cannot") }

// TestFaultGivesTheTerminalBack: a panic anywhere in the screen ends the program with an error that
// names the place; the terminal is restored, and no file is left.
func TestFaultGivesTheTerminalBack(t *testing.T) {
	for _, test := range []struct {
		name, want string
		feed       transcripts.Feed
		pane       brokenPane
	}{
		{"View", "slice bounds out of range [20:0] (ui.brokenPane.Render fault_test.go:", nil, brokenPane{render: true}},
		{"Update", "thought of (ui.brokenPane.Key fault_test.go:", nil, brokenPane{key: true}},
		{"a command", "a command that cannot (ui.brokenPane.Refresh.func1 fault_test.go:", nil, brokenPane{refresh: true}},
		{"the feed", "a feed that cannot (ui.brokenFeed.Next fault_test.go:", brokenFeed{}, brokenPane{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			scr := newTerminal(80, 24)
			modes := map[ansi.Mode]bool{}
			hidden := false
			scr.em.SetCallbacks(vt.Callbacks{
				EnableMode:       func(m ansi.Mode) { modes[m] = true },
				DisableMode:      func(m ansi.Mode) { delete(modes, m) },
				CursorVisibility: func(visible bool) { hidden = !visible },
			})
			modes[ansi.ModeTextCursorEnable] = true
			before := len(modes)
			pr, pw := io.Pipe()
			go func() { _, _ = io.Copy(io.Discard, scr.em) }() // its responses
			o := testOptions()
			o.Input, o.Output, o.Width, o.Height, o.Dir, o.StateDir = pr, scr, 80, 24, dir, dir+"/state"
			feed := test.feed
			if feed == nil {
				feed = transcripts.StaticFeed("/tmp/run.jsonl", longRun(100))
			}
			a := newApp(t.Context(), feed, o)
			test.pane.Pane = a.panes[screen.PaneTools]
			a.panes[screen.PaneTools] = test.pane
			ended := make(chan error, 1)
			go func() { ended <- a.show(t.Context()) }()
			if test.feed == nil {
				scr.until(t, "shows nothing", func(s string) bool { return strings.Contains(s, "prompt 0") })
				go func() { _, _ = io.WriteString(pw, "tj") }()
			}
			err := <-ended
			_ = scr.em.InputPipe().(io.Closer).Close()
			_ = pr.Close()
			if err == nil || !strings.HasPrefix(err.Error(), "a fault in turns, please report it: ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("ended with %v, want %q", err, test.want)
			}
			if scr.em.IsAltScreen() || hidden || len(modes) > before {
				t.Errorf("the terminal is not as it was: alternate screen %v, cursor hidden %v, modes %v", scr.em.IsAltScreen(), hidden, modes)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

// TestFaultInASearch: no caller of the goroutine that searches could end the program properly.
func TestFaultInASearch(t *testing.T) {
	more := make(chan timeline.SearchedMsg)
	go timeline.LookFor(t.Context(), query.Everything(longRun(10)), nil, 1, more) // nil pattern
	if msg := <-more; msg.Err == nil || !strings.Contains(msg.Err.Error(), "a fault in turns") || !msg.Done {
		t.Errorf("got %v", msg)
	}
}

// TestNothingReadYet: keys and sizes arrive before the file.
func TestNothingReadYet(t *testing.T) {
	o := testOptions()
	o.Width, o.Height = 80, 24
	b := &bench{a: newApp(t.Context(), told{}, o), t: t}
	defer b.a.cancel()
	b.a.h.Timer = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	for n := range 3 {
		b.send(tea.WindowSizeMsg{Width: 80 + 40*n, Height: 24 + n})
		for _, c := range b.a.keys.table {
			for _, key := range c.keys {
				if !strings.HasPrefix(key, "alt+") {
					b.press(strings.ReplaceAll(key, "*", "x") + " esc")
				}
			}
		}
		b.send(tea.MouseClickMsg{X: 3, Y: 5, Button: tea.MouseLeft})
		b.send(tea.MouseWheelMsg{X: 3, Y: 5, Button: tea.MouseWheelDown})
		b.send(tea.BackgroundColorMsg{})
	}
	if b.a.broken != nil {
		t.Fatal(b.a.broken)
	}
}
