package ui

import (
	"crypto/rand"
	"maps"
	"slices"
	"strconv"

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

// labelling sets and removes labels, on rows and on sessions.
type labelling struct {
	h         *screen.Host
	list      *timeline.List
	stage     *stage
	filtering *filtering

	gen   int // of the labels; results of a lookup from an older generation are dropped
	whole bool
	done  []labelAction // actions to undo
}

// labelAction is one undoable action: the added lines, and those they replaced.
type labelAction struct {
	added []string
	gone  []label.Placed
	run   []label.Line // replaced lines of sessions in a list; the others are in gone
}

// renamed records the new id of a restored line, so that undo can still remove it.
func (l *labelling) renamed(was, is string) {
	for _, s := range l.done {
		if i := slices.Index(s.added, was); i >= 0 {
			s.added[i] = is
		}
	}
}

// labelsMsg carries the labels of the open session.
type labelsMsg struct {
	gen  int
	set  *label.Set
	here *label.Here
	err  error
}

// labelsWrittenMsg reports that the store has the lines, or the error.
type labelsWrittenMsg struct {
	adopted []string // letters of the adopted old marks among them
	err     error
}

// look finds the rows of the labels: for another session, and again when it is fully read. Rows
// never change their ids.
func (l *labelling) look(another bool) tea.Cmd {
	if another {
		l.h.Labelled.Here, l.whole = nil, false
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
	set, at := l.h.Labelled.Set, transcripts.SourceOf(l.h.State.Path)
	return screen.Background(func() tea.Msg {
		if store != nil {
			set = store.Now()
		}
		here, err := set.Find(ctx, s, at)
		return labelsMsg{gen, set, here, err}
	})
}

// found stores the found labels.
func (l *labelling) found(m labelsMsg) tea.Cmd {
	if m.gen != l.gen || m.err != nil {
		return nil
	}
	l.h.Labelled.Set, l.h.Labelled.Here = m.set, m.here
	if n := len(m.here.Lost); n > 0 && !l.h.Live && l.whole {
		l.h.ShowStatus(human.Plural(n, "label") + " found no message: turns labels lists " + map[bool]string{true: "it", false: "them"}[n == 1])
	}
	return tea.Batch(l.adoptMarks(), l.changed())
}

// changed redraws after a change of labels.
func (l *labelling) changed() tea.Cmd {
	l.list.Invalidate()
	return tea.Batch(l.stage.refreshPanes(), l.h.Ask(saveState{}), l.filtering.again(filter.AsksLabels))
}

// pen writes label lines with the current time.
func (l *labelling) pen() *label.Pen {
	if store := l.h.Opts.Labels; store != nil {
		return store.Pen(l.h.Opts.Time())
	}
	return &label.Pen{Now: l.h.Opts.Time(), ID: rand.Text}
}

// place is a row, turn or session to label.
type place struct {
	run   label.Run
	scope label.Scope
	row   label.Placed // without a mark
	here  []*label.Placed
}

// markAt returns a mark at the place.
func (p *place) markAt(pen *label.Pen, mark label.Mark) label.Placed {
	row := p.row
	row.Line = label.Line{ID: pen.ID(), Time: pen.Now, By: pen.By, Run: p.run, Scope: p.scope, At: p.row.At, Mark: mark}
	return row
}

// rowPlace returns the place of a row: its call, or otherwise its line of the message.
func (l *labelling) rowPlace(r screen.Row, scope label.Scope) place {
	s, call := l.h.Snap, r.Call
	if call != screen.NoCall && s.Call(call).Msg != r.Key.ID {
		call = screen.NoCall // a result without a call
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

// runPlace returns the place of the session that a row belongs to.
func (l *labelling) runPlace(id model.ID) place {
	n := l.sessionOf(id)
	return place{scope: label.OfRun, run: l.runOf(id), row: label.Placed{Session: n, ID: model.NoID, Call: screen.NoCall}, here: l.h.Labelled.Here.OfRun(n)}
}

func (l *labelling) sessionOf(id model.ID) uint32 {
	return l.h.Snap.Threads()[l.h.Snap.HeadRow(id).Thread].Session
}

func (l *labelling) runOf(id model.ID) label.Run {
	return label.RunOf(l.h.Ctx, l.h.Snap, l.sessionOf(id), transcripts.SourceOf(l.h.State.Path))
}

// open asks for a label for the rows, their turn or the session.
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
		places, scopes = append(places, []place{p}), append(scopes, screen.LabelScope{Name: "turn " + strconv.Itoa(l.h.Turns.Turn(first)), Has: hasOf([]place{p})})
	}
	run := []place{l.runPlace(first)}
	places, scopes = append(places, run), append(scopes, screen.LabelScope{Name: "the session", Has: hasOf(run)})
	return l.h.Ask(screen.Show{Dialog: &screen.LabelLine{H: l.h, Scopes: scopes, Words: l.words(), Done: func(n int, typed label.Typed) tea.Cmd {
		l.list.Untake()
		return l.labelPlaces(places[n], typed)
	}}})
}

// rowName describes the rows to label.
func (l *labelling) rowName(rows []screen.Row) string {
	if len(rows) > 1 {
		return human.Plural(len(rows), "row")
	}
	r := rows[0]
	name := "this row"
	if pos := l.h.Snap.Pos(r.Key.ID); pos >= 0 {
		name = human.Place(pos)
	}
	if r.Call != screen.NoCall {
		return "the call " + paint.OneLine(l.h.Snap.Name(l.h.Snap.Call(r.Call).Tool)) + " " + name
	}
	return name
}

// promptOf returns the prompt of a message's turn, NoID if the turns are unknown.
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

// words are the completions of a label: the team's words, then words used before.
func (l *labelling) words() []string {
	words := slices.Clone(l.h.Opts.LabelWords)
	for _, w := range l.h.Labelled.Set.Used() {
		if !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// labelPlaces labels some places.
func (l *labelling) labelPlaces(places []place, typed label.Typed) tea.Cmd {
	pen := l.pen()
	var lines []label.Line
	var done labelAction
	var add []label.Placed
	for i := range places {
		p := &places[i]
		for _, line := range pen.Write(p.run, p.scope, p.row.At, p.here, typed) {
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
	l.h.ShowStatus(labelledWords(typed, len(places)))
	return l.take(lines, add, done, nil)
}

func labelledWords(typed label.Typed, places int) string {
	text := label.Join(typed.Add)
	for _, name := range typed.Drop {
		text = "without #" + name
	}
	if places > 1 {
		text += "  on " + human.Plural(places, "row")
	}
	return paint.OneLine(text)
}

// take shows lines immediately and writes them to the store.
func (l *labelling) take(lines []label.Line, add []label.Placed, done labelAction, adopted []string) tea.Cmd {
	gone := map[string]bool{}
	for _, line := range lines {
		gone[line.Undo] = line.Undo != ""
	}
	for _, p := range l.h.Labelled.Here.All() {
		if gone[p.Line.ID] {
			done.gone = append(done.gone, p)
		}
	}
	l.done = append(l.done, done)
	l.gen++
	l.h.Labelled.Set = l.h.Labelled.Set.With(lines...)
	if l.h.Snap != nil {
		l.h.Labelled.Here = l.h.Labelled.Here.Change(l.h.Snap, gone, add)
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

// undo removes the last labels and restores those they replaced.
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
	l.h.ShowStatus("label removed")
	cmd := l.take(lines, add, labelAction{}, nil)
	l.done = l.done[:n-1] // undo itself cannot be undone
	if then != nil {
		then()
	}
	return cmd
}

// setLetter toggles a one-letter label on the cursor's row. A session has one row per letter.
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
	var done labelAction
	var add []label.Placed
	set := true
	for _, o := range l.h.Labelled.Here.All() {
		if o.Mark == mark && o.ID != model.NoID {
			lines = append(lines, pen.Undo(o.Line.ID))
			set = set && !slices.ContainsFunc(p.here, func(h *label.Placed) bool { return h.Line.ID == o.Line.ID })
		}
	}
	l.h.ShowStatus("mark " + letter + " removed")
	if set {
		row := p.markAt(pen, mark)
		lines, add, done.added = append(lines, row.Line), append(add, row), []string{row.Line.ID}
		l.h.ShowStatus("mark " + letter + " set")
	}
	return l.take(lines, add, done, nil)
}

// adoptMarks converts marks stored before labels existed. Marks whose row is missing stay stored.
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
		row := p.markAt(pen, mark)
		lines, add, letters = append(lines, row.Line), append(add, row), append(letters, letter)
	}
	if len(lines) == 0 {
		return nil
	}
	cmd := l.take(lines, add, labelAction{}, letters)
	l.done = l.done[:len(l.done)-1]
	return cmd
}

// openRun asks for a label for a session of the list.
func (l *labelling) openRun(m screen.LabelRun) tea.Cmd {
	store := l.h.Opts.Labels
	if store == nil {
		return l.h.Complain("labels cannot be saved here")
	}
	set := store.Now()
	if set == nil {
		set = label.NewSet(nil)
	}
	l.h.Labelled.Set = set
	run, about := store.About(set, &m.Session)
	p := place{run: run, scope: label.OfRun, here: about}
	scopes := []screen.LabelScope{{Name: paint.Cut(paint.OneLine(m.Session.Name()), 40), Has: hasOf([]place{p})}}
	return l.h.Ask(screen.Show{Dialog: &screen.LabelLine{H: l.h, Scopes: scopes, Words: l.words(), Done: func(_ int, typed label.Typed) tea.Cmd {
		var done labelAction
		lines := l.pen().Write(p.run, p.scope, nil, p.here, typed)
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
		l.h.ShowStatus(labelledWords(typed, 1))
		cmd := l.take(lines, nil, done, nil)
		m.Done()
		return cmd
	}}})
}
