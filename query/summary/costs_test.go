package summary

import (
	"math"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

func TestCosts(t *testing.T) {
	s := model.FromMessages(querytest.Run())
	turns := query.NewTurnIndex(s)
	a := Costs(query.Everything(s), turns, CostOptions{})
	if a.Total.Dollars != 0.75 || a.Total.Estimated != 0 || a.Total.Unknown != 1 || strings.Join(a.Missing, " ") != "haiku-4-5" {
		t.Errorf("%+v", a)
	}
	prices := PriceTable{"haiku-4": {Input: 1e-6, Output: 5e-6, CacheRead: 1e-7, HasCacheRead: true}}
	a = Costs(query.Everything(s), turns, CostOptions{Prices: prices})
	if want := 5e-6 + 7*5e-6; math.Abs(a.Total.Estimated-want) > 1e-12 || a.Total.Unknown != 0 {
		t.Errorf("estimated %v, want %v", a.Total.Estimated, want)
	}
	if !strings.HasPrefix(a.Total.String(), "~") || !strings.Contains(a.Doc().String(), "estimated by prices") {
		t.Errorf("an estimate is not labelled: %s", a.Doc())
	}
	sum := 0.0
	for _, x := range a.Tools {
		sum += x.Dollars
	}
	if math.Abs(sum-a.Total.Dollars) > 1e-9 {
		t.Errorf("the tools cost %v of %v", sum, a.Total.Dollars)
	}
	p := Price{Input: 3, Output: 5, CacheRead: 1, CacheWrite: 7, HasCacheRead: true, HasCacheWrite: true}
	hour, long := p, p
	hour.CacheHour, hour.HasCacheHour = 9, true
	long.Long = []LongPrice{{Above: 20, Price: Price{Input: 30, Output: 50}}, {Above: 2, Price: Price{Input: 6, Output: 10}}}
	for _, tt := range []struct {
		name   string
		price  Price
		tokens model.Tokens
		want   float64
	}{
		{"each its own", p, model.Tokens{Input: 1, Output: 1, CacheRead: 1, CacheWrite: 1, Reasoning: 1}, 16},
		{"what was not recorded", p, model.Tokens{Input: 1, Output: 1, CacheRead: model.NoTokens, CacheWrite: model.NoTokens, Reasoning: model.NoTokens}, 8},
		{"caches without a price", Price{Input: 3, Output: 5}, model.Tokens{Input: 1, Output: 1, CacheRead: 1, CacheWrite: 1}, 14},
		{"a cache for an hour", hour, model.Tokens{CacheWrite: 1, Flags: model.HourCache}, 9},
		{"one for minutes", hour, model.Tokens{CacheWrite: 1}, 7},
		{"one for an hour that has no price", p, model.Tokens{CacheWrite: 1, Flags: model.HourCache}, 7},
		{"short", long, model.Tokens{Input: 1, CacheRead: 1, Output: 1}, 9},
		{"long", long, model.Tokens{Input: 2, CacheRead: 1, Output: 1}, 28},
		{"longer", long, model.Tokens{Input: 20, CacheRead: 1, Output: 1}, 680},
	} {
		if got := tt.price.Of(&tt.tokens); got != tt.want {
			t.Errorf("%s: costs %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestCostsBeyondResponses: usage recorded only for the session has a price, discarded messages are
// part of the sum, and the files of subagents are not.
func TestCostsBeyondResponses(t *testing.T) {
	usage := func(input, output int64) model.Usage {
		return model.Usage{Scope: model.Total, Input: input, CacheRead: -1, CacheWrite: -1, Output: output, Reasoning: -1}
	}
	for _, tt := range []struct {
		name                         string
		total                        *model.Usage
		whole, beyond, apart, rewind float64
		session                      float64
	}{
		{name: "responses alone", whole: 20, rewind: 10, apart: 10},
		{name: "a total that has more", total: func() *model.Usage { u := usage(100, 10); return &u }(), whole: 110, beyond: 90, rewind: 10, apart: 10},
		{name: "a total that says its cost", total: &model.Usage{Scope: model.Total, Input: -1, CacheRead: -1, CacheWrite: -1, Output: -1, Reasoning: -1, HasCost: true, Cost: 7}, whole: 20, rewind: 10, apart: 10, session: 7},
		{name: "a total that includes subagents", total: &model.Usage{Scope: model.Total, Input: -1, CacheRead: -1, CacheWrite: -1, Output: -1, Reasoning: -1, HasCost: true, Cost: 7, Subagents: true},
			whole: 20, rewind: 10, apart: 10, session: 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := querytest.NewGrowing()
			g.Ix.Names = append(g.Ix.Names, "m")
			g.Ix.Threads = append(g.Ix.Threads, model.Thread{Call: model.CallID(model.NoRow), Apart: true, Name: "Explore"})
			for _, h := range []model.Head{{}, {Flags: model.Rewound}, {Thread: 1}} {
				h.Role, h.Name = model.Assistant, uint16(len(g.Ix.Names)-1)
				id := g.Add(h)
				g.Ix.Heads.Amend(int(id)).Usage = uint32(g.Ix.Tokens.Append(model.Tokens{Input: 5, CacheRead: model.NoTokens, CacheWrite: model.NoTokens, Output: 5, Reasoning: model.NoTokens}))
			}
			if tt.total != nil {
				g.Ix.Totals = append(g.Ix.Totals, model.SessionUsage{Usage: *tt.total})
			}
			s := g.Snapshot()
			a := Costs(query.Everything(s), query.NewTurnIndex(s), CostOptions{Prices: PriceTable{"m": {Input: 1, Output: 1}}, Messages: true})
			session := 0.0
			if a.Session != nil {
				session = *a.Session
			}
			if a.Total.Dollars != tt.whole || a.Beyond.Dollars != tt.beyond || a.Apart.Dollars != tt.apart || a.Rewound.Dollars != tt.rewind || session != tt.session || len(a.Messages) != 2 || a.covered != (tt.total != nil && tt.total.Subagents) || a.Agents[0].Name != "main" {
				t.Errorf("got %+v", a)
			}
			if a.Total.Estimated != a.Total.Dollars || strings.Count(a.Doc().String(), "~") < 3 {
				t.Errorf("estimates are not labelled:\n%s", a.Doc())
			}
		})
	}
}

// TestCostsOfTheSession: responses that name no model have the one of their session.
func TestCostsOfTheSession(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Sessions[0].Fields = []model.KeyValue{{Name: "model", Value: "m"}}
	id := g.Add(model.Head{Role: model.Assistant})
	g.Ix.Heads.Amend(int(id)).Usage = uint32(g.Ix.Tokens.Append(model.Tokens{Input: 5, CacheRead: model.NoTokens, CacheWrite: model.NoTokens, Output: 5, Reasoning: model.NoTokens}))
	s := g.Snapshot()
	a := Costs(query.Everything(s), query.NewTurnIndex(s), CostOptions{Prices: PriceTable{"m": {Input: 1, Output: 1}}})
	if a.Total.Dollars != 10 || a.Total.Unknown != 0 || len(a.Missing) > 0 {
		t.Errorf("costs %v with %d of unknown price (%v), want 10", a.Total.Dollars, a.Total.Unknown, a.Missing)
	}
}

func TestPriceTableFind(t *testing.T) {
	table := PriceTable{"claude-opus-4": {Input: 1}, "claude-opus-4-6": {Input: 2}, "gpt-4o": {Input: 3}}
	for name, want := range map[string]float64{"claude-opus-4-6": 2, "claude-opus-4-20250514": 1, "openai/gpt-4o": 3, "gpt-4oo": 0, "": 0,
		"claude-opus-4.6": 2, "anthropic/claude-opus-4.6": 2, "gpt-4o.1": 0} {
		if p, _ := table.Find(name); p.Input != want {
			t.Errorf("%q: %v, want %v", name, p.Input, want)
		}
	}
}
