package parquet

import (
	"encoding/json"
	"slices"

	"turns/model"
	"turns/model/source/parquet"
	"turns/query"
	"turns/query/cache"
	"turns/query/many"
)

// took returns the duration of a call, and whether that is an upper bound. It is nil if the times
// of its messages result in the same bound, and [model.NoTook] if they would result in one although
// the duration is unknown.
func (p *pen) took(c *model.Call) (ms *uint32, bound bool) {
	timed := model.NoTook // by the times of the messages
	if c.Msg != model.NoID && c.Result != model.NoID && c.Msg != c.Result {
		from, to := p.snap.HeadRow(c.Msg).Time, p.snap.HeadRow(c.Result).Time
		if from != 0 && to >= from {
			timed = uint32(min(to-from, int64(model.NoTook)-1))
		}
	}
	if bound = c.Flags&model.TookDerived != 0; c.Took == timed && (bound || timed == model.NoTook) {
		return nil, false
	}
	took := c.Took
	return &took, bound
}

// part records the data of a result that the columns of its message may lack.
func (p *pen) part(part *parquet.Block, b *model.Block) {
	part.ID, part.Name, part.Outcome = b.ID.String(), b.Name.String(), b.Outcome
}

// nested records which call made a call, and whether it is a script or a wait for one, which count
// separately.
func (p *pen) nested(c *model.CallRow, b *model.Block, part *parquet.Block) {
	if c.Flags&(model.HasChild|model.HasNested) != 0 {
		p.started[c.ID] = b.ID.String()
	}
	switch {
	case c.Flags&model.Carries == 0:
	case c.Flags&model.HasNested != 0:
		part.Nesting = parquet.Script
	default:
		part.Nesting = parquet.Poll
	}
	if maker, ok := c.Parent(); ok {
		part.Within = p.started[maker]
		if c.InText() {
			part.Nesting = parquet.InText
		}
	}
}

// made records how a call without a result ended.
func (p *pen) made(c *model.CallRow, part *parquet.Block) {
	part.Null = false
	if c.Result == model.NoID {
		part.Outcome = c.Outcome
		part.Took, part.Bound = p.took(&c.Call)
	}
}

// details returns the other data of a message, "" if there are none.
func (p *pen) details(id model.ID, h *model.Head, row *messageRow, last bool) string {
	p.span(h.Time)
	d := parquet.Details{Before: p.before(id, h)}
	if t, ok := p.snap.Tokens(id); ok {
		d.Missed = p.snap.Name(t.Missed)
	}
	if !isPlain(p.parts, row) {
		d.Blocks = p.parts
	}
	if row.Model == "" && h.Role == model.Assistant {
		d.Model = p.snap.Name(h.Name)
	}
	if t := &p.snap.Threads()[h.Thread]; !t.Main {
		if d.Thread = int(h.Thread); !p.begun[h.Thread] {
			p.begun[h.Thread] = true
			d.Call = p.started[t.Call]
		}
	}
	if last {
		d.Run = p.runRow()
	}
	if d.Before == nil && d.Missed == "" && d.Blocks == nil && d.Run == nil && d.Model == "" && d.Thread == 0 {
		return ""
	}
	return asJSON(&d)
}

// before returns which records before a message changed what its thread was sent, since the message
// before it.
func (p *pen) before(id model.ID, h *model.Head) (marks []string) {
	for ; p.marked < id; p.marked++ {
		row := p.snap.HeadRow(p.marked)
		compacted, edited := cache.Breaks(p.snap, row)
		if compacted && !slices.Contains(p.marks[row.Thread], parquet.Compacted) {
			p.marks[row.Thread] = append(p.marks[row.Thread], parquet.Compacted)
		}
		if edited && !slices.Contains(p.marks[row.Thread], parquet.Edited) {
			p.marks[row.Thread] = append(p.marks[row.Thread], parquet.Edited)
		}
	}
	marks = p.marks[h.Thread]
	delete(p.marks, h.Thread)
	return marks
}

