package transcripts_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query/window"
)

// TestNoWindowIsOverfull: at no message of the samples is a context window more than full.
func TestNoWindowIsOverfull(t *testing.T) { overfull(t, "../../testdata/formats", 200) }

// TestNoWindowOfTheCorpusIsOverfull checks the same in transcripts written by agents.
func TestNoWindowOfTheCorpusIsOverfull(t *testing.T) {
	modeltest.Long(t, "it reads the whole corpus")
	overfull(t, modeltest.Corpus(t), 300)
}

// overfull checks the files below a root, at least some of which are transcripts.
func overfull(t *testing.T, root string, some int) {
	paths, err := load.Find(t.Context(), []string{root})
	if err != nil {
		t.Fatal(err)
	}
	read, compactions := 0, 0
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.Size() > corpusFileMax {
			continue
		}
		c, err := load.Open(t.Context(), path, load.Options{})
		if err != nil {
			continue
		}
		name, _ := filepath.Rel(root, path)
		if snap, err := c.Load(t.Context()); err == nil && snap.Len() > 0 {
			read++
			compactions += windowOf(t, name, snap)
		}
		c.Close()
	}
	if t.Logf("%d transcripts, %d compactions at a recorded size", read, compactions); read < some {
		t.Errorf("%d transcripts were read, want %d", read, some)
	}
}

// windowOf checks the last hundred messages of a transcript. It also counts the compactions and
// checks that each fits the window: none was later than full, or automatic with half of it left.
func windowOf(t *testing.T, name string, snap *model.Snapshot) (compactions int) {
	t.Helper()
	x := window.NewIndex(snap, nil)
	at := func(id model.ID) *window.Answer {
		a, err := x.Context(id, window.Options{Largest: 1})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return &window.Answer{}
		}
		if a.Fill != nil && *a.Fill > 1 {
			t.Errorf("%s, message %d: the window of %v is %.0f %% full", name, snap.Pos(id), a.Window, 100**a.Fill)
		}
		return a
	}
	for pos := max(0, snap.Len()-100); pos < snap.Len(); pos++ {
		at(snap.At(pos))
	}
	for row := range snap.Rows() {
		if snap.HeadRow(model.ID(row)).Op != model.Compact {
			continue
		}
		before, auto := compacted(t, snap, model.ID(row))
		a := at(snap.At(snap.Len() - 1))
		if before == 0 || a.Window == 0 {
			continue
		}
		if compactions++; before > int64(max(a.Window, a.WindowOr)) || auto && float64(before) < 0.5*float64(a.Window) {
			t.Errorf("%s: compacted at %d tokens (auto: %v) of a window of %v", name, before, auto, a.Window)
		}
	}
	return compactions
}

// compacted returns the number of tokens when a compaction was made (0 if unrecorded), and whether
// the agent made it automatically.
func compacted(t *testing.T, snap *model.Snapshot, id model.ID) (before int64, auto bool) {
	t.Helper()
	m, err := snap.Body(t.Context(), id)
	if err != nil {
		t.Error(err)
		return 0, false
	}
	for _, f := range m.Fields() {
		switch f.Name {
		case "preTokens", "pre_tokens":
			before, _ = strconv.ParseInt(f.Value, 10, 64)
		case "trigger":
			auto = f.Value == "auto"
		}
	}
	return before, auto
}
