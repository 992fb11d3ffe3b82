package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"turns/export/outfile"
	"turns/query/summary"
	"turns/themes/tomlfile"
)

// OpenPrices gives the prices that hold: of the file that was named, else those of the
// configuration and of the tables beside it, over the list prices.
func (c *Config) OpenPrices(path string) (summary.PriceTable, error) {
	own, err := c.ownPrices(path)
	if err != nil {
		return nil, err
	}
	list, err := c.ListPrices()
	if err != nil {
		return nil, err
	}
	return overList(own, list.Prices), nil
}

func (c *Config) ownPrices(path string) (summary.PriceTable, error) {
	if path != "" {
		return readPrices(path)
	}
	table := summary.PriceTable{}
	files := []string{c.Prices}
	if c.Prices == "" {
		dir := filepath.Dir(c.Path)
		files = []string{filepath.Join(dir, "prices.toml"), filepath.Join(dir, "prices.json")}
	}
	for _, file := range files {
		own, err := readPrices(file)
		if err == nil {
			maps.Copy(table, own)
			break
		}
		if c.Prices != "" || !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	maps.Copy(table, c.Models)
	return table, nil
}

func readPrices(path string) (summary.PriceTable, error) {
	data, err := outfile.Read(path, 8<<20) // LiteLLM's has 2 MB
	if err != nil {
		return nil, fmt.Errorf("reading prices: %w", err)
	}
	var table summary.PriceTable
	if strings.HasSuffix(path, ".json") {
		table, _, err = parsePublished(data)
	} else {
		table, err = parsePrices(data)
	}
	if err != nil {
		return nil, fmt.Errorf("reading prices %q: %w", path, err)
	}
	return table, nil
}

// aMillion is the number of tokens that prices in TOML are for.
const aMillion = 1e6

// tomlPrice is a price in TOML, in dollars for a million tokens.
type tomlPrice struct {
	Input      *float64 `toml:"input"`
	Output     *float64 `toml:"output"`
	CacheRead  *float64 `toml:"cache_read"`
	CacheWrite *float64 `toml:"cache_write"`
	CacheHour  *float64 `toml:"cache_write_1h"`
}

// price is p where the table says it, else what a shorter request costs.
func (p *tomlPrice) price(short summary.Price) summary.Price {
	set := func(to *float64, has *bool, n *float64) {
		if n != nil {
			*to, *has = *n/aMillion, true
		}
	}
	said := false
	set(&short.Input, &said, p.Input)
	set(&short.Output, &said, p.Output)
	set(&short.CacheRead, &short.HasCacheRead, p.CacheRead)
	set(&short.CacheWrite, &short.HasCacheWrite, p.CacheWrite)
	set(&short.CacheHour, &short.HasCacheHour, p.CacheHour)
	short.Long = nil
	return short
}

// parsePrices reads prices in TOML.
func parsePrices(data []byte) (summary.PriceTable, error) {
	table, unknown, err := modelPrices(data)
	if err == nil && len(unknown) > 0 {
		err = fmt.Errorf("unknown field %q", unknown[0])
	}
	return table, err
}

// modelPrices reads the prices of a TOML file, and gives what else stands in it.
func modelPrices(data []byte) (table summary.PriceTable, unknown []string, err error) {
	var doc struct {
		Models map[string]struct {
			tomlPrice
			Long []struct {
				Above int64 `toml:"above"`
				tomlPrice
			} `toml:"long"`
		} `toml:"models"`
	}
	meta, err := tomlfile.Decode(string(data), &doc)
	if err != nil {
		return nil, nil, err
	}
	for _, key := range meta.Undecoded() {
		unknown = append(unknown, key.String())
	}
	table = summary.PriceTable{}
	for name, m := range doc.Models {
		p := m.price(summary.Price{})
		for _, long := range m.Long {
			p.Long = append(p.Long, summary.LongPrice{Above: long.Above, Price: long.price(p)})
		}
		sortLong(p.Long)
		table[strings.ToLower(name)] = p
	}
	return table, unknown, nil
}

// sortLong puts the prices of the longest requests first.
func sortLong(list []summary.LongPrice) {
	slices.SortFunc(list, func(a, b summary.LongPrice) int { return cmp.Compare(b.Above, a.Above) })
}

// setLiteLLM sets what LiteLLM's field says of the price of one token; false for a
// field that says nothing of it.
func setLiteLLM(p *summary.Price, name string, n float64) bool {
	switch name {
	case "input_cost_per_token":
		p.Input = n
	case "output_cost_per_token":
		p.Output = n
	case "cache_read_input_token_cost":
		p.CacheRead, p.HasCacheRead = n, true
	case "cache_creation_input_token_cost":
		p.CacheWrite, p.HasCacheWrite = n, true
	case "cache_creation_input_token_cost_above_1hr":
		p.CacheHour, p.HasCacheHour = n, true
	default:
		return false
	}
	return true
}

// parseLiteLLM reads LiteLLM's table of models, whose prices are for one token.
// Models without a price for tokens are passed over.
func parseLiteLLM(data []byte) (summary.PriceTable, error) {
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	table := summary.PriceTable{}
	for name, raw := range doc {
		var fields map[string]any
		if name == "sample_spec" || json.Unmarshal(raw, &fields) != nil {
			continue
		}
		if p, ok := liteLLMPrice(fields); ok {
			table[strings.ToLower(name)] = p
		}
	}
	return table, nil
}

// liteLLMPrice is the price that a model's fields say.
func liteLLMPrice(fields map[string]any) (p summary.Price, ok bool) {
	long := map[int64]bool{}
	for name, v := range fields {
		n, number := v.(float64)
		if !number {
			continue
		}
		if setLiteLLM(&p, name, n) {
			ok = ok || name == "input_cost_per_token" || name == "output_cost_per_token"
		} else if _, above := liteLLMLong(name); above > 0 {
			long[above] = true
		}
	}
	short := p
	for above := range long {
		l := summary.LongPrice{Above: above, Price: short}
		said := false
		for name, v := range fields {
			if base, of := liteLLMLong(name); of == above {
				n, number := v.(float64)
				said = number && setLiteLLM(&l.Price, base, n) || said
			}
		}
		if said {
			p.Long = append(p.Long, l)
		}
	}
	sortLong(p.Long)
	return p, ok
}

// liteLLMLong takes the name of a price for requests with more than N thousand
// tokens apart; above is 0 for any other name.
func liteLLMLong(name string) (base string, above int64) {
	base, rest, ok := strings.Cut(name, "_above_")
	thousands, tokens := strings.CutSuffix(rest, "k_tokens")
	if !ok || !tokens {
		return name, 0
	}
	n, err := strconv.ParseInt(thousands, 10, 64)
	if err != nil {
		return name, 0
	}
	return base, n * 1000
}