// isPlain reports whether the columns of a message suffice for its parts: thoughts, words and
// calls, each once and in this order, or the result of a successful call.
func isPlain(parts []parquet.Block, row *messageRow) bool {
	if len(parts) > 0 && (row.ToolCallID != "" || row.Role == model.Tool.String() && row.Content != nil) {
		return len(parts) == 1 && parts[0] == parquet.Block{
			Kind: model.ToolResult.String(), Bytes: parts[0].Bytes, Null: row.Content == nil, ID: row.ToolCallID, Name: row.ToolCallFunction, Outcome: model.Success,
		}
	}
	for _, kind := range [...]model.BlockKind{model.Reasoning, model.Words} {
		if len(parts) > 0 && parts[0].Kind == kind.String() && !parts[0].Null {
			parts = parts[1:]
		}
	}
	return !slices.ContainsFunc(parts, func(b parquet.Block) bool { return b != parquet.Block{Kind: model.ToolCall.String()} })
}

// span adds the time of a message, 0 for none.
func (p *pen) span(at int64) {
	if at != 0 && (p.first == 0 || at < p.first) {
		p.first = at
	}
	p.last = max(p.last, at)
}

// runRow returns the data of the complete session.
func (p *pen) runRow() *parquet.Run {
	r := p.in
	run := &parquet.Run{Session: r.Session.Session, Title: p.clean(r.Name()), Project: r.Project, Model: r.Model, Task: r.Task}
	if r.Ended {
		run.End = &parquet.End{Outcome: r.Outcome, Reason: p.clean(r.Summary.Reason), Turn: r.Turn}
		if r.Scored {
			run.End.Score = &r.Score
		}
	}
	for _, at := range [...]int64{r.Started, r.Run.Last} {
		if at != 0 && (p.first == 0 || at < p.first || at > p.last) {
			run.Times = append(run.Times, at)
		}
	}
	if len(p.in.IDs) > 0 {
		run.Stop = p.snap.Sessions()[p.session()].Stop.String()
	}
	run.Usage = p.beyond()
	return run
}

// beyond returns the usage of a session that belongs to no single message: its own total, or the
// usage of responses that are not in the table because they were rewound or are in other files.
func (p *pen) beyond() []parquet.Usage {
	left, whole := p.in.Sums.N, (*model.Usage)(nil)
	for _, t := range p.snap.Totals() {
		if len(p.in.IDs) > 0 && t.Session == p.session() && t.Usage.Scope == model.Total && p.coverage.Whole[t.Session] {
			whole = &t.Usage
		}
	}
	for i, n := range tallied {
		if whole == nil {
			left[n] -= p.used.N[i]
		}
	}
	rest := model.Usage{Input: -1, CacheRead: -1, CacheWrite: -1, Output: -1, Reasoning: -1}
	rest.Cost = p.in.Dollars - p.in.Estimated
	if whole != nil {
		rest.Scope, rest.HasCost = model.Total, whole.HasCost
	} else {
		rest.Cost -= p.used.Cost
		rest.HasCost = rest.Cost > 1e-9 // not merely rounding
	}
	some := rest.HasCost
	for i, to := range [...]*int64{&rest.Input, &rest.CacheRead, &rest.CacheWrite, &rest.Output, &rest.Reasoning} {
		if n := left[tallied[i]]; n > 0 || whole != nil && p.in.Has(tallied[i]) {
			*to, some = n, true
		}
	}
	if !some {
		return nil
	}
	return []parquet.Usage{usageOf(&rest)}
}

// tallied are the numbers of a session that a [query.UsageTally] has, in its order.
var tallied = [query.UsageNumbers]many.Number{many.Input, many.CacheRead, many.CacheWrite, many.Output, many.Reasoning}

func usageOf(u *model.Usage) parquet.Usage {
	out := parquet.Usage{Total: u.Scope == model.Total}
	for _, c := range [...]struct {
		n  int64
		to **int64
	}{{u.Input, &out.Input}, {u.CacheRead, &out.CacheRead}, {u.CacheWrite, &out.CacheWrite}, {u.Output, &out.Output}, {u.Reasoning, &out.Reasoning}} {
		if c.n >= 0 {
			*c.to = &c.n
		}
	}
	if u.HasCost {
		out.Cost = &u.Cost
	}
	return out
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain values do not fail
	}
	return string(text)
}
