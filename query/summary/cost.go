package summary

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/cache"
	"turns/query/human"
)

// Cost is an amount in dollars, with the estimated part of it.
type Cost struct {
	Dollars   float64 `json:"-"` // the known part
	Estimated float64 `json:"-"` // part of Dollars, by list prices
	// USD and EstimatedUSD are set by Shown: null means unknown in JSON, where 0 means free.
	USD          *float64 `json:"usd"`
	EstimatedUSD *float64 `json:"estimated_usd"`
	Responses    int      `json:"responses_with_usage"`   // responses with recorded tokens or cost
	Unknown      int      `json:"responses_without_cost"` // part of Responses with unknown cost
}

// Shown returns the cost as JSON shows it.
func (c Cost) Shown() Cost {
	c.USD, c.EstimatedUSD = nil, nil
	if c.Known() {
		c.USD, c.EstimatedUSD = new(c.Dollars), new(c.Estimated)
	}
	return c
}

// OrNull returns the cost as JSON shows it, and nil if there are neither responses nor costs.
func (c Cost) OrNull() *Cost {
	if c.Responses == 0 && c.Dollars == 0 {
		return nil
	}
	c = c.Shown()
	return &c
}

// Add adds another cost.
func (c *Cost) Add(o Cost) {
	c.Dollars += o.Dollars
	c.Estimated += o.Estimated
	c.Responses += o.Responses
	c.Unknown += o.Unknown
}

// without returns a recorded cost less the estimate of a part of it. The rest is an estimate up to
// the size of that part.
func (c Cost) without(part Cost) Cost {
	part.Dollars = min(part.Dollars, c.Dollars)
	c.Dollars -= part.Dollars
	c.Estimated = min(c.Dollars, part.Dollars)
	return c
}

// String returns the cost for people, with ~ in front if any part is an estimate.
func (c Cost) String() string {
	switch {
	case !c.Known():
		return human.NotSaid
	case c.Estimated > 0:
		return "~" + human.Money(c.Dollars)
	}
	return human.Money(c.Dollars)
}

// Known reports whether any part of the cost is known.
func (c Cost) Known() bool { return c.Responses != c.Unknown || c.Dollars != 0 }

// source describes the source of the dollars, "" if the transcript has all of them.
func (c Cost) source() string {
	switch {
	case c.Estimated == 0:
		return ""
	case c.Estimated == c.Dollars:
		return "estimated by prices"
	}
	return human.Money(c.Estimated) + " of it estimated by prices"
}

// CostOf returns the cost with estimates if there are some, or the recorded cost.
func CostOf(recorded *float64, spent *Cost) Cost {
	switch {
	case spent != nil:
		return *spent
	case recorded != nil:
		return Cost{Dollars: *recorded, Responses: 1}
	}
	return Cost{}
}

// Price adds estimates to the cost of the selection.
func (a *StatsAnswer) Price(c *CostAnswer) {
	a.Spent = c.Whole().OrNull()
}

// CostText returns the cost of the selection and its source.
func (a *StatsAnswer) CostText() (cost, from string) {
	c := CostOf(a.Cost, a.Spent)
	if !c.Known() {
		return human.NotSaid, "not recorded"
	}
	return c.String(), c.source()
}

// Price adds estimates to the cost of each turn, and the cost of the session, which may have costs
// outside its turns.
func (a *TimelineAnswer) Price(c *CostAnswer) {
	a.whole = c.Whole()
	costs := make(map[int]*Cost, len(c.Turns))
	for i := range c.Turns {
		costs[c.Turns[i].Turn] = &c.Turns[i].Cost
	}
	nothing := &Cost{}
	for i := range a.Turns {
		a.Turns[i].Spent = cmp.Or(costs[a.Turns[i].Number], nothing)
	}
}

// TotalCost returns the cost of the turn, with estimates if there are some.
func (t *Turn) TotalCost() Cost { return CostOf(t.Cost, t.Spent) }

// Sum returns the cost of all turns.
func (a *TimelineAnswer) Sum() (c Cost) {
	for i := range a.Turns {
		c.Add(a.Turns[i].TotalCost())
	}
	return c
}

// NamedCost is the cost of a model or a tool.
type NamedCost struct {
	Name string `json:"name"`
	Cost
}

// AgentCost is the cost of one agent of the session, without the agents that it started.
type AgentCost struct {
	Name string `json:"name"`
	// position of the message that started it; null: none, or unknown
	Index human.Index `json:"index"`
	Cost
}

// TurnCost is the cost of a turn, by its number in query.TurnIndex.
type TurnCost struct {
	Turn int `json:"turn"`
	Cost
}

