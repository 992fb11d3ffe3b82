package load

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model/format"
	"turns/model/source"
)

func TestListIsNewestFirstAndSummarises(t *testing.T) {
	dir := t.TempDir()
	demo, err := os.ReadFile("../../testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	old, young := filepath.Join(dir, "old.jsonl"), filepath.Join(dir, "sub", "young.jsonl")
	if err := os.MkdirAll(filepath.Dir(young), 0o700); err != nil {
		t.Fatal(err)
	}
	for i, p := range []string{old, young, filepath.Join(dir, "notes.txt")} {
		if err := os.WriteFile(p, demo, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(p, at, at); err != nil {
			t.Fatal(err)
		}
	}
	var got []Listed
	for l := range List(context.Background(), Find([]string{dir}), nil) {
		got = append(got, l)
	}
	if len(got) != 2 || got[0].Path != young || got[1].Path != old {
		t.Fatalf("listed %v", got)
	}
	s := got[0]
	if s.Err != nil || s.Format != "claude-code" || s.Messages == 0 || s.Project != "/home/ada/src/watch" || s.Errors != 5 ||
		s.Title == "" || s.Started == 0 || s.Last <= s.Started || s.Partial {
		t.Errorf("summary %+v", s)
	}
	// What is known is not read again.
	for l := range List(context.Background(), []string{old}, func(string, fs.FileInfo) (Summary, bool) { return Summary{Title: "kept"}, true }) {
		if l.Title != "kept" {
			t.Errorf("a known summary was made again: %+v", l)
		}
	}
}

func TestSummaryOfALargeFileReadsItsEnds(t *testing.T) {
	path, counts := generated(t, 3<<20)
	s, err := Summarise(context.Background(), path)
	if err != nil || !s.Partial || s.Messages == 0 || int64(s.Messages) >= counts.Messages || s.Title == "" || s.Project != "/src/app" {
		t.Errorf("summary %+v, %v", s, err)
	}
}

// TestQuickDetectionIsDetection compares the two over all samples, with the hint
// of every format.
func TestQuickDetectionIsDetection(t *testing.T) {
	for _, path := range documents(t) {
		src, err := source.Open(t.Context(), path, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sample := src.Sample()
		src.Close()
		slow, want := format.Detect(sample)
		quick, got := detectQuick(sample)
		if quick != slow || got != want {
			t.Errorf("%s: %s %+v, want %s %+v", path, quick.Name, got, slow.Name, want)
		}
		for _, f := range format.All() {
			h := &hints{last: f}
			if hinted, got := h.detect(sample); hinted != slow || got != want {
				t.Errorf("%s with the hint %s: %s %+v, want %s %+v", path, f.Name, hinted.Name, got, slow.Name, want)
			}
		}
	}
}

// openedSummary is the summary of a transcript that is opened and loaded as a whole.
func openedSummary(t *testing.T, path string) Summary {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s := Summary{Path: path, Bytes: info.Size(), Written: info.ModTime().UnixMilli()}
	c, err := Open(t.Context(), path, Options{Workers: 1})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer c.Close()
	snap, _ := c.Load(t.Context())
	if snap == nil {
		t.Fatalf("%s cannot be loaded", path)
	}
	s.fill(t.Context(), snap, c.format)
	return s
}

// TestListIsWhatOpeningSays compares the summaries that a list makes, one after
// another with the hints and the memory of those before, with what opening each
// transcript says.
func TestListIsWhatOpeningSays(t *testing.T) {
	paths := documents(t)
	if corpus := os.Getenv("TURNS_CORPUS"); corpus != "" {
		paths = append(paths, Find([]string{corpus})...)
	}
	for _, order := range []string{"as they lie", "backwards"} {
		l := newLister(&hints{})
		for _, path := range paths {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Size() > headWindow && strings.HasSuffix(path, "l") {
				continue // its ends are read only
			}
			got, err := l.summarise(t.Context(), path, info)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if want := openedSummary(t, path); got != want {
				t.Errorf("%s (%s):\n got %+v\nwant %+v", path, order, got, want)
			}
		}
		slices.Reverse(paths)
	}
}
