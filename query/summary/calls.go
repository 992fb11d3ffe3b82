package summary

import (
	"time"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
)

// CallRow is a call in a list of calls, or a result without one.
type CallRow struct {
	*model.Call
	ID     model.CallID
	Index  human.Index
	Time   int64
	Tokens *int64 // of arguments and result; nil: not counted
	// About and Outcome describe it; they need its text
	About, Outcome string
	State          model.Outcome
}

// CallRows returns the rows of calls, without their descriptions. tokens may be nil.
func CallRows(s *model.Snapshot, tokens *query.TokenColumn, ids []model.CallID) []CallRow {
	rows := make([]CallRow, len(ids))
	for i, id := range ids {
		c := s.Call(id)
		rows[i] = CallRow{Call: c, ID: id, Index: human.Index(s.Pos(c.Place())), Time: s.HeadRow(c.Place()).Time, State: query.StateOf(c, c.Outcome)}
		if n, ok := tokens.Call(id); ok {
			sum := int64(n.Args) + int64(n.Result)
			rows[i].Tokens = &sum
		}
	}
	return rows
}

// Describe adds the words of the line of a call, and its outcome.
func (r *CallRow) Describe(l *describe.Line) {
	r.About, r.Outcome = l.About, l.Outcome
	r.State = query.StateOf(r.Call, l.State)
}

// Headline counts the calls of a tool and their errors.
func (t *ToolStats) Headline() string {
	s := human.Plural(len(t.Rows), "call")
	if t.Orphan {
		s = human.Plural(len(t.Rows), "result without a call", "results without a call")
	}
	if t.Errors > 0 {
		s += "   " + human.Plural(t.Errors, "error")
	}
	return s
}

// CallColumns returns the columns of a list of calls.
func CallColumns(zone *time.Location) []answer.Column[*CallRow] {
	type column = answer.Column[*CallRow]
	took := func(r *CallRow) human.Millis {
		if r.Took == model.NoTook {
			return -1
		}
		return human.Millis(r.Took)
	}
	return []column{
		{Name: "index", Head: "message", Kind: answer.Number, Width: 7, Asc: true, Order: answer.By(func(r *CallRow) human.Index { return r.Index }),
			Cell: func(r *CallRow) answer.Cell { return answer.At(r.Index) }},
		{Name: "time", Head: "time", Width: 8, Gap: 2, Asc: true, Drop: 3, Order: answer.By(func(r *CallRow) int64 { return r.Time }),
			Cell: func(r *CallRow) answer.Cell {
				return answer.Cell{Text: human.TimeOfDay(r.Time, zone), Tone: answer.Dim}
			}},
		{Name: "about", Head: "about", Width: 12, Flex: 3, Gap: 1, Cell: func(r *CallRow) answer.Cell { return answer.Cell{Text: r.About} }},
		{Name: "outcome", Head: "outcome", Width: 10, Flex: 2, Gap: 2, Drop: 2, Cell: func(r *CallRow) answer.Cell {
			c := answer.Cell{Text: r.Outcome, Tone: answer.Dim}
			if r.State == model.Failure {
				c.Tone = answer.Bad
			}
			return c
		}},
		answer.Durations(column{Name: "duration", Head: "dur", Width: 6, Gap: 1}, took, func(r *CallRow) bool { return took(r) >= 0 }),
		{Name: "tokens", Head: "tok", Kind: answer.Number, Width: 5, Gap: 2, Drop: 1, Order: answer.By(func(r *CallRow) int64 { return recorded(r.Tokens) }),
			Cell: func(r *CallRow) (c answer.Cell) {
				if r.Tokens != nil {
					c = answer.Size(*r.Tokens)
				}
				return c
			}},
	}
}
