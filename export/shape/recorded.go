package shape

import (
	"slices"
	"time"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// recorded adds the time, the model and the usage of a message that the fields of the element do
// not have. own is the element, whole or up to its last field so far.
func (s *shaper) recorded(it *Item, own []byte, first bool, back *Extra) {
	var at, name, usage []byte
	c := jsonspan.New(own)
	for c.Object(); c.Key(); {
		switch {
		case slices.Contains(kit.TimeNames[:], string(c.Name)) && at == nil:
			at = c.Skip()
		case string(c.Name) == "model":
			name = c.Skip()
		case string(c.Name) == "usage":
			usage = c.Skip()
		default:
			c.Skip()
		}
	}
	h := it.head
	if kit.MomentOf(at).Ms != h.Time {
		text := ""
		if h.Time != 0 {
			text = time.UnixMilli(h.Time).UTC().Format(timeLayout)
		}
		back.Time = &text
	}
	if wrote := s.snap.Name(h.Name); first && h.Role == model.Assistant && wrote != string(kit.Inside(name)) {
		back.Model = wrote
	}
	t, ok := s.snap.Tokens(it.id)
	reads := kit.UsageOf(usage)
	switch {
	case !ok || !first:
		if reads.Scope != model.NoUsage {
			back.Usage = &ExtraUsage{}
		}
	case reads.Scope == model.NoUsage || model.TokensOf(&reads) != withoutReason(t):
		back.Usage = usageOf(&t)
	}
	if ok && first {
		back.Missed = s.snap.Name(t.Missed)
	}
}

// withoutReason is a row of usage without the reason why a cache did not have the prompt.
func withoutReason(t model.Tokens) model.Tokens {
	t.Missed = 0
	return t
}

// usageOf is a row of usage as a field.
func usageOf(t *model.Tokens) *ExtraUsage {
	n := func(n uint32) *uint32 {
		if n == model.NoTokens {
			return nil
		}
		return &n
	}
	u := &ExtraUsage{Input: n(t.Input), CacheRead: n(t.CacheRead), CacheWrite: n(t.CacheWrite), Output: n(t.Output), Reasoning: n(t.Reasoning)}
	if t.Flags&model.HasCost != 0 {
		u.Cost = &t.Cost
	}
	if t.Flags&model.HourCache != 0 {
		u.CacheLife = &HourWrite{Hour: max(t.CacheWrite, 1)}
	}
	return u
}
