package summary

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
)

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

// Doc describes the answer.
func (a *CostAnswer) Doc() *answer.Doc {
	d := &answer.Doc{}
	d.AddText(a.total()...)
	if a.Total.Responses == 0 && a.Apart.Responses == 0 && a.Total.Dollars == 0 {
		return d
	}
	d.AddTable("", costTable("model", a.Models))
	d.AddTable("", costTable("tool", a.Tools))
	if len(a.Agents) > 1 {
		t := answer.NewTable("agent", ">from?", ">responses", ">cost").Cut(50, 0)
		for i := range a.Agents {
			g := &a.Agents[i]
			t.Add(g.Name, answer.At(g.Index).Text, human.Count(g.Responses), g.Cost.String())
		}
		d.AddTable("", t)
	}
	if len(a.Sessions) > 1 {
		d.AddTable("", costTable("session", a.Sessions))
	}
	t := answer.NewTable(">turn", ">responses", ">cost")
	for _, c := range a.Turns {
		t.Add(strconv.Itoa(c.Turn), human.Count(c.Responses), c.Cost.String())
	}
	d.AddTable("", t)
	d.AddTable("", a.messageTable())
	return d
}

func costTable(head string, costs []NamedCost) *answer.Table {
	t := answer.NewTable(head, ">responses", ">cost").Cut(50, 0)
	for i := range costs {
		t.Add(costs[i].Name, human.Count(costs[i].Responses), costs[i].Cost.String())
	}
	return t
}

// total returns lines about the total cost.
func (a *CostAnswer) total() []string {
	var lines []string
	switch {
	case a.Session != nil:
		lines = append(lines, "cost  "+a.whole.String()+" for the whole, as the transcript says", "      "+a.Total.String()+" for "+forResponses(a.Total))
	case a.Total.Responses != 0 || a.Total.Dollars != 0 || len(a.Missing) > 0:
		lines = append(lines, "cost  "+a.Total.String()+" for "+forResponses(a.Total))
	case a.empty:
		lines = append(lines, "cost  none: there are no messages")
	default:
		lines = append(lines, "cost  not known: no usage was recorded")
	}
	part := func(c Cost, what string) {
		if c.Responses > 0 || c.Dollars != 0 {
			lines = append(lines, "      "+c.String()+" "+what)
		}
	}
	part(a.Rewound, "of it for "+human.Plural(a.Rewound.Responses, "rewound response"))
	part(a.Beyond, "of it for usage recorded only as a total")
	apart := human.Plural(a.Apart.Responses, "response") + " of subagents in separate files"
	if a.covered {
		part(a.Apart, "for "+apart+", included in the whole")
	} else {
		part(a.Apart, "more for "+apart+" (--subagents includes them)")
	}
	if len(a.Missing) > 0 {
		lines = append(lines, "no price is known of "+strings.Join(a.Missing, ", "))
	}
	if a.List != nil && (a.Total.Estimated > 0 || a.Rewound.Estimated > 0 || a.Apart.Estimated > 0) {
		lines = append(lines, a.List.String())
	}
	return lines
}

// forResponses returns the number of responses of a cost, and the source of their prices.
func forResponses(c Cost) string {
	text := human.Plural(c.Responses, "response")
	if from := c.source(); from != "" {
		text += ", " + from
	}
	return text
}

// messageTable returns a table with a row for each response.
func (a *CostAnswer) messageTable() *answer.Table {
	columns := answer.Pick(RequestColumns(nil), "message", "turn", "step", "model", "input", "cache read", "cache write", "output", "cause", "cost")
	t := answer.Of(columns)
	for i := range a.Messages {
		answer.Add(t, columns, &Request{MessageCost: a.Messages[i]})
	}
	return t
}

// Request is a request to the model, with its calls.
type Request struct {
	MessageCost
	Time  int64
	Calls int
	Miss  bool // it did not read the cache
}

// Requests returns the requests of a turn: one for each step, then those of subagents and of undone
// responses. The index and the cost may be nil.
func (t *Turn) Requests(s *model.Snapshot, index *query.TurnIndex, a *CostAnswer) (list []Request) {
	at := make(map[model.ID]int, len(t.Steps))
	add := func(m MessageCost, calls int) {
		at[m.ID] = len(list)
		m.Index = human.Index(s.Pos(m.ID))
		list = append(list, Request{MessageCost: m, Time: s.HeadRow(m.ID).Time, Calls: calls})
	}
	for _, step := range t.Steps {
		m := MessageCost{ID: step.Message, Turn: t.Number, Step: -1}
		if index != nil {
			m.Step = human.Index(index.Step(m.ID))
		}
		add(m, step.Calls)
	}
	for i := 0; a != nil && i < len(a.Messages); i++ {
		m := a.Messages[i]
		if m.Turn != t.Number {
			continue
		}
		if n, ok := at[m.ID]; ok {
			list[n].Usage, list[n].Missing, list[n].Cost, list[n].Cause = m.Usage, m.Missing, m.Cost, m.Cause
			continue
		}
		m.Step = -1
		add(m, 0)
	}
	return list
}

