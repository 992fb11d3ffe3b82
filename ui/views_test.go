package ui

import (
	"path/filepath"
	"strings"
	"testing"

	"turns/ui/config"
	"turns/ui/panes"
	"turns/ui/screen"
	"turns/ui/sessions"
)

// TestSessionView saves the state of a session's screen, changes everything, and shows the view
// again with each of its keys: the frame is the same.
func TestSessionView(t *testing.T) {
	o := paneOptions()
	o.ViewFile = filepath.Join(t.TempDir(), "views.toml")
	b := newBench(t, priced(), o, 160, 40)
	b.press("t < R f")
	b.typed("is:error")
	b.press("enter g : s a v e space e r r s enter")
	if want := "saved the view errs: '1 shows it"; b.a.status != want {
		t.Fatalf("it says %q, want %q", b.a.status, want)
	}
	left := seen(b)
	tools := b.a.panes[screen.PaneTools].(*panes.Tools)
	by, desc := tools.Sorted().SortColumn()
	for _, keys := range []string{"' 1", ": v i e w space e r r s enter", ": v i e w space tab enter"} {
		b.press("t t esc esc g > >")
		b.send(b.a.filtering.set("")())
		if seen(b) == left {
			t.Fatal("the keys changed nothing on the screen")
		}
		tools.Table.SortByName("calls", false)
		b.press(keys)
		t.Log(b.a.status, b.a.pending, len(b.a.dialogs))
		b.press("g")
		if got := seen(b); got != left {
			t.Errorf("after %s\n%s\nnot\n%s", keys, got, left)
		}
		if gotBy, gotDesc := tools.Sorted().SortColumn(); gotBy != by || gotDesc != desc {
			t.Errorf("sorted by %s %v, not %s %v", gotBy, gotDesc, by, desc)
		}
	}
	views, err := config.LoadViews(o.ViewFile)
	if len(views) != 1 || err != nil || views[0].Filter != "is:error" || views[0].Pane != "tools" || views[0].Of != config.ViewOfSession {
		t.Errorf("saved are %+v, %v", views, err)
	}
	o.Views, o.View = views, "errs" // as --view errs
	again := newBench(t, priced(), o, 160, 40)
	again.press("g")
	if got := seen(again); got != left {
		t.Errorf("with --view\n%s\nnot\n%s", got, left)
	}
	b.press("'")
	if line := frameLine(b, -2); !strings.Contains(line, "1 errs") {
		t.Errorf("' shows %q", line)
	}
	b.press("2")
	if !strings.Contains(b.a.status, `no view has the key "2"`) {
		t.Errorf("'2 says %q", b.a.status)
	}
	b.press(": d e l e t e - v i e w space e r r s enter ' 1")
	if !strings.Contains(b.a.status, "no view has the key") {
		t.Errorf("after deleting it says %q", b.a.status)
	}
}

// TestListView saves the list with a table of costs over it, and shows it again.
func TestListView(t *testing.T) {
	o := paneOptions()
	o.ViewFile = filepath.Join(t.TempDir(), "views.toml")
	b := newBench(t, priced(), o, 120, 30)
	b.press("S f")
	b.typed("agent:claude")
	b.press("enter > >")
	d := b.a.listing()
	d.Table.SortByName("title", false)
	b.press("w = = : s a v e space c o s t s enter")
	if want := "saved the view costs: '1 shows it"; b.a.status != want {
		t.Fatalf("it says %q, want %q", b.a.status, want)
	}
	v := b.a.h.Opts.Views[0]
	if v.Of != config.ViewOfList || v.Filter != "agent:claude" || v.Sort != "title" || v.Pane != "cost" || v.Group == "" || len(v.Columns) < 5 {
		t.Errorf("saved is %+v", v)
	}
	left := seen(b)
	b.press("esc esc")
	for len(b.a.dialogs) > 0 {
		b.press("S")
	}
	b.press("' 1")
	if got := seen(b); got != left {
		t.Errorf("back is\n%s\nnot\n%s", got, left)
	}
	b.press(": v i e w space c o s t s enter") // over the table of the view
	if got := seen(b); got != left || len(b.a.dialogs) != 2 {
		t.Errorf("again is\n%s\nnot\n%s", got, left)
	}
	if _, ok := b.a.dialogs[1].(*sessions.Sums); !ok {
		t.Error("no table covers the list")
	}
	b.press("esc '")
	if line := frameLine(b, -1); !strings.Contains(line, "1 costs") {
		t.Errorf("' shows %q", line)
	}
	b.press("1")
	if got := seen(b); got != left {
		t.Errorf("'1 in the list is\n%s\nnot\n%s", got, left)
	}
}
