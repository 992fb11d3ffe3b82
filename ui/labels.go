package ui

import (
	"crypto/rand"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/filter"
	"turns/query/human"
	"turns/query/label"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// labelling is what the reader says of runs.
type labelling struct {
	gen   int // of what was said: what was looked for before is not taken over
	whole bool
	done  []saying // what was said, to be taken back
}

// saying is what was said at once: lines that were added, and those that they replaced.
type saying struct {
	added []string
	gone  []label.Placed
	run   []label.Line // of gone, those of runs of a list
}

// renamed is told of a line that was said again under another id, so that it can still be
// taken back itself.
func (l *labelling) renamed(was, is string) {
	for _, s := range l.done {
		if i := slices.Index(s.added, was); i >= 0 {
			s.added[i] = is
		}
	}
}

// labelsMsg is what is said of the run that is shown.
type labelsMsg struct {
	gen  int
	set  *label.Set
	here *label.Here
	err  error
}

// labelsWrittenMsg says that lines stand in the store, or why not.
type labelsWrittenMsg struct {
	adopted []string // letters of marks of before labels that are among them
	err     error
}

// labels keeps labels up to date with a later snapshot: of another run, and when all of it
// is there, their places are looked for. Rows never change their ids.
func (a *app) labels(another bool) tea.Cmd {
	if another {
		a.h.Said.Here, a.labelled.whole = nil, false
	}
	whole := a.h.State.Indexed >= 1 && !a.h.State.Preview
	if !another && (a.labelled.whole || !whole) {
		return nil
	}
	a.labelled.whole = whole
	return a.findLabels()
}

func (a *app) findLabels() tea.Cmd {
	a.labelled.gen++
	gen, s, store, ctx := a.labelled.gen, a.h.Snap, a.h.Opts.Labels, a.h.Ctx
	set, at := a.h.Said.Set, transcripts.SourceOf(a.h.State.Path)
	return screen.Background(func() tea.Msg {
		if store != nil {
			set = store.Now()
		}
		here, err := set.Find(ctx, s, at)
		return labelsMsg{gen, set, here, err}
	})
}

// labelsFound takes over what was found.
func (a *app) labelsFound(m labelsMsg) tea.Cmd {
	if m.gen != a.labelled.gen || m.err != nil {
		return nil
	}
	a.h.Said.Set, a.h.Said.Here = m.set, m.here
	if n := len(m.here.Lost); n > 0 && !a.h.Live && a.labelled.whole {
		a.h.Say(human.Plural(n, "label") + " found no message: turns labels lists " + map[bool]string{true: "it", false: "them"}[n == 1])
	}
	return tea.Batch(a.adoptMarks(), a.labelsChanged())
}

// labelsChanged shows what is said now.
func (a *app) labelsChanged() tea.Cmd {
	a.list.Invalidate()
	cmds := []tea.Cmd{a.refreshPanes(), a.saveSoon()}
	if v := a.h.View; v.On && filter.AsksLabels(v.Filter) {
		v.Matcher, v.Result = nil, nil
		cmds = append(cmds, a.runFilter(v))
	}
	return tea.Batch(cmds...)
}

// pen writes lines of now.
func (a *app) pen() *label.Pen {
	if l := a.h.Opts.Labels; l != nil {
		return l.Pen(a.h.Opts.Time())
	}
	return &label.Pen{Now: a.h.Opts.Time(), ID: rand.Text}
}

// place is where a label is set.
type place struct {
	run   label.Run
	scope label.Scope
	row   label.Placed // without what is said
	here  []*label.Placed
}

// said is a mark at the place.
func (p *place) said(pen *label.Pen, mark label.Mark) label.Placed {
	row := p.row
	row.Line = label.Line{ID: pen.ID(), Time: pen.Now, By: pen.By, Run: p.run, Scope: p.scope, At: p.row.At, Mark: mark}
	return row
}

// rowPlace is the place of a row: its call, else its line of the message.
func (a *app) rowPlace(r screen.Row, scope label.Scope) place {
	s, call := a.h.Snap, r.Call
	if call != screen.NoCall && s.Call(call).Msg != r.Key.ID {
		call = screen.NoCall // a result that nobody called for
	}
	if call != screen.NoCall && scope == label.OfMessage {
		scope = label.OfCall
	}
	p := place{scope: scope, run: a.runOf(r.Key.ID), row: label.Placed{Session: a.sessionOf(r.Key.ID), ID: r.Key.ID, Call: call}}
	p.row.At = label.PlaceOf(a.h.Ctx, s, r.Key.ID, call)
	p.row.At.Line, p.row.At.Rule = r.Key.N, uint8(r.Key.Kind)
	for _, o := range a.h.Labels(r.Key, r.Call) {
		if o.Scope == scope {
			p.here = append(p.here, o)
		}
	}
	return p
}

// runPlace is the run that a row belongs to, as a whole.
func (a *app) runPlace(id model.ID) place {
	n := a.sessionOf(id)
	return place{scope: label.OfRun, run: a.runOf(id), row: label.Placed{Session: n, ID: model.NoID, Call: screen.NoCall}, here: a.h.Said.Here.OfRun(n)}
}

func (a *app) sessionOf(id model.ID) uint32 {
	return a.h.Snap.Threads()[a.h.Snap.HeadRow(id).Thread].Session
}

func (a *app) runOf(id model.ID) label.Run {
	return label.RunOf(a.h.Ctx, a.h.Snap, a.sessionOf(id), transcripts.SourceOf(a.h.State.Path))
}

// openLabel asks what is to be said of the rows, their turn or the run.
func (a *app) openLabel() tea.Cmd {
	if a.h.Snap == nil {
		return a.complain("no row here")
	}
	rows := a.list.LabelRows()
	if len(rows) == 0 {
		return a.complain("no row to label")
	}
	first := rows[0].Key.ID
	places := [][]place{nil}
	for _, r := range rows {
		places[0] = append(places[0], a.rowPlace(r, label.OfMessage))
	}
	scopes := []screen.LabelScope{{Name: a.rowName(rows), Has: hasOf(places[0])}}
	if prompt := a.promptOf(first); prompt != model.NoID {
		p := a.rowPlace(screen.Row{Key: screen.RowKey{ID: prompt, Kind: screen.RowLine}, Call: screen.NoCall}, label.OfTurn)
		places, scopes = append(places, []place{p}), append(scopes, screen.LabelScope{Name: "turn " + human.Count(a.h.Turns.Turn(first)), Has: hasOf([]place{p})})
	}
	run := []place{a.runPlace(first)}
	places, scopes = append(places, run), append(scopes, screen.LabelScope{Name: "the session", Has: hasOf(run)})
	return a.opened(&screen.LabelLine{H: a.h, Scopes: scopes, Words: a.labelWords(), Done: func(n int, said label.Said) tea.Cmd {
		a.list.Untake()
		return a.sayOf(places[n], said)
	}})
}

// rowName is what the line says that it labels.
func (a *app) rowName(rows []screen.Row) string {
	if len(rows) > 1 {
		return human.Plural(len(rows), "row")
	}
	r := rows[0]
	name := "this row"
	if pos := a.h.Snap.Pos(r.Key.ID); pos >= 0 {
		name = paint.PlaceOf(pos)
	}
	if r.Call != screen.NoCall {
		return "the call " + paint.OneLine(a.h.Snap.Name(a.h.Snap.Call(r.Call).Tool)) + " " + name
	}
	return name
}

// promptOf is the prompt that opens the turn of a message, NoID where turns are not known.
func (a *app) promptOf(id model.ID) model.ID {
	if a.h.Turns == nil || a.h.Turns.Turn(id) < 0 {
		return model.NoID
	}
	return a.h.Turns.First(a.h.Turns.Turn(id))
}

func hasOf(places []place) string {
	var marks []label.Mark
	for _, p := range places {
		for _, o := range p.here {
			if !slices.Contains(marks, o.Mark) {
				marks = append(marks, o.Mark)
			}
		}
	}
	return label.Join(marks)
}

// labelWords are what a line is completed with: what the team agreed on, then what was used.
func (a *app) labelWords() []string {
	words := slices.Clone(a.h.Opts.LabelWords)
	for _, w := range a.h.Said.Set.Used() {
		if !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// sayOf says something of some places.
func (a *app) sayOf(places []place, said label.Said) tea.Cmd {
	pen := a.pen()
	var lines []label.Line
	var done saying
	var add []label.Placed
	for i := range places {
		p := &places[i]
		for _, l := range pen.Write(p.run, p.scope, p.row.At, p.here, said) {
			lines = append(lines, l)
			if l.Undo != "" {
				continue
			}
			row := p.row
			row.Line = l
			add, done.added = append(add, row), append(done.added, l.ID)
		}
	}
	if len(lines) == 0 {
		return a.complain("already labelled")
	}
	a.h.Say(hasSaid(said, len(places)))
	return a.take(lines, add, done, nil)
}

func hasSaid(said label.Said, places int) string {
	text := label.Join(said.Add)
	for _, name := range said.Drop {
		text = "without #" + name
	}
	if places > 1 {
		text += "  on " + human.Plural(places, "row")
	}
	return paint.OneLine(text)
}

// take shows lines at once, and writes them to the store.
func (a *app) take(lines []label.Line, add []label.Placed, done saying, adopted []string) tea.Cmd {
	gone := map[string]bool{}
	for _, l := range lines {
		gone[l.Undo] = l.Undo != ""
	}
	for _, p := range a.h.Said.Here.All() {
		if gone[p.Line.ID] {
			done.gone = append(done.gone, p)
		}
	}
	a.labelled.done = append(a.labelled.done, done)
	a.labelled.gen++
	a.h.Said.Set = a.h.Said.Set.With(lines...)
	if a.h.Snap != nil {
		a.h.Said.Here = a.h.Said.Here.Change(a.h.Snap, gone, add)
	}
	store := a.h.Opts.Labels
	if store == nil {
		return a.labelsChanged()
	}
	write := func() tea.Msg { return labelsWrittenMsg{adopted, store.Add(lines)} }
	return tea.Batch(write, a.labelsChanged())
}

func (a *app) labelsWritten(m labelsWrittenMsg) tea.Cmd {
	if m.err != nil {
		return a.complain(paint.OneLine(m.err.Error()))
	}
	for _, letter := range m.adopted {
		a.list.ForgetMark(letter)
	}
	return a.saveSoon()
}

// undoLabel takes back what was said last, and says again what that had replaced.
func (a *app) undoLabel(then func()) tea.Cmd {
	n := len(a.labelled.done)
	if n == 0 {
		return a.complain("no label of this session to undo; turns label --undo removes earlier ones")
	}
	last := a.labelled.done[n-1]
	a.labelled.done = a.labelled.done[:n-1]
	pen := a.pen()
	var lines []label.Line
	var add []label.Placed
	for _, id := range last.added {
		lines = append(lines, pen.Undo(id))
	}
	again := func(l *label.Line) {
		was := l.ID
		l.ID = pen.ID()
		lines = append(lines, *l)
		a.labelled.renamed(was, l.ID)
	}
	for _, p := range last.gone {
		again(&p.Line)
		add = append(add, p)
	}
	for _, l := range last.run {
		again(&l)
	}
	a.h.Say("label removed")
	cmd := a.take(lines, add, saying{}, nil)
	a.labelled.done = a.labelled.done[:n-1] // taking back is not said
	if then != nil {
		then()
	}
	return cmd
}

// setLetter sets a label of one letter on the row of the cursor. A run has one place for
// each letter; where it stands already it is taken away.
func (a *app) setLetter(letter string) tea.Cmd {
	rows := a.list.LabelRows()
	if a.h.Snap == nil || len(rows) == 0 {
		return a.complain("no row to mark")
	}
	p := a.rowPlace(rows[len(rows)-1], label.OfMessage)
	mark, err := label.LabelOf(letter)
	if err != nil {
		return a.complain("a mark is one letter")
	}
	pen := a.pen()
	var lines []label.Line
	var done saying
	var add []label.Placed
	set := true
	for _, o := range a.h.Said.Here.All() {
		if o.Mark == mark && o.ID != model.NoID {
			lines = append(lines, pen.Undo(o.Line.ID))
			set = set && !slices.ContainsFunc(p.here, func(h *label.Placed) bool { return h.Line.ID == o.Line.ID })
		}
	}
	a.h.Say("mark " + letter + " removed")
	if set {
		row := p.said(pen, mark)
		lines, add, done.added = append(lines, row.Line), append(add, row), []string{row.Line.ID}
		a.h.Say("mark " + letter + " set")
	}
	return a.take(lines, add, done, nil)
}

// adoptMarks makes labels of the marks that were kept before there were labels. What finds
// no row stays where it is kept.
func (a *app) adoptMarks() tea.Cmd {
	kept, have := a.list.KeptMarks(), a.h.Letters()
	pen := a.pen()
	var lines []label.Line
	var add []label.Placed
	var letters []string
	for _, letter := range slices.Sorted(maps.Keys(kept)) {
		mark, err := label.LabelOf(letter)
		if _, taken := have[[]rune(letter)[0]]; taken || err != nil {
			continue
		}
		p := a.rowPlace(kept[letter], label.OfMessage)
		row := p.said(pen, mark)
		lines, add, letters = append(lines, row.Line), append(add, row), append(letters, letter)
	}
	if len(lines) == 0 {
		return nil
	}
	cmd := a.take(lines, add, saying{}, letters)
	a.labelled.done = a.labelled.done[:len(a.labelled.done)-1]
	return cmd
}

// labelSession asks what is to be said of a run of the list.
func (a *app) labelSession(m screen.LabelRun) tea.Cmd {
	store := a.h.Opts.Labels
	if store == nil {
		return a.complain("labels cannot be saved here")
	}
	set := store.Now()
	if set == nil {
		set = label.NewSet(nil)
	}
	a.h.Said.Set = set
	run, about := store.About(set, &m.Session)
	p := place{run: run, scope: label.OfRun, here: about}
	scopes := []screen.LabelScope{{Name: paint.Cut(paint.OneLine(m.Session.Name()), 40), Has: hasOf([]place{p})}}
	return a.opened(&screen.LabelLine{H: a.h, Scopes: scopes, Words: a.labelWords(), Done: func(_ int, said label.Said) tea.Cmd {
		var done saying
		lines := a.pen().Write(p.run, p.scope, nil, p.here, said)
		for _, l := range lines {
			if l.Undo == "" {
				done.added = append(done.added, l.ID)
				continue
			}
			for _, o := range about {
				if o.Line.ID == l.Undo {
					done.run = append(done.run, o.Line)
				}
			}
		}
		if len(lines) == 0 {
			return a.complain("already labelled")
		}
		a.h.Say(hasSaid(said, 1))
		cmd := a.take(lines, nil, done, nil)
		m.Done()
		return cmd
	}})
}
