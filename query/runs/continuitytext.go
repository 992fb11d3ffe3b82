package runs

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/summary"
)

// WriteJSON writes the answer.
func (a *ContinuityAnswer) WriteJSON(_ context.Context, w io.Writer) error {
	return query.WriteJSON(w, a)
}

// Doc describes the answer.
func (a *ContinuityAnswer) Doc() *answer.Doc {
	d, root := &answer.Doc{}, a.folder()
	t := answer.NewTable("open", "", "=since?", ">#", "<where").Cut(90, 1)
	for i := range a.Open {
		o := &a.Open[i]
		row := t.Add(o.Kind, o.Text, human.DayAndTime(int64(o.Time), a.zone), summary.Place(int(o.Index)), below(o.Place(), root))
		if o.Times > 1 {
			row.Cells[1].More = fmt.Sprintf(" (%d times)", o.Times)
		}
	}
	open := answer.Section{Table: t}
	if root != "" {
		open.Text = append(open.Text, "in "+human.OneLine(root, describe.LineMax))
	}
	if len(a.Open) == 0 {
		open.Text = append(open.Text, "no open threads")
	}
	d.Add(open)
	last := indented(a.LastText())
	if a.Last != nil && root != "" {
		last = append(last, "  in "+below(a.Last.Place(), root))
	}
	d.Add(answer.Section{Head: "last conversation", Text: last})
	d.Add(answer.Section{Head: "today", Text: indented(a.TodayText())})
	d.AddTable("", a.days(root))
	return d
}

// conversationsShown is how many conversations of a day a table names.
const conversationsShown = 8

// days has a row for each day, and one for each of its conversations.
func (a *ContinuityAnswer) days(root string) *answer.Table {
	t := answer.NewTable("day", ">turns??", ">calls?", ">errors", "", "how it ended", "<where???").Cut(60, 4)
	for i := range a.Days {
		d := &a.Days[i]
		day := cmp.Or(d.Day, "no time")
		t.Add(string(day), human.Count(d.Turns), human.Count(d.Calls), human.OrDot(d.Errors, human.Count), human.Plural(len(d.Conversations), "conversation"), "", "")
		for k := range d.Conversations[:min(len(d.Conversations), conversationsShown)] {
			c := &d.Conversations[k]
			at := ""
			if c.Start != 0 {
				at = human.TimeOfDay(int64(c.Start), a.zone)
			}
			t.Add(at, human.Count(c.Turns), human.Count(c.Calls), human.OrDot(c.Errors, human.Count), string(cmp.Or(c.Title, "without a title")), c.State.String(), below(c.Place(), root)).Indent = 2
		}
		if n := len(d.Conversations) - conversationsShown; n > 0 {
			t.Add("", "", "", "", fmt.Sprintf("… %d more", n), "", "")
		}
	}
	return t
}

// folder returns the deepest folder that contains all sources; "" if there is only one source or no
// common folder.
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

// below returns a path relative to a folder, cut in front if it is long.
func below(name, root string) string {
	const columns = 60
	name = strings.TrimPrefix(name, root)
	return human.CutFront(model.CleanLine(name), columns)
}

// indented returns the lines of a text, indented below a heading.
func indented(s string) []string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// TodayText describes today so far.
func (a *ContinuityAnswer) TodayText() string {
	if a.Today == nil {
		return "nothing yet\n"
	}
	d := a.Today
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s, %s\n", human.Plural(len(d.Conversations), "conversation"), human.Plural(d.Turns, "turn"), human.Plural(d.Calls, "call"), human.Plural(d.Errors, "error"))
	if d.Summary != "" {
		fmt.Fprintf(&b, "summary: %s\n", human.OneLine(string(d.Summary), 400))
	}
	if d.First != "" {
		fmt.Fprintf(&b, "first prompt: %s\n", human.OneLine(string(d.First), 120))
	}
	if d.Last != "" && d.Last != d.First {
		fmt.Fprintf(&b, "last prompt: %s\n", human.OneLine(string(d.Last), 120))
	}
	if len(d.Tools) > 0 {
		names := make([]string, 0, 8)
		for _, t := range d.Tools[:min(len(d.Tools), 8)] {
			names = append(names, fmt.Sprintf("%s %d", human.OneLine(t.Tool, 40), t.Calls))
		}
		fmt.Fprintf(&b, "tools: %s\n", strings.Join(names, ", "))
	}
	if n := len(d.Files); n > 0 {
		fmt.Fprintf(&b, "files: %s", human.OneLine(strings.Join(d.Files[:min(n, 8)], ", "), 200))
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
		if m.Time != 0 {
			b.WriteString(human.TimeOfDay(int64(m.Time), a.zone) + " ")
		}
		fmt.Fprintf(&b, "%s: %s\n", m.Kind, human.OneLine(m.Text, 100))
	}
	if left > 0 {
		fmt.Fprintf(&b, "and %s before them\n", human.Plural(left, "error"))
	}
	return b.String()
}

// momentsShown is the maximum number of moments in a text.
const momentsShown = 16

// passedOver reports which moments to omit for lack of room: the oldest errors.
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

// LastText describes the last conversation and how it ended.
func (a *ContinuityAnswer) LastText() string {
	c := a.Last
	if c == nil {
		return "none\n"
	}
	var b strings.Builder
	title := cmp.Or(c.Title, "without a title")
	fmt.Fprintf(&b, "%s\n%s to %s", human.OneLine(string(title), 100), human.DayAndTime(int64(c.Start), a.zone), human.DayAndTime(int64(c.End), a.zone))
	if c.End != 0 && int64(a.Now) >= int64(c.End) {
		fmt.Fprintf(&b, ", %s ago", human.Took(time.Duration(int64(a.Now)-int64(c.End))*time.Millisecond))
	}
	b.WriteByte('\n')
	turns, calls, errs := 0, 0, 0
	for i := range c.Days {
		turns, calls, errs = turns+c.Days[i].Turns, calls+c.Days[i].Calls, errs+c.Days[i].Errors
	}
	state := c.Outcome.State.String()
	if c.Outcome.State == model.RunUnknown {
		state = "how it ended is not recorded"
	}
	fmt.Fprintf(&b, "%s, %s, %s; %s", human.Plural(turns, "turn"), human.Plural(calls, "call"), human.Plural(errs, "error"), state)
	if c.Outcome.Reason != "" {
		fmt.Fprintf(&b, " (%s)", c.Outcome.Reason)
	}
	b.WriteByte('\n')
	if c.Summary != "" {
		fmt.Fprintf(&b, "summary: %s\n", human.OneLine(string(c.Summary), 400))
	}
	if n := len(c.Days); n > 0 && c.Days[n-1].Last != "" {
		fmt.Fprintf(&b, "last prompt: %s\n", human.OneLine(string(c.Days[n-1].Last), 120))
	}
	if c.Said != "" {
		fmt.Fprintf(&b, "last words: %s\n", human.OneLine(string(c.Said), 120))
	}
	return b.String()
}

// OpenText lists unfinished business, one item per line.
func (a *ContinuityAnswer) OpenText() string {
	var b strings.Builder
	for _, o := range a.Open {
		fmt.Fprintf(&b, "%s: %s\n", o.Kind, human.OneLine(o.Text, 160))
	}
	return b.String()
}
