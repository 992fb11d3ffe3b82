package summary

import (
	"cmp"
	"slices"

	"turns/model"
	"turns/query"
	"turns/query/human"
)

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

type costWalk struct {
	query.Coverage
	turns         *query.TurnIndex
	o             CostOptions
	a             *CostAnswer
	models, tools *costList
	perTurn       []Cost
	agents        []Cost // by thread
	sessions      []costSession
	known         map[uint16]*pricedModel // by number of the recorded name
	only          []uint16                // the only model of each session; nil: not computed yet
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
		m = w.priced(w.Snap.Name(name))
		w.known[name] = m
	}
	return m
}

func (w *costWalk) priced(recorded string) *pricedModel {
	m := &pricedModel{name: model.CleanLine(recorded)}
	m.price, m.priced = w.o.Prices.Find(recorded)
	return m
}

// modelOfRow returns the model of a response, or that of its session if the response has none.
func (w *costWalk) modelOfRow(h *model.Head) *pricedModel {
	session := w.Snap.Threads()[h.Thread].Session
	name := w.named(h)
	if name != 0 || h.Role != model.Assistant {
		return w.model(name)
	}
	se := &w.sessions[session]
	if se.about == nil {
		se.about = w.priced(w.Snap.Sessions()[session].Field("model"))
	}
	return se.about
}

// named returns the model of a response. If it has none, it is the only model that its session
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

// onlyModels returns the single model that the messages of each session name; 0 for none or
// several.
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

// costSession is the known cost of a session.
type costSession struct {
	Cost
	usage    query.UsageTally // of its responses
	model    string           // of its first response
	about    *pricedModel     // the model in its description; nil: not looked up
	recorded *float64         // recorded cost; nil: none
	apart    Cost             // of subagents with separate transcripts, if said includes them
}

func (w *costWalk) row(id model.ID) {
	s := w.Snap
	h := s.HeadRow(id)
	if h.Usage == model.NoRow {
		return
	}
	m := w.modelOfRow(h)
	c, ok := w.of(id, m)
	if c.Responses == 0 {
		return
	}
	th := &s.Threads()[h.Thread]
	name := m.name
	if !ok {
		w.missing(name)
	}
	w.agents[h.Thread].Add(c)
	if th.Apart {
		w.a.Apart.Add(c)
		w.sessions[th.Session].apart.Add(c)
		return
	}
	if h.Flags&model.Rewound != 0 {
		w.a.Rewound.Add(c)
	}
	w.a.Total.Add(c)
	w.models.add(name, c)
	turn := w.turns.Turn(id)
	if turn >= 0 {
		w.perTurn[turn].Add(c)
	}
	t, _ := s.Tokens(id)
	se := &w.sessions[th.Session]
	se.Add(c)
	if se.usage.AddTokens(&t); se.model == "" {
		se.model = s.Name(w.named(h))
	}
	if w.o.Messages {
		var u query.UsageTally
		u.AddTokens(&t)
		w.a.Messages = append(w.a.Messages, MessageCost{human.Index(s.Pos(id)), id, turn, human.Index(w.turns.Step(id)), name, u.Sum(), h.OutputMissing(t.Usage().Output), nil, c})
	}
	calls := query.CallsOf(s, id)
	if slices.ContainsFunc(calls, func(c model.CallRow) bool { return c.Flags&model.Carries == 0 }) {
		// a script's cost goes to the calls inside of it
		calls = slices.DeleteFunc(calls, func(c model.CallRow) bool { return c.Flags&model.Carries != 0 })
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

// totals adds the usage that the transcript records only for the session, not for its responses.
// The last recorded total of a session applies.
func (w *costWalk) totals() {
	recorded := map[uint32]model.Usage{}
	for _, t := range w.Snap.Totals() {
		if int(t.Session) >= len(w.sessions) || !w.Whole[t.Session] {
			continue
		}
		if t.Usage.Scope == model.Total {
			recorded[t.Session] = t.Usage
			continue
		}
		var u query.UsageTally
		u.AddUsage(&t.Usage)
		w.tokensBeyond(t.Session, &u)
		w.beyond(t.Session, &u)
		w.sessions[t.Session].usage.Add(&u)
	}
	for n := range w.sessions {
		u, ok := recorded[uint32(n)]
		if !ok {
			continue
		}
		var total query.UsageTally
		total.AddUsage(&u)
		for i := range total.N {
			if total.Known&(1<<i) != 0 {
				total.N[i] -= w.sessions[n].usage.N[i]
			}
		}
		if !u.HasCost || !u.Subagents { // otherwise it includes sessions that count separately
			w.tokensBeyond(uint32(n), &total)
		}
		if u.HasCost {
			if w.a.Session == nil {
				w.a.Session = new(float64)
			}
			*w.a.Session += u.Cost
			w.sessions[n].recorded = &u.Cost
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

// modelOf returns the model of a session: that of its first response with usage, or the recorded
// one.
func (w *costWalk) modelOf(session uint32) string {
	return cmp.Or(w.sessions[session].model, w.Snap.Sessions()[session].Field("model"))
}

// tokensBeyond records usage of a session that belongs to no response, even if its price is
// unknown.
func (w *costWalk) tokensBeyond(session uint32, u *query.UsageTally) {
	if u.N != [query.UsageNumbers]int64{} {
		w.a.BeyondUsage = append(w.a.BeyondUsage, ModelUsage{model.CleanLine(w.modelOf(session)), u.Sum()})
	}
}

// beyond prices usage of a session that belongs to no response.
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
	w.a.Beyond.Add(c)
	w.a.Total.Add(c)
	w.models.add(model.CleanLine(name), c)
	se.Add(c)
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
		if recorded := w.sessions[n].recorded; recorded != nil {
			c.Dollars, c.Estimated = *recorded, 0
			a.own.Add(c.without(w.sessions[n].apart))
		} else {
			a.own.Add(c)
		}
		a.whole.Add(c)
		c = w.sessions[n].Cost
		if c.Responses == 0 && c.Dollars == 0 {
			continue
		}
		title := cmp.Or(model.CleanLine(s.Sessions()[n].Field("title")), human.SessionOf(n))
		a.Sessions = append(a.Sessions, NamedCost{title, c})
	}
	slices.SortStableFunc(a.Sessions, func(x, y NamedCost) int { return cmp.Compare(y.Dollars, x.Dollars) })
	a.Models, a.Tools = w.models.sorted(), w.tools.sorted()
}

// agent returns the cost of a thread with its name.
func (w *costWalk) agent(n int, c Cost) AgentCost {
	th := &w.Snap.Threads()[n]
	if th.Main {
		name := "main"
		if len(w.sessions) > 1 {
			name = "main of " + human.SessionOf(th.Session)
		}
		return AgentCost{name, -1, c}
	}
	a := AgentCost{query.AgentName(w.Snap, uint32(n)), -1, c}
	if uint32(th.Call) != model.NoRow {
		if at := w.Snap.Call(th.Call).Msg; at != model.NoID {
			a.Index = human.Index(w.Snap.Pos(at))
		}
	}
	return a
}
