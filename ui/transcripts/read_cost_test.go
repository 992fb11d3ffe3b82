package transcripts_test

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/summary"
)

// TestCorpusCost: if every token costs the same, a transcript's cost follows from its usage, in any
// format.
func TestCorpusCost(t *testing.T) {
	root := modeltest.Corpus(t)
	modeltest.Long(t, "it reads a corpus")
	ctx, priced := context.Background(), 0
	paths, err := load.Find(t.Context(), []string{root})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.Size() > 3<<20 /* what can be counted in seconds */ {
			continue
		}
		c, err := load.Open(ctx, path, load.Options{})
		if err != nil {
			continue
		}
		snap, err := c.Load(ctx)
		if err != nil || snap == nil || snap.Len() == 0 {
			c.Close()
			continue
		}
		format, _ := c.Format()
		if costsWhatWasUsed(t, format.Name+" "+path, snap) {
			priced++
		}
		c.Close()
	}
	if t.Logf("%d transcripts", priced); priced == 0 {
		t.Fatal("no transcript of the corpus has recorded usage")
	}
}

// costsWhatWasUsed reports whether the transcript has usage with a price.
func costsWhatWasUsed(t *testing.T, name string, snap *model.Snapshot) bool {
	t.Helper()
	const each = 1e-6
	price := summary.Price{Input: each, Output: each, CacheRead: each, CacheWrite: each, HasCacheRead: true, HasCacheWrite: true}
	prices := summary.PriceTable{}
	for _, name := range snap.Names() {
		prices[strings.ToLower(name)] = price
	}
	for i := range snap.Sessions() {
		prices[strings.ToLower(snap.Sessions()[i].Field("model"))] = price
	}
	all := query.Everything(snap)
	stats, err := summary.Stats(context.Background(), all, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := summary.Costs(all, query.NewTurnIndex(snap), summary.CostOptions{Prices: prices, Messages: true})
	if stats.Cost != nil {
		return false // recorded
	}
	want := int64(0)
	for _, sum := range []query.UsageSum{stats.Usage, stats.Rewound.Usage} {
		if sum.Total != nil {
			want += *sum.Total
		}
	}
	tokens := func(dollars float64) int64 { return int64(math.Round(dollars / each)) }
	if got := tokens(a.Total.Estimated); got != want && len(a.Missing) == 0 {
		t.Errorf("%s: costs %d tokens, used %d: %+v", name, got, want, a.Total)
	}
	parts := map[string]float64{}
	for _, x := range a.Models {
		parts["models"] += x.Dollars
	}
	for _, x := range a.Sessions {
		parts["sessions"] += x.Dollars
	}
	parts["tools"], parts["agents"], parts["messages"] = a.Beyond.Dollars, a.Beyond.Dollars-a.Apart.Dollars, a.Beyond.Dollars
	for _, x := range a.Tools {
		parts["tools"] += x.Dollars
	}
	for _, x := range a.Agents {
		parts["agents"] += x.Dollars
	}
	for _, x := range a.Messages {
		parts["messages"] += x.Dollars
	}
	for part, dollars := range parts {
		if tokens(dollars) != tokens(a.Total.Dollars) {
			t.Errorf("%s: %s cost %d, the whole %d", name, part, tokens(dollars), tokens(a.Total.Dollars))
		}
	}
	return want > 0 && len(a.Missing) == 0
}
