package summary

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/cache"
	"turns/query/human"
)

// Cost is an amount in dollars, with the estimated part of it.
type Cost struct {
	Dollars   float64 `json:"-"` // as far as it is known
	Estimated float64 `json:"-"` // of it, by list prices
	// USD and EstimatedUSD are set by Shown: null means unknown in JSON, where 0 means free.
	USD          *float64 `json:"usd"`
	EstimatedUSD *float64 `json:"estimated_usd"`
	Responses    int      `json:"responses_with_usage"`   // responses of which tokens or a cost were recorded
	Unknown      int      `json:"responses_without_cost"` // of them, those whose cost is not known
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

func (c *Cost) add(o Cost) {
	c.Dollars += o.Dollars
	c.Estimated += o.Estimated
	c.Responses += o.Responses
	c.Unknown += o.Unknown
}

// without returns a recorded cost less the estimate of a part of it. What remains is an estimate as
// far as the part was.
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

// Known says whether anything is known of the cost.
func (c Cost) Known() bool { return c.Responses != c.Unknown || c.Dollars != 0 }

// source says where the dollars are from, "" where the transcript said all.
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

// Price adds estimates to the cost of each turn.
func (a *TimelineAnswer) Price(c *CostAnswer) {
	costs := make(map[int]*Cost, len(c.Turns))
	for i := range c.Turns {
		costs[c.Turns[i].Turn] = &c.Turns[i].Cost
	}
	nothing := &Cost{}
	for i := range a.Turns {
		a.Turns[i].Spent = cmp.Or(costs[a.Turns[i].Number], nothing)
	}
}

// WhatItCost returns the cost of the turn, with estimates if there are some.
func (t *Turn) WhatItCost() Cost { return CostOf(t.Cost, t.Spent) }

// Sum returns the cost of all turns.
func (a *TimelineAnswer) Sum() (c Cost) {
	for i := range a.Turns {
		c.add(a.Turns[i].WhatItCost())
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
	// position of the message that started it; null: none did, or it is unknown
	Index human.Index `json:"index"`
	Cost
}

// TurnCost is the cost of a turn, by its number in query.TurnIndex.
type TurnCost struct {
	Turn int `json:"turn"`
	Cost
}

// MessageCost is the cost of one response of a model, with the tokens that it was made of.
type MessageCost struct {
	Index human.Index    `json:"index"` // null: its message has no position
	ID    model.ID       `json:"-"`
	Turn  int            `json:"turn"`
	Model string         `json:"model"`
	Usage query.UsageSum `json:"usage"`
	// Cause is why it did not read its whole prompt from the cache: as in --cache.
	Cause *cache.Cause `json:"cause"`
	Cost
}

// ModelUsage is usage of a model that no response has.
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
	Tools    []NamedCost   `json:"tools"` // of the responses that called them, shared out evenly
	Agents   []AgentCost   `json:"agents"`
	Sessions []NamedCost   `json:"sessions"`
	Messages []MessageCost `json:"messages,omitempty"` // if the caller asked for them
	Missing  []string      `json:"models_without_price"`
	List     *ListPrices   `json:"list_prices"` // the table that estimates come from; null: unknown

	// usage of the whole session that no response has, by model
	BeyondUsage []ModelUsage `json:"-"`

	whole Cost
	own   Cost // of whole, without subagents that are sessions as well
	empty bool // nothing was asked about
	// the recorded total of a session includes Apart
	covered bool
}

// Whole returns the recorded cost of the session, or the sum of its responses.
func (a *CostAnswer) Whole() Cost { return a.whole }

// Own returns Whole without the estimated cost of subagents that have separate transcripts, for
// sums that count those as well.
func (a *CostAnswer) Own() Cost { return a.own }

// ListPrices describes a table of published prices.
type ListPrices struct {
	Date string           `json:"date"`     // on which they were published
	Days int              `json:"age_days"` // since then
	File human.TextOrNull `json:"file"`     // that an update stored; null: the table is built in
}

// listPricesOld is the number of days after which people should look for newer prices.
const listPricesOld = 60

// String returns the date and the age of the table, and the command that takes newer prices if it
// is old.
func (l *ListPrices) String() string {
	text := fmt.Sprintf("list prices of %s, %s old", l.Date, human.Plural(l.Days, "day"))
	if l.Days > listPricesOld {
		text += " (turns prices --update FILE takes newer ones)"
	}
	return text
}

// CostOptions shape the answer.
type CostOptions struct {
	Prices   PriceTable
	Messages bool // list every response
}

// of returns the recorded cost of a response, or an estimate by the table; ok is false without
// either.
func (w *costWalk) of(id model.ID, m *pricedModel) (c Cost, ok bool) {
	t, ok := w.Snap.Tokens(id)
	if !ok {
		return Cost{}, false
	}
	c.Responses = 1
	if t.Flags&model.HasCost != 0 {
		c.Dollars = t.Cost
		return c, true
	}
	if m.priced {
		c.Dollars = m.price.Of(&t)
		c.Estimated = c.Dollars
		return c, true
	}
	c.Unknown = 1
	return c, false
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

type costWalk struct {
	query.Coverage
	turns         *query.TurnIndex
	o             CostOptions
	a             *CostAnswer
	models, tools *costList
	perTurn       []Cost
	agents        []Cost // by thread
	sessions      []costSession
	known         map[uint16]*pricedModel // by their names
	only          []uint16                // models of sessions that name one; nil: not looked for yet
}

// pricedModel is a model of the answer, with its price in the table.
type pricedModel struct {
	name   string
	price  Price
	priced bool
}

// model looks a model up once, not for each of its responses.
func (w *costWalk) model(name uint16) *pricedModel {
	m := w.known[name]
	if m == nil {
		recorded := w.Snap.Name(name)
		m = &pricedModel{name: model.CleanLine(recorded)}
		m.price, m.priced = w.o.Prices.Find(recorded)
		w.known[name] = m
	}
	return m
}

// named is the model of a response. One that does not name it is of the only model that its session
// names, as AgentSmithy names it in the reasoning.
func (w *costWalk) named(h *model.Head) uint16 {
	if h.Name != 0 || h.Role != model.Assistant {
		return h.Name
	}
	if w.only == nil {
		w.only = onlyModels(w.Snap)
	}
	return w.only[w.Snap.Threads()[h.Thread].Session]
}

// onlyModels returns the model that the messages of each session name; 0 for none and for several.
func onlyModels(s *model.Snapshot) []uint16 {
	only, several := make([]uint16, len(s.Sessions())), make([]bool, len(s.Sessions()))
	for _, id := range s.LiveIDs() {
		h := s.HeadRow(id)
		if h.Role != model.Assistant || h.Name == 0 {
			continue
		}
		at := s.Threads()[h.Thread].Session
		several[at] = several[at] || only[at] != 0 && only[at] != h.Name
		only[at] = h.Name
	}
	for i := range only {
		if several[i] {
			only[i] = 0
		}
	}
	return only
}

// costSession is the cost of a session as far as it is known.
type costSession struct {
	Cost
	usage query.UsageTally // of its responses
	model string           // of its first response
	said  *float64         // what the transcript says it cost
	apart Cost             // of subagents with separate transcripts, where said includes them
}

func (w *costWalk) row(id model.ID) {
	s := w.Snap
	h := s.HeadRow(id)
	if h.Usage == model.NoRow {
		return
	}
	m := w.model(w.named(h))
	c, ok := w.of(id, m)
	if c.Responses == 0 {
		return
	}
	th := &s.Threads()[h.Thread]
	name := m.name
	if !ok {
		w.missing(name)
	}
	w.agents[h.Thread].add(c)
	if th.Apart {
		w.a.Apart.add(c)
		w.sessions[th.Session].apart.add(c)
		return
	}
	if h.Flags&model.Rewound != 0 {
		w.a.Rewound.add(c)
	}
	w.a.Total.add(c)
	w.models.add(name, c)
	turn := w.turns.Turn(id)
	if turn >= 0 {
		w.perTurn[turn].add(c)
	}
	t, _ := s.Tokens(id)
	se := &w.sessions[th.Session]
	se.add(c)
	if se.usage.AddTokens(&t); se.model == "" {
		se.model = s.Name(w.named(h))
	}
	if w.o.Messages {
		var u query.UsageTally
		u.AddTokens(&t)
		w.a.Messages = append(w.a.Messages, MessageCost{human.Index(s.Pos(id)), id, turn, name, u.Sum(), nil, c})
	}
	calls := query.CallsOf(s, id)
	if own := slices.DeleteFunc(slices.Clone(calls), func(c model.CallRow) bool { return c.Flags&model.Carries != 0 }); len(own) > 0 {
		calls = own // of a script the calls inside of it tell what it was for
	}
	for i := range calls {
		share := c
		share.Dollars /= float64(len(calls))
		share.Estimated /= float64(len(calls))
		w.tools.add(query.ToolName(s, &calls[i].Call), share)
	}
	if len(calls) == 0 {
		w.tools.add("(no tool)", c)
	}
}

func (w *costWalk) missing(name string) {
	name = cmp.Or(name, "a model without a name")
	if !slices.Contains(w.a.Missing, name) {
		w.a.Missing = append(w.a.Missing, name)
	}
}

// totals adds what the transcript says of a whole session, and of none of its
// responses. The last total that a session said holds.
func (w *costWalk) totals() {
	said := map[uint32]model.Usage{}
	for _, t := range w.Snap.Totals() {
		if int(t.Session) >= len(w.sessions) || !w.Whole[t.Session] {
			continue
		}
		if t.Usage.Scope == model.Total {
			said[t.Session] = t.Usage
			continue
		}
		var u query.UsageTally
		u.AddUsage(&t.Usage)
		w.tokensBeyond(t.Session, &u)
		w.beyond(t.Session, &u)
		w.sessions[t.Session].usage.Add(&u)
	}
	for n := range w.sessions {
		u, ok := said[uint32(n)]
		if !ok {
			continue
		}
		var total query.UsageTally
		total.AddUsage(&u)
		for i := range total.N {
			if total.Said&(1<<i) != 0 {
				total.N[i] -= w.sessions[n].usage.N[i]
			}
		}
		if !u.HasCost || !u.Subagents { // else it includes sessions that are counted as well
			w.tokensBeyond(uint32(n), &total)
		}
		if u.HasCost {
			if w.a.Session == nil {
				w.a.Session = new(float64)
			}
			*w.a.Session += u.Cost
			w.sessions[n].said = &u.Cost
			if !u.Subagents {
				w.sessions[n].apart = Cost{}
			} else if w.sessions[n].apart.Responses > 0 {
				w.a.covered = true
			}
			continue
		}
		w.beyond(uint32(n), &total)
	}
}

// modelOf returns the model of a session: that of its first response with usage, or the recorded one.
func (w *costWalk) modelOf(session uint32) string {
	return cmp.Or(w.sessions[session].model, w.Snap.Sessions()[session].Field("model"))
}

// tokensBeyond adds usage of a session that no response has, whether its price is known or not.
func (w *costWalk) tokensBeyond(session uint32, u *query.UsageTally) {
	if u.N != [query.UsageNumbers]int64{} {
		w.a.BeyondUsage = append(w.a.BeyondUsage, ModelUsage{model.CleanLine(w.modelOf(session)), u.Sum()})
	}
}

// beyond prices usage of a session that no response has.
func (w *costWalk) beyond(session uint32, u *query.UsageTally) {
	if !u.HasCost && u.N == [query.UsageNumbers]int64{} {
		return
	}
	se := &w.sessions[session]
	name := w.modelOf(session)
	c := Cost{}
	if u.HasCost {
		c.Dollars = u.Cost
	} else if p, ok := w.o.Prices.Find(name); ok {
		c.Dollars = p.base(u, false)
		c.Estimated = c.Dollars
	} else {
		w.missing(model.CleanLine(name))
		return
	}
	w.a.Beyond.add(c)
	w.a.Total.add(c)
	w.models.add(model.CleanLine(name), c)
	se.add(c)
}

func (w *costWalk) finish() {
	s, a := w.Snap, w.a
	for n, c := range w.perTurn {
		if c.Responses > 0 {
			a.Turns = append(a.Turns, TurnCost{n, c})
		}
	}
	a.Agents = []AgentCost{}
	for n, c := range w.agents {
		if c.Responses > 0 {
			a.Agents = append(a.Agents, w.agent(n, c))
		}
	}
	slices.SortStableFunc(a.Agents, func(x, y AgentCost) int { return cmp.Compare(y.Dollars, x.Dollars) })
	a.Sessions = []NamedCost{}
	for n := range w.sessions {
		c := w.sessions[n].Cost
		if said := w.sessions[n].said; said != nil {
			c.Dollars, c.Estimated = *said, 0
			a.own.add(c.without(w.sessions[n].apart))
		} else {
			a.own.add(c)
		}
		a.whole.add(c)
		c = w.sessions[n].Cost
		if c.Responses == 0 && c.Dollars == 0 {
			continue
		}
		title := cmp.Or(model.CleanLine(s.Sessions()[n].Field("title")), fmt.Sprintf("session %d", n))
		a.Sessions = append(a.Sessions, NamedCost{title, c})
	}
	slices.SortStableFunc(a.Sessions, func(x, y NamedCost) int { return cmp.Compare(y.Dollars, x.Dollars) })
	a.Models, a.Tools = w.models.sorted(), w.tools.sorted()
}

// agent names a thread.
func (w *costWalk) agent(n int, c Cost) AgentCost {
	th := &w.Snap.Threads()[n]
	if th.Main {
		name := "main"
		if len(w.sessions) > 1 {
			name = fmt.Sprintf("main of session %d", th.Session)
		}
		return AgentCost{name, -1, c}
	}
	a := AgentCost{model.CleanLine(th.Name), -1, c}
	a.Name = cmp.Or(a.Name, fmt.Sprintf("subagent %d", n))
	if uint32(th.Call) != model.NoRow && int(th.Call) < w.Snap.CallCount() {
		if at := w.Snap.Call(th.Call).Msg; at != model.NoID {
			a.Index = human.Index(w.Snap.Pos(at))
		}
	}
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
func (a *CostAnswer) WriteJSON(_ context.Context, w io.Writer) error {
	shown := *a
	for _, c := range [...]*Cost{&shown.Total, &shown.Rewound, &shown.Beyond, &shown.Apart} {
		*c = c.Shown()
	}
	shown.Models, shown.Tools, shown.Sessions = shownCosts(a.Models), shownCosts(a.Tools), shownCosts(a.Sessions)
	shown.Turns, shown.Agents, shown.Messages = slices.Clone(a.Turns), slices.Clone(a.Agents), slices.Clone(a.Messages)
	for i := range shown.Turns {
		shown.Turns[i].Cost = a.Turns[i].Shown()
	}
	for i := range shown.Agents {
		shown.Agents[i].Cost = a.Agents[i].Shown()
	}
	for i := range shown.Messages {
		shown.Messages[i].Cost = a.Messages[i].Shown()
	}
	return query.WriteJSON(w, &shown)
}

func shownCosts(list []NamedCost) []NamedCost {
	list = slices.Clone(list)
	for i := range list {
		list[i].Cost = list[i].Shown()
	}
	return list
}

// String is what Print writes where lines are as long as they are.
func (a *CostAnswer) String() string { return human.Text(a) }

// Print writes the answer as tables.
func (a *CostAnswer) Print(b *human.Page) {
	a.writeTotal(b)
	if a.Total.Responses == 0 && a.Apart.Responses == 0 && a.Total.Dollars == 0 {
		return
	}
	list := func(head string, costs []NamedCost) {
		b.WriteByte('\n')
		t := human.NewTable(head, ">responses", ">cost")
		for i := range costs {
			t.Add(human.OneLine(costs[i].Name, 50), human.Count(costs[i].Responses), costs[i].Cost.String())
		}
		t.Write(b)
	}
	list("model", a.Models)
	if len(a.Tools) > 0 {
		list("tool", a.Tools)
	}
	if len(a.Agents) > 1 {
		b.WriteByte('\n')
		t := human.NewTable("agent", ">from?", ">responses", ">cost")
		for i := range a.Agents {
			g := &a.Agents[i]
			t.Add(human.OneLine(g.Name, 50), Place(int(g.Index)), human.Count(g.Responses), g.Cost.String())
		}
		t.Write(b)
	}
	if len(a.Sessions) > 1 {
		list("session", a.Sessions)
	}
	if len(a.Turns) > 0 {
		b.WriteByte('\n')
		t := human.NewTable(">turn", ">responses", ">cost")
		for _, c := range a.Turns {
			t.Add(human.Count(c.Turn), human.Count(c.Responses), c.Cost.String())
		}
		t.Write(b)
	}
	a.writeMessages(b)
}

func (a *CostAnswer) writeTotal(b *human.Page) {
	if a.Session == nil && a.Total.Responses == 0 && a.Total.Dollars == 0 && len(a.Missing) == 0 {
		why := "not known: no usage was recorded"
		if a.empty {
			why = "none: there are no messages"
		}
		fmt.Fprintf(b, "cost  %s\n", why)
	} else if a.Session != nil {
		fmt.Fprintf(b, "cost  %s for the whole, as the transcript says\n      %s for %s\n", a.whole, a.Total, forResponses(a.Total))
	} else {
		fmt.Fprintf(b, "cost  %s for %s\n", a.Total, forResponses(a.Total))
	}
	part := func(c Cost, what string) {
		if c.Responses > 0 || c.Dollars != 0 {
			fmt.Fprintf(b, "      %s %s\n", c, what)
		}
	}
	part(a.Rewound, fmt.Sprintf("of it for %s taken back", human.Plural(a.Rewound.Responses, "response")))
	part(a.Beyond, "of it for usage that the transcript gives for the whole alone")
	apart := human.Plural(a.Apart.Responses, "response") + " of subagents in separate files"
	if a.covered {
		part(a.Apart, "for "+apart+", included in the whole")
	} else {
		part(a.Apart, "more for "+apart+" (--subagents includes them)")
	}
	if len(a.Missing) > 0 {
		fmt.Fprintf(b, "no price is known of %s\n", strings.Join(a.Missing, ", "))
	}
	if a.List != nil && (a.Total.Estimated > 0 || a.Rewound.Estimated > 0 || a.Apart.Estimated > 0) {
		fmt.Fprintf(b, "%s\n", a.List)
	}
}

// forResponses says what a cost is for, and by what.
func forResponses(c Cost) string {
	text := human.Plural(c.Responses, "response")
	if from := c.source(); from != "" {
		text += ", " + from
	}
	return text
}

func (a *CostAnswer) writeMessages(b *human.Page) {
	if len(a.Messages) == 0 {
		return
	}
	b.WriteByte('\n')
	t := human.NewTable("message", ">turn?", "model", ">input", ">cache read??", ">cache write???", ">output", "cache?", ">cost")
	number := func(n *int64) string { return human.OrNotSaid(n, human.Count[int64]) }
	for i := range a.Messages {
		m := &a.Messages[i]
		turn := human.NotSaid
		if m.Turn >= 0 {
			turn = human.Count(m.Turn)
		}
		t.Add(Place(int(m.Index)), turn, human.OneLine(m.Model, 30), number(m.Usage.Input), number(m.Usage.CacheRead), number(m.Usage.CacheWrite), number(m.Usage.Output), causeCell(m.Cause), m.Cost.String())
	}
	t.Write(b)
}
