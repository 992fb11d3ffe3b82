package sessions

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query/human"
	"turns/query/many"
	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

var _ screen.FullScreen = (*Sums)(nil)

// Sums adds up the sessions of a list: those selected with v, otherwise all listed ones. It covers
// the list and follows its changes.
type Sums struct {
	over[[]*many.Run]
	kind sumKind
	// index in many.Names of the grouping of each kind
	by      [sumKinds]int
	answer  *many.Answer
	columns []many.Column
}

// sumKind is the kind of a sum.
type sumKind uint8

const (
	sumTools sumKind = iota
	sumStats
	sumCost
	sumKinds
)

var sumNames = [...]string{sumTools: "tools", sumStats: "stats", sumCost: "cost"}

func newSums(d *List, kind sumKind) *Sums {
	s := &Sums{over: newOver[[]*many.Run](d), kind: kind}
	for k := range s.by {
		s.by[k] = slices.Index(many.Names(), cmp.Or(many.Shapes()[sumNames[k]].By, "agent"))
	}
	return s
}

// sums shows the sums of the listed sessions.
func (d *List) sums(kind sumKind) tea.Cmd {
	if d.H.Opts.Store == nil || len(d.Shown) == 0 {
		return d.none()
	}
	return d.lay(newSums(d, kind))
}

// overList is a dialog that covers the list and follows its changes.
type overList interface {
	screen.Dialog
	show() tea.Cmd
}

// lay opens a dialog over the list.
func (d *List) lay(over overList) tea.Cmd {
	d.over = over
	return tea.Batch(d.H.Ask(screen.Show{Dialog: over}), over.show())
}

// asked returns the sessions that a dialog over the list covers: the selected ones, or all listed.
func (d *List) asked() []*session.Session {
	var list []*session.Session
	for _, i := range d.Shown {
		if row := &d.All[i]; len(d.Pick.marked) == 0 || slices.Contains(d.Pick.marked, row.Path) {
			list = append(list, row)
		}
	}
	return list
}

// show adds up the known answers and reads the missing ones.
func (s *Sums) show() tea.Cmd {
	by, err := many.Find(many.Names()[s.by[s.kind]])
	if err != nil {
		return nil
	}
	shape := many.Shapes()[sumNames[s.kind]]
	s.answer = many.NewAnswer(by, s.list.H.Zone)
	need := s.each(func(_ *session.Session, runs *[]*many.Run) {
		for _, run := range *runs {
			s.answer.Add(run)
		}
	})
	s.answer.Keep(shape.Needs)
	_, _ = s.answer.Sort(shape.Sort, 0)
	s.layOut(shape)
	return tea.Batch(s.Table.Reset(len(s.answer.Groups)), s.read(need, func(ctx context.Context, paths []string) iter.Seq[transcripts.Answer[[]*many.Run]] {
		return s.list.H.Opts.Store.Totals(ctx, paths, transcripts.TotalsOptions{})
	}))
}

// layOut sets the columns of the table. A narrow screen drops the sorted column last.
func (s *Sums) layOut(shape many.Shape) {
	was := s.columns
	s.columns = s.answer.Columns(shape.Columns, shape.Sort)
	screen.Describe(&s.Table, s.columns, func(row int) *many.Group { return s.answer.Groups[row] })
	last := len(s.columns) - 1
	if len(was) != len(s.columns) || was[0].Name != s.columns[0].Name || was[last].Name != s.columns[last].Name {
		s.Table.SortBy, s.Table.Desc, s.Table.Cur = slices.IndexFunc(s.columns, func(c many.Column) bool { return c.JSON == shape.Sort }), true, 0
	}
}

// Message handles a report of the job.
func (s *Sums) Message(msg tea.Msg) tea.Cmd { return s.take(msg, s.show) }

// howFar returns the right side of a title: how many transcripts were not read in full, how many
// are still to read, and the sort order.
func howFar(unread, left int, sorted string) (out []paint.Span) {
	if unread > 0 {
		out = append(out, paint.Span{Text: human.Count(unread) + " not read in full   ", Ink: paint.InkError})
	}
	if left > 0 {
		out = append(out, paint.Span{Text: human.Count(left) + " to read   ", Ink: paint.InkDim})
	}
	return append(out, paint.Span{Text: sorted + " ", Ink: paint.InkDim})
}

