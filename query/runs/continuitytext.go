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
)

// WriteJSON writes the answer.
func (a *ContinuityAnswer) WriteJSON(_ context.Context, w io.Writer) error {
	return query.WriteJSON(w, a)
}

// Doc describes the answer.
func (a *ContinuityAnswer) Doc() *answer.Doc {
	d, root := &answer.Doc{}, a.folder()
	open := answer.Section{Table: answer.OfList(answer.Pick(a.OpenColumns(), "kind", "text", "since", "place", "where"), a.Open)}
	if root != "" {
		open.Text = append(open.Text, "in "+human.OneLine(root, describe.LineMax))
	}
	if len(a.Open) == 0 {
		open.Text = append(open.Text, a.OpenHead())
	}
	d.Add(open)
	last := indented(a.LastText())
	if a.Last != nil && root != "" {
		last = append(last, "  in "+below(a.Last.Place(), root))
	}
	d.Add(answer.Section{Head: LastHead, Text: last})
	d.Add(answer.Section{Head: TodayHead, Text: indented(a.TodayText())})
	d.AddTable("", a.days())
	return d
}

// The headings of [ContinuityAnswer.LastText] and [ContinuityAnswer.TodayText].
const (
	LastHead  = "last session"
	TodayHead = "today"
)

// OpenHead returns the number of unfinished items.
func (a *ContinuityAnswer) OpenHead() string {
	if len(a.Open) == 0 {
		return "no unfinished items"
	}
	return human.Plural(len(a.Open), "unfinished item")
}

// conversationsShown is how many conversations of a day a table names.
const conversationsShown = 8

// DayRow is a conversation on a day. Without a source it is the sum of the day.
type DayRow struct {
	Day string
	DayConversation
}

// Rows returns the conversations by day.
func (a *ContinuityAnswer) Rows() (rows []DayRow) {
	for i := range a.Days {
		for _, c := range a.Days[i].Conversations {
			rows = append(rows, DayRow{string(cmp.Or(a.Days[i].Day, "no time")), c})
		}
	}
	return rows
}

// days has a row for each day, and one for each of its conversations.
func (a *ContinuityAnswer) days() *answer.Table {
	columns := answer.Pick(a.DayColumns(), "day", "time", "turns", "calls", "errors", "title", "how it ended", "where")
	t, rows := answer.Of(columns), a.Rows()
	for i := range a.Days {
		d := &a.Days[i]
		n, shown := len(d.Conversations), min(len(d.Conversations), conversationsShown)
		answer.Add(t, columns, &DayRow{string(cmp.Or(d.Day, "no time")), DayConversation{Title: human.TextOrNull(human.Plural(n, "session")), Turns: d.Turns, Calls: d.Calls, Errors: d.Errors}})
		for k := range rows[:shown] {
			rows[k].Day = ""
			answer.Add(t, columns, &rows[k])
		}
		if rows = rows[n:]; n > shown {
			t.Add("", "", "", "", "", fmt.Sprintf("… %d more", n-shown), "", "")
		}
	}
	return t
}

// OpenColumns returns the columns of unfinished business.
func (a *ContinuityAnswer) OpenColumns() []answer.Column[*OpenThread] {
	type column = answer.Column[*OpenThread]
	root, titles := a.folder(), map[string]string{}
	for i := range a.All {
		titles[a.All[i].Place()] = string(a.All[i].Title)
	}
	where := func(o *OpenThread) string { return below(o.Place(), root) }
	session := func(o *OpenThread) string { return cmp.Or(titles[o.Place()], where(o)) }
	return []column{
		{Name: "kind", Head: "open", Width: 8, Asc: true, Cell: (*OpenThread).kind, Order: answer.By(func(o *OpenThread) string { return o.Kind })},
		{Name: "text", Room: 90, Width: 20, Gap: 1, Flex: 3, Asc: true, Cell: (*OpenThread).text, Order: answer.By(func(o *OpenThread) string { return o.Text })},
		{Name: "since", Head: "since", Kind: answer.Word, Width: 19, Gap: 2, Drop: 2, Order: answer.By(func(o *OpenThread) human.Stamp { return o.Time }),
			Cell: func(o *OpenThread) answer.Cell {
				return answer.Cell{Text: human.DayAndTime(int64(o.Time), a.zone), Tone: answer.Dim}
			}},
		{Name: "place", Head: "#", Kind: answer.Number, Width: 7, Gap: 1, Drop: 1, Stays: true, Cell: func(o *OpenThread) answer.Cell { return answer.At(o.Index) }},
		dim(answer.Texts(column{Name: "session", Head: "session", Width: 12, Gap: 2, Flex: 1, Drop: 3}, session)),
		dim(answer.Texts(column{Name: "where", Head: "where", Kind: answer.Path}, where)),
	}
}

