package query

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"turns/model"
)

// WriteJSON writes the answer.
func (a *ContinuityAnswer) WriteJSON(_ context.Context, w io.Writer) error { return writeJSON(w, a) }

// String is the answer as text.
func (a *ContinuityAnswer) String() string {
	var b strings.Builder
	root := a.folder()
	if root != "" {
		fmt.Fprintf(&b, "in %s\n", oneLine(root, lineMax))
	}
	t := newTable("open", "", "since", ">#", "where")
	for i := range a.Open {
		o := &a.Open[i]
		text := oneLine(o.Text, 90)
		if o.Times > 1 {
			text += fmt.Sprintf(" (%d times)", o.Times)
		}
		t.add(o.Kind, text, DayAndTime(int64(o.Time), a.zone), place(o.Index), below(o.Place(), root))
	}
	if len(a.Open) > 0 {
		t.write(&b)
	} else {
		b.WriteString("no open threads\n")
	}
	b.WriteString("\nlast conversation\n" + indent(a.LastText()))
	if a.Last != nil && root != "" {
		b.WriteString("  in " + below(a.Last.Place(), root) + "\n")
	}
	b.WriteString("\ntoday\n" + indent(a.TodayText()))
	a.writeDays(&b, root)
	return b.String()
}

// conversationsShown is how many conversations of a day a table names.
const conversationsShown = 8

// writeDays writes a row for each day, and one for each of its conversations.
func (a *ContinuityAnswer) writeDays(b *strings.Builder, root string) {
	if len(a.Days) == 0 {
		return
	}
	b.WriteByte('\n')
	t := newTable("day", ">turns", ">calls", ">errors", "", "how it ended", "where")
	for i := range a.Days {
		d := &a.Days[i]
		day := d.Day
		if day == "" {
			day = "no time"
		}
		t.add(day, Count(d.Turns), Count(d.Calls), OrDot(d.Errors, Count), Plural(len(d.Conversations), "conversation"), "", "")
		for k := range d.Conversations[:min(len(d.Conversations), conversationsShown)] {
			c := &d.Conversations[k]
			at := ""
			if c.Start != 0 {
				at = TimeOfDay(int64(c.Start), a.zone)
			}
			title := c.Title
			if title == "" {
				title = "without a title"
			}
			t.add("  "+at, Count(c.Turns), Count(c.Calls), OrDot(c.Errors, Count), oneLine(title, 60), c.State, below(c.Place(), root))
		}
		if n := len(d.Conversations) - conversationsShown; n > 0 {
			t.add("", "", "", "", fmt.Sprintf("… %d more", n), "", "")
		}
	}
	t.write(b)
}

// folder is the deepest folder that all sources lie in; "" where there is one
// source, or they have none in common.
func (a *ContinuityAnswer) folder() string {
	common, n := "", 0
	for i := range a.All {
		dir, _ := path.Split(a.All[i].Source)
		if i == 0 {
			common = dir
		} else if a.All[i].Source != a.All[i-1].Source {
			n++
		}
		for !strings.HasPrefix(dir, common) {
			common, _ = path.Split(strings.TrimSuffix(common, "/"))
		}
	}
	if n == 0 {
		return ""
	}
	return common
}

// below is a path without the folder that it lies in, its end where it is long.
func below(name, root string) string {
	const columns = 60
	name = strings.TrimPrefix(name, root)
	if r := []rune(model.CleanLine(name)); len(r) > columns {
		return "…" + string(r[len(r)-columns+1:])
	}
	return model.CleanLine(name)
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
	left := 0
	for i, skip := range passedOver(d.Moments) {
		if skip {
			left++
			continue
		}
		m := &d.Moments[i]
		fmt.Fprintf(&b, "%s %s: %s\n", TimeOfDay(int64(m.Time), a.zone), m.Kind, oneLine(m.Text, 100))
	}
	if left > 0 {
		fmt.Fprintf(&b, "and %s before them\n", Plural(left, "error"))
	}
	return b.String()
}

// momentsShown is how many moments a text tells.
const momentsShown = 16

// passedOver says which moments a text has no room for: the oldest errors.
func passedOver(moments []KeyMoment) []bool {
	skip := make([]bool, len(moments))
	over := len(moments) - momentsShown
	for i := 0; i < len(moments) && over > 0; i++ {
		if moments[i].Kind == momentError {
			skip[i] = true
			over--
		}
	}
	return skip
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
	state := c.Outcome.State
	if state == RunUnknown {
		state = "how it ended is not recorded"
	}
	fmt.Fprintf(&b, "%s, %s, %s; %s", Plural(turns, "turn"), Plural(calls, "call"), Plural(errs, "error"), state)
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
