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
	"turns/ui/timeline"
	"turns/ui/transcripts"
)

// labelling is what the reader says of runs.
type labelling struct {
	h         *screen.Host
	list      *timeline.List
	stage     *stage
	filtering *filtering

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

// look keeps labels up to date with a later snapshot: of another run, and when all of it
// is there, their places are looked for. Rows never change their ids.
func (l *labelling) look(another bool) tea.Cmd {
	if another {
		l.h.Said.Here, l.whole = nil, false
	}
	whole := l.h.State.Indexed >= 1 && !l.h.State.Preview
	if !another && (l.whole || !whole) {
		return nil
	}
	l.whole = whole
	return l.find()
}

func (l *labelling) find() tea.Cmd {
	l.gen++
	gen, s, store, ctx := l.gen, l.h.Snap, l.h.Opts.Labels, l.h.Ctx
	set, at := l.h.Said.Set, transcripts.SourceOf(l.h.State.Path)
	return screen.Background(func() tea.Msg {
		if store != nil {
			set = store.Now()
		}
		here, err := set.Find(ctx, s, at)
		return labelsMsg{gen, set, here, err}
	})
}

// found takes over what was found.
func (l *labelling) found(m labelsMsg) tea.Cmd {
	if m.gen != l.gen || m.err != nil {
		return nil
	}
	l.h.Said.Set, l.h.Said.Here = m.set, m.here
	if n := len(m.here.Lost); n > 0 && !l.h.Live && l.whole {
		l.h.Say(human.Plural(n, "label") + " found no message: turns labels lists " + map[bool]string{true: "it", false: "them"}[n == 1])
	}
	return tea.Batch(l.adoptMarks(), l.changed())
}

// changed shows what is said now.
func (l *labelling) changed() tea.Cmd {
	l.list.Invalidate()
	return tea.Batch(l.stage.refreshPanes(), l.h.Ask(saveState{}), l.filtering.again(filter.AsksLabels))
}

// pen writes lines of now.
func (l *labelling) pen() *label.Pen {
	if store := l.h.Opts.Labels; store != nil {
		return store.Pen(l.h.Opts.Time())
	}
	return &label.Pen{Now: l.h.Opts.Time(), ID: rand.Text}
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
func (l *labelling) rowPlace(r screen.Row, scope label.Scope) place {
	s, call := l.h.Snap, r.Call
	if call != screen.NoCall && s.Call(call).Msg != r.Key.ID {
		call = screen.NoCall // a result that nobody called for
	}
	if call != screen.NoCall && scope == label.OfMessage {
		scope = label.OfCall
	}
	p := place{scope: scope, run: l.runOf(r.Key.ID), row: label.Placed{Session: l.sessionOf(r.Key.ID), ID: r.Key.ID, Call: call}}
	p.row.At = label.PlaceOf(l.h.Ctx, s, r.Key.ID, call)
	p.row.At.Line, p.row.At.Rule = r.Key.N, uint8(r.Key.Kind)
	for _, o := range l.h.Labels(r.Key, r.Call) {
		if o.Scope == scope {
			p.here = append(p.here, o)
		}
	}
	return p
}

// runPlace is the run that a row belongs to, as a whole.
func (l *labelling) runPlace(id model.ID) place {
	n := l.sessionOf(id)
	return place{scope: label.OfRun, run: l.runOf(id), row: label.Placed{Session: n, ID: model.NoID, Call: screen.NoCall}, here: l.h.Said.Here.OfRun(n)}
}

func (l *labelling) sessionOf(id model.ID) uint32 {
	return l.h.Snap.Threads()[l.h.Snap.HeadRow(id).Thread].Session
}

func (l *labelling) runOf(id model.ID) label.Run {
	return label.RunOf(l.h.Ctx, l.h.Snap, l.sessionOf(id), transcripts.SourceOf(l.h.State.Path))
}

// open asks what is to be said of the rows, their turn or the run.
func (l *labelling) open() tea.Cmd {
	if l.h.Snap == nil {
		return l.h.Complain("no row here")
	}
	rows := l.list.LabelRows()
	if len(rows) == 0 {
		return l.h.Complain("no row to label")
	}
	first := rows[0].Key.ID
	places := [][]place{nil}
	for _, r := range rows {
		places[0] = append(places[0], l.rowPlace(r, label.OfMessage))
	}
	scopes := []screen.LabelScope{{Name: l.rowName(rows), Has: hasOf(places[0])}}
	if prompt := l.promptOf(first); prompt != model.NoID {
		p := l.rowPlace(screen.Row{Key: screen.RowKey{ID: prompt, Kind: screen.RowLine}, Call: screen.NoCall}, label.OfTurn)
		places, scopes = append(places, []place{p}), append(scopes, screen.LabelScope{Name: "turn " + human.Count(l.h.Turns.Turn(first)), Has: hasOf([]place{p})})
	}
	run := []place{l.runPlace(first)}
	places, scopes = append(places, run), append(scopes, screen.LabelScope{Name: "the session", Has: hasOf(run)})
	return l.h.Ask(screen.Show{Dialog: &screen.LabelLine{H: l.h, Scopes: scopes, Words: l.words(), Done: func(n int, said label.Said) tea.Cmd {
		l.list.Untake()
		return l.sayOf(places[n], said)
	}}})
}

// rowName is what the line says that it labels.
func (l *labelling) rowName(rows []screen.Row) string {
	if len(rows) > 1 {
		return human.Plural(len(rows), "row")
	}
	r := rows[0]
	name := "this row"
	if pos := l.h.Snap.Pos(r.Key.ID); pos >= 0 {
		name = paint.PlaceOf(pos)
	}
	if r.Call != screen.NoCall {
		return "the call " + paint.OneLine(l.h.Snap.Name(l.h.Snap.Call(r.Call).Tool)) + " " + name
	}
	return name
}

// promptOf is the prompt that opens the turn of a message, NoID where turns are not known.
func (l *labelling) promptOf(id model.ID) model.ID {
	if l.h.Turns == nil || l.h.Turns.Turn(id) < 0 {
		return model.NoID
	}
	return l.h.Turns.First(l.h.Turns.Turn(id))
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

// words are what a line is completed with: what the team agreed on, then what was used.
func (l *labelling) words() []string {
	words := slices.Clone(l.h.Opts.LabelWords)
	for _, w := range l.h.Said.Set.Used() {
		if !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// sayOf says something of some places.
func (l *labelling) sayOf(places []place, said label.Said) tea.Cmd {
	pen := l.pen()
	var lines []label.Line
	var done saying
	var add []label.Placed
	for i := range places {
		p := &places[i]
		for _, line := range pen.Write(p.run, p.scope, p.row.At, p.here, said) {
			lines = append(lines, line)
			if line.Undo != "" {
				continue
			}
			row := p.row
			row.Line = line
			add, done.added = append(add, row), append(done.added, line.ID)
		}
	}
	if len(lines) == 0 {
		return l.h.Complain("already labelled")
	}
	l.h.Say(hasSaid(said, len(places)))
	return l.take(lines, add, done, nil)
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
func (l *labelling) take(lines []label.Line, add []label.Placed, done saying, adopted []string) tea.Cmd {
	gone := map[string]bool{}
	for _, line := range lines {
		gone[line.Undo] = line.Undo != ""
	}
	for _, p := range l.h.Said.Here.All() {
		if gone[p.Line.ID] {
			done.gone = append(done.gone, p)
		}
	}
	l.done = append(l.done, done)
	l.gen++
	l.h.Said.Set = l.h.Said.Set.With(lines...)
	if l.h.Snap != nil {
		l.h.Said.Here = l.h.Said.Here.Change(l.h.Snap, gone, add)
	}
	store := l.h.Opts.Labels
	if store == nil {
		return l.changed()
	}
	write := func() tea.Msg { return labelsWrittenMsg{adopted, store.Add(lines)} }
	return tea.Batch(write, l.changed())
}

func (l *labelling) written(m labelsWrittenMsg) tea.Cmd {
	if m.err != nil {
		return l.h.Complain(paint.OneLine(m.err.Error()))
	}
	for _, letter := range m.adopted {
		l.list.ForgetMark(letter)
	}
	return l.h.Ask(saveState{})
}

// undo takes back what was said last, and says again what that had replaced.
func (l *labelling) undo(then func()) tea.Cmd {
	n := len(l.done)
	if n == 0 {
		return l.h.Complain("no label of this session to undo; turns label --undo removes earlier ones")
	}
	last := l.done[n-1]
	l.done = l.done[:n-1]
	pen := l.pen()
	var lines []label.Line
	var add []label.Placed
	for _, id := range last.added {
		lines = append(lines, pen.Undo(id))
	}
	again := func(line *label.Line) {
		was := line.ID
		line.ID = pen.ID()
		lines = append(lines, *line)
		l.renamed(was, line.ID)
	}
	for _, p := range last.gone {
		again(&p.Line)
		add = append(add, p)
	}
	for _, line := range last.run {
		again(&line)
	}
	l.h.Say("label removed")
	cmd := l.take(lines, add, saying{}, nil)
	l.done = l.done[:n-1] // taking back is not said
	if then != nil {
		then()
	}
	return cmd
}

// setLetter sets a label of one letter on the row of the cursor. A run has one place for
// each letter; where it stands already it is taken away.
func (l *labelling) setLetter(letter string) tea.Cmd {
	rows := l.list.LabelRows()
	if l.h.Snap == nil || len(rows) == 0 {
		return l.h.Complain("no row to mark")
	}
	p := l.rowPlace(rows[len(rows)-1], label.OfMessage)
	mark, err := label.LabelOf(letter)
	if err != nil {
		return l.h.Complain("a mark is one letter")
	}
	pen := l.pen()
	var lines []label.Line
	var done saying
	var add []label.Placed
	set := true
	for _, o := range l.h.Said.Here.All() {
		if o.Mark == mark && o.ID != model.NoID {
			lines = append(lines, pen.Undo(o.Line.ID))
			set = set && !slices.ContainsFunc(p.here, func(h *label.Placed) bool { return h.Line.ID == o.Line.ID })
		}
	}
	l.h.Say("mark " + letter + " removed")
	if set {
		row := p.said(pen, mark)
		lines, add, done.added = append(lines, row.Line), append(add, row), []string{row.Line.ID}
		l.h.Say("mark " + letter + " set")
	}
	return l.take(lines, add, done, nil)
}

// adoptMarks makes labels of the marks that were kept before there were labels. What finds
// no row stays where it is kept.
func (l *labelling) adoptMarks() tea.Cmd {
	kept, have := l.list.KeptMarks(), l.h.Letters()
	pen := l.pen()
	var lines []label.Line
	var add []label.Placed
	var letters []string
	for _, letter := range slices.Sorted(maps.Keys(kept)) {
		mark, err := label.LabelOf(letter)
		if _, taken := have[[]rune(letter)[0]]; taken || err != nil {
			continue
		}
		p := l.rowPlace(kept[letter], label.OfMessage)
		row := p.said(pen, mark)
		lines, add, letters = append(lines, row.Line), append(add, row), append(letters, letter)
	}
	if len(lines) == 0 {
		return nil
	}
	cmd := l.take(lines, add, saying{}, letters)
	l.done = l.done[:len(l.done)-1]
	return cmd
}

// openRun asks what is to be said of a run of the list.
func (l *labelling) openRun(m screen.LabelRun) tea.Cmd {
	store := l.h.Opts.Labels
	if store == nil {
		return l.h.Complain("labels cannot be saved here")
	}
	set := store.Now()
	if set == nil {
		set = label.NewSet(nil)
	}
	l.h.Said.Set = set
	run, about := store.About(set, &m.Session)
	p := place{run: run, scope: label.OfRun, here: about}
	scopes := []screen.LabelScope{{Name: paint.Cut(paint.OneLine(m.Session.Name()), 40), Has: hasOf([]place{p})}}
	return l.h.Ask(screen.Show{Dialog: &screen.LabelLine{H: l.h, Scopes: scopes, Words: l.words(), Done: func(_ int, said label.Said) tea.Cmd {
		var done saying
		lines := l.pen().Write(p.run, p.scope, nil, p.here, said)
		for _, line := range lines {
			if line.Undo == "" {
				done.added = append(done.added, line.ID)
				continue
			}
			for _, o := range about {
				if o.Line.ID == line.Undo {
					done.run = append(done.run, o.Line)
				}
			}
		}
		if len(lines) == 0 {
			return l.h.Complain("already labelled")
		}
		l.h.Say(hasSaid(said, 1))
		cmd := l.take(lines, nil, done, nil)
		m.Done()
		return cmd
	}}})
}
