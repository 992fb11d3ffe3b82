package summary

import (
	"cmp"
	"context"
	"io"
	"iter"
	"strconv"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
)

// Docs describes the turns and their actions in batches: it reads titles and calls as it goes, and
// the columns of all batches align. batch is the number of turns per batch; 0: all.
func (a *TimelineAnswer) Docs(ctx context.Context, batch int) iter.Seq2[*answer.Doc, error] {
	return func(yield func(*answer.Doc, error) bool) {
		t := newTeller(a.sel.Snap, a.Long)
		step := cmp.Or(batch, len(a.Turns), 1)
		for from := 0; from < max(len(a.Turns), 1); from += step {
			to := min(from+step, len(a.Turns))
			err := a.readTurns(ctx, t, a.Turns[from:to])
			if !yield(a.describeTurns(from, to), err) || err != nil {
				return
			}
		}
	}
}

// readTurns reads the titles and the calls of turns.
func (a *TimelineAnswer) readTurns(ctx context.Context, t *callLines, turns []Turn) (err error) {
	for i := range turns {
		if err = a.describe(ctx, &turns[i]); err == nil {
			turns[i].Lines, err = t.turn(ctx, &a.covered, &turns[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Doc describes the turns.
func (a *TimelineAnswer) Doc() *answer.Doc { return a.describeTurns(0, len(a.Turns)) }

// describeTurns describes some turns. It moves the actions out of them, because they may be long.
func (a *TimelineAnswer) describeTurns(from, to int) *answer.Doc {
	d := &answer.Doc{}
	if len(a.Turns) == 0 {
		d.AddText("No conversation turns found")
		return d
	}
	columns := answer.Pick(a.Columns(), "turn", "time", "steps", "calls", "errors", "duration", "output", "cache", "cost", "context", "prompt")
	t := answer.Of(columns)
	for i := range columns[:len(columns)-1] {
		h := &t.Columns[i]
		h.Least = max(human.Width(h.Name), columns[i].Width)
		if from > 0 {
			h.Name = ""
		}
	}
	if from == 0 {
		d.AddText(a.Headline())
	} else {
		t.Columns[len(columns)-1].Name = ""
	}
	for i := from; i < to; i++ {
		answer.Add(t, columns, &a.Turns[i])
		for _, line := range a.Turns[i].Lines {
			t.Add(make([]string, len(columns))...).Cells[len(columns)-1].More = line
		}
		a.Turns[i].Lines = nil
	}
	d.AddTable("", t)
	return d
}

// Headline returns the number of turns, of copied calls and the cost.
func (a *TimelineAnswer) Headline() string {
	s := human.Plural(len(a.Turns), "turn") + over(a.sel)
	copied := 0
	for i := range a.Turns {
		copied += a.Turns[i].Copied
	}
	if copied > 0 {
		s += "   " + human.Plural(copied, "call") + " copied, in no number"
	}
	if cost := a.Sum(); cost.Known() || a.whole.Known() {
		s += "   " + cost.String()
		if whole := a.whole.String(); a.sel.Whole() && a.whole.Known() && whole != cost.String() {
			s += " in turns, " + whole + " for the session"
		}
	}
	if a.output != "" {
		s += "   output " + a.output
	}
	return s
}

// Compare adds to the head the turns' share of the session's recorded output tokens. stats are
// those of the same selection. Usage of a session, a model or an abandoned branch has no turn.
func (a *TimelineAnswer) Compare(stats *StatsAnswer) {
	var turns *int64
	for i := range a.Turns {
		if n := a.Turns[i].Usage.Output; n != nil {
			sum := *n
			if turns != nil {
				sum += *turns
			}
			turns = &sum
		}
	}
	output := func(n *int64) string { return human.OrDash(n, human.Short[int64]) }
	if whole := output(stats.Usage.Output); a.sel.Whole() && whole != output(turns) {
		a.output = output(turns) + " in turns, " + whole + " for the session"
	}
}

// Counts returns the numbers of a turn other than 0.
func (t *Turn) Counts() []string {
	counts := append(counted(len(t.Messages), "message"), t.MainCounts()...)
	for _, inAgents := range append(counted(t.AgentCalls, "call"), counted(t.AgentErrs, "error")...) {
		counts = append(counts, inAgents+" in agents")
	}
	return counts
}

// MainCounts returns the numbers of calls and errors of a turn in the main thread, other than 0.
func (t *Turn) MainCounts() []string {
	return append(counted(t.Calls, "call"), counted(t.Errors, "error")...)
}

// counted returns a number with its noun, none for 0.
func counted(n int, noun string) []string {
	if n == 0 {
		return nil
	}
	return []string{human.Plural(n, noun)}
}

// Columns returns the columns of a table of turns.
func (a *TimelineAnswer) Columns() []answer.Column[*Turn] {
	type column = answer.Column[*Turn]
	calls := answer.Counts(column{Name: "calls", Head: "calls", Width: 5, Gap: 1}, answer.Plain, func(t *Turn) int { return t.Calls })
	calls.Cell = func(t *Turn) answer.Cell {
		if t.Calls == 0 && t.Copied > 0 {
			return answer.Cell{Text: "(" + human.Count(t.Copied) + ")", Tone: answer.Dim}
		}
		return answer.Count(t.Calls, answer.Plain)
	}
	return []column{
		{Name: "turn", Head: "#", Kind: answer.Number, Width: 5, Cell: func(t *Turn) answer.Cell { return answer.Cell{Text: strconv.Itoa(t.Number), Tone: answer.Dim} }},
		{Name: "time", Head: "time", Kind: answer.Word, Width: 8, Gap: 2, Asc: true, Drop: 8, Stays: true, Order: answer.By(func(t *Turn) human.Stamp { return t.Start }),
			Cell: func(t *Turn) answer.Cell {
				return answer.Cell{Text: human.TimeOfDay(int64(t.Start), a.Zone), Tone: answer.Dim}
			}},
		{Name: "prompt", Head: "prompt", Room: 72, Width: 14, Gap: 2, Flex: 1, Cell: func(t *Turn) answer.Cell { return answer.Cell{Text: t.Title} }},
		answer.Counts(column{Name: "steps", Head: "steps", Width: 5, Gap: 1, Drop: 6}, answer.Plain, func(t *Turn) int { return len(t.Steps) }), calls,
		{Name: "errors", Head: "err", Kind: answer.Number, Width: 4, Gap: 1, Cell: turnErrors, Order: answer.By(func(t *Turn) int { return t.Errors })},
		answer.Durations(column{Name: "duration", Head: "dur", Width: 6, Gap: 1}, func(t *Turn) human.Millis { return t.Took }, func(t *Turn) bool { return t.Start != 0 }),
		{Name: "asked", Head: "asked", Kind: answer.Number, Width: 6, Gap: 1, Drop: 2, Order: answer.By(func(t *Turn) human.Millis { return t.Asked }), Cell: askedCell},
		{Name: "output", Head: "output", Kind: answer.Number, Width: 6, Gap: 2, Drop: 4, Order: answer.By(func(t *Turn) int64 { return outputOrder(t.Usage.Output, t.Missing) }), Cell: func(t *Turn) answer.Cell { return OutputCell(t.Usage.Output, t.Missing) }},
		{Name: "cache", Head: "cache", Kind: answer.Number, Width: 5, Gap: 2, Drop: 5, Order: answer.By((*Turn).cacheShare), Cell: (*Turn).cache},
		{Name: "cost", Head: "cost", Kind: answer.Number, Width: 7, Want: 8, Gap: 1, Drop: 3, Order: answer.By(func(t *Turn) float64 { return t.TotalCost().Dollars }),
			Cell: func(t *Turn) answer.Cell { return t.TotalCost().cell() }},
		{Name: "context", Head: "context", Kind: answer.Number, Width: 7, Gap: 2, Drop: 7, Order: answer.By(func(t *Turn) int64 { return t.Context }), Cell: contextCell},
	}
}

// cell returns a table cell with the cost, dim if unknown.
func (c Cost) cell() answer.Cell {
	if !c.Known() {
		return answer.Cell{Text: c.String(), Tone: answer.Dim}
	}
	return answer.Cell{Text: c.String()}
}

// Mark returns the mark of a turn that failed, was stopped, or waits; its text is empty for others.
func (t *Turn) Mark() answer.Cell {
	switch {
	case t.Failed:
		return answer.Cell{Text: "✗", Tone: answer.Bad}
	case t.Stopped:
		return answer.Cell{Text: "■", Tone: answer.Warn}
	case t.Pending > 0 && t.Errors == 0:
		return answer.Cell{Text: "◌", Tone: answer.Warn}
	}
	return answer.Cell{}
}

// turnErrors counts the errors of a turn, followed by its mark.
func turnErrors(t *Turn) answer.Cell {
	c, mark := answer.Count(t.Errors, answer.Bad), t.Mark()
	if t.Errors == 0 && mark.Text != "" {
		return mark
	}
	c.Text += mark.Text
	return c
}

func askedCell(t *Turn) answer.Cell {
	if t.Asked == 0 {
		return answer.Cell{}
	}
	return answer.Cell{Text: t.Asked.String(), Tone: answer.Warn}
}

func contextCell(t *Turn) answer.Cell {
	if t.Context == 0 {
		return answer.Unknown
	}
	return answer.Size(t.Context)
}

// recorded returns a number to sort by: unrecorded ones sort before 0.
func recorded(n *int64) int64 {
	if n == nil {
		return -1
	}
	return *n
}

// cached returns the input that came from a cache and all of it; 0, 0 if unknown.
func cached(u *query.UsageSum) (read, whole int64) {
	if u.CacheRead == nil {
		return 0, 0
	}
	read, whole = *u.CacheRead, *u.CacheRead
	for _, n := range [...]*int64{u.Input, u.CacheWrite} {
		if n != nil {
			whole += *n
		}
	}
	return read, whole
}

// cacheShare returns the share of the input that came from a cache, -1 if unknown.
func cacheShare(u *query.UsageSum) float64 {
	read, whole := cached(u)
	if whole == 0 {
		return -1
	}
	return float64(read) / float64(whole)
}

func (t *Turn) cacheShare() float64 { return cacheShare(&t.Usage) }

func (t *Turn) cache() answer.Cell { return cacheCell(&t.Usage, t.Miss) }

// cacheCell returns the share of the input that came from a cache, or that it was missed.
func cacheCell(u *query.UsageSum, miss bool) answer.Cell {
	read, whole := cached(u)
	switch {
	case miss:
		return answer.Cell{Text: "miss", Tone: answer.Warn}
	case whole == 0:
		return answer.Unknown
	}
	return answer.Cell{Text: human.Percent(read, whole)}
}

// WriteJSON streams the turns with their texts in constant memory: it reads a turn's messages once
// for each field.
func (a *TimelineAnswer) WriteJSON(ctx context.Context, w io.Writer) error {
	j := query.NewJSONWriter(w)
	j.Open("{")
	j.Number("version", human.AnswerVersion)
	j.Key("turns")
	size := func(i int) (n int) {
		for _, id := range a.Turns[i].Messages {
			n += int(a.sel.Snap.HeadRow(id).Size)
		}
		return n
	}
	j.List(ctx, a.sel.Snap, len(a.Turns), size, func(j *query.JSONWriter, r *query.CallReader, i int) { a.writeTurn(ctx, j, r, &a.Turns[i]) })
	j.Close("}")
	return j.End()
}

func (a *TimelineAnswer) writeTurn(ctx context.Context, j *query.JSONWriter, r *query.CallReader, t *Turn) {
	j.Open("{")
	j.Number("index", t.Number)
	a.writeContent(ctx, j, r, t, "user_content", func(h *model.Head) bool {
		return h.Role == model.User && h.Flags&model.Prompt != 0
	})
	a.writeContent(ctx, j, r, t, "assistant_content", func(h *model.Head) bool { return h.Role == model.Assistant })
	j.Key("tool_interactions")
	j.Open("[")
	for _, id := range t.Messages {
		a.writeInteractions(ctx, j, r, id)
	}
	j.Close("]")
	a.writeContent(ctx, j, r, t, "system_context", isContext)
	j.Array("steps", len(t.Steps), func(i int) {
		s := &t.Steps[i]
		j.Open("{")
		j.Number("message", a.sel.Snap.Pos(s.Message))
		j.Number("tool_calls", s.Calls)
		j.Number("tool_errors", s.Errors)
		j.Close("}")
	})
	j.Array("messages", len(t.Messages), func(i int) { j.Integer(a.sel.Snap.Pos(t.Messages[i])) })
	j.Number("copied_calls", t.Copied)
	j.Field("first_time", t.Start)
	j.Field("duration_seconds", t.Took)
	j.Field("asked_seconds", t.Asked)
	j.Field("usage", t.Usage)
	j.Field("recorded_cost_usd", t.Cost)
	j.Field("cost", t.TotalCost().OrNull())
	j.Field("interrupted", t.Stopped)
	j.Field("failed", t.Failed)
	j.Close("}")
}

// isContext reports whether a message is context for a turn and not part of the conversation: of
// the system, a developer, or a program that wrote as the user.
func isContext(h *model.Head) bool {
	return h.Role == model.System || h.Role == model.Developer || h.Role == model.User && h.Flags&model.Prompt == 0
}

// writeContent writes the contents of the messages of the main thread that want accepts, joined by
// newlines; null if there are none. An empty one, as of a message with only calls, adds no line.
func (a *TimelineAnswer) writeContent(ctx context.Context, j *query.JSONWriter, r *query.CallReader, t *Turn, name string, want func(*model.Head) bool) {
	j.Key(name)
	written, filled := false, false
	for _, id := range t.Messages {
		h := a.sel.Snap.HeadRow(id)
		if h.Flags&model.HasWords == 0 || !want(h) || !a.sel.Snap.Threads()[h.Thread].Main {
			continue
		}
		blocks, err := r.Made.Blocks(ctx, id)
		if err != nil {
			j.Fail(err)
			break
		}
		for i := range blocks {
			b := &blocks[i]
			if b.Kind != model.Words || b.Text.IsNull() {
				continue
			}
			if !written {
				j.Raw(`"`)
			} else if filled && !b.Text.Empty() {
				j.Raw(`\n`)
			}
			written, filled = true, filled || !b.Text.Empty()
			j.Piece(b.Text)
		}
	}
	if written {
		j.Raw(`"`)
	} else {
		j.Raw("null")
	}
}

// writeInteractions writes the calls that a message made, and its results without a call.
func (a *TimelineAnswer) writeInteractions(ctx context.Context, j *query.JSONWriter, r *query.CallReader, id model.ID) {
	s := a.sel.Snap
	h := s.HeadRow(id)
	for _, row := range a.covered.CallsAt(id) {
		if j.Err != nil {
			return
		}
		call, err := r.Call(ctx, row.ID)
		j.Fail(err)
		id := ""
		if call != nil {
			id = call.ID.String()
		}
		result, err := r.Result(ctx, row.ID, id)
		j.Fail(err)
		j.Item()
		a.writeInteraction(j, &row.Call, call, result, &s.Threads()[h.Thread])
	}
}

func (a *TimelineAnswer) writeInteraction(j *query.JSONWriter, c *model.Call, call, result *model.Block, th *model.Thread) {
	j.Open("{")
	j.Field("tool_name", query.ToolName(a.sel.Snap, c))
	j.Key("tool_call_id")
	switch {
	case call != nil:
		j.Span(call.ID)
	case result != nil:
		j.Span(result.ID)
	default:
		j.Raw("null")
	}
	j.Key("arguments")
	if call == nil {
		j.Raw("null")
	} else {
		j.Arguments(call.Text)
	}
	j.Key("result")
	if result == nil || result.Text.IsNull() {
		j.Raw("null")
	} else {
		j.Span(result.Text)
	}
	j.Field("outcome", c.Outcome.String())
	j.Field("error", c.Outcome.Failed())
	if c.Took == model.NoTook {
		j.Field("duration_seconds", nil)
	} else {
		j.Field("duration_seconds", human.Millis(c.Took))
	}
	j.Field("duration_derived", c.Took != model.NoTook && c.Flags&model.TookDerived != 0)
	j.Field("orphan", c.Msg == model.NoID)
	if th.Main {
		j.Field("subagent", nil)
	} else {
		j.Field("subagent", th.Name)
	}
	j.Close("}")
}
