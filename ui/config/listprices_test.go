package config

import (
	"testing"

	"turns/query/summary"
)

func TestListPrices(t *testing.T) {
	table, err := overList(summary.PriceTable{"claude-3": {Input: 7}})
	if err != nil || len(table) < 150 {
		t.Fatalf("%d prices, %v", len(table), err)
	}
	p, ok := table.Find("anthropic/claude-sonnet-4-5-20250929")
	if !ok || p.Input != 3.0/aMillion || p.Output != 15.0/aMillion || len(p.Long) != 1 || p.Long[0].Above != 200_000 || p.Long[0].Price.Output != 22.5/aMillion {
		t.Errorf("a listed model: %+v", p)
	}
	if p, _ := table.Find("claude-3-haiku-20240307"); p.Input != 7 { // by the beginning of its name
		t.Errorf("the reader's own price is not taken: %+v", p)
	}
}
