package summary

import (
	"cmp"
	"strings"

	"turns/model"
	"turns/query"
)

// Price is the price of a model's tokens, in US dollars each.
type Price struct {
	Input, Output, CacheRead, CacheWrite, CacheHour float64
	HasCacheRead, HasCacheWrite                     bool // else they cost what input costs
	// without CacheHour, cache writes stored for an hour cost as much as others
	HasCacheHour bool
	// Long are the prices of requests with more than so many tokens, the longest first.
	Long []LongPrice
}

// LongPrice is the price in requests above a number of tokens.
type LongPrice struct {
	Above int64
	Price Price
}

// PriceTable has prices by name of the model.
type PriceTable map[string]Price

// Find is the price of a model: of its whole name, of its name behind a gateway's,
// or of the longest name in the table that it begins with.
func (t PriceTable) Find(name string) (Price, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	for rest := name; rest != ""; {
		if p, ok := t[rest]; ok {
			return p, true
		}
		best := ""
		for known := range t {
			if strings.HasPrefix(rest, known) && len(known) > len(best) && (rest[len(known)] == '-' || rest[len(known)] == '@' || rest[len(known)] == ':' || rest[len(known)] == '[') {
				best = known
			}
		}
		if best != "" {
			return t[best], true
		}
		i := strings.IndexAny(rest, "/:")
		if i < 0 {
			break
		}
		rest = rest[i+1:]
	}
	return Price{}, false
}

// Of returns the price of a response.
func (p *Price) Of(t *model.Tokens) float64 {
	var u query.UsageTally
	u.AddTokens(t)
	if size, ok := query.ContextSize(t); ok {
		for i := range p.Long {
			if long := &p.Long[i]; size > long.Above {
				return long.Price.base(&u, t.Flags&model.HourCache != 0)
			}
		}
	}
	return p.base(&u, t.Flags&model.HourCache != 0)
}

// Bill returns the cost of a session and whether it is an estimate; 0 is unknown. Tokens without a
// model count for the session's model, name.
func (t PriceTable) Bill(name string, b *model.Bill) (dollars float64, estimated bool) {
	dollars = b.Dollars
	for i := range b.Used {
		used := &b.Used[i]
		if used.Tokens() == 0 {
			continue
		}
		p, ok := t.Find(cmp.Or(used.Model, name))
		if !ok {
			return 0, false
		}
		var u query.UsageTally
		u.N[query.UsageInput], u.N[query.UsageOutput], u.N[query.UsageCacheRead], u.N[query.UsageCacheWrite] = used.Input, used.Output, used.CacheRead, used.CacheWrite
		dollars += p.base(&u, used.HourCache)
		estimated = true
	}
	return dollars, estimated
}

// base is what tokens cost whatever the length of their request. Output includes
// reasoning.
func (p *Price) base(u *query.UsageTally, hour bool) float64 {
	read, write := p.CacheRead, p.CacheWrite
	if !p.HasCacheRead {
		read = p.Input
	}
	if !p.HasCacheWrite {
		write = p.Input
	}
	if hour && p.HasCacheHour {
		write = p.CacheHour
	}
	return float64(u.N[query.UsageInput])*p.Input + float64(u.N[query.UsageOutput])*p.Output + float64(u.N[query.UsageCacheRead])*read + float64(u.N[query.UsageCacheWrite])*write
}
