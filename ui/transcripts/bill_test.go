package transcripts

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"turns/model"
	"turns/model/load"
	"turns/query"
	"turns/query/summary"
)

// The cost of a session in a list equals that of the complete transcript, each response by its own
// model: a list has only their sums.
func TestBillIsTheCost(t *testing.T) {
	price := summary.Price{Input: 3e-6, Output: 15e-6, CacheRead: 3e-7, CacheWrite: 3.75e-6, CacheHour: 6e-6, HasCacheRead: true, HasCacheWrite: true, HasCacheHour: true}
	files, err := filepath.Glob("../../testdata/formats/*/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	asked, recorded := 0, 0
	for _, path := range files {
		if info, err := os.Stat(path); err != nil || info.Size() > 200<<10 {
			continue
		}
		c, err := load.Open(t.Context(), path, load.Options{Workers: 1})
		if err != nil {
			continue
		}
		snap, err := c.Load(t.Context())
		if err != nil || len(load.Parts(t.Context(), snap)) != 1 {
			c.Close()
			continue
		}
		s := load.Parts(t.Context(), snap)[0].Summary
		prices := summary.PriceTable{}
		for id := range model.ID(snap.Rows()) {
			name := snap.ModelOf(id)
			if _, ok := prices[name]; !ok && name != "" {
				dear := price
				dear.Output *= float64(1 + len(prices))
				prices[name] = dear
			}
		}
		cost := summary.Costs(query.Everything(snap), query.NewTurnIndex(snap), summary.CostOptions{Prices: prices})
		got, guessed := prices.Bill(s.Model, &s.Bill)
		if want := cost.Whole(); want.Unknown == 0 && cost.Apart.Responses == 0 {
			if math.Abs(got-want.Dollars) > 1e-9 {
				t.Errorf("%s: $%v, and all of it costs $%v", path, got, want.Dollars)
			}
			if got > 0 {
				asked++
			}
			if got > 0 && !guessed {
				recorded++
			}
		}
		c.Close()
	}
	bill := model.Bill{}
	for i, name := range []string{"a", "b", "a", "c", "d", "e"} {
		bill.Use(&model.Usage{Input: int64(1) << i, Output: -1}, name)
	}
	if bill.Used[0].Input != 5 || bill.Used[1].Input != 2 || bill.Used[2].Input != 8+16+32 {
		t.Errorf("six responses of five models are %+v", bill.Used)
	}
	if asked < 15 || recorded == 0 {
		t.Errorf("%d runs cost something, %d as recorded", asked, recorded)
	}
}
