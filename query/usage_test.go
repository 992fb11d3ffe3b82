package query

import (
	"encoding/json"
	"testing"

	"turns/model"
)

// TestUsageTally: numbers that no response recorded are null, not 0, in every sum.
func TestUsageTally(t *testing.T) {
	none := model.NoTokens
	var responses, total, usage, reasoning UsageTally
	responses.AddTokens(&model.Tokens{Input: 3, CacheRead: none, CacheWrite: 0, Output: 5, Reasoning: none})
	responses.AddTokens(&model.Tokens{Input: 4, CacheRead: none, CacheWrite: none, Output: none, Reasoning: 2, Cost: 0.5, Flags: model.HasCost})
	usage.AddUsage(&model.Usage{Input: 0, CacheRead: 9, CacheWrite: -1, Output: -1, Reasoning: -1})
	total = responses
	total.Total(&usage)
	paid := total
	paid.Total(&UsageTally{Cost: 2, HasCost: true})
	reasoning.AddTokens(&model.Tokens{Input: none, CacheRead: none, CacheWrite: none, Output: none, Reasoning: 1})
	for _, c := range []struct {
		name string
		u    UsageTally
		want string
		cost string
	}{
		{"nothing", UsageTally{}, `[null,null,null,null,null,null]`, "null"},
		{"two responses", responses, `[7,null,0,5,2,12]`, "0.5"},
		{"a total without a cost", usage, `[0,9,null,null,null,9]`, "null"},
		{"a total replaces what it has", total, `[0,9,0,5,2,14]`, "0.5"},
		{"a total with a cost", paid, `[0,9,0,5,2,14]`, "2"},
		{"only reasoning", reasoning, `[null,null,null,null,1,null]`, "null"},
	} {
		s := c.u.Sum()
		got, _ := json.Marshal([]*int64{s.Input, s.CacheRead, s.CacheWrite, s.Output, s.Reasoning, s.Total})
		cost, _ := json.Marshal(c.u.Dollars())
		if string(got) != c.want || string(cost) != c.cost {
			t.Errorf("%s: %s and %s dollars, want %s and %s", c.name, got, cost, c.want, c.cost)
		}
	}
}

// TestContextSize: the context of a request is its input, cached or not. Without a recorded number
// it is unknown.
func TestContextSize(t *testing.T) {
	none := model.NoTokens
	for want, tokens := range map[int64]model.Tokens{
		12: {Input: 3, CacheRead: 9, CacheWrite: none, Output: 100},
		4:  {Input: none, CacheRead: none, CacheWrite: 4},
		0:  {Input: none, CacheRead: none, CacheWrite: none, Output: 100},
	} {
		if got, ok := ContextSize(&tokens); got != want || ok != (want > 0) {
			t.Errorf("%+v: %d tokens, known is %v, want %d", tokens, got, ok, want)
		}
	}
	if got, ok := ContextSize(&model.Tokens{CacheRead: none, CacheWrite: none}); got != 0 || ok {
		t.Errorf("a request of 0 tokens has a known size: %d", got)
	}
}
