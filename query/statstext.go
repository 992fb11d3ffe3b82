package query

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"turns/model"
)

// Describe fills in what the slowest and largest items are about, which takes
// their texts.
func (a *StatsAnswer) Describe(ctx context.Context) error {
	for i := range a.Slowest {
		x := &a.Slowest[i]
		about, err := a.about(ctx, x.ID, x.Call)
		if err != nil {
			return err
		}
		x.About = about
	}
	for i := range a.Largest {
		x := &a.Largest[i]
		about, err := a.about(ctx, x.ID, x.Call)
		if err != nil {
			return err
		}
		x.About = about
	}
	return nil
}

func (a *StatsAnswer) about(ctx context.Context, id model.ID, call model.CallID) (string, error) {
	s := a.sel.Snap
	if id == model.NoID {
		return "", nil
	}
	d := NewDescriber(s.Session(id))
	if uint32(call) == model.NoRow {
		m, err := s.Body(ctx, id)
		if err != nil {
			return "", err
		}
		return firstWords(m), nil
	}
	c, err := ReadCall(ctx, s, call) // a few, and large: none is kept for the next
	if err != nil {
		return "", err
	}
	if c.Call == nil {
		return d.Orphan(c.Result).About, nil
	}
	return d.Call(c.Call, c.Result, c.Row).About, nil
}

// WriteJSON writes the answer. It has few texts, those that Describe filled in.
func (a *StatsAnswer) WriteJSON(_ context.Context, w io.Writer) error { return writeJSON(w, a) }

// String is the answer as a readable table.
func (a *StatsAnswer) String() string {
	var b strings.Builder
	a.writeHead(&b)
	a.writeCounts(&b)
	a.writeUsage(&b)
	a.writeTokens(&b)
	a.writeTime(&b)
	a.writeItems(&b)
	return b.String()
}

func (a *StatsAnswer) writeHead(b *strings.Builder) {
	b.WriteString("Stats")
	if a.Format != "" {
		b.WriteString("   " + oneLine(a.Format, 40))
	}
	if a.FirstTime != 0 {
		b.WriteString("   " + DayAndTime(int64(a.FirstTime), a.Zone) + " – ")
		if sameDay(a.FirstTime, a.LastTime, a.Zone) {
			b.WriteString(TimeOfDay(int64(a.LastTime), a.Zone))
		} else {
			b.WriteString(DayAndTime(int64(a.LastTime), a.Zone))
		}
	}
	b.WriteByte('\n')
}

func sameDay(x, y Stamp, zone *time.Location) bool {
	return stampIn(int64(x), zone, time.DateOnly) == stampIn(int64(y), zone, time.DateOnly)
}

func (a *StatsAnswer) writeCounts(b *strings.Builder) {
	b.WriteByte('\n')
	t := newTable("", ">", "")
	t.rows = nil
	count := func(name string, n int, note string) { t.add(name, OrDot(n, Count[int]), note) }
	if a.Sessions > 1 {
		count("sessions", a.Sessions, "")
	}
	count("messages", a.TotalMessages, "")
	for _, role := range sortedKeys(a.MessagesByRole) {
		note := ""
		if role == model.User.String() && a.Injected > 0 {
			note = Count(a.Injected) + " injected"
		}
		count("  "+oneLine(role, 30), a.MessagesByRole[role], note)
	}
	count("turns", a.Turns, Plural(a.Steps, "step"))
	note := ""
	if a.ToolErrors > 0 {
		note = Plural(a.ToolErrors, "error") + ", " + Percent(a.ToolErrors, a.ToolCalls+a.OrphanResults)
		if parts := a.errorParts(); parts != "" {
			note += "   " + parts
		}
	}
	count("calls", a.ToolCalls, note)
	count("  results", a.ToolResults, "")
	count("  pending", a.PendingCalls, "")
	count("  results without a call", a.OrphanResults, "")
	if a.Agents.Count > 0 {
		count("agents", a.Agents.Count, Plural(a.Agents.Messages, "message")+", "+Plural(a.Agents.Calls, "call")+", "+Plural(a.Agents.Errors, "error"))
	}
	count("model errors", a.ModelErrors, "")
	count("unreadable records", a.UnreadableRecords, "")
	events, kinds := 0, []string{}
	for i, e := range a.Events {
		events += e.Count
		if i < 4 {
			kinds = append(kinds, Count(e.Count)+" "+oneLine(e.Kind, 30))
		}
	}
	if len(a.Events) > 4 {
		kinds = append(kinds, "…")
	}
	count("events", events, strings.Join(kinds, ", "))
	if a.Rewound.Messages+a.Rewound.Calls > 0 {
		count("rewound", a.Rewound.Messages, Plural(a.Rewound.Calls, "call")+", "+Plural(a.Rewound.Errors, "error"))
	}
	if a.Inherited.Messages+a.Inherited.Calls > 0 {
		count("inherited", a.Inherited.Messages, Plural(a.Inherited.Calls, "call")+", "+Plural(a.Inherited.Errors, "error"))
	}
	t.write(b)
	a.writeOutcome(b)
}