// Render draws the table over the full screen, with the total below.
func (s *Sums) Render(w, h int) []string {
	st := s.list.H.Styles
	left := []paint.Span{{Text: " "}, {Text: strings.ToUpper(sumNames[s.kind][:1]) + sumNames[s.kind][1:], Ink: paint.InkAccent},
		{Text: ", " + human.Plural(int(s.answer.All.N[many.Runs]), "session") + ", by "}, {Text: s.answer.By.Name}}
	if n := len(s.list.Pick.marked); n > 0 {
		left = append(left, paint.Span{Text: " · selected", Ink: paint.InkDim})
	}
	out := []string{st.Spread(w, paint.GroundNone, left, howFar(s.unread, s.left, s.Table.SortName())), ""}
	s.Above = len(out)
	rows := s.Table.Render(st, w, h-len(out)-1, true)
	if len(rows) == 0 {
		return paint.Fill(append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " reading …", Ink: paint.InkDim})), w, h)
	}
	cells := make([]screen.Cell, len(s.Table.Cols))
	screen.Fill(&s.Table, s.columns, &s.answer.All, cells)
	for i := range cells {
		cells[i].Ink = paint.InkHeading
	}
	out = append(out, rows...)
	return paint.Fill(append(out, st.Line(w, paint.GroundNone, s.Table.Spans(paint.Span{Text: " "}, cells)...)), w, h)
}

// Key moves, sorts, and opens the sessions of a row.
func (s *Sums) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	return s.Press(msg, s.Keys(), &s.Table)
}

// Keys returns the keys of this table only.
func (s *Sums) Keys() []screen.Key {
	kind := func(k sumKind) func(int, string) tea.Cmd {
		return func(int, string) tea.Cmd { s.kind = k; return s.show() }
	}
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "sessions", Help: "list the sessions of the row", Do: func(int, string) tea.Cmd { return s.open() }},
		{Keys: []string{"="}, Hint: "group by", Help: "group by tool, mcp-server, model, agent, project, outcome, day, session, task", Do: func(int, string) tea.Cmd {
			s.by[s.kind] = (s.by[s.kind] + 1) % len(many.Names())
			return s.show()
		}},
		{Keys: []string{"t"}, Hint: "tools", Help: "tool use", Do: kind(sumTools)},
		{Keys: []string{"s"}, Hint: "stats", Help: "messages, calls, errors, tokens, time", Do: kind(sumStats)},
		{Keys: []string{"w"}, Hint: "cost", Help: "cost", Do: kind(sumCost)},
		{Keys: []string{"x"}, Help: "export the table", Do: func(int, string) tea.Cmd { return s.list.H.Ask(s.Table.Export(sumNames[s.kind])) }},
		{Keys: []string{"q", "esc"}, Hint: "back", Help: "back to the list", Do: func(int, string) tea.Cmd { s.Close(); return nil }},
		{Keys: []string{"Q", "ctrl+c"}, Help: "quit", Do: func(int, string) tea.Cmd { return tea.Quit }},
		{Keys: []string{":"}, Help: "command palette: save NAME saves this as a view", Do: func(int, string) tea.Cmd { return s.list.H.Ask(screen.Palette{}) }},
		{Keys: []string{"?", "f1"}, Help: "help", Do: func(int, string) tea.Cmd { return s.list.H.Ask(screen.Help{}) }},
	}
}

// open filters the list by the sessions of the group under the cursor.
func (s *Sums) open() tea.Cmd {
	row := s.Table.Row()
	if row < 0 {
		return nil
	}
	term := s.answer.Term(s.answer.Groups[row])
	if term == "" {
		return s.list.H.Complain("no filter finds the sessions of this row")
	}
	return s.list.addTerm(term, false, s.Close)
}

// Click selects a row or sorts; a double click opens its sessions.
func (s *Sums) Click(x, y int, double bool) (done bool, cmd tea.Cmd) {
	hit, cmd := s.Table.Click(x, y-s.Above)
	if hit && double {
		cmd = s.open()
	}
	return s.Closed, cmd
}

// Hints returns the keys of the table.
func (s *Sums) Hints() []screen.Hint { return screen.OverlayHints(&s.Table, s.Keys()) }

// Group is the name of the keys of sums.
func (s *Sums) Group() string { return "Sums over the list" }
