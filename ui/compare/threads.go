package compare

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query/human"
	"turns/query/runs"
	"turns/ui/paint"
	"turns/ui/screen"
)

// The screen finds these interfaces by type assertions.
var _ interface {
	screen.FullScreen
	screen.Beginner
} = (*Threads)(nil)

// Threads shows the unfinished work of the sessions in a folder, and the sessions by day, below the
// last session and today's. It covers the screen.
type Threads struct {
	screen.Overlay
	path   string // of a session in the folder
	all    bool   // show the sessions of all folders
	job    *screen.Job[*runs.ContinuityAnswer]
	Answer *runs.ContinuityAnswer // nil until computed
	days   []threadRow
	titles map[string]string // of sessions, by path
	tables [2]screen.Table   // unfinished work; sessions by day
	shown  int               // index of the visible table
}

// threadRow is a session on a day.
type threadRow struct {
	day string
	c   *runs.DayConversation
}

// Columns of the unfinished work.
const (
	openKind = iota
	openText
	openSince
	openAt
	openSession
)

// Columns of the sessions.
const (
	dayDay = iota
	dayTime
	dayTitle
	dayTurns
	dayCalls
	dayErrors
	dayEnd
	dayWhere
)

// NewThreads shows the unfinished work in the folder of the session at path, or with all in all
// folders.
func NewThreads(h *screen.Host, path string, all bool) *Threads {
	d := &Threads{Overlay: screen.Overlay{H: h}, path: path, all: all, titles: map[string]string{}}
	d.tables[0] = screen.Table{SortBy: -1, Cells: d.openCells, Cmp: d.compareOpen, Cols: []screen.Column{
		openKind:    {Name: "kind", Head: "open", Width: 8, Asc: true},
		openText:    {Name: "text", Head: "", Width: 20, Gap: 1, Flex: 3, Asc: true},
		openSince:   {Name: "since", Head: "since", Width: 19, Gap: 2, Drop: 2},
		openAt:      {Head: "at", Width: 7, Right: true, Gap: 1, Drop: 1},
		openSession: {Name: "session", Head: "session", Width: 12, Gap: 2, Flex: 1, Asc: true, Drop: 3},
	}}
	d.tables[1] = screen.Table{SortBy: -1, Cells: d.dayCells, Cmp: d.compareDays, Cols: []screen.Column{
		dayDay:    {Name: "day", Head: "day", Width: 10},
		dayTime:   {Head: "time", Width: 8, Gap: 1, Drop: 1},
		dayTitle:  {Name: "title", Head: "session", Width: 20, Gap: 1, Flex: 3, Asc: true},
		dayTurns:  {Name: "turns", Head: "turns", Width: 6, Right: true, Gap: 1, Drop: 3},
		dayCalls:  {Name: "calls", Head: "calls", Width: 6, Right: true, Gap: 1, Drop: 4},
		dayErrors: {Name: "errors", Head: "errors", Width: 6, Right: true, Gap: 1, Drop: 2},
		dayEnd:    {Name: "how it ended", Head: "ended", Width: 11, Gap: 2, Asc: true, Drop: 5},
		dayWhere:  {Name: "where", Head: "where", Width: 12, Gap: 2, Flex: 1, Asc: true, Drop: 6},
	}}
	return d
}

// Begin reads the sessions in the background.
func (d *Threads) Begin() tea.Cmd {
	lib, path := d.H.Opts.Store, d.path
	if d.all {
		path = ""
	}
	return screen.StartJob(d.H.Opts.BaseContext(), &d.job, func(ctx context.Context, tell func(done, total int64)) (*runs.ContinuityAnswer, error) {
		return lib.Threads(ctx, path, tell)
	})
}

// Message handles a report of the job.
func (d *Threads) Message(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(screen.SortedMsg); ok {
		d.tables[0].Sorted(m)
		d.tables[1].Sorted(m)
		return nil
	}
	done, cmd := d.job.Message(msg)
	if done == nil {
		return cmd
	}
	if d.job, d.Answer, d.Err = nil, done.Answer, done.Err; d.Answer == nil {
		return nil
	}
	for i := range d.Answer.Days {
		day := &d.Answer.Days[i]
		for k := range day.Conversations {
			c := &day.Conversations[k]
			d.days = append(d.days, threadRow{string(day.Day), c})
			d.titles[c.Place()] = paint.OneLine(string(c.Title))
		}
	}
	if len(d.Answer.Open) == 0 {
		d.shown = 1
	}
	return tea.Batch(d.tables[0].Reset(len(d.Answer.Open)), d.tables[1].Reset(len(d.days)))
}

