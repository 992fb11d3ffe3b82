package summary

import (
	"context"
	"io"
	"slices"
	"strings"

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
			t.Add(g.Name, Place(int(g.Index)), human.Count(g.Responses), g.Cost.String())
		}
		d.AddTable("", t)
	}
	if len(a.Sessions) > 1 {
		d.AddTable("", costTable("session", a.Sessions))
	}
	t := answer.NewTable(">turn", ">responses", ">cost")
	for _, c := range a.Turns {
		t.Add(human.Count(c.Turn), human.Count(c.Responses), c.Cost.String())
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
	t := answer.NewTable("message", ">turn?", ">step?", "model", ">input", ">cache read??", ">cache write???", ">output", "cache?", ">cost").Cut(30, 3)
	number := func(n *int64) string { return human.OrNotSaid(n, human.Count[int64]) }
	for i := range a.Messages {
		m := &a.Messages[i]
		t.Add(Place(int(m.Index)), ordinal(human.Index(m.Turn)), ordinal(m.Step), m.Model, number(m.Usage.Input), number(m.Usage.CacheRead),
			number(m.Usage.CacheWrite), number(m.Usage.Output), causeCell(m.Cause), m.Cost.String())
	}
	return t
}
