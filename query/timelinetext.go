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
	j.open("[")
	for i := range a.Turns {
		j.item()
		a.writeTurn(ctx, j, &a.Turns[i])
		if j.err != nil {
			break
		}
	}
	j.close("]")
	j.close("}")
	return j.end()
}

func (a *TimelineAnswer) writeTurn(ctx context.Context, j *jsonWriter, t *Turn) {
	j.open("{")
	j.number("index", t.Number)
	a.writeContent(ctx, j, t, "user_content", func(h *model.Head) bool {
		return h.Role == model.User && h.Flags&model.Prompt != 0
	})
	a.writeContent(ctx, j, t, "assistant_content", func(h *model.Head) bool { return h.Role == model.Assistant })
	j.key("tool_interactions")
	j.open("[")
	for _, id := range t.Messages {
		a.writeInteractions(ctx, j, id)
	}
	j.close("]")
	a.writeContent(ctx, j, t, "system_context", isContext)
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
		j.value(a.sel.Snap.Pos(id))
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
func (a *TimelineAnswer) writeContent(ctx context.Context, j *jsonWriter, t *Turn, name string, want func(*model.Head) bool) {
	j.key(name)
	said := false
	for _, id := range t.Messages {
		h := a.sel.Snap.HeadRow(id)
		if h.Flags&model.HasWords == 0 || !want(h) || !a.sel.Snap.Threads()[h.Thread].Main {
			continue
		}
		m, err := a.sel.Snap.Body(ctx, id)
		if err != nil {
			j.fail(err)
			break
		}
		for i := range m.Blocks {
			b := &m.Blocks[i]
			if b.Kind != model.Words || b.Null {
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
func (a *TimelineAnswer) writeInteractions(ctx context.Context, j *jsonWriter, id model.ID) {
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
		c, err := ReadCall(ctx, s, row.ID)
		j.fail(err)
		j.item()
		writeInteraction(j, s, &c, &s.Threads()[h.Thread])
	}
}

func writeInteraction(j *jsonWriter, s *model.Snapshot, c *CallOf, th *model.Thread) {
	j.open("{")
	j.field("tool_name", toolName(s, c.Row))
	j.key("tool_call_id")
	switch {
	case c.Call != nil:
		j.text(c.Call.ID)
	case c.Result != nil:
		j.text(c.Result.ID)
	default:
		j.raw("null")
	}
	j.key("arguments")
	if c.Call == nil {
		j.raw("null")
	} else {
		j.arguments(c.Call)
	}
	j.key("result")
	if c.Result == nil || c.Result.Null {
		j.raw("null")
	} else {
		j.text(c.Result.Text)
	}
	j.field("error", c.Row.Outcome.Failed())
	j.field("outcome", c.Row.Outcome.String())
	j.key("duration")
	if c.Row.Took == model.NoTook {
		j.raw("null")
	} else {
		j.value(Millis(c.Row.Took))
	}
	if c.Row.Took != model.NoTook {
		j.field("duration_derived", c.Row.Flags&model.TookDerived != 0)
	}
	if c.Row.Msg == model.NoID {
		j.field("orphan", true)
	}
	if !th.Main {
		j.field("agent", th.Name)
	}
	j.close("}")
}
