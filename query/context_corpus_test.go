package query_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"turns/model"
	"turns/model/load"
	"turns/model/token"
	"turns/query"
)

// corpusFileMax keeps the table to what can be counted in seconds.
const corpusFileMax = 3 << 20

// corpusRow is how the counted context of a transcript grew beside the measured
// one. System prompts and tool definitions are not in transcripts, so it is growth
// that is compared: of each request over the one before, without those at which a
// compaction or a cut lies.
type corpusRow struct {
	name                      string
	requests, cuts            int
	measured, counted, hidden int64
	grewMeasured, grewCounted int64
	errors                    []float64
}

// TestCorpusContext reports measured beside counted context over real transcripts.
func TestCorpusContext(t *testing.T) {
	root := os.Getenv("TURNS_CORPUS")
	if root == "" {
		t.Skip("TURNS_CORPUS is not set")
	}
	var rows []corpusRow
	for _, path := range load.Find([]string{filepath.Join(root, "agents", "claude_code"), filepath.Join(root, "agents", "codex"), filepath.Join(root, "agents", "pi"),
		filepath.Join(root, "agents", "opencode"), filepath.Join(root, "agents", "gemini_cli"), filepath.Join(root, "agents", "kimi")}) {
		if info, err := os.Stat(path); err != nil || info.Size() > corpusFileMax {
			continue
		}
		if row, ok := corpusContext(t, root, path); ok {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b corpusRow) int { return strings.Compare(a.name, b.name) })
	var b strings.Builder
	fmt.Fprintf(&b, "%-70s %8s %5s %10s %10s %10s %8s %9s\n", "transcript", "requests", "cuts", "measured", "counted", "unaccount.", "growth", "median Δ")
	for _, r := range rows {
		fmt.Fprintf(&b, "%-70s %8d %5d %10d %10d %10d %7.0f%% %8.0f%%\n", r.name, r.requests, r.cuts, r.measured, r.counted, r.hidden,
			100*float64(r.grewCounted)/float64(max(r.grewMeasured, 1)), 100*median(r.errors))
	}
	t.Logf("%d transcripts with recorded usage; growth is counted over measured\n%s", len(rows), b.String())
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sort.Float64s(list)
	return list[len(list)/2]
}

func corpusContext(t *testing.T, root, path string) (row corpusRow, ok bool) {
	ctx := context.Background()
	c, err := load.Open(ctx, path, load.Options{})
	if err != nil {
		return row, false
	}
	defer c.Close()
	snap, err := c.Load(ctx)
	if err != nil || snap == nil || snap.Len() == 0 {
		return row, false
	}
	name := ""
	for i := range snap.Sessions() {
		name += snap.Sessions()[i].Field("model")
	}
	enc := token.ForModel(name)
	column, err := query.CountTokens(ctx, query.Everything(snap), &query.Counter{New: func() query.TokenCounter { return token.New(enc) }, Encoding: enc.String()})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return row, false
	}
	x := query.NewContextIndex(snap, column)
	row.name, _ = filepath.Rel(filepath.Join(root, "agents"), path)
	if len(row.name) > 70 {
		row.name = row.name[:34] + "…" + row.name[len(row.name)-35:]
	}
	var before *query.ContextAnswer
	for id := range snap.All() {
		h := snap.HeadRow(id)
		if _, measured := query.ContextOf(snap, id); !measured || h.Role != model.Assistant || !snap.Threads()[h.Thread].Main {
			continue
		}
		a, err := x.Context(id, query.ContextOptions{Largest: 1})
		if err != nil || a.Measured == nil {
			continue
		}
		row.requests++
		if before != nil {
			row.grow(before, a)
		}
		before = a
	}
	if before == nil {
		return row, false
	}
	row.measured, row.counted, row.hidden = *before.Measured, before.Counted, *before.Unaccounted
	return row, row.requests > 1
}

// grow compares what a request had more than the one before.
func (r *corpusRow) grow(before, a *query.ContextAnswer) {
	m, n := *a.Measured-*before.Measured, a.Counted-before.Counted
	if a.Compactions != before.Compactions || m <= 0 {
		r.cuts++
		return
	}
	r.grewMeasured += m
	r.grewCounted += n
	if m > 200 {
		d := float64(n-m) / float64(m)
		r.errors = append(r.errors, max(d, -d))
	}
}
