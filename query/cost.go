package query

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"turns/model"
)

// Price is what a model's tokens cost, in US dollars each.
type Price struct {
	Input, Output, CacheRead, CacheWrite float64
	HasCacheRead, HasCacheWrite          bool // else they cost what input costs
}

// PriceTable holds prices by the name of the model.
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

// Of is what a response costs.
func (p *Price) Of(t *model.Tokens) float64 {
	n := func(x uint32) float64 {
		if x == model.NoTokens {
			return 0
		}
		return float64(x)
	}
	read, write := p.CacheRead, p.CacheWrite
	if !p.HasCacheRead {
		read = p.Input
	}
	if !p.HasCacheWrite {
		write = p.Input
	}
	return n(t.Input)*p.Input + n(t.Output)*p.Output + n(t.CacheRead)*read + n(t.CacheWrite)*write
}

// Cost is dollars, and which part of them is an estimate.
type Cost struct {
	Dollars   float64 `json:"usd"`
	Estimated float64 `json:"estimated_usd"` // of them, by the price table
	Responses int     `json:"responses"`
	Unknown   int     `json:"responses_without_cost"` // neither recorded nor in the table
}

func (c *Cost) add(o Cost) {
	c.Dollars += o.Dollars
	c.Estimated += o.Estimated
	c.Responses += o.Responses
	c.Unknown += o.Unknown
}

// String is the cost as people read it; an estimate says so.
func (c Cost) String() string {
	switch {
	case c.Responses == c.Unknown:
		return NotSaid
	case c.Estimated == c.Dollars && c.Dollars > 0:
		return "≈" + Money(c.Dollars) + " (estimated)"
	case c.Estimated > 0:
		return "≈" + Money(c.Dollars) + " (" + Money(c.Estimated) + " estimated)"
	}
	return Money(c.Dollars)
}

// NamedCost is a cost of something.
type NamedCost struct {
	Name string `json:"name"`
	Cost
}

// TurnCost is the cost of a turn.
type TurnCost struct {
	Turn int `json:"turn"`
	Cost
}

// CostAnswer is what a selection cost.
type CostAnswer struct {
	Version  int         `json:"version"`
	Total    Cost        `json:"total"`
	Session  *float64    `json:"recorded_for_session"` // a cost that the transcript gives for the whole
	Models   []NamedCost `json:"models"`
	Turns    []TurnCost  `json:"turns"`
	Tools    []NamedCost `json:"tools"` // of the responses that called them, shared out evenly
	Agents   []NamedCost `json:"agents"`
	Sessions []NamedCost `json:"sessions"`
	Missing  []string    `json:"models_without_price"`
}

// CostOf is the cost of a response: as recorded, else by the table; ok is false
// where neither says.
func CostOf(s *model.Snapshot, id model.ID, prices PriceTable) (c Cost, ok bool) {
	t, ok := s.Tokens(id)
	if !ok {
		return Cost{}, false
	}
	c.Responses = 1
	if t.Flags&model.HasCost != 0 {
		c.Dollars = t.Cost
		return c, true
	}
	if p, ok := prices.Find(s.Name(s.HeadRow(id).Name)); ok {
		c.Dollars = p.Of(&t)
		c.Estimated = c.Dollars
		return c, true
	}
	c.Unknown = 1
	return c, false
}

// Costs adds up what the selected responses cost. It reads heads only.
func Costs(sel Selection, turns *TurnIndex, prices PriceTable) *CostAnswer {
	s := sel.Snap
	a := &CostAnswer{Version: AnswerVersion, Turns: []TurnCost{}, Missing: []string{}}
	models, tools, agents, sessions := newCostList(), newCostList(), newCostList(), newCostList()
	perTurn := make([]Cost, turns.Len())
	for _, id := range sel.IDs {
		c, ok := CostOf(s, id, prices)
		if c.Responses == 0 {
			continue
		}
		h := s.HeadRow(id)
		th := &s.Threads()[h.Thread]
		name := model.CleanLine(s.Name(h.Name))
		if !ok && !slices.Contains(a.Missing, name) {
			a.Missing = append(a.Missing, name)
		}
		a.Total.add(c)
		models.add(name, c)
		if n := turns.Turn(id); n >= 0 {
			perTurn[n].add(c)
		}
		agent := "main"
		if !th.Main {
			if agent = model.CleanLine(th.Name); agent == "" {
				agent = fmt.Sprintf("subagent %d", h.Thread)
			}
		}
		agents.add(agent, c)
		se := &s.Sessions()[th.Session]
		title := model.CleanLine(se.Field("title"))
		if title == "" {
			title = fmt.Sprintf("session %d", th.Session)
		}
		sessions.add(title, c)
		calls := callsOf(s, id)
		for i := range calls {
			share := c
			share.Dollars /= float64(len(calls))
			share.Estimated /= float64(len(calls))
			tools.add(toolName(s, &calls[i].Call), share)
		}
		if len(calls) == 0 {
			tools.add("(no tool)", c)
		}
	}
	for n, c := range perTurn {
		if c.Responses > 0 {
			a.Turns = append(a.Turns, TurnCost{n, c})
		}
	}
	if sel.everything() {
		for _, t := range s.Totals() {
			if t.Usage.Scope == model.Total && t.Usage.HasCost {
				if a.Session == nil {
					a.Session = new(float64)
				}
				*a.Session = t.Usage.Cost
			}
		}
	}
	a.Models, a.Tools, a.Agents, a.Sessions = models.sorted(), tools.sorted(), agents.sorted(), sessions.sorted()
	return a
}

type costList struct {
	at   map[string]int
	list []NamedCost
}

func newCostList() *costList { return &costList{at: map[string]int{}, list: []NamedCost{}} }

func (l *costList) add(name string, c Cost) {
	i, ok := l.at[name]
	if !ok {
		i = len(l.list)
		l.at[name] = i
		l.list = append(l.list, NamedCost{Name: name})
	}
	l.list[i].add(c)
}

func (l *costList) sorted() []NamedCost {
	slices.SortStableFunc(l.list, func(a, b NamedCost) int { return cmp.Compare(b.Dollars, a.Dollars) })
	return l.list
}

// WriteJSON writes the answer.
func (a *CostAnswer) WriteJSON(_ context.Context, w io.Writer) error { return writeJSON(w, a) }

// String is the answer as tables.
func (a *CostAnswer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cost  %s for %s\n", a.Total, Plural(a.Total.Responses, "response"))
	if a.Session != nil {
		fmt.Fprintf(&b, "the transcript says %s for the whole\n", Money(*a.Session))
	}
	if len(a.Missing) > 0 {
		fmt.Fprintf(&b, "no price is known of %s\n", strings.Join(a.Missing, ", "))
	}
	if a.Total.Responses == 0 {
		return b.String()
	}
	list := func(head string, costs []NamedCost) {
		b.WriteByte('\n')
		t := newTable(head, ">responses", ">cost")
		for i := range costs {
			t.add(oneLine(costs[i].Name, 50), Count(costs[i].Responses), costs[i].Cost.String())
		}
		t.write(&b)
	}
	list("model", a.Models)
	list("tool", a.Tools)
	if len(a.Agents) > 1 {
		list("agent", a.Agents)
	}
	if len(a.Sessions) > 1 {
		list("session", a.Sessions)
	}
	b.WriteByte('\n')
	t := newTable(">turn", ">responses", ">cost")
	for _, c := range a.Turns {
		t.add(Count(c.Turn), Count(c.Responses), c.Cost.String())
	}
	t.write(&b)
	return b.String()
}
