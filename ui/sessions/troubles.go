package sessions

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"turns/query/answer"
	"turns/query/human"
	"turns/query/many"
	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

var _ screen.FullScreen = (*Troubles)(nil)

// Troubles shows the failures in the sessions of a list by kind, and the loops of agents: of those
// selected with v, otherwise of all listed sessions. It covers the list and follows its changes. A
// kind leads to its failures, and these lead to their calls.
type Troubles struct {
	over[transcripts.Problems]
	loops  bool               // show loops instead of failures
	inside *many.FailureGroup // the group whose failures are shown; nil: the groups are shown
	runs   int
	sum    string // counts the failures and groups, "" for none
	rows   []trouble
}

// trouble is the target of a row: a group of failures, or a place in a session.
type trouble struct {
	group *many.FailureGroup
	path  string
	index int
}

// troubles shows the failures or loops of the listed sessions.
func (d *List) troubles(loops bool) tea.Cmd {
	if d.H.Opts.Store == nil || len(d.Shown) == 0 {
		return d.none()
	}
	s := &Troubles{over: newOver[transcripts.Problems](d), loops: loops}
	return d.lay(s)
}

// show combines the known answers and reads the missing ones.
func (s *Troubles) show() tea.Cmd {
	groups, names := many.NewGroups("failure"), map[string]string{}
	var failures []*many.Failure
	var loops []*many.Loop
	s.runs = 0
	need := s.each(func(row *session.Session, found *transcripts.Problems) {
		s.runs++
		for i := range found.Failures {
			f := &found.Failures[i]
			groups.Add(f)
			names[f.Path] = row.Name()
			if s.inside != nil && s.inside.Holds(f) {
				failures = append(failures, f)
			}
		}
		for i := range found.Loops {
			l := &found.Loops[i]
			names[l.Path] = row.Name()
			loops = append(loops, l)
		}
	})
	groups.Finish(nil)
	s.sum, s.rows = "", s.rows[:0]
	if groups.All > 0 {
		s.sum = " · " + groups.Sum()
	}
	name := func(path string) string { return names[path] }
	switch {
	case s.loops:
		columns := answer.Pick(many.LoopColumns(name), "kind", "times", "what", "session", "at")
		lay(s, columns, loops, 1, func(l *many.Loop) trouble { return trouble{path: l.Path, index: l.From} })
	case s.inside != nil:
		lay(s, many.FailureColumns(s.list.H.Zone, name), failures, -1, func(f *many.Failure) trouble { return trouble{path: f.Path, index: f.Index} })
	default:
		lay(s, groups.Columns(s.list.H.Zone), groups.List, 0, func(g *many.FailureGroup) trouble { return trouble{group: g} })
	}
	return tea.Batch(s.Table.Reset(len(s.rows)), s.read(need, s.list.H.Opts.Store.Problems))
}

// lay sets the columns and rows of the table, initially sorted by the column by. place returns the
// target of a row.
func lay[T any](s *Troubles, columns []answer.Column[T], rows []T, by int, place func(T) trouble) {
	was := s.Table.Cols
	screen.Describe(&s.Table, columns, func(i int) T { return rows[i] })
	fill, session := s.Table.Cells, s.Table.Column("session")
	s.Table.Cells = func(i int, out []screen.Cell) {
		if fill(i, out); session >= 0 {
			out[session].Ink = paint.InkDim
		}
	}
	if len(was) != len(columns) || was[0].Name != columns[0].Name {
		s.Table.SortBy, s.Table.Desc, s.Table.Cur = by, true, 0
	}
	for _, row := range rows {
		s.rows = append(s.rows, place(row))
	}
}

// Message handles a report of the job.
func (s *Troubles) Message(msg tea.Msg) tea.Cmd { return s.take(msg, s.show) }

