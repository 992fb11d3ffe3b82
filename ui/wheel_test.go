package ui

import (
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/ui/panes"
	"turns/ui/screen"
	"turns/ui/sessions"
	"turns/ui/transcripts"
)

// turn sends wheel events through the filter, as the program does, and returns the number of drawn
// frames.
func (b *bench) turn(x, y, n int) (frames int) {
	button := tea.MouseWheelDown
	if n < 0 {
		button, n = tea.MouseWheelUp, -n
	}
	for range n {
		if msg := sumWheel(b.a, tea.MouseWheelMsg{X: x, Y: y, Button: button}); msg != nil {
			frames++
			b.send(msg)
		}
	}
	return frames
}

func (b *bench) click(x, y int) {
	b.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	b.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

// clickOn clicks the first cell of a text on the screen.
func (b *bench) clickOn(text string) {
	b.t.Helper()
	for y, line := range strings.Split(ansi.Strip(b.frame()), "\n") {
		if x := indexCells(line, text); x >= 0 {
			b.click(x, y)
			return
		}
	}
	b.t.Fatalf("%q is not on the screen:\n%s", text, ansi.Strip(b.frame()))
}

// A burst of the wheel costs one frame immediately and one when the next is due, for any number of
// events.
func TestWheelIsSummedUp(t *testing.T) {
	var msgs []model.Message
	for i := range 2000 {
		msgs = append(msgs, say(model.Assistant, i, words("message number "+strconv.Itoa(i))))
	}
	b := newBench(t, model.FromMessages(msgs), testOptions(), 100, 30)
	top := b.a.list.Top.Slot
	if n := b.turn(10, 10, 100); n != 1 {
		t.Errorf("100 events were drawn %d times before the next frame was due", n)
	}
	if got := b.a.list.Top.Slot - top; got != wheelLines {
		t.Errorf("the first event scrolled %d rows, want %d", got, wheelLines)
	}
	b.send(wheelDueMsg{})
	if got := b.a.list.Top.Slot - top; got != 100*wheelLines {
		t.Errorf("100 events scrolled %d rows, want %d", got, 100*wheelLines)
	}
	b.send(wheelDueMsg{})
	if b.a.wheel.busy {
		t.Error("the program waits for a wheel at rest")
	}
	b.turn(10, 10, -1)
	if got := b.a.list.Top.Slot - top; got != 99*wheelLines {
		t.Errorf("one event up leaves %d rows, want %d", got, 99*wheelLines)
	}
}

func TestMouseInTheSessionList(t *testing.T) {
	o := paneOptions()
	var opened string
	fake(&o).watch = func(path string) (transcripts.Feed, error) {
		opened = path
		return transcripts.StaticFeed(path, sample()), nil
	}
	b := newBench(t, priced(), o, 120, 30)
	b.press("S")
	d := b.a.dialogs[0].(*sessions.List)
	b.clickOn("usage audit inventory")
	if got := d.All[d.Shown[d.Table.Row()]].Title; got != "usage audit inventory" {
		t.Errorf("a click selects %q", got)
	}
	b.clickOn("msgs")
	if d.Table.SortBy != d.Column("messages") {
		t.Errorf("a click on a column head sorts by %d", d.Table.SortBy)
	}
	b.clickOn("/ find")
	if d.Typing != sessions.LineTitle {
		t.Error("a click on a key of the key line does not press it")
	}
	b.clickOn("esc back")
	b.clickOn("Count from 1 to 100")
	b.clickOn("Count from 1 to 100")
	if opened != "/home/me/x/e.json" {
		t.Errorf("a double click opens %q", opened)
	}
}

func TestKeyLineIsClicked(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 120, 36)
	b.press("t")
	by := b.a.panes[screen.PaneTools].(*panes.Tools).Table.SortBy
	b.clickOn("> sort")
	if got := b.a.panes[screen.PaneTools].(*panes.Tools).Table.SortBy; got == by {
		t.Error("a click on > does not sort")
	}
	b.clickOn("? help")
	if len(b.a.dialogs) != 1 {
		t.Fatal("a click on ? opens no help")
	}
	before := ansi.Strip(b.frame())
	b.turn(60, 10, 1)
	if ansi.Strip(b.frame()) == before {
		t.Error("the wheel does not scroll the help")
	}
	b.clickOn("esc close")
	if len(b.a.dialogs) != 0 {
		t.Error("a click on esc does not close the help")
	}
}

// TestAbsurdWindow: an absurdly large terminal is drawn at the maximum size.
func TestAbsurdWindow(t *testing.T) {
	got := sumWheel(nil, tea.WindowSizeMsg{Width: 65535, Height: 218})
	if got != (tea.WindowSizeMsg{Width: MaxColumns, Height: 218}) {
		t.Errorf("the program got %+v", got)
	}
}
