package ui

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// wanders are keys that a reader may press before leaving a transcript.
var wanders = []string{"j", "j j j", "k", "G", "g", "e", "p", "c", "ctrl+d", "ctrl+e", "l", "z o", "z R", "z M", "space", "b", "d", "Z", ">", "<", "i", "}", "L", "M", "z t"}

// openers open a pane, which ends the walk: the place in a pane is not stored.
var openers = []string{"", "t", "s", "w", "enter", "@", "enter Z"}

// TestPlaceIsKept leaves a transcript after a random walk, and returns: the frame is the same.
func TestPlaceIsKept(t *testing.T) {
	samples := map[string]func() *model.Snapshot{"sample": sample, "priced": priced, "weighed": weighed}
	for name, snap := range samples {
		for seed := range uint64(modeltest.Fewer(12, 12)) {
			comesBack(t, name, snap(), seed)
		}
	}
}

// TestPlaceIsKeptInSamples does the same in each of the samples, and in some of the corpus.
func TestPlaceIsKeptInSamples(t *testing.T) {
	placesKept(t, "../testdata", 3)
}

func TestPlaceIsKeptInTheCorpus(t *testing.T) {
	modeltest.Long(t, "it reads some of the corpus")
	placesKept(t, modeltest.Corpus(t), 60)
}

// placesKept tests every each-th transcript in a folder.
func placesKept(t *testing.T, folder string, each int) {
	t.Helper()
	n, read := 0, 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) == ".golden" {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > 4<<20 {
			return err
		}
		if n++; !modeltest.Some(n, each) {
			return nil
		}
		c, err := load.Open(t.Context(), path, load.Options{Workers: 1})
		if err != nil {
			return nil // not a transcript
		}
		defer c.Close()
		if snap, err := c.Load(t.Context()); err == nil && snap.Len() > 0 {
			comesBack(t, path, snap, uint64(n))
			read++
		}
		return nil
	})
	if err != nil || read == 0 {
		t.Fatalf("%d transcripts were read, %v", read, err)
	}
	t.Logf("%d transcripts", read)
}

// comesBack leaves a transcript after a random walk and returns: the frame is the same.
func comesBack(t *testing.T, name string, snap *model.Snapshot, seed uint64) {
	t.Helper()
	for _, size := range [][2]int{{80, 24}, {140, 42}} {
		o := paneOptions()
		o.StateDir = t.TempDir()
		b := newBench(t, snap, o, size[0], size[1])
		rnd := rand.New(rand.NewPCG(seed, 1))
		var keys []string
		for range 1 + rnd.IntN(6) {
			keys = append(keys, wanders[rnd.IntN(len(wanders))])
		}
		keys = append(keys, openers[rnd.IntN(len(openers))])
		b.press(strings.Join(keys, " "))
		left := seen(b)
		b.a.saveNow()
		if got := seen(newBench(t, snap, o, size[0], size[1])); got != left {
			t.Errorf("%s, seed %d, %v after %q: left\n%s\ncame back to\n%s", name, seed, size, keys, left, got)
		}
	}
}

// seen returns a frame without the message about the last key.
func seen(b *bench) string {
	b.a.hush()
	b.a.draw()
	return ansi.Strip(b.frame())
}

// A filter is restored with the place in it.
func TestFilterIsKept(t *testing.T) {
	o := paneOptions()
	o.StateDir = t.TempDir()
	b := newBench(t, sample(), o, 100, 24)
	cmd := b.a.filtering.set("role:assistant")
	for _, msg := range b.run(cmd) {
		b.send(msg)
	}
	b.press("j j")
	left := seen(b)
	b.a.saveNow()
	if got := seen(newBench(t, sample(), o, 100, 24)); got != left {
		t.Errorf("left\n%s\ncame back to\n%s", left, got)
	}
}

// A place beyond the preview is restored once the rest is read.
func TestPlaceBehindThePreviewIsKept(t *testing.T) {
	o := paneOptions()
	o.StateDir = t.TempDir()
	whole := sampleMessages()
	b := newBench(t, model.FromMessages(whole), o, 100, 24)
	b.press("G k k")
	left := b.a.list.CurKey
	b.a.saveNow()
	again := func(between string) screen.RowKey {
		b := newBench(t, nil, o, 100, 24)
		b.send(updateMsg{b.a.feed, transcripts.State{Snap: model.FromMessages(whole[:4]), Preview: true, Indexed: 0.1, Path: "/tmp/8463c716.jsonl"}, nil})
		b.press(between)
		b.send(updateMsg{b.a.feed, transcripts.State{Snap: model.FromMessages(whole), Indexed: 1, Path: "/tmp/8463c716.jsonl"}, nil})
		return b.a.list.CurKey
	}
	if got := again(""); got != left {
		t.Errorf("came back to %v, left %v", got, left)
	}
	if got := again("j"); got == left {
		t.Error(fmt.Sprint("the cursor of a reader who moved meanwhile jumps to ", got))
	}
}

// TestFollowIsNotAPlace: -f goes to the end of the complete file, even if the preview is drawn
// first and a place was stored.
func TestFollowIsNotAPlace(t *testing.T) {
	o := paneOptions()
	o.StateDir = t.TempDir()
	whole := sampleMessages()
	b := newBench(t, model.FromMessages(whole), o, 100, 24)
	b.press("G k k")
	b.a.saveNow()
	o.Follow = true
	b = newBench(t, nil, o, 100, 24)
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: model.FromMessages(whole[:4]), Preview: true, Growing: true, Following: true, Indexed: 0.1, Path: "/tmp/8463c716.jsonl"}, nil})
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: model.FromMessages(whole), Growing: true, Following: true, Indexed: 1, Path: "/tmp/8463c716.jsonl"}, nil})
	if l := b.a.list; !l.Follow || int(l.CurKey.ID) != len(whole)-1 {
		t.Errorf("the cursor is at %v, following %v, want the last of %d messages", l.CurKey, l.Follow, len(whole))
	}
}
