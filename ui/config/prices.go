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

// OpenPrices returns the applicable prices: those of the file at path, otherwise those of the
// configuration and its price file, merged over the list prices.
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
	published := strings.HasSuffix(path, ".json")
	most := int64(maxFile)
	if published {
		most = 8 << 20 // LiteLLM's has 2 MB
	}
	data, err := outfile.Read(path, most)
	if err != nil {
		return nil, fmt.Errorf("reading prices: %w", err)
	}
	var table summary.PriceTable
	if published {
		table, _, err = parsePublished(data)
	} else {
		table, err = parsePrices(data)
	}
	if err != nil {
		return nil, fmt.Errorf("reading prices %q: %w", path, err)
	}
	return table, nil
}

// aMillion is the unit of prices in TOML, in tokens.
const aMillion = 1e6

// tomlPrice is a price in TOML, in dollars per million tokens.
type tomlPrice struct {
	Input      *float64 `toml:"input"`
	Output     *float64 `toml:"output"`
	CacheRead  *float64 `toml:"cache_read"`
	CacheWrite *float64 `toml:"cache_write"`
	CacheHour  *float64 `toml:"cache_write_1h"`
}

// price returns the prices set in p, and those of short for the others.
func (p *tomlPrice) price(short summary.Price) summary.Price {
	set := func(to *float64, has *bool, n *float64) {
		if n != nil {
			*to, *has = *n/aMillion, true
		}
	}
	found := false
	set(&short.Input, &found, p.Input)
	set(&short.Output, &found, p.Output)
	set(&short.CacheRead, &short.HasCacheRead, p.CacheRead)
	set(&short.CacheWrite, &short.HasCacheWrite, p.CacheWrite)
	set(&short.CacheHour, &short.HasCacheHour, p.CacheHour)
	short.Long = nil
	return short
}

// parsePrices parses prices in TOML.
func parsePrices(data []byte) (summary.PriceTable, error) {
	table, unknown, refused, err := modelPrices(data)
	switch {
	case err == nil && len(unknown) > 0:
		err = fmt.Errorf("unknown field %q", unknown[0])
	case err == nil && len(refused) > 0:
		err = fmt.Errorf("%.100q: %s", refused[0], noPrice)
	}
	return table, err
}

// noPrice is the error message for a refused price.
const noPrice = "no model has this name, or a price below zero or over ten dollars a token"

// modelPrices reads the prices of a TOML file. It returns the other fields of the file, and the
// models with a name or price that no model has.
func modelPrices(data []byte) (table summary.PriceTable, unknown, refused []string, err error) {
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
		return nil, nil, nil, err
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
		if !plainName(name) || !believable(&p) {
			refused = append(refused, name)
			continue
		}
		table[strings.ToLower(name)] = p
	}
	slices.Sort(refused)
	return table, unknown, refused, nil
}

// sortLong sorts the prices of the longest requests first.
func sortLong(list []summary.LongPrice) {
	slices.SortFunc(list, func(a, b summary.LongPrice) int { return cmp.Compare(b.Above, a.Above) })
}

// setLiteLLM sets a price from a field of LiteLLM, per token; false for other fields.
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

// parseLiteLLM parses LiteLLM's table of models, with prices per token. It skips models without a
// price for tokens.
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

// liteLLMPrice returns the price in the fields of a model.
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
		found := false
		for name, v := range fields {
			if base, of := liteLLMLong(name); of == above {
				n, number := v.(float64)
				found = number && setLiteLLM(&l.Price, base, n) || found
			}
		}
		if found {
			p.Long = append(p.Long, l)
		}
	}
	sortLong(p.Long)
	return p, ok
}

// liteLLMLong splits the field name of a price for requests with more than N thousand tokens; above
// is 0 for other names.
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
