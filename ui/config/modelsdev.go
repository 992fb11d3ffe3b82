package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"turns/model"
	"turns/query/summary"
)

// mostModels is the most models in a table; the published ones have some thousand.
const mostModels = 20_000

// parsePublished parses the JSON of LiteLLM (models by name) or of models.dev (providers with their
// models): https://models.dev/api.json. It drops models with an implausible name or price, and
// returns their number.
func parsePublished(data []byte) (table summary.PriceTable, refused int, err error) {
	if table, err = publishedPrices(data); err != nil {
		return nil, 0, err
	}
	all := len(table)
	maps.DeleteFunc(table, func(name string, p summary.Price) bool { return !plainName(name) || !believable(&p) })
	if len(table) > mostModels {
		return nil, 0, fmt.Errorf("it has prices of %d models; the limit is %d", len(table), mostModels)
	}
	return table, all - len(table), nil
}

// plainName reports whether a name can be stored in a table and displayed.
func plainName(name string) bool {
	return name != "" && len(name) <= 200 && !strings.HasPrefix(name, "#") && name != "model" && name == model.CleanLine(name)
}

// believable reports whether all prices are from 0 to ten dollars per token.
func believable(p *summary.Price) bool {
	for _, n := range [...]float64{p.Input, p.Output, p.CacheRead, p.CacheWrite, p.CacheHour} {
		if !(n >= 0 && n <= 10) {
			return false
		}
	}
	return len(p.Long) <= 16 && !slices.ContainsFunc(p.Long, func(long summary.LongPrice) bool { return !believable(&long.Price) })
}

func publishedPrices(data []byte) (summary.PriceTable, error) {
	var doc map[string]struct {
		Models map[string]modelsDev `json:"models"`
	}
	if err := json.Unmarshal(data, &doc); err == nil {
		for _, provider := range doc {
			if len(provider.Models) > 0 {
				providers := make(map[string]map[string]modelsDev, len(doc))
				for name, p := range doc {
					providers[name] = p.Models
				}
				return modelsDevPrices(providers), nil
			}
		}
	}
	return parseLiteLLM(data)
}

// modelsDev is a model of models.dev. Its prices are per million tokens.
type modelsDev struct {
	ID   string `json:"id"`
	Cost *struct {
		modelsDevCost
		Over200k *modelsDevCost `json:"context_over_200k"`
		Tiers    []struct {
			modelsDevCost
			Tier struct {
				Size int64 `json:"size"`
			} `json:"tier"`
		} `json:"tiers"`
	} `json:"cost"`
}

type modelsDevCost struct {
	Input      *float64 `json:"input"`
	Output     *float64 `json:"output"`
	CacheRead  *float64 `json:"cache_read"`
	CacheWrite *float64 `json:"cache_write"`
}

func (c *modelsDevCost) price(short summary.Price) summary.Price {
	p := tomlPrice{Input: c.Input, Output: c.Output, CacheRead: c.CacheRead, CacheWrite: c.CacheWrite}
	return p.price(short)
}

func (m *modelsDev) price() summary.Price {
	p := m.Cost.price(summary.Price{})
	if len(m.Cost.Tiers) > 0 {
		for i := range m.Cost.Tiers {
			if t := &m.Cost.Tiers[i]; t.Tier.Size > 0 {
				p.Long = append(p.Long, summary.LongPrice{Above: t.Tier.Size, Price: t.price(p)})
			}
		}
		sortLong(p.Long)
	} else if m.Cost.Over200k != nil {
		p.Long = []summary.LongPrice{{Above: 200_000, Price: m.Cost.Over200k.price(p)}}
	}
	return p
}

// makers are the providers of models.dev who make the models that they sell: a model's plain name
// has their price, not that of a reseller.
var makers = [...]string{
	"alibaba", "anthropic", "cohere", "deepseek", "google", "inception", "meta", "minimax", "mistral", "moonshotai", "openai", "stepfun", "xai", "xiaomi", "zai",
}

// modelsDevPrices names each model PROVIDER/MODEL. A plain MODEL has the price of its maker, or
// otherwise the price on which all providers agree.
func modelsDevPrices(providers map[string]map[string]modelsDev) summary.PriceTable {
	table, plain, differ := summary.PriceTable{}, summary.PriceTable{}, map[string]bool{}
	for _, provider := range slices.Sorted(maps.Keys(providers)) {
		for id, m := range providers[provider] {
			if m.Cost == nil || m.Cost.Input == nil && m.Cost.Output == nil {
				continue
			}
			id, p := strings.ToLower(id), m.price()
			table[strings.ToLower(provider)+"/"+id] = p
			if was, ok := plain[id]; ok && listRow(&was) != listRow(&p) {
				differ[id] = true
			}
			plain[id] = p
		}
	}
	for id, p := range plain {
		if !differ[id] {
			table[id] = p
		}
	}
	for _, maker := range makers {
		for id, m := range providers[maker] {
			if p, ok := table[maker+"/"+strings.ToLower(id)]; ok && m.Cost != nil {
				table[strings.ToLower(id)] = p
			}
		}
	}
	return table
}
