package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/ui/transcripts"
)

// TestNewSince leaves a session and the list, and returns two hours later when both have grown.
func TestNewSince(t *testing.T) {
	o := paneOptions()
	o.StateDir = t.TempDir()
	o.Reads = transcripts.OpenReads(o.StateDir)
	msgs := sampleMessages()
	b := newBench(t, model.FromMessages(msgs[:8]), o, 120, 40)
	b.a.saveNow()
	left := o.Time()
	o.Now = func() time.Time { return left.Add(30 * time.Minute) }
	o.Reads = transcripts.OpenReads(o.StateDir)
	b = newBench(t, model.FromMessages(msgs), o, 120, 40)
	want := "━━ new since " + left.UTC().Format("15:04") + ", "
	if got := ansi.Strip(b.frame()); !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	b.send(b.a.filtering.set("is:unread")())
	if n := b.a.h.View.Result.Messages; n == 0 || n >= b.a.h.Snap.Len() {
		t.Errorf("%d of %d are unread", n, b.a.h.Snap.Len())
	}
	b.a.saveNow()
	o.Reads = transcripts.OpenReads(o.StateDir)
	b = newBench(t, model.FromMessages(msgs), o, 120, 40)
	if got := ansi.Strip(b.frame()); strings.Contains(got, "new since") {
		t.Errorf("no message is new, but\n%s", got)
	}
}

// TestNewInTheList: sessions changed since the last visit have a heading, and is:unread selects
// those that the user has not read to the end.
func TestNewInTheList(t *testing.T) {
	o := paneOptions()
	o.StateDir = t.TempDir()
	o.Reads = transcripts.OpenReads(o.StateDir)
	all := sampleSessions()
	if err := o.Reads.KeepList(all[0].Last - 1000); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, priced(), o, 120, 40)
	b.press("S")
	want := "new since " + time.UnixMilli(all[0].Last-1000).UTC().Format("15:04")
	frame := ansi.Strip(b.frame())
	if at := strings.Index(frame, want); at < 0 || at > strings.Index(frame, "usage audit") || at > strings.Index(frame, "yesterday") {
		t.Errorf("no %q before the new rows in\n%s", want, frame)
	}
	if err := o.Reads.Keep(all[0].Path, transcripts.Read{Last: all[0].Last}); err != nil {
		t.Fatal(err)
	}
	o.Reads.Mark(all)
	if all[0].New || !all[1].New {
		t.Errorf("new are %v %v", all[0].New, all[1].New)
	}
	d := b.a.listing()
	o.Reads.Mark(d.All)
	b.press("f")
	b.typed("is:unread")
	b.press("enter")
	if got := ansi.Strip(b.frame()); strings.Contains(got, "usage audit") || !strings.Contains(got, "ponyc segfaults") {
		t.Errorf("is:unread lists\n%s", got)
	}
}
