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
	HasCacheRead, HasCacheWrite                     bool // otherwise they cost as much as input
	// without CacheHour, cache writes stored for an hour cost as much as others
	HasCacheHour bool
	// Long are the prices of requests with more tokens than a limit, largest limit first.
	Long []LongPrice
}

// LongPrice is the price for requests above a number of tokens.
type LongPrice struct {
	Above int64
	Price Price
}

// PriceTable has prices by model name.
type PriceTable map[string]Price

// Find returns the price of a model: by its full name, by its name without that of a gateway, or by
// the longest name in the table that it begins with.
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
	if dashed := strings.ReplaceAll(name, ".", "-"); dashed != name && strings.Contains(name, "claude") {
		return t.Find(dashed) // Copilot and gateways write claude-opus-4.6
	}
	return Price{}, false
}

// Of returns the price of a response.
func (p *Price) Of(t *model.Tokens) float64 {
	return sum(p.Parts(t))
}

// Parts returns the price of each part of a response, by the indexes of query.UsageTally.N.
func (p *Price) Parts(t *model.Tokens) [query.UsageNumbers]float64 {
	var u query.UsageTally
	u.AddTokens(t)
	size, _ := query.ContextSize(t)
	return p.sized(size).parts(&u, t.Flags&model.HourCache != 0)
}

// sized returns the price of a request with n tokens.
func (p *Price) sized(tokens int64) *Price {
	for i := range p.Long {
		if tokens > p.Long[i].Above {
			return &p.Long[i].Price
		}
	}
	return p
}

func sum(parts [query.UsageNumbers]float64) (all float64) {
	for _, n := range parts {
		all += n
	}
	return all
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

// base returns the price of tokens, before any surcharge for long requests.
func (p *Price) base(u *query.UsageTally, hour bool) float64 { return sum(p.parts(u, hour)) }

// parts returns the price of each kind of tokens. Output includes reasoning.
func (p *Price) parts(u *query.UsageTally, hour bool) (parts [query.UsageNumbers]float64) {
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
	for i, rate := range [...]float64{query.UsageInput: p.Input, query.UsageOutput: p.Output, query.UsageCacheRead: read, query.UsageCacheWrite: write} {
		parts[i] = float64(u.N[i]) * rate
	}
	return parts
}
