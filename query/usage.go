package query

import "turns/model"

// UsageSum is recorded usage, each response counted once. Input excludes tokens read from or
// written to a cache, and Output includes Reasoning. A number that no response recorded is nil,
// null in JSON.
type UsageSum struct {
	Input      *int64 `json:"input_tokens"`
	CacheRead  *int64 `json:"cache_read_tokens"`
	CacheWrite *int64 `json:"cache_write_tokens"`
	Output     *int64 `json:"output_tokens"`
	Reasoning  *int64 `json:"reasoning_tokens"`
	Total      *int64 `json:"total_tokens"` // input, cache read, cache write and output
}

// UsageTally adds up usage without pointers. Said has a bit for each number with at least one
// record.
type UsageTally struct {
	N       [UsageNumbers]int64
	Known   uint8
	Cost    float64
	HasCost bool
}

// The indexes of UsageTally.N, and their number.
const (
	UsageInput = iota
	UsageCacheRead
	UsageCacheWrite
	UsageOutput
	UsageReasoning
	UsageNumbers
)

// AddTokens adds the usage of a response in the index; NoTokens adds zero.
func (u *UsageTally) AddTokens(t *model.Tokens) {
	for i, n := range [UsageNumbers]uint32{t.Input, t.CacheRead, t.CacheWrite, t.Output, t.Reasoning} {
		if n != model.NoTokens {
			u.N[i] += int64(n)
			u.Known |= 1 << i
		}
	}
	if t.Flags&model.HasCost != 0 {
		u.Cost += t.Cost
		u.HasCost = true
	}
}

// AddUsage adds the usage of a message; a negative number adds zero.
func (u *UsageTally) AddUsage(t *model.Usage) {
	for i, n := range [UsageNumbers]int64{t.Input, t.CacheRead, t.CacheWrite, t.Output, t.Reasoning} {
		if n >= 0 {
			u.N[i] += n
			u.Known |= 1 << i
		}
	}
	if t.HasCost {
		u.Cost += t.Cost
		u.HasCost = true
	}
}

// Add adds another tally.
func (u *UsageTally) Add(v *UsageTally) {
	for i := range u.N {
		u.N[i] += v.N[i]
	}
	u.Known |= v.Known
	u.Cost += v.Cost
	u.HasCost = u.HasCost || v.HasCost
}

// Total replaces the sum of the responses by the conversation's own total, for each number that
// the total has.
func (u *UsageTally) Total(t *UsageTally) {
	for i := range u.N {
		if t.Known&(1<<i) != 0 {
			u.N[i] = t.N[i]
		}
	}
	u.Known |= t.Known
	if t.HasCost {
		u.Cost, u.HasCost = t.Cost, true
	}
}

// Sum returns the usage for people and JSON, with nil for unrecorded numbers. Output includes
// reasoning, so the total adds no reasoning, and reasoning without output has no total.
func (u *UsageTally) Sum() UsageSum {
	if u.Known == 0 {
		return UsageSum{}
	}
	n := new([UsageNumbers + 1]int64) // one allocation for all numbers
	copy(n[:], u.N[:])
	get := func(i int) *int64 {
		if u.Known&(1<<i) == 0 {
			return nil
		}
		return &n[i]
	}
	s := UsageSum{
		Input: get(UsageInput), CacheRead: get(UsageCacheRead), CacheWrite: get(UsageCacheWrite),
		Output: get(UsageOutput), Reasoning: get(UsageReasoning),
	}
	if u.Known&^(1<<UsageReasoning) != 0 {
		n[UsageNumbers] = u.N[UsageInput] + u.N[UsageCacheRead] + u.N[UsageCacheWrite] + u.N[UsageOutput]
		s.Total = &n[UsageNumbers]
	}
	return s
}

// Dollars returns the recorded cost in US dollars, nil if there is none.
func (u *UsageTally) Dollars() *float64 {
	if !u.HasCost {
		return nil
	}
	c := u.Cost
	return &c
}

// ContextSize returns the number of tokens in a request.
func ContextSize(t *model.Tokens) (n int64, ok bool) {
	for _, part := range [...]uint32{t.Input, t.CacheRead, t.CacheWrite} {
		if part != model.NoTokens {
			n += int64(part)
			ok = true
		}
	}
	return n, ok && n > 0
}

// ContextOf returns the number of tokens in the request of a message; ok is false without a
// recorded one.
func ContextOf(s *model.Snapshot, id model.ID) (n int64, ok bool) {
	t, ok := s.Tokens(id)
	if !ok {
		return 0, false
	}
	return ContextSize(&t)
}
