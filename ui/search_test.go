package ui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"turns/query/filter"

	"github.com/charmbracelet/x/ansi"

	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/ui/timeline"
)

// A search for what is nowhere tells how far it is, and ends when it is stopped.
func TestSearchTellsHowFarItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := modeltest.Transcript(f, 24<<20, 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := load.Open(t.Context(), path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	snap, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := filter.NewPattern("nowhere to be found", true)
	if err != nil {
		t.Fatal(err)
	}
	var told [][2]int
	for range filter.FindTelling(t.Context(), query.Everything(snap), p, func(done, total int) { told = append(told, [2]int{done, total}) }) {
		t.Fatal("found what is not there")
	}
	if len(told) < 4 {
		t.Fatalf("%d megabytes are searched and %v is all that is told", 24, told)
	}
	for i, s := range told {
		if s[0] > s[1] || i > 0 && s[0] < told[i-1][0] {
			t.Errorf("progress %v", told)
		}
	}
	if last := told[len(told)-1]; last[0] != last[1] {
		t.Errorf("it ends at %d of %d", last[0], last[1])
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err = range filter.FindTelling(ctx, query.Everything(snap), p, func(done, total int) { n++; cancel() }) {
	}
	if !errors.Is(err, context.Canceled) || n > len(told)/2+2 {
		t.Errorf("stopped at once it ends with %v after %d of %d steps", err, n, len(told))
	}
}

func TestSearchIsStopped(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 100, 30)
	b.press("/")
	b.a.list.SearchKey(keyPress("z")) // its command is not run: the search goes on
	s := b.a.list.Findings
	b.a.Update(timeline.SearchedMsg{Gen: s.Gen, Part: 40, More: make(chan timeline.SearchedMsg)}) // nor is the one that waits for more
	if text := ansi.Strip(b.frame()); !strings.Contains(text, "0 so far, 40 %") {
		t.Errorf("no progress on the screen:\n%s", text)
	}
	b.press("enter ctrl+c")
	if text := ansi.Strip(b.frame()); !strings.Contains(text, "search stopped at 40 %") || !s.Done {
		t.Errorf("ctrl+c does not stop the search:\n%s", text)
	}
}