// DayColumns returns the columns of conversations by day.
func (a *ContinuityAnswer) DayColumns() []answer.Column[*DayRow] {
	type column = answer.Column[*DayRow]
	root, today := a.folder(), ""
	if a.Today != nil {
		today = string(a.Today.Day)
	}
	count := func(c column, tone answer.Tone, of func(*DayRow) int) column {
		c.Head, c.Width, c.Gap = c.Name, 6, 1
		return answer.Counts(c, tone, of)
	}
	return []column{
		{Name: "day", Head: "day", Kind: answer.Word, Width: 10, Order: func(x, y *DayRow) int { return cmp.Or(strings.Compare(x.Day, y.Day), cmp.Compare(x.Start, y.Start)) },
			Cell: func(r *DayRow) (c answer.Cell) {
				if c.Text = r.Day; r.Day == today && today != "" {
					c.Text, c.Long = "today", today
				}
				return c
			}},
		{Name: "time", Head: "time", Kind: answer.Word, Width: 8, Gap: 1, Drop: 1, Stays: true, Cell: func(r *DayRow) (c answer.Cell) {
			if r.Start != 0 {
				c = answer.Cell{Text: human.TimeOfDay(int64(r.Start), a.zone), Tone: answer.Dim}
			}
			return c
		}},
		answer.Texts(column{Name: "title", Head: "session", Room: 60, Width: 20, Gap: 1, Flex: 3}, func(r *DayRow) string { return string(cmp.Or(r.Title, "without a title")) }),
		count(column{Name: "turns", Drop: 3}, answer.Plain, func(r *DayRow) int { return r.Turns }),
		count(column{Name: "calls", Drop: 4}, answer.Plain, func(r *DayRow) int { return r.Calls }),
		count(column{Name: "errors", Drop: 2}, answer.Bad, func(r *DayRow) int { return r.Errors }),
		dim(answer.Texts(column{Name: "how it ended", Head: "ended", Kind: answer.Word, Width: 11, Gap: 2, Drop: 5, Stays: true}, func(r *DayRow) string {
			if r.Source == "" {
				return ""
			}
			return r.State.String()
		})),
		dim(answer.Texts(column{Name: "where", Head: "where", Kind: answer.Path, Width: 12, Gap: 2, Flex: 1, Drop: 6}, func(r *DayRow) string { return below(r.Place(), root) })),
	}
}

// dim makes the cells of a column less important.
func dim[T any](c answer.Column[T]) answer.Column[T] {
	of := c.Cell
	c.Cell = func(t T) answer.Cell {
		cell := of(t)
		cell.Tone = answer.Dim
		return cell
	}
	return c
}

// kind returns the cell of the kind.
func (o *OpenThread) kind() answer.Cell {
	tones := map[string]answer.Tone{OpenError: answer.Bad, OpenQuestion: answer.Warn, OpenPrompt: answer.Warn}
	return answer.Cell{Text: o.Kind, Tone: tones[o.Kind]}
}

func (o *OpenThread) text() answer.Cell {
	c := answer.Cell{Text: o.Text}
	if o.Times > 1 {
		c.More = fmt.Sprintf(" (%d times)", o.Times)
	}
	return c
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
	fmt.Fprintf(&b, "%s, %s, %s, %s\n", human.Plural(len(d.Conversations), "session"), human.Plural(d.Turns, "turn"), human.Plural(d.Calls, "call"), human.Plural(d.Errors, "error"))
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
			names = append(names, human.OneLine(t.Tool, 40)+" "+human.Count(t.Calls))
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
	fmt.Fprintf(&b, "%s\n%s", human.OneLine(string(title), 100), cmp.Or(human.Span(int64(c.Start), int64(c.End), a.zone), human.NotSaid))
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
	if c.LastWords != "" {
		fmt.Fprintf(&b, "last words: %s\n", human.OneLine(string(c.LastWords), 120))
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
