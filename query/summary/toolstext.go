package summary

import (
	"context"
	"io"

	"turns/model"
	"turns/query"
	"turns/query/human"
)

// WriteJSON streams the answer with the texts of arguments and results, in
// memory that does not grow with them. The three lists of a tool are aligned by
// call: a call without a result has null for it.
func (a *ToolsAnswer) WriteJSON(ctx context.Context, w io.Writer) error {
	j := query.NewJSONWriter(w)
	j.Open("{")
	j.Number("version", human.AnswerVersion)
	lists := [3][]*ToolStats{}
	for i := range a.Tools {
		lists[0] = append(lists[0], &a.Tools[i])
	}
	for i := range a.InAgents {
		t, n := &a.InAgents[i], 1
		if t.Apart {
			n = 2
		}
		lists[n] = append(lists[n], t)
	}
	for n, name := range [...]string{"tools", "in_subagents", "in_other_files"} {
		j.Array(name, len(lists[n]), func(i int) { a.writeTool(ctx, j, lists[n][i]) })
	}
	j.Close("}")
	return j.End()
}

// writeTool writes a [ToolRow].
func (a *ToolsAnswer) writeTool(ctx context.Context, j *query.JSONWriter, t *ToolStats) {
	j.Open("{")
	j.Fields(t.Numbers())
	j.Field("asks_human", t.Asks)
	ids := a.writeArguments(ctx, j, t)
	a.writeResults(ctx, j, t, ids)
	j.Array("tool_call_ids", len(ids), func(i int) { j.Text(ids[i]) })
	j.Array("indexes", len(t.Rows), func(i int) { j.Integer(a.sel.Snap.Pos(a.sel.Snap.Call(t.Rows[i]).Place())) })
	j.Close("}")
}

// writeArguments writes the arguments and gives the ids of the calls.
func (a *ToolsAnswer) writeArguments(ctx context.Context, j *query.JSONWriter, t *ToolStats) []string {
	s, ids := a.sel.Snap, make([]string, len(t.Rows))
	size := func(i int) int { return int(s.Call(t.Rows[i]).ArgsSize) + 64 }
	j.Key("arguments")
	j.List(ctx, s, len(t.Rows), size, func(j *query.JSONWriter, r *query.CallReader, i int) {
		var b *model.Block
		var err error
		if t.Orphan {
			b, err = r.Result(ctx, t.Rows[i], "")
		} else {
			b, err = r.Call(ctx, t.Rows[i])
		}
		j.Fail(err)
		if b != nil {
			ids[i] = b.ID.String()
		}
		if b == nil || t.Orphan {
			j.Raw("null")
		} else {
			j.Arguments(b.Text)
		}
	})
	return ids
}

// writeResults writes the results; ids are those of the calls, by which a result
// is found without reading its call again.
func (a *ToolsAnswer) writeResults(ctx context.Context, j *query.JSONWriter, t *ToolStats, ids []string) {
	s := a.sel.Snap
	size := func(i int) int { return int(s.Call(t.Rows[i]).ResultSize) + 64 }
	j.Key("results")
	j.List(ctx, s, len(t.Rows), size, func(j *query.JSONWriter, r *query.CallReader, i int) {
		b, err := r.Result(ctx, t.Rows[i], ids[i])
		j.Fail(err)
		if b == nil || b.Text.IsNull() {
			j.Raw("null")
		} else {
			j.Span(b.Text)
		}
	})
}

// Counted are the calls that count, those of subagents inside the conversation among them.
func (a *ToolsAnswer) Counted() (calls, errors, pending int) {
	for _, list := range [...][]ToolStats{a.Tools, a.InAgents} {
		for i := range list {
			if t := &list[i]; !t.Apart {
				calls, errors, pending = calls+t.Calls, errors+t.Errors, pending+t.Pending
			}
		}
	}
	return calls, errors, pending
}

// Headline returns the number of calls and of tools.
func (a *ToolsAnswer) Headline() string {
	names := map[string]bool{}
	for _, list := range [...][]ToolStats{a.Tools, a.InAgents} {
		for i := range list {
			if t := &list[i]; !t.Orphan && !t.Apart {
				names[t.Name] = true
			}
		}
	}
	calls, _, _ := a.Counted()
	s := human.Plural(calls, "call") + " of " + human.Plural(len(names), "tool")
	if n := calls - a.All.Calls; n > 0 {
		s += ", " + human.Count(n) + " in agents"
	}
	return s
}

// over says what of a transcript an answer is about, "" where it is all of it.
func over(sel query.Selection) string {
	if sel.Whole() {
		return ""
	}
	return ", in " + sel.Scope()
}

// String is what Print writes where lines are as long as they are.
func (a *ToolsAnswer) String() string { return human.Text(a) }

// Print writes the answer as a readable table.
func (a *ToolsAnswer) Print(b *human.Page) {
	if len(a.Tools)+len(a.InAgents) == 0 {
		b.WriteString("No tool calls recorded\n")
		return
	}
	counted := a.All.ArgsTokens != nil || a.Agents.ArgsTokens != nil
	sizes := [2]string{"args", "results"}
	if !counted {
		sizes = [2]string{"args B", "results B"}
	}
	b.WriteString(a.Headline() + over(a.sel) + "\n\n")
	t := human.NewTable("tool", ">calls", ">err", ">err %??", ">pend?", ">p50????", ">p95", ">max???", ">total", ">"+sizes[0]+"?????", ">"+sizes[1], ">share?")
	whole := a.All.size()
	for i := range a.Tools {
		t.Add(a.Tools[i].cells(whole)...)
	}
	if len(a.InAgents) > 0 {
		cells := a.Agents.cells(0)
		cells[len(cells)-1] = "apart"
		t.Add(cells...)
	}
	t.Write(b)
	if a.All.Derived > 0 {
		b.WriteString("\n" + human.Plural(a.All.Derived, "duration") + " of " + human.Count(a.All.Timed) + " are distances of two records: upper bounds\n")
	}
}

func (t *ToolStats) size() int64 {
	if t.ArgsTokens != nil {
		return *t.ArgsTokens + *t.ResultTokens
	}
	return t.ArgsSize + t.ResultSize
}

func (t *ToolStats) cells(whole int64) []string {
	name := human.OneLine(t.Name, 40)
	calls := human.Count(t.Calls)
	if t.Orphan {
		name += "  results without a call"
		calls = human.Zero
	}
	if t.Asks {
		name += ", asks you"
	}
	took := func(m human.Millis) string {
		if t.Timed == 0 {
			return human.NotSaid
		}
		return m.String()
	}
	args, results := t.ArgsSize, t.ResultSize
	if t.ArgsTokens != nil {
		args, results = *t.ArgsTokens, *t.ResultTokens
	}
	rate, share := human.Zero, human.Zero
	if t.Errors > 0 {
		rate = human.Percent(t.Errors, max(len(t.Rows), t.Calls+t.orphans))
	}
	switch {
	case t.Orphan:
		share = human.NotSaid // the whole is that of the calls
	case whole > 0:
		share = human.Percent(t.size(), whole)
	}
	return []string{
		name, calls, human.OrDot(t.Errors, human.Count[int]), rate, human.OrDot(t.Pending, human.Count[int]),
		took(t.P50), took(t.P95), took(t.Max), took(t.Total), human.OrDot(args, human.Short[int64]), human.OrDot(results, human.Short[int64]), share,
	}
}
