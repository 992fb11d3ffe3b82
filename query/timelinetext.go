package query

import (
	"context"
	"io"
	"strconv"
	"strings"

	"turns/model"
)

// WriteTable streams the table that String gives, reading the titles as it goes.
func (a *TimelineAnswer) WriteTable(ctx context.Context, w io.Writer) error {
	if len(a.Turns) == 0 {
		_, err := io.WriteString(w, a.String())
		return err
	}
	const batch = 1024 // titles lie behind the columns that have to line up
	var b strings.Builder
	for from := 0; from < len(a.Turns); from += batch {
		to := min(from+batch, len(a.Turns))
		for i := from; i < to; i++ {
			if err := a.describe(ctx, &a.Turns[i]); err != nil {
				return err
			}
		}
		b.Reset()
		a.table(&b, from, to)
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

// String is the turns as a readable table.
func (a *TimelineAnswer) String() string {
	if len(a.Turns) == 0 {
		return "No conversation turns found\n"
	}
	var b strings.Builder
	a.table(&b, 0, len(a.Turns))
	return b.String()
}

// timelineWidths are of the columns before the title; every batch of lines uses
// the same.
var timelineWidths = [...]int{5, 8, 5, 5, 4, 6, 6, 5, 7, 7}

func (a *TimelineAnswer) table(b *strings.Builder, from, to int) {
	t := newTable(">#", "time", ">steps", ">calls", ">err", ">dur", ">output", ">cache", ">cost", ">context", "prompt")
	for i, n := range timelineWidths {
		t.width[i] = max(t.width[i], n)
	}
	if from > 0 {
		t.rows = t.rows[:0]
	} else {
		b.WriteString(a.headline())
	}
	for i := from; i < to; i++ {
		t.add(a.cells(&a.Turns[i])...)
	}
	t.write(b)
}

func (a *TimelineAnswer) headline() string {
	var cost usageTally
	for i := range a.Turns {
		if c := a.Turns[i].Cost; c != nil {
			cost.cost += *c
			cost.hasCost = true
		}
	}
	s := Plural(len(a.Turns), "turn")
	if cost.hasCost {
		s += "   " + Money(cost.cost)
	}
	return s + "\n\n"
}

func (a *TimelineAnswer) cells(t *Turn) []string {
	known := func(n *int64, say func(int64) string) string {
		if n == nil {
			return NotSaid
		}
		return OrDot(*n, say)
	}
	mark := OrDot(t.Errors, Count[int])
	switch {
	case t.Errors > 0:
	case t.Stopped:
		mark = "■"
	case t.Failed:
		mark = "✗"
	case t.Pending > 0:
		mark = "◌"
	}
	cost, context, took := NotSaid, NotSaid, NotSaid
	if t.Cost != nil {
		cost = Money(*t.Cost)
	}
	if t.Context > 0 {
		context = Short(t.Context)
	}
	if t.Start != 0 {
		took = t.Took.String()
	}
	return []string{
		strconv.Itoa(t.Number), TimeOfDay(int64(t.Start), a.Zone), OrDot(len(t.Steps), Count[int]), OrDot(t.Calls, Count[int]), mark,
		took, known(t.Usage.Output, Short[int64]), t.cache(), cost, context, oneLine(t.Title, 72),
	}
}

// cache is the share of the input that came from a cache.
func (t *Turn) cache() string {
	if t.Miss {
		return "miss"
	}
	u := &t.Usage
	if u.CacheRead == nil {
		return NotSaid
	}
	whole := *u.CacheRead
	for _, n := range [...]*int64{u.Input, u.CacheWrite} {
		if n != nil {
			whole += *n
		}
	}
	return Percent(*u.CacheRead, whole)
}

// WriteJSON streams the turns with their texts, in memory that does not grow with
// their number: a turn's messages are read once for each field that they fill.
func (a *TimelineAnswer) WriteJSON(ctx context.Context, w io.Writer) error {
	j := newJSONWriter(w)
	j.open("{")
	j.number("version", AnswerVersion)
	j.key("turns")
	size := func(i int) (n int) {
		for _, id := range a.Turns[i].Messages {
			n += int(a.sel.Snap.HeadRow(id).Size)
		}
		return n
	}
	j.list(ctx, a.sel.Snap, len(a.Turns), size, func(j *jsonWriter, r *callReader, i int) { a.writeTurn(ctx, j, r, &a.Turns[i]) })
	j.close("}")
	return j.end()
}

func (a *TimelineAnswer) writeTurn(ctx context.Context, j *jsonWriter, r *callReader, t *Turn) {
	j.open("{")
	j.number("index", t.Number)
	a.writeContent(ctx, j, r, t, "user_content", func(h *model.Head) bool {
		return h.Role == model.User && h.Flags&model.Prompt != 0
	})
	a.writeContent(ctx, j, r, t, "assistant_content", func(h *model.Head) bool { return h.Role == model.Assistant })
	j.key("tool_interactions")
	j.open("[")
	for _, id := range t.Messages {
		a.writeInteractions(ctx, j, r, id)
	}
	j.close("]")
	a.writeContent(ctx, j, r, t, "system_context", isContext)
	j.key("steps")
	j.open("[")
	for _, s := range t.Steps {
		j.item()
		j.open("{")
		j.number("message", a.sel.Snap.Pos(s.Message))
		j.number("calls", s.Calls)
		j.number("errors", s.Errors)
		j.close("}")
	}
	j.close("]")
	j.key("messages")
	j.open("[")
	for _, id := range t.Messages {
		j.item()
		j.integer(a.sel.Snap.Pos(id))
	}
	j.close("]")
	j.field("start", t.Start)
	j.field("duration", t.Took)
	j.field("usage", t.Usage)
	j.field("cost", t.Cost)
	j.field("interrupted", t.Stopped)
	j.field("failed", t.Failed)
	j.close("}")
}

// isContext reports whether a message is context for a turn and no part of the
// conversation: the system's, a developer's, or what a program put in the user's
// mouth.
func isContext(h *model.Head) bool {
	return h.Role == model.System || h.Role == model.Developer || h.Role == model.User && h.Flags&model.Prompt == 0
}

// writeContent writes the contents of the messages of the main thread that want
// picks, joined by newlines; null where none has any.
func (a *TimelineAnswer) writeContent(ctx context.Context, j *jsonWriter, r *callReader, t *Turn, name string, want func(*model.Head) bool) {
	j.key(name)
	said := false
	for _, id := range t.Messages {
		h := a.sel.Snap.HeadRow(id)
		if h.Flags&model.HasWords == 0 || !want(h) || !a.sel.Snap.Threads()[h.Thread].Main {
			continue
		}
		blocks, err := r.made.Blocks(ctx, id)
		if err != nil {
			j.fail(err)
			break
		}
		for i := range blocks {
			b := &blocks[i]
			if b.Kind != model.Words || b.Text.IsNull() {
				continue
			}
			if said {
				j.raw(`\n`)
			} else {
				j.raw(`"`)
			}
			said = true
			j.piece(b.Text)
		}
	}
	if said {
		j.raw(`"`)
	} else {
		j.raw("null")
	}
}

// writeInteractions writes the calls that a message made, and the results in it
// that nobody called for.
func (a *TimelineAnswer) writeInteractions(ctx context.Context, j *jsonWriter, r *callReader, id model.ID) {
	s := a.sel.Snap
	h := s.HeadRow(id)
	rows := callsOf(s, id)
	if h.Flags&model.HasOrphan != 0 {
		for _, row := range s.Answers(id) {
			if row.Msg == model.NoID {
				rows = append(rows, row)
			}
		}
	}
	for _, row := range rows {
		if j.err != nil {
			return
		}
		call, err := r.call(ctx, row.ID)
		j.fail(err)
		id := ""
		if call != nil {
			id = call.ID.String()
		}
		result, err := r.result(ctx, row.ID, id)
		j.fail(err)
		j.item()
		a.writeInteraction(j, &row.Call, call, result, &s.Threads()[h.Thread])
	}
}

func (a *TimelineAnswer) writeInteraction(j *jsonWriter, c *model.Call, call, result *model.Block, th *model.Thread) {
	j.open("{")
	j.field("tool_name", toolName(a.sel.Snap, c))
	j.key("tool_call_id")
	switch {
	case call != nil:
		j.span(call.ID)
	case result != nil:
		j.span(result.ID)
	default:
		j.raw("null")
	}
	j.key("arguments")
	if call == nil {
		j.raw("null")
	} else {
		j.arguments(call.Text)
	}
	j.key("result")
	if result == nil || result.Text.IsNull() {
		j.raw("null")
	} else {
		j.span(result.Text)
	}
	j.field("error", c.Outcome.Failed())
	j.field("outcome", c.Outcome.String())
	j.key("duration")
	if c.Took == model.NoTook {
		j.raw("null")
	} else {
		j.value(Millis(c.Took))
	}
	if c.Took != model.NoTook {
		j.field("duration_derived", c.Flags&model.TookDerived != 0)
	}
	if c.Msg == model.NoID {
		j.field("orphan", true)
	}
	if !th.Main {
		j.field("agent", th.Name)
	}
	j.close("}")
}