func (d *Threads) openCells(row int, out []screen.Cell) {
	o := &d.Answer.Open[row]
	k := paint.InkText
	switch o.Kind {
	case runs.OpenError:
		k = paint.InkError
	case runs.OpenQuestion, runs.OpenPrompt:
		k = paint.InkWarning
	}
	text := paint.OneLine(o.Text)
	if o.Times > 1 {
		text += fmt.Sprintf(" (%d times)", o.Times)
	}
	out[openKind] = screen.Cell{Text: o.Kind, Ink: k}
	out[openText] = screen.Cell{Text: text, Ink: paint.InkText}
	out[openSince] = screen.Cell{Text: human.DayAndTime(int64(o.Time), d.H.Zone), Ink: paint.InkDim}
	out[openAt] = screen.Cell{Text: paint.PlaceOf(int(o.Index)), Ink: paint.InkDim}
	out[openSession] = screen.Cell{Text: d.titleOf(o.Place()), Ink: paint.InkDim}
}

// titleOf returns the title of a session, or its path if it has none.
func (d *Threads) titleOf(place string) string { return cmp.Or(d.titles[place], d.where(place)) }

// where returns a path relative to the folder.
func (d *Threads) where(path string) string {
	if name, ok := strings.CutPrefix(filepath.ToSlash(path), filepath.ToSlash(filepath.Dir(d.path))+"/"); ok && !d.all {
		return paint.OneLine(name)
	}
	return paint.ShortName(path)
}

func (d *Threads) dayCells(row int, out []screen.Cell) {
	r := &d.days[row]
	title, at := paint.OneLine(string(r.c.Title)), ""
	title = cmp.Or(title, "without a title")
	if r.c.Start != 0 {
		at = human.TimeOfDay(int64(r.c.Start), d.H.Zone)
	}
	day := cmp.Or(r.day, human.NotSaid)
	if d.Answer.Today != nil && r.day == string(d.Answer.Today.Day) {
		day = "today"
	}
	k := paint.InkDim
	if r.c.Errors > 0 {
		k = paint.InkError
	}
	out[dayDay] = screen.Cell{Text: day, Ink: paint.InkText}
	out[dayTime] = screen.Cell{Text: at, Ink: paint.InkDim}
	out[dayTitle] = screen.Cell{Text: title, Ink: paint.InkText}
	out[dayTurns] = screen.Cell{Text: human.OrDot(r.c.Turns, human.Count), Ink: paint.InkText}
	out[dayCalls] = screen.Cell{Text: human.OrDot(r.c.Calls, human.Count), Ink: paint.InkText}
	out[dayErrors] = screen.Cell{Text: human.OrDot(r.c.Errors, human.Count), Ink: k}
	out[dayEnd] = screen.Cell{Text: r.c.State.String(), Ink: paint.InkDim}
	out[dayWhere] = screen.Cell{Text: d.where(r.c.Place()), Ink: paint.InkDim}
}

func (d *Threads) compareOpen(col, i, j int) int {
	a, b := &d.Answer.Open[i], &d.Answer.Open[j]
	return [...]int{
		openKind:    strings.Compare(a.Kind, b.Kind),
		openText:    strings.Compare(a.Text, b.Text),
		openSince:   cmp.Compare(a.Time, b.Time),
		openSession: cmp.Or(strings.Compare(d.titleOf(a.Place()), d.titleOf(b.Place())), strings.Compare(a.Place(), b.Place())),
	}[col]
}

func (d *Threads) compareDays(col, i, j int) int {
	a, b := d.days[i].c, d.days[j].c
	return [...]int{
		dayDay:    cmp.Or(strings.Compare(d.days[i].day, d.days[j].day), cmp.Compare(a.Start, b.Start)),
		dayTitle:  strings.Compare(string(a.Title), string(b.Title)),
		dayTurns:  cmp.Compare(a.Turns, b.Turns),
		dayCalls:  cmp.Compare(a.Calls, b.Calls),
		dayErrors: cmp.Compare(a.Errors, b.Errors),
		dayEnd:    strings.Compare(a.State.String(), b.State.String()),
		dayWhere:  strings.Compare(a.Place(), b.Place()),
	}[col]
}

