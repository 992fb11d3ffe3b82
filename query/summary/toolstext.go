package summary

import (
	"cmp"
	"context"
	"io"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
)

// WriteJSON streams the answer with the texts of arguments and results in constant memory. The
// three lists of a tool are aligned by call: a call without a result has null.
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
	var inText []string
	for i, id := range t.Rows {
		if a.sel.Snap.Call(id).InText() {
			inText = append(inText, ids[i])
		}
	}
	j.Array("in_text", len(inText), func(i int) { j.Text(inText[i]) })
	j.Array("indexes", len(t.Rows), func(i int) { j.Integer(a.sel.Snap.Pos(a.sel.Snap.Call(t.Rows[i]).Place())) })
	j.Close("}")
}

// writeArguments writes the arguments and returns the ids of the calls.
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

// writeResults writes the results; ids are those of the calls, which find a result without reading
// its call again.
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

// Counted returns the numbers of calls that count, including those of subagents inside the
// conversation.
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

// over describes the selected part of a transcript, "" for all of it.
func over(sel query.Selection) string {
	if sel.Whole() {
		return ""
	}
	return ", in " + sel.Scope()
}

// Doc describes the answer.
func (a *ToolsAnswer) Doc() *answer.Doc {
	d := &answer.Doc{}
	if len(a.Tools)+len(a.InAgents) == 0 {
		d.AddText("No tool calls recorded")
		return d
	}
	d.AddText(a.Headline() + over(a.sel))
	d.AddTable("", a.Table(a.Columns()))
	if a.All.Derived > 0 {
		are := " are the distances of two records: upper bounds"
		if a.All.Derived == 1 {
			are = " is the distance of two records: an upper bound"
		}
		d.AddText(human.Count(a.All.Derived) + " of " + human.Plural(a.All.Timed, "duration") + are)
	}
	return d
}

// Table returns some columns of each tool, with a row for all tools of subagents.
func (a *ToolsAnswer) Table(columns []answer.Column[*ToolStats]) *answer.Table {
	t := answer.OfList(columns, a.Tools)
	if len(a.InAgents) > 0 {
		answer.Add(t, columns, &a.Agents)
	}
	return t
}

// Size returns the tokens of arguments and results, their bytes if tokens are not counted.
func (t *ToolStats) Size() int64 { return t.argsSize() + t.resultsSize() }

func (t *ToolStats) argsSize() int64 {
	if t.ArgsTokens != nil {
		return *t.ArgsTokens
	}
	return t.ArgsSize
}

func (t *ToolStats) resultsSize() int64 {
	if t.ResultTokens != nil {
		return *t.ResultTokens
	}
	return t.ResultSize
}

// ended returns the number of calls and results without a call that may have failed.
func (t *ToolStats) ended() int { return max(len(t.Rows), t.Calls+t.orphans) }

// Columns returns the columns of a table of tools, or of their sum.
func (a *ToolsAnswer) Columns() []answer.Column[*ToolStats] {
	unit := " B"
	if a.All.ArgsTokens != nil || a.Agents.ArgsTokens != nil {
		unit = ""
	}
	type column = answer.Column[*ToolStats]
	timed := func(t *ToolStats) bool { return t.Timed > 0 }
	return []column{
		{Name: "tool", Head: "tool", Kind: answer.Ends, Room: 40, Width: 10, Asc: true, Cell: toolName, Order: answer.ByText(func(t *ToolStats) string { return t.Name })},
		answer.Counts(column{Name: "calls", Head: "calls", Width: 5, Gap: 1}, answer.Plain, func(t *ToolStats) int { return t.Calls }),
		answer.Counts(column{Name: "errors", Head: "err", Width: 3, Gap: 2}, answer.Bad, func(t *ToolStats) int { return t.Errors }),
		{Name: "error rate", Head: "err %", Kind: answer.Number, Width: 5, Gap: 2, Drop: 8, Cell: errorRate, Order: func(x, y *ToolStats) int {
			return cmp.Compare(x.Errors*max(y.ended(), 1), y.Errors*max(x.ended(), 1))
		}},
		answer.Counts(column{Name: "pending", Head: "pend", Width: 4, Gap: 2, Drop: 6}, answer.Warn, func(t *ToolStats) int { return t.Pending }),
		answer.Durations(column{Name: "p50", Head: "p50", Width: 5, Gap: 1, Drop: 4}, func(t *ToolStats) human.Millis { return t.P50 }, timed),
		answer.Durations(column{Name: "p95", Head: "p95", Width: 5, Gap: 1}, func(t *ToolStats) human.Millis { return t.P95 }, timed),
		answer.Durations(column{Name: "longest", Head: "max", Width: 5, Gap: 2, Drop: 9}, func(t *ToolStats) human.Millis { return t.Max }, timed),
		answer.Durations(column{Name: "total time", Head: "total", Width: 6, Gap: 1}, func(t *ToolStats) human.Millis { return t.Total }, timed),
		answer.Sizes(column{Name: "arguments", Head: "args" + unit, Width: 6, Gap: 2, Drop: 7}, (*ToolStats).argsSize),
		answer.Sizes(column{Name: "results", Head: "results" + unit, Width: 7 + len(unit), Gap: 2, Drop: 3}, (*ToolStats).resultsSize),
		{Name: "share", Head: "share", Kind: answer.Number, Width: 6, Gap: 2, Drop: 2, Cell: a.shareCell, Order: answer.By((*ToolStats).Size)},
	}
}

func toolName(t *ToolStats) answer.Cell {
	switch {
	case t.Orphan:
		return answer.Cell{Text: t.Name, More: "  results without a call", Tone: answer.Warn, Short: func(int) string { return t.Name + ", no call" }}
	case t.Asks:
		return answer.Cell{Text: t.Name, More: ", asks you", Tone: answer.Tool}
	}
	return answer.Cell{Text: t.Name, Tone: answer.Tool}
}

func errorRate(t *ToolStats) answer.Cell {
	if t.Errors == 0 {
		return answer.Count(0, answer.Dim)
	}
	return answer.Cell{Text: human.Percent(t.Errors, t.ended())}
}

// shareCell returns a table cell with the share of a tool in the size of all calls. Results without
// a call have none, and subagents count separately.
func (a *ToolsAnswer) shareCell(t *ToolStats) answer.Cell {
	switch whole := a.All.Size(); {
	case t.Agent:
		return answer.Cell{Text: "apart", Tone: answer.Dim}
	case t.Orphan:
		return answer.Unknown
	case whole > 0:
		return answer.Cell{Text: human.Percent(t.Size(), whole)}
	}
	return answer.Count(0, answer.Dim)
}
