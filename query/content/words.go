package content

import (
	"fmt"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/summary"
)

// Result returns the cost of a call's result in the prompts of all later requests.
func (s *Split) Result(id model.CallID) Carried {
	c := s.x.Snap.Call(id)
	_, tokens := s.x.CallWeight(id)
	if c.Result == model.NoID || tokens == 0 {
		return Carried{}
	}
	whole := s.Of(c.Result)
	if whole.Tokens == 0 {
		return Carried{}
	}
	whole.Dollars *= min(1, float64(tokens)/float64(whole.Tokens))
	whole.Tokens = tokens
	return whole
}

// Lines show the cost of a row: its request, if it has one, and its later share of the prompts.
// call is NoRow for a row without a call. There are no lines without known costs, and for messages
// newer than the split.
func (s *Split) Lines(id model.ID, call model.CallID) (lines []string) {
	snap := s.x.Snap
	if int(id) >= snap.Rows() || uint32(call) != model.NoRow && int(call) >= snap.CallCount() {
		return nil
	}
	if i, ok := s.place[id]; ok {
		if text := s.requestLine(&s.costs.Messages[i]); text != "" {
			lines = append(lines, text)
		}
	}
	what, c := "message", s.Of(id)
	if uint32(call) != model.NoRow {
		what, c = "result", s.Result(call)
	}
	if c.Sent > 0 && c.Dollars > 0 {
		lines = append(lines, fmt.Sprintf("this %s of %s tokens was sent %s: %s", what, human.Short(c.Tokens), times(c.Sent), s.money(c.Dollars)))
	}
	return lines
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return human.Count(n) + " times"
}

// money formats a part of the cost, with the mark of the total.
func (s *Split) money(dollars float64) string {
	c := summary.Cost{Dollars: dollars, Responses: 1}
	if s.costs.Total.Estimated > 0 {
		c.Estimated = dollars
	}
	return c.String()
}

// requestLine returns the cost of a request and how much of its prompt was new, "" without a
// price.
func (s *Split) requestLine(m *summary.MessageCost) string {
	if !m.Cost.Known() {
		return ""
	}
	var parts []string
	add := func(n *int64, what string) {
		if n != nil && *n > 0 {
			parts = append(parts, human.Short(*n)+" "+what)
		}
	}
	t, _ := s.x.Snap.Tokens(m.ID)
	if all, ok := query.ContextSize(&t); ok {
		if m.Usage.CacheRead != nil {
			all -= *m.Usage.CacheRead
		}
		add(&all, "new")
	}
	add(m.Usage.CacheRead, "cached")
	add(m.Usage.Output, "output")
	text := "request " + m.Cost.String()
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}
