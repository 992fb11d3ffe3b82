package many

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/cache"
	"turns/query/session"
	"turns/query/summary"
)

// TestCausesAddUp: the groups of --by cause add up to the misses of all sessions, with prices for
// every model, and only misses have a cause.
func TestCausesAddUp(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(modeltest.Corpus(t), "agents", "claude_code", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions, %v", err)
	}
	by, err := Find("cause")
	if err != nil {
		t.Fatal(err)
	}
	prices := summary.PriceTable{"claude": {Input: 3e-6, Output: 15e-6, CacheRead: .3e-6, HasCacheRead: true, CacheWrite: 3.75e-6, HasCacheWrite: true}}
	a, want := NewAnswer(by, time.UTC), Sums{}
	for _, file := range files {
		c, err := load.Open(t.Context(), file, load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		snap, err := c.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sel, turns := query.Everything(snap), query.NewTurnIndex(snap)
		run, err := NewRun(t.Context(), sel, session.Session{}, Options{Prices: prices})
		if err != nil {
			t.Fatal(err)
		}
		one, err := summary.Cache(t.Context(), sel, turns, prices)
		if err != nil {
			t.Fatal(err)
		}
		a.Add(run)
		want.N[Misses] += int64(one.Misses)
		want.N[Again] += one.Again
		if one.USD != nil {
			want.AgainUSD += *one.USD
		}
		c.Close()
	}
	var got Sums
	for _, g := range a.Groups {
		if !cache.Cause(g.Key).Missed() {
			t.Errorf("%q is a group", g.Key)
		}
		got.Join(&g.Sums)
	}
	for _, sums := range [...]*Sums{&got, &a.All.Sums} {
		if sums.N[Misses] != want.N[Misses] || sums.N[Again] != want.N[Again] || math.Abs(sums.AgainUSD-want.AgainUSD) > 1e-9 {
			t.Errorf("%d misses, %d tokens, $%f; the sessions add up to %d, %d, $%f", sums.N[Misses], sums.N[Again], sums.AgainUSD, want.N[Misses], want.N[Again], want.AgainUSD)
		}
	}
	if want.N[Misses] < 13 {
		t.Errorf("%d misses", want.N[Misses])
	}
}