// MessageCost is the cost of one response of a model, and its tokens.
type MessageCost struct {
	Index human.Index    `json:"index"` // null: its message has no position
	ID    model.ID       `json:"-"`
	Turn  int            `json:"turn"`
	Step  human.Index    `json:"step"` // within its turn; null: not on the live branch
	Model string         `json:"model"`
	Usage query.UsageSum `json:"usage"`
	// output tokens beyond a recorded placeholder, by the size of the text
	Missing int64 `json:"-"`
	// Cause is why it did not read its whole prompt from the cache, as in --cache.
	Cause *cache.Cause `json:"cause"`
	Cost
}

// ModelUsage is usage of a model that belongs to no response.
type ModelUsage struct {
	Model string
	Usage query.UsageSum
}

// CostAnswer is the cost of a selection. The lists break the total down.
type CostAnswer struct {
	Version int      `json:"version"`
	Total   Cost     `json:"total"`
	Session *float64 `json:"recorded_for_session"` // the session's total, as recorded
	// part of the total: responses erased by a rewind
	Rewound Cost `json:"rewound"`
	// part of the total: recorded for the session, but for none of its responses
	Beyond Cost `json:"beyond_responses"`
	// not in the total: subagents with separate transcripts
	Apart    Cost          `json:"agents_apart"`
	Models   []NamedCost   `json:"models"`
	Turns    []TurnCost    `json:"turns"`
	Tools    []NamedCost   `json:"tools"` // of the responses that called them, divided evenly
	Agents   []AgentCost   `json:"agents"`
	Sessions []NamedCost   `json:"sessions"`
	Messages []MessageCost `json:"messages,omitempty"` // on request
	Missing  []string      `json:"models_without_price"`
	List     *ListPrices   `json:"list_prices"` // the source of estimates; null: unknown

	// usage of the whole session that belongs to no response, by model
	BeyondUsage []ModelUsage `json:"-"`

	whole Cost
	own   Cost // part of whole without subagents that are also sessions
	empty bool // the selection is empty
	// the recorded total of a session includes Apart
	covered bool
}

// Whole returns the recorded cost of the session, or the sum of its responses.
func (a *CostAnswer) Whole() Cost { return a.whole }

// Own returns Whole without the estimated cost of subagents with separate transcripts, for
// sums that count those as well.
func (a *CostAnswer) Own() Cost { return a.own }

// ListPrices describes a table of published prices.
type ListPrices struct {
	Date string           `json:"date"`     // of publication
	Days int              `json:"age_days"` // since then
	File human.TextOrNull `json:"file"`     // file of an update; null: the built-in table
}

// listPricesOld is the number of days after which people should look for newer prices.
const listPricesOld = 60

// String returns the date and the age of the table and, if it is old, the command that updates
// it.
func (l *ListPrices) String() string {
	text := fmt.Sprintf("list prices of %s, %s old", l.Date, human.Plural(l.Days, "day"))
	if l.Days > listPricesOld {
		text += " (turns prices --update FILE updates them)"
	}
	return text
}

// CostOptions shape the answer.
type CostOptions struct {
	Prices   PriceTable
	Messages bool // list every response
}

// Costs adds up the cost of the selected responses. If a whole conversation is selected, it adds
// abandoned and rewound branches and the cost recorded for the whole conversation. It reads heads
// only.
func Costs(sel query.Selection, turns *query.TurnIndex, o CostOptions) *CostAnswer {
	s := sel.Snap
	w := &costWalk{
		Coverage: query.NewCoverage(sel), turns: turns, o: o, a: &CostAnswer{Version: human.AnswerVersion, Turns: []TurnCost{}, Missing: []string{}},
		models: newCostList(), tools: newCostList(), perTurn: make([]Cost, turns.Len()), agents: make([]Cost, len(s.Threads())), sessions: make([]costSession, len(s.Sessions())),
		known: map[uint16]*pricedModel{},
	}
	for n := range s.Rows() {
		if id := s.Row(n); w.WholeOf(s.HeadRow(id)) || !w.All && w.Picked.Has(id) {
			w.row(id)
		}
	}
	w.totals()
	w.finish()
	w.a.empty = sel.Len() == 0
	return w.a
}

// CostSince returns the cost of the responses of a conversation since a time. It ignores responses
// without a time.
func CostSince(s *model.Snapshot, prices PriceTable, since time.Time) (sum Cost) {
	a := Costs(query.Everything(s), query.NewTurnIndex(s), CostOptions{Prices: prices, Messages: true})
	for i := range a.Messages {
		if m := &a.Messages[i]; s.HeadRow(m.ID).Time >= since.UnixMilli() {
			sum.Add(m.Cost)
		}
	}
	return sum
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
	l.list[i].Add(c)
}

func (l *costList) sorted() []NamedCost {
	slices.SortStableFunc(l.list, func(a, b NamedCost) int { return cmp.Compare(b.Dollars, a.Dollars) })
	return l.list
}
