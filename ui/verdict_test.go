package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// The first screen shows why the session ended, and ! goes there.
func TestTheFirstScreenSaysWhyTheRunEnded(t *testing.T) {
	b := newBench(t, sample(), paneOptions(), 80, 24)
	lines := strings.Split(ansi.Strip(b.frame()), "\n")
	if !strings.HasPrefix(lines[1], " why  no result of Bash go test -race ./...") {
		t.Errorf("the second line is %q", lines[1])
	}
	b.press("g !")
	if id, call := b.a.list.Selected(); id != b.a.answers.verdict.At || call != b.a.answers.verdict.Call {
		t.Errorf("! leads to %d, %d; want %d, %d", id, call, b.a.answers.verdict.At, b.a.answers.verdict.Call)
	}
}

// A filter of :filter is in the bar, and Esc removes it as the last layer.
func TestEscapeTakesTheFilterAway(t *testing.T) {
	b := newBench(t, sample(), paneOptions(), 120, 30)
	b.press(":")
	b.a.dialogs[0].(*palette).field.Set("filter is:error")
	b.press("enter")
	if v := &b.a.h.View; !v.On || v.Text != "is:error" || b.a.bar.Field.Text != "is:error" {
		t.Fatalf("the view is %v %q, the bar %q", v.On, v.Text, b.a.bar.Field.Text)
	}
	b.press("t esc")
	if !b.a.h.View.On {
		t.Error("esc took the filter away before the pane")
	}
	b.press("esc")
	if b.a.h.View.On || b.a.bar.Field.Text != "" {
		t.Errorf("after esc the bar contains %q", b.a.bar.Field.Text)
	}
}
