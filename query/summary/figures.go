package summary

import (
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
)

// Figures describes a message and a call in it: the duration of the call and its counted tokens,
// the context of the request and, as a note, its usage. tokens may be nil, and call NoRow.
func Figures(s *model.Snapshot, tokens *query.TokenColumn, id model.ID, call model.CallID) (lines []answer.Line) {
	if uint32(call) != model.NoRow {
		if took := CallTook(s.Call(call)); took.Number != "" {
			lines = append(lines, took)
		}
		if n, ok := tokens.Call(call); ok {
			lines = append(lines, answer.Line{Label: "tokens", Number: human.Short(int64(n.Args)) + answer.Both + human.Short(int64(n.Result)),
				Note: "counted with " + strings.TrimSuffix(tokens.Encoding(), "_base")})
		}
	}
	u, known := s.Tokens(id)
	if n, ok := query.ContextOf(s, id); ok && n > 0 {
		context := answer.Line{Label: "context", Number: human.Short(n)}
		if known && u.CacheRead != model.NoTokens && u.CacheRead > 0 {
			context.Number += ", " + human.Percent(int64(u.CacheRead), n) + " cached"
		}
		lines = append(lines, context)
	}
	if !known {
		return lines
	}
	var usage []string
	for _, part := range [...]struct {
		name string
		n    uint32
	}{{"input", u.Input}, {"cache read", u.CacheRead}, {"cache write", u.CacheWrite}, {"output", u.Output}, {"reasoning", u.Reasoning}} {
		if part.n != model.NoTokens {
			usage = append(usage, part.name+" "+human.Short(int64(part.n)))
		}
	}
	if u.Flags&model.HasCost != 0 {
		usage = append(usage, human.Money(u.Cost))
	}
	return append(lines, answer.Line{Label: "usage", Note: strings.Join(usage, ", ")})
}

// CallTook describes the duration of a call: an upper bound if it is the distance of two records.
// Its number is empty if the duration is unknown.
func CallTook(c *model.Call) answer.Line {
	d, ok := c.Duration()
	switch {
	case !ok:
		return answer.Line{}
	case c.Flags&model.TookDerived != 0:
		return answer.Line{Label: "duration", Number: "≤ " + human.Took(d), Note: "from the records' times"}
	}
	return answer.Line{Label: "duration", Number: human.Took(d)}
}
