package config

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"turns/query/summary"
)

// ListPricesOf is the day of the list prices that are built in.
const ListPricesOf = "2026-07-24"

//go:embed listprices.tsv
var listPricesText string

// listPrices are the prices as they were published, for those who have no table of their own.
func listPrices() (summary.PriceTable, error) {
	table := summary.PriceTable{}
	for line := range strings.Lines(listPricesText) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || f[0] == "model" {
			continue
		}
		p, err := listPrice(f)
		if err != nil {
			return nil, fmt.Errorf("reading the list price of %q: %w", f[0], err)
		}
		table[f[0]] = p
	}
	return table, nil
}

func listPrice(f []string) (summary.Price, error) {
	if len(f) != 10 {
		return summary.Price{}, fmt.Errorf("%d fields", len(f))
	}
	var n [10]*float64
	for i := 1; i < len(f); i++ {
		if f[i] == "" {
			continue
		}
		x, err := strconv.ParseFloat(f[i], 64)
		if err != nil {
			return summary.Price{}, err
		}
		n[i] = &x
	}
	short := tomlPrice{Input: n[1], Output: n[2], CacheRead: n[3], CacheWrite: n[4], CacheHour: n[5]}
	p := short.price(summary.Price{})
	if n[6] != nil {
		long := tomlPrice{Input: n[7], Output: n[8], CacheRead: n[9]}
		p.Long = []summary.LongPrice{{Above: int64(*n[6]), Price: long.price(p)}}
	}
	return p, nil
}

// overList puts a table over the list prices: what it names, also by the beginning of a name, the
// list does not.
func overList(own summary.PriceTable) (summary.PriceTable, error) {
	table, err := listPrices()
	if err != nil {
		return nil, err
	}
	for name := range table {
		if _, ok := own.Find(name); ok {
			delete(table, name)
		}
	}
	for name, p := range own {
		table[name] = p
	}
	return table, nil
}