// Render draws the last session and today's, and a table below.
func (d *Threads) Render(w, h int) []string {
	st := d.H.Styles
	of := " · sessions in the folder of " + paint.ShortName(d.path)
	if d.all {
		of = " · sessions of all folders"
	}
	left := []paint.Span{{Text: " "}, {Text: "Unfinished", Ink: paint.InkAccent}, {Text: of}}
	var right []paint.Span
	if d.Answer != nil {
		right = []paint.Span{{Text: d.tables[d.shown].SortName() + " ", Ink: paint.InkDim}}
	}
	out := []string{st.Spread(w, paint.GroundNone, left, right)}
	if d.Answer == nil {
		doing := " looking for sessions …"
		if d.job != nil && d.job.Percent > 0 {
			doing = fmt.Sprintf(" reading the sessions, %d %%", d.job.Percent)
		}
		return d.Waiting(out, doing, w, h)
	}
	out = append(out, d.firstLines(w, "last session", d.Answer.LastText(), 4)...)
	out = append(out, d.firstLines(w, "today", d.Answer.TodayText(), min(max(h/4, 2), 8))...)
	heads := [2]string{human.Plural(len(d.Answer.Open), "unfinished item"), human.Plural(len(d.days), "session by day", "sessions by day")}
	spans := []paint.Span{{Text: " "}}
	for i, text := range heads {
		k, mark := paint.InkDim, "  "
		if i == d.shown {
			k, mark = paint.InkHeading, "▸ "
		}
		spans = append(spans, paint.Span{Text: mark + text + "   ", Ink: k})
	}
	out = append(out, "", st.Line(w, paint.GroundNone, spans...))
	d.Above = len(out)
	return paint.Fill(append(out, d.tables[d.shown].Render(st, w, h-len(out), true)...), w, h)
}

// firstLines returns the first lines of a text after a heading.
func (d *Threads) firstLines(w int, head, text string, most int) []string {
	st := d.H.Styles
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	var out []string
	for i, line := range lines[:min(len(lines), most)] {
		name := ""
		if i == 0 {
			name = head
		}
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " " + paint.Fit(name, 18), Ink: paint.InkHeading}, paint.Span{Text: paint.OneLine(line), Ink: paint.InkText}))
	}
	return out
}

// Key moves, sorts, switches the table and opens a place.
func (d *Threads) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	if d.Answer == nil {
		return d.Press(msg, d.Keys(), nil)
	}
	return d.Press(msg, d.Keys(), &d.tables[d.shown])
}

// Keys returns the keys of this dialog only.
func (d *Threads) Keys() []screen.Key {
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "open", Help: "open the place in its session; leaving it leads back", Do: func(int, string) tea.Cmd { return d.open() }},
		{Keys: []string{"tab", "shift+tab"}, Hint: "list", Help: "the other list: unfinished work, sessions by day", Do: func(int, string) tea.Cmd { d.shown = 1 - d.shown; return nil }},
		{Keys: []string{"="}, Hint: "all", Help: "the sessions of all folders, or of this one", Do: func(int, string) tea.Cmd { return d.widen() }},
		{Keys: []string{"q", "esc", "W"}, Hint: "back", Help: "back", Do: func(int, string) tea.Cmd { d.job.Stop(); return d.Back() }},
		{Keys: []string{"Q", "ctrl+c"}, Help: "quit", Do: func(int, string) tea.Cmd { return tea.Quit }},
		{Keys: []string{"?", "f1"}, Help: "help", Do: func(int, string) tea.Cmd { return d.H.Ask(screen.Help{}) }},
	}
}

// widen switches between the sessions of all folders and of the one.
func (d *Threads) widen() tea.Cmd {
	if d.path == "" {
		return d.H.Complain("no session is chosen whose folder it could be")
	}
	d.job.Stop()
	d.all, d.Answer, d.Err, d.days, d.shown = !d.all, nil, nil, nil, 0
	return d.Begin()
}

// open goes to the place of the row under the cursor.
func (d *Threads) open() tea.Cmd {
	if d.Answer == nil {
		return nil
	}
	row := d.tables[d.shown].Row()
	switch {
	case row < 0:
		return nil
	case d.shown == 1:
		return d.H.Ask(screen.OpenPlace{Path: d.days[row].c.Place(), At: ""})
	}
	o := &d.Answer.Open[row]
	at := ""
	if o.Index >= 0 {
		at = strconv.Itoa(int(o.Index))
	}
	return d.H.Ask(screen.OpenPlace{Path: o.Place(), At: at})
}

// Click selects a row or sorts; a double click opens the place.
func (d *Threads) Click(x, y int, double bool) (done bool, cmd tea.Cmd) {
	if d.Answer == nil || y < d.Above {
		return false, nil
	}
	hit, cmd := d.tables[d.shown].Click(x, y-d.Above)
	if hit && double {
		return false, d.open()
	}
	return false, cmd
}

// Wheel scrolls by n rows.
func (d *Threads) Wheel(n int) { d.tables[d.shown].Scroll(n) }

// Hints returns the keys of the table.
func (d *Threads) Hints() []screen.Hint {
	return append(screen.TableHints(&d.tables[d.shown], d.Keys()), screen.Hint{Key: "?", Text: "help"})
}
