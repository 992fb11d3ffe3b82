package query

import "turns/model"

// UsageSum is recorded usage, each response counted once. Input is what was
// neither read from nor written to a cache, Output includes Reasoning. What no
// response recorded is nil, null in JSON.
type UsageSum struct {
	Input      *int64 `json:"input_tokens"`
	CacheRead  *int64 `json:"cache_read_tokens"`
	CacheWrite *int64 `json:"cache_write_tokens"`
	Output     *int64 `json:"output_tokens"`
	Reasoning  *int64 `json:"reasoning_tokens"`
	Total      *int64 `json:"total_tokens"` // input, cache read, cache write and output
}

// usageTally adds usage up without pointers; said has a bit for each number that
// was recorded at least once.
type usageTally struct {
	n       [usageNumbers]int64
	said    uint8
	cost    float64
	hasCost bool
}

const (
	usageInput = iota
	usageCacheRead
	usageCacheWrite
	usageOutput
	usageReasoning
	usageNumbers
)

func (u *usageTally) addTokens(t *model.Tokens) {
	for i, n := range [usageNumbers]uint32{t.Input, t.CacheRead, t.CacheWrite, t.Output, t.Reasoning} {
		if n != model.NoTokens {
			u.n[i] += int64(n)
			u.said |= 1 << i
		}
	}
	if t.Flags&model.HasCost != 0 {
		u.cost += t.Cost
		u.hasCost = true
	}
}

func (u *usageTally) addUsage(t *model.Usage) {
	for i, n := range [usageNumbers]int64{t.Input, t.CacheRead, t.CacheWrite, t.Output, t.Reasoning} {
		if n >= 0 {
			u.n[i] += n
			u.said |= 1 << i
		}
	}
	if t.HasCost {
		u.cost += t.Cost
		u.hasCost = true
	}
}

func (u *usageTally) add(v *usageTally) {
	for i := range u.n {
		u.n[i] += v.n[i]
	}
	u.said |= v.said
	u.cost += v.cost
	u.hasCost = u.hasCost || v.hasCost
}

// total puts the conversation's own total in the place of the sum of its
// responses. A number that the total does not say stays the sum.
func (u *usageTally) total(t *usageTally) {
	for i := range u.n {
		if t.said&(1<<i) != 0 {
			u.n[i] = t.n[i]
		}
	}
	u.said |= t.said
	if t.hasCost {
		u.cost, u.hasCost = t.cost, true
	}
}

func (u *usageTally) sum() UsageSum {
	if u.said == 0 {
		return UsageSum{}
	}
	n := new([usageNumbers + 1]int64) // one piece of memory for all that is pointed to
	copy(n[:], u.n[:])
	get := func(i int) *int64 {
		if u.said&(1<<i) == 0 {
			return nil
		}
		return &n[i]
	}
	s := UsageSum{
		Input: get(usageInput), CacheRead: get(usageCacheRead), CacheWrite: get(usageCacheWrite),
		Output: get(usageOutput), Reasoning: get(usageReasoning),
	}
	if u.said&^(1<<usageReasoning) != 0 {
		n[usageNumbers] = u.n[usageInput] + u.n[usageCacheRead] + u.n[usageCacheWrite] + u.n[usageOutput]
		s.Total = &n[usageNumbers]
	}
	return s
}

func (u *usageTally) dollars() *float64 {
	if !u.hasCost {
		return nil
	}
	c := u.cost
	return &c
}

// contextSize is how many tokens a request had.
func contextSize(t *model.Tokens) (n int64, ok bool) {
	for _, part := range [...]uint32{t.Input, t.CacheRead, t.CacheWrite} {
		if part != model.NoTokens {
			n += int64(part)
			ok = true
		}
	}
	return n, ok && n > 0
}

// ContextOf is how many tokens the request of a message had: what the model saw.
// ok is false where that was not recorded.
func ContextOf(s *model.Snapshot, id model.ID) (n int64, ok bool) {
	t, ok := s.Tokens(id)
	if !ok {
		return 0, false
	}
	return contextSize(&t)
}

// sessionUsage is the usage of the selected responses; of whole conversations
// everything that they recorded: the responses of every branch that ran, and what
// covers more than a response. Totals of a conversation beat the sum of its
// responses; rises of a counter add to it.
func (w *statsWalk) sessionUsage() (sum usageTally) {
	totals := make(map[uint32]*usageTally)
	for _, t := range w.snap.Totals() {
		if int(t.Session) >= len(w.usage) || !w.whole[t.Session] {
			continue
		}
		switch t.Usage.Scope {
		case model.Total: // the last one that a session said holds
			total := &usageTally{}
			total.addUsage(&t.Usage)
			totals[t.Session] = total
		default:
			w.usage[t.Session].addUsage(&t.Usage)
		}
	}
	for i := range w.usage {
		if total := totals[uint32(i)]; total != nil {
			w.usage[i].total(total)
		}
		sum.add(&w.usage[i])
	}
	return sum
}