// errorParts says what the errors are where not all are failures.
func (a *StatsAnswer) errorParts() string {
	var parts []string
	for _, o := range sortedKeys(a.ErrorsByOutcome) {
		parts = append(parts, Count(a.ErrorsByOutcome[o])+" "+o)
	}
	if len(parts) == 1 && a.ErrorsByOutcome[model.Failure.String()] > 0 {
		return ""
	}
	return strings.Join(parts, ", ")
}

func (a *StatsAnswer) writeOutcome(b *strings.Builder) {
	b.WriteString("\noutcome   " + a.Outcome.State)
	if a.Outcome.Reason != "" && a.Outcome.Reason != a.Outcome.State {
		b.WriteString(": " + oneLine(a.Outcome.Reason, 100))
	}
	if a.Outcome.Score != nil {
		b.WriteString("   score " + shortFloat(*a.Outcome.Score, -1))
	}
	b.WriteByte('\n')
	if len(a.Models) > 0 {
		b.WriteString("models    " + oneLine(strings.Join(a.Models, ", "), 120) + "\n")
	}
}

func (a *StatsAnswer) writeUsage(b *strings.Builder) {
	u := &a.Usage
	b.WriteString("\nrecorded, each of " + Plural(a.Responses, "response") + " once\n")
	t := newTable("", ">", ">")
	t.rows = nil
	input := int64(0)
	for _, n := range [...]*int64{u.Input, u.CacheRead, u.CacheWrite} {
		if n != nil {
			input += *n
		}
	}
	row := func(name string, n *int64, share bool) {
		switch {
		case n == nil:
			t.add("  "+name, NotSaid, "not recorded")
		case share && *n > 0:
			t.add("  "+name, Short(*n), Percent(*n, input))
		default:
			t.add("  "+name, OrDot(*n, Short[int64]), "")
		}
	}
	row("input, uncached", u.Input, true)
	row("cache read", u.CacheRead, true)
	row("cache write", u.CacheWrite, true)
	row("output", u.Output, false)
	row("  of it reasoning", u.Reasoning, false)
	row("total", u.Total, false)
	if a.Cost != nil {
		t.add("  cost", Money(*a.Cost), "")
	} else {
		t.add("  cost", NotSaid, "not recorded")
	}
	t.write(b)
	if c := a.Context; c != nil {
		b.WriteString("  context window: " + Short(c.Last) + " last, " + Short(c.Most) + " most")
		if c.Window > 0 {
			b.WriteString(", of " + Short(c.Window))
		}
		if a.Compactions > 0 {
			b.WriteString("; compacted " + Plural(a.Compactions, "time"))
		}
		b.WriteByte('\n')
	}
}

func (a *StatsAnswer) writeTokens(b *strings.Builder) {
	if a.TotalTokens == nil {
		return
	}
	b.WriteString("\ncounted, what the messages hold")
	if a.Encoding != "" {
		b.WriteString(", with " + oneLine(a.Encoding, 30))
	}
	b.WriteByte('\n')
	t := newTable("", ">", ">")
	t.rows = nil
	t.add("  all", OrDot(*a.TotalTokens, Short[int64]), shortFloat(*a.AvgTokensPerMessage, 1)+" a message")
	k := a.TokensByKind
	for _, x := range []struct {
		name string
		n    int64
	}{
		{"results", k.Results}, {"arguments", k.Arguments}, {"reasoning", k.Reasoning}, {"assistant", k.Assistant},
		{"user", k.User}, {"system, injected", k.System}, {"other", k.Other},
	} {
		if x.n > 0 {
			t.add("  "+x.name, Short(x.n), Percent(x.n, *a.TotalTokens))
		}
	}
	t.write(b)
}

func (a *StatsAnswer) writeTime(b *strings.Builder) {
	s := &a.Time
	whole := s.Model + s.Tools + s.User + s.Idle
	if whole == 0 {
		return
	}
	b.WriteString("\ntime " + whole.String() + "   tools " + s.Tools.String() + "   model " + s.Model.String() +
		"   user " + s.User.String() + "   idle " + s.Idle.String())
	switch a.DurationSource {
	case "derived":
		b.WriteString("   durations of calls are upper bounds")
	case "mixed":
		b.WriteString("   some durations of calls are upper bounds")
	}
	b.WriteByte('\n')
}

func (a *StatsAnswer) writeItems(b *strings.Builder) {
	if len(a.Slowest) > 0 {
		b.WriteString("\nslowest\n")
		t := newTable(">", "", "", "")
		t.rows = nil
		for _, x := range a.Slowest[:min(5, len(a.Slowest))] {
			name := x.Name
			if x.Kind == "response" {
				name = "model"
			}
			t.add("  "+x.Duration.String(), oneLine(name, 24), cutText(x.About, 60), place(x.Index))
		}
		t.write(b)
	}
	if len(a.Largest) == 0 {
		return
	}
	b.WriteString("\nlargest\n")
	t := newTable(">", "", "", "")
	t.rows = nil
	for _, x := range a.Largest[:min(5, len(a.Largest))] {
		size := model.SizeOf(x.Bytes)
		if x.Tokens != nil {
			size = Short(*x.Tokens)
		}
		t.add("  "+size, oneLine(x.Name, 24), cutText(x.About, 60), place(x.Index))
	}
	t.write(b)
}

// place is a position as people see it; what is on a branch that is not live has
// none.
func place(index int) string {
	if index < 0 {
		return NotSaid
	}
	return "#" + Count(index)
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