// Render draws the table over the full screen.
func (s *Troubles) Render(w, h int) []string {
	st := s.list.H.Styles
	runs := human.Plural(s.runs, "session")
	left := []paint.Span{{Text: " "}, {Text: "Failures", Ink: paint.InkAccent}, {Text: ", " + runs}}
	switch {
	case s.loops:
		left = []paint.Span{{Text: " "}, {Text: "Loops", Ink: paint.InkAccent}, {Text: ", " + runs}}
	case s.inside != nil:
		left = append(left, paint.Span{Text: " · " + s.inside.Tool + " " + s.inside.Outcome + " · ", Ink: paint.InkDim}, paint.Span{Text: paint.OneLine(s.inside.Kind)})
	default:
		left = append(left, paint.Span{Text: s.sum, Ink: paint.InkDim})
	}
	if len(s.list.Pick.marked) > 0 {
		left = append(left, paint.Span{Text: " · selected", Ink: paint.InkDim})
	}
	out := []string{st.Spread(w, paint.GroundNone, left, howFar(s.unread, s.left, s.Table.SortName())), ""}
	s.Above = len(out)
	rows := s.Table.Render(st, w, h-len(out), true)
	if len(s.rows) == 0 {
		rows = []string{st.Line(w, paint.GroundNone, paint.Span{Text: s.nothing(), Ink: paint.InkDim})}
	}
	return paint.Fill(append(out, rows...), w, h)
}

// nothing returns why there are no rows.
func (s *Troubles) nothing() string {
	switch {
	case s.left > 0:
		return " reading …"
	case s.loops:
		return " no loops found"
	}
	return " no failures found"
}

// Key moves, sorts, and opens the target of a row.
func (s *Troubles) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	return s.Press(msg, s.Keys(), &s.Table)
}

// Keys returns the keys of this table only.
func (s *Troubles) Keys() []screen.Key {
	kind := func(loops bool) func(int, string) tea.Cmd {
		return func(int, string) tea.Cmd { s.loops, s.inside = loops, nil; return s.show() }
	}
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "open", Help: "open the group; jump to the call of a failure, or to the first of a loop", Do: func(int, string) tea.Cmd { return s.open() }},
		{Keys: []string{"!"}, Hint: "failures", Help: "failures, grouped by cause", Do: kind(false)},
		{Keys: []string{"I"}, Hint: "loops", Help: "repeated calls", Do: kind(true)},
		{Keys: []string{"x"}, Help: "export the table", Do: func(int, string) tea.Cmd { return s.list.H.Ask(s.Table.Export("troubles")) }},
		{Keys: []string{"q", "esc"}, Hint: "back", Help: "back to the groups, or to the list", Do: func(int, string) tea.Cmd { return s.back() }},
		{Keys: []string{"Q", "ctrl+c"}, Help: "quit", Do: func(int, string) tea.Cmd { return tea.Quit }},
		{Keys: []string{":"}, Help: "command palette: save NAME saves this as a view", Do: func(int, string) tea.Cmd { return s.list.H.Ask(screen.Palette{}) }},
		{Keys: []string{"?", "f1"}, Help: "help", Do: func(int, string) tea.Cmd { return s.list.H.Ask(screen.Help{}) }},
	}
}

func (s *Troubles) back() tea.Cmd {
	if was := s.inside; was != nil {
		s.inside = nil
		cmd := s.show()
		for i := range s.rows {
			if g := s.rows[i].group; g.Kind == was.Kind && g.Tool == was.Tool && g.Outcome == was.Outcome {
				s.Table.SelectRow(i)
			}
		}
		return cmd
	}
	s.Close()
	return nil
}

// open shows the failures of the group under the cursor, or goes to the place.
func (s *Troubles) open() tea.Cmd {
	row := s.Table.Row()
	if row < 0 {
		return nil
	}
	r := &s.rows[row]
	if r.group != nil {
		s.inside = r.group
		return s.show()
	}
	at := ""
	if r.index >= 0 {
		at = strconv.Itoa(r.index)
	}
	return s.list.H.Ask(screen.OpenPlace{Path: r.path, At: at})
}

// Click selects a row or sorts; a double click opens it.
func (s *Troubles) Click(x, y int, double bool) (done bool, cmd tea.Cmd) {
	hit, cmd := s.Table.Click(x, y-s.Above)
	if hit && double {
		cmd = s.open()
	}
	return s.Closed, cmd
}

// Hints returns the keys of the table.
func (s *Troubles) Hints() []screen.Hint { return screen.OverlayHints(&s.Table, s.Keys()) }

// Group is the name of the keys of troubles.
func (s *Troubles) Group() string { return "Failures and loops over the list" }
