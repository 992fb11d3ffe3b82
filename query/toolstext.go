package query

import (
	"context"
	"io"
	"strings"

	"turns/model"
)

// WriteJSON streams the answer with the texts of arguments and results, in
// memory that does not grow with them. The three lists of a tool are aligned by
// call: a call without a result has null for it.
func (a *ToolsAnswer) WriteJSON(ctx context.Context, w io.Writer) error {
	j := newJSONWriter(w)
	j.open("{")
	j.number("version", AnswerVersion)
	for _, list := range []struct {
		name  string
		tools []ToolStats
	}{{"tools", a.Tools}, {"in_agents", a.InAgents}} {
		j.key(list.name)
		j.open("[")
		for i := range list.tools {
			j.item()
			a.writeTool(ctx, j, &list.tools[i])
		}
		j.close("]")
	}
	j.close("}")
	return j.end()
}

func (a *ToolsAnswer) writeTool(ctx context.Context, j *jsonWriter, t *ToolStats) {
	j.open("{")
	j.field("tool_name", t.Name)
	j.number("call_count", t.Calls)
	j.field("orphan", t.Orphan)
	j.number("errors", t.Errors)
	j.number("denied", t.Denied)
	j.number("pending", t.Pending)
	j.key("duration")
	if t.Timed == 0 {
		j.raw("null")
	} else {
		j.open("{")
		j.field("p50", t.P50)
		j.field("p95", t.P95)
		j.field("max", t.Max)
		j.field("total", t.Total)
		j.number("known", t.Timed)
		j.number("derived", t.Derived)
		j.close("}")
	}
	j.field("argument_bytes", t.ArgsSize)
	j.field("result_bytes", t.ResultSize)
	j.field("argument_tokens", t.ArgsTokens)
	j.field("result_tokens", t.ResultTokens)
	ids := a.writeArguments(ctx, j, t)
	a.writeResults(ctx, j, t, ids)
	j.key("tool_call_ids")
	j.open("[")
	for _, id := range ids {
		j.item()
		j.text(id)
	}
	j.close("]")
	j.key("indexes")
	j.open("[")
	for _, row := range t.Rows {
		c := a.sel.Snap.Call(row)
		at := c.Msg
		if at == model.NoID {
			at = c.Result
		}
		j.item()
		j.integer(a.sel.Snap.Pos(at))
	}
	j.close("]")
	j.close("}")
}

// writeArguments writes the arguments and gives the ids of the calls.
func (a *ToolsAnswer) writeArguments(ctx context.Context, j *jsonWriter, t *ToolStats) []string {
	s, ids := a.sel.Snap, make([]string, len(t.Rows))
	size := func(i int) int { return int(s.Call(t.Rows[i]).ArgsSize) + 64 }
	j.key("arguments")
	j.list(ctx, s, len(t.Rows), size, func(j *jsonWriter, r *callReader, i int) {
		var b *model.Block
		var err error
		if t.Orphan {
			b, err = r.result(ctx, t.Rows[i], "")
		} else {
			b, err = r.call(ctx, t.Rows[i])
		}
		j.fail(err)
		if b != nil {
			ids[i] = b.ID.String()
		}
		if b == nil || t.Orphan {
			j.raw("null")
		} else {
			j.arguments(b.Text)
		}
	})
	return ids
}

// writeResults writes the results; ids are those of the calls, by which a result
// is found without reading its call again.
func (a *ToolsAnswer) writeResults(ctx context.Context, j *jsonWriter, t *ToolStats, ids []string) {
	s := a.sel.Snap
	size := func(i int) int { return int(s.Call(t.Rows[i]).ResultSize) + 64 }
	j.key("results")
	j.list(ctx, s, len(t.Rows), size, func(j *jsonWriter, r *callReader, i int) {
		b, err := r.result(ctx, t.Rows[i], ids[i])
		j.fail(err)
		if b == nil || b.Text.IsNull() {
			j.raw("null")
		} else {
			j.span(b.Text)
		}
	})
}

// String is the answer as a readable table.
func (a *ToolsAnswer) String() string {
	if len(a.Tools)+len(a.InAgents) == 0 {
		return "No tool calls recorded\n"
	}
	tools := 0
	for i := range a.Tools {
		if !a.Tools[i].Orphan {
			tools++
		}
	}
	counted := a.All.ArgsTokens != nil || a.Agents.ArgsTokens != nil
	sizes := [2]string{"args", "results"}
	if !counted {
		sizes = [2]string{"args B", "results B"}
	}
	var b strings.Builder
	b.WriteString(Plural(a.All.Calls, "call") + " of " + Plural(tools, "tool") + "\n\n")
	t := newTable("tool", ">calls", ">err", ">err %", ">pend", ">p50", ">p95", ">max", ">total", ">"+sizes[0], ">"+sizes[1], ">share")
	whole := a.All.size()
	for i := range a.Tools {
		t.add(a.Tools[i].cells(whole)...)
	}
	if len(a.InAgents) > 0 {
		cells := a.Agents.cells(0)
		cells[len(cells)-1] = "apart"
		t.add(cells...)
	}
	t.write(&b)
	if a.All.Derived > 0 {
		b.WriteString("\n" + Plural(a.All.Derived, "duration") + " of " + Count(a.All.Timed) + " are distances of two records: upper bounds\n")
	}
	return b.String()
}

func (t *ToolStats) size() int64 {
	if t.ArgsTokens != nil {
		return *t.ArgsTokens + *t.ResultTokens
	}
	return t.ArgsSize + t.ResultSize
}

func (t *ToolStats) cells(whole int64) []string {
	name := oneLine(t.Name, 40)
	calls := Count(t.Calls)
	if t.Orphan {
		name += "  results without a call"
		calls = Zero
	}
	took := func(m Millis) string {
		if t.Timed == 0 {
			return NotSaid
		}
		return m.String()
	}
	args, results := t.ArgsSize, t.ResultSize
	if t.ArgsTokens != nil {
		args, results = *t.ArgsTokens, *t.ResultTokens
	}
	rate, share := Zero, Zero
	if t.Errors > 0 {
		rate = Percent(t.Errors, len(t.Rows))
		if t.Rows == nil {
			rate = Percent(t.Errors, t.Calls)
		}
	}
	if whole > 0 {
		share = Percent(t.size(), whole)
	}
	return []string{
		name, calls, OrDot(t.Errors, Count[int]), rate, OrDot(t.Pending, Count[int]),
		took(t.P50), took(t.P95), took(t.Max), took(t.Total), OrDot(args, Short[int64]), OrDot(results, Short[int64]), share,
	}
}
