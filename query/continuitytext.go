package query

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// WriteJSON writes the answer.
func (a *ContinuityAnswer) WriteJSON(_ context.Context, w io.Writer) error { return writeJSON(w, a) }

// String is the answer as text.
func (a *ContinuityAnswer) String() string {
	var b strings.Builder
	t := newTable("open", "", "since", ">#", "where")
	for _, o := range a.Open {
		t.add(o.Kind, oneLine(o.Text, 90), DayAndTime(int64(o.Time), a.zone), place(o.Index), oneLine(o.Source, 60))
	}
	if len(a.Open) > 0 {
		t.write(&b)
	} else {
		b.WriteString("no open threads\n")
	}
	b.WriteString("\nlast conversation\n" + indent(a.LastText()))
	b.WriteString("\ntoday\n" + indent(a.TodayText()))
	if len(a.Days) > 0 {
		b.WriteByte('\n')
		t = newTable("day", ">conversations", ">turns", ">calls", ">errors", "first prompt")
		for i := range a.Days {
			d := &a.Days[i]
			day := d.Day
			if day == "" {
				day = NotSaid
			}
			t.add(day, Count(len(d.Conversations)), Count(d.Turns), Count(d.Calls), OrDot(d.Errors, Count), oneLine(d.First, 70))
		}
		t.write(&b)
	}
	return b.String()
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") + "\n"
}

// TodayText says what happened today so far.
func (a *ContinuityAnswer) TodayText() string {
	if a.Today == nil {
		return "nothing yet\n"
	}
	d := a.Today
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s, %s\n", Plural(len(d.Conversations), "conversation"), Plural(d.Turns, "turn"), Plural(d.Calls, "call"), Plural(d.Errors, "error"))
	if d.First != "" {
		fmt.Fprintf(&b, "first prompt: %s\n", oneLine(d.First, 120))
	}
	if d.Last != "" && d.Last != d.First {
		fmt.Fprintf(&b, "last prompt: %s\n", oneLine(d.Last, 120))
	}
	if len(d.Tools) > 0 {
		names := make([]string, 0, 8)
		for _, t := range d.Tools[:min(len(d.Tools), 8)] {
			names = append(names, fmt.Sprintf("%s %d", oneLine(t.Tool, 40), t.Calls))
		}
		fmt.Fprintf(&b, "tools: %s\n", strings.Join(names, ", "))
	}
	if n := len(d.Files); n > 0 {
		fmt.Fprintf(&b, "files: %s", oneLine(strings.Join(d.Files[:min(n, 8)], ", "), 200))
		if n > 8 {
			fmt.Fprintf(&b, " and %d more", n-8)
		}
		b.WriteByte('\n')
	}
	for _, m := range d.Moments {
		fmt.Fprintf(&b, "%s %s: %s\n", TimeOfDay(int64(m.Time), a.zone), m.Kind, oneLine(m.Text, 100))
	}
	return b.String()
}

// LastText says what the last conversation was and how it ended.
func (a *ContinuityAnswer) LastText() string {
	c := a.Last
	if c == nil {
		return "none\n"
	}
	var b strings.Builder
	title := c.Title
	if title == "" {
		title = "without a title"
	}
	fmt.Fprintf(&b, "%s\n%s to %s", oneLine(title, 100), DayAndTime(int64(c.Start), a.zone), DayAndTime(int64(c.End), a.zone))
	if c.End != 0 && int64(a.Now) >= int64(c.End) {
		fmt.Fprintf(&b, ", %s ago", Took(time.Duration(int64(a.Now)-int64(c.End))*time.Millisecond))
	}
	b.WriteByte('\n')
	turns, calls, errs := 0, 0, 0
	for i := range c.Days {
		turns, calls, errs = turns+c.Days[i].Turns, calls+c.Days[i].Calls, errs+c.Days[i].Errors
	}
	fmt.Fprintf(&b, "%s, %s, %s; %s", Plural(turns, "turn"), Plural(calls, "call"), Plural(errs, "error"), c.Outcome.State)
	if c.Outcome.Reason != "" {
		fmt.Fprintf(&b, " (%s)", c.Outcome.Reason)
	}
	b.WriteByte('\n')
	if n := len(c.Days); n > 0 && c.Days[n-1].Last != "" {
		fmt.Fprintf(&b, "last prompt: %s\n", oneLine(c.Days[n-1].Last, 120))
	}
	if c.Said != "" {
		fmt.Fprintf(&b, "last words: %s\n", oneLine(c.Said, 120))
	}
	return b.String()
}

// OpenText lists the open threads, a line each.
func (a *ContinuityAnswer) OpenText() string {
	var b strings.Builder
	for _, o := range a.Open {
		fmt.Fprintf(&b, "%s: %s\n", o.Kind, oneLine(o.Text, 160))
	}
	return b.String()
}
