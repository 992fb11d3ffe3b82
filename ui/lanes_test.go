package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/ui/screen"
)

// The lanes share the cursor of the timeline: moving in one moves the other.
func TestLanesHaveTheCursorOfTheTimeline(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 160, 40)
	b.press("g _")
	if b.a.h.Focus != "lanes" || !strings.Contains(ansi.Strip(b.frame()), "▲ #0") {
		t.Fatalf("focus %q in\n%s", b.a.h.Focus, ansi.Strip(b.frame()))
	}
	was := b.a.list.CurKey
	if b.press("l"); b.a.list.CurKey == was || b.a.h.Focus != "lanes" {
		t.Errorf("l leaves the timeline at %v, with the focus on %q", b.a.list.CurKey, b.a.h.Focus)
	}
	if b.press("h"); b.a.list.CurKey != was {
		t.Errorf("h goes to %v", b.a.list.CurKey)
	}
	before := frameWith(b, "▲")
	b.press("esc 4 g _")
	if after := frameWith(b, "▲"); after == before || !strings.Contains(after, "#3 Read") {
		t.Errorf("after 4g the cursor is %q", after)
	}
	b.press("enter")
	if b.a.h.Focus != screen.PaneNone {
		t.Errorf("enter leaves the focus on %q", b.a.h.Focus)
	}
}

// + and - zoom while the pane has the focus, 0 shows everything, and a digit after a digit is part
// of a count.
func TestLanesZoom(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 120, 36)
	b.press("_ Z")
	all := frameWith(b, " Lanes ")
	b.press("+ +")
	near := frameWith(b, " Lanes ")
	if near == all || !strings.Contains(near, " of ") {
		t.Errorf("zoomed in: %q", near)
	}
	b.press("-")
	if half := frameWith(b, " Lanes "); half == near || half == all {
		t.Errorf("zoomed out: %q", half)
	}
	if b.press("1 0"); b.a.count != 10 {
		t.Errorf("1 0 counts %d", b.a.count)
	}
	b.press("esc")
	b.press("_ 0")
	if now := frameWith(b, " Lanes "); strings.Contains(now, " of ") {
		t.Errorf("0 shows %q", now)
	}
	if b.press("esc +"); !b.a.h.View.On {
		t.Error("+ in the timeline sets no filter")
	}
}

// :lanes opens the pane.
func TestLanesByName(t *testing.T) {
	b := newBench(t, priced(), paneOptions(), 100, 30)
	b.press(": l a n e s enter")
	if b.a.h.Focus != "lanes" {
		t.Errorf("the focus is on %q", b.a.h.Focus)
	}
}
