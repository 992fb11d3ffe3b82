package parquet

import (
	"cmp"
	"maps"
	"slices"

	"turns/model"
	"turns/query"
)

// use counts the usage of a message for its model.
func (p *pen) use(name string, t *model.Tokens) {
	sum := p.usedBy[name]
	if sum == nil {
		sum = &query.UsageTally{}
		p.usedBy[name] = sum
	}
	sum.AddTokens(t)
}

// rest adds rows for the usage that belongs to no message, one for each model: with them, the sums
// over messages are those of the session. A transcript may record usage only for the session, or
// more for the session than for its messages.
func (p *pen) rest() {
	left := map[string]*query.UsageTally{}
	of := func(name string) *query.UsageTally {
		if left[name] == nil {
			left[name] = &query.UsageTally{}
		}
		return left[name]
	}
	var shared query.UsageTally
	for i := range p.in.Models {
		part := &p.in.Models[i]
		used := p.usedBy[part.Key]
		for n, number := range tallied {
			if !part.Has(number) {
				continue
			}
			more := part.N[number]
			if used != nil {
				more -= used.N[n]
			}
			of(part.Key).N[n] += more
			shared.N[n] += more
		}
	}
	main := of(p.in.Model)
	for n, number := range tallied {
		main.N[n] += p.in.N[number] - p.used.N[n] - shared.N[n]
	}
	if p.in.Dollars-p.in.Estimated-p.used.Cost > 1e-9 {
		main.Cost, main.HasCost = p.in.Dollars-p.in.Estimated-p.used.Cost, true
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if sum := left[name]; *sum != (query.UsageTally{}) {
			p.usage = append(p.usage, p.usageRow(name, sum))
		}
	}
}

// usageRow returns usage as a row among the messages.
func (p *pen) usageRow(name string, sum *query.UsageTally) messageRow {
	row := messageRow{TranscriptID: p.id, MessageIndex: -1, Role: "usage", Model: name, Turn: -1, Timestamp: cmp.Or(p.in.Run.Last, p.in.Started)}
	for n, to := range [...]**int64{&row.InputTokens, &row.CacheReadTokens, &row.CacheMadeTokens, &row.OutputTokens, &row.ReasoningTokens} {
		if sum.N[n] != 0 {
			*to = &sum.N[n]
		}
	}
	if sum.HasCost {
		row.Cost = &sum.Cost
	}
	return row
}