// fresh returns the uncached tokens of the prompt, nil if they were not recorded.
func (r *Request) fresh() (n *int64) {
	for _, part := range [...]*int64{r.Usage.Input, r.Usage.CacheWrite} {
		if part != nil {
			sum := *part
			if n != nil {
				sum += *n
			}
			n = &sum
		}
	}
	return n
}

// RequestColumns returns the columns of requests.
func RequestColumns(zone *time.Location) []answer.Column[*Request] {
	type column = answer.Column[*Request]
	ordinals := func(c column, of func(*Request) human.Index) column {
		c.Kind, c.Cell = answer.Number, func(r *Request) answer.Cell { return answer.Cell{Text: ordinal(of(r)), Tone: answer.Dim} }
		return c
	}
	tokens := func(c column, of func(*Request) *int64) column {
		c.Head, c.Kind, c.Width, c.Gap, c.Order = c.Name, answer.Number, 6, 1, answer.By(func(r *Request) int64 { return recorded(of(r)) })
		c.Cell = func(r *Request) answer.Cell {
			if n := of(r); n != nil {
				return answer.Cell{Text: human.Short(*n), Long: human.Count(*n)}
			}
			return answer.Unknown
		}
		return c
	}
	output := tokens(column{Name: "output", Drop: 3, Stays: true}, func(r *Request) *int64 { return r.Usage.Output })
	output.Order = answer.By(func(r *Request) int64 { return outputOrder(r.Usage.Output, r.Missing) })
	asRecorded := output.Cell
	output.Cell = func(r *Request) answer.Cell {
		if r.Missing == 0 {
			return asRecorded(r)
		}
		return OutputCell(r.Usage.Output, r.Missing)
	}
	return []column{
		ordinals(column{Name: "step", Head: "step", Width: 5, Drop: 1}, func(r *Request) human.Index { return r.Step }),
		{Name: "message", Head: "message", Width: 7, Gap: 1, Drop: 5, Stays: true, Kind: answer.Number, Cell: func(r *Request) answer.Cell { return answer.At(r.Index) }},
		ordinals(column{Name: "turn", Head: "turn", Drop: 1}, func(r *Request) human.Index { return human.Index(r.Turn) }),
		{Name: "time", Head: "time", Width: 8, Gap: 2, Asc: true, Drop: 8, Order: answer.By(func(r *Request) int64 { return r.Time }), Cell: func(r *Request) answer.Cell {
			return answer.Cell{Text: human.TimeOfDay(r.Time, zone), Tone: answer.Dim}
		}},
		{Name: "response", Head: "response", Width: 12, Gap: 2, Flex: 1, Cell: func(r *Request) (c answer.Cell) {
			if r.Step < 0 {
				c.Tone = answer.Dim
			}
			return c
		}},
		{Name: "model", Head: "model", Room: 30, Cell: func(r *Request) answer.Cell { return answer.Cell{Text: r.Model} }},
		answer.Counts(column{Name: "calls", Head: "calls", Width: 5, Gap: 1, Drop: 6}, answer.Plain, func(r *Request) int { return r.Calls }),
		tokens(column{Name: "input"}, func(r *Request) *int64 { return r.Usage.Input }),
		tokens(column{Name: "new", Drop: 2}, (*Request).fresh),
		tokens(column{Name: "cached", Drop: 4}, func(r *Request) *int64 { return r.Usage.CacheRead }),
		tokens(column{Name: "cache read", Drop: 2}, func(r *Request) *int64 { return r.Usage.CacheRead }),
		tokens(column{Name: "cache write", Drop: 3}, func(r *Request) *int64 { return r.Usage.CacheWrite }),
		output,
		{Name: "cause", Head: "cache", Drop: 1, Cell: func(r *Request) answer.Cell { return answer.Cell{Text: causeCell(r.Cause)} }},
		{Name: "cache", Head: "cache", Kind: answer.Number, Width: 5, Gap: 2, Drop: 7, Order: answer.By(func(r *Request) float64 { return cacheShare(&r.Usage) }), Cell: func(r *Request) answer.Cell {
			return cacheCell(&r.Usage, r.Miss)
		}},
		{Name: "cost", Head: "cost", Kind: answer.Number, Width: 9, Gap: 1, Order: answer.By(func(r *Request) float64 { return r.Dollars }), Cell: func(r *Request) answer.Cell { return r.cell() }},
	}
}
