package ui

import (
	"testing"

	"turns/ui/screen"
)

// newRemembering opens the sample, without the program.
func newRemembering(t *testing.T, o screen.Options, preview bool) *remembering {
	t.Helper()
	p := newParts(t, o)
	p.h.State.Preview = preview
	return &remembering{h: p.h, list: p.list, stage: p.stage, bar: p.filtering.bar, filtering: p.filtering}
}

// The place that one reading saves is restored by the next one. A reader who has moved since a
// preview stays there.
func TestPlaceIsRestoredUnlessTheReaderHasMoved(t *testing.T) {
	o := testOptions()
	o.StateDir = t.TempDir()
	first := newRemembering(t, o, false)
	first.restore()
	first.list.GoIndex(3)
	left := first.list.CurKey
	first.saveNow()

	again := newRemembering(t, o, false)
	if begins := again.list.CurKey; begins == left {
		t.Fatalf("the place %v is where a session begins", left)
	}
	again.restore()
	if got := again.list.CurKey; got != left || again.pending() {
		t.Errorf("restored at %v, pending: %v; want %v", got, again.pending(), left)
	}

	for _, moves := range []bool{false, true} {
		read := newRemembering(t, o, true)
		read.restore()
		if !read.waits() {
			t.Fatal("the place is not restored again after a preview")
		}
		want := left
		if moves {
			read.list.GoIndex(1)
			want = read.list.CurKey
		}
		read.h.State.Preview = false
		read.restore()
		if got := read.list.CurKey; got != want || read.pending() {
			t.Errorf("the reader has moved: %v; after the preview at %v, pending: %v; want %v", moves, got, read.pending(), want)
		}
	}
}

// A preview is never saved, nor a session before its last place is restored.
func TestOnlyARestoredSessionIsSaved(t *testing.T) {
	o := testOptions()
	o.StateDir = t.TempDir()
	r := newRemembering(t, o, false)
	if r.saving() != nil {
		t.Error("a session whose place was not restored would be saved")
	}
	r.restore()
	if r.saving() == nil {
		t.Error("a restored session would not be saved")
	}
	r.h.State.Preview = true
	if r.saving() != nil {
		t.Error("a preview would be saved")
	}
}
