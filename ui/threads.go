package ui

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query"
)

// threads shows what the sessions of a folder left open, and their conversations by day, below the last conversation and today. It lies over the whole
// screen.
type threads struct {
	h      *host
	path   string // of the session whose folder it is
	job    *job
	answer *query.ContinuityAnswer // nil until it is computed
	err    error
	days   []threadRow
	tables [2]table // what is open; conversations by day
	shown  int      // which of them
	done   bool     // a key closed it
	count  int
	above  int // lines over the table
}

// threadRow is a conversation on a day.
type threadRow struct {
	day string
	c   *query.DayConversation
}

// Columns of what is open.
const (
	openKind = iota
	openText
	openSince
	openAt
	openWhere
)

// Columns of the conversations.
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

// threadsRead is what the job answers.
type threadsRead struct {
	answer *query.ContinuityAnswer
	err    error
}

func newThreads(h *host, path string) *threads {
	d := &threads{h: h, path: path}
	d.tables[0] = table{sortBy: -1, cells: d.openCells, cmp: d.compareOpen, cols: []tableColumn{
		openKind:  {name: "kind", head: "open", width: 8, asc: true},
		openText:  {name: "text", head: "", width: 20, gap: 1, flex: 3, asc: true},
		openSince: {name: "since", head: "since", width: 19, gap: 2, drop: 2},
		openAt:    {head: "at", width: 7, right: true, gap: 1, drop: 1},
		openWhere: {name: "where", head: "where", width: 12, gap: 2, flex: 1, asc: true, drop: 3},
	}}
	d.tables[1] = table{sortBy: -1, cells: d.dayCells, cmp: d.compareDays, cols: []tableColumn{
		dayDay:    {name: "day", head: "day", width: 10},
		dayTime:   {head: "time", width: 8, gap: 1, drop: 1},
		dayTitle:  {name: "title", head: "conversation", width: 20, gap: 1, flex: 3, asc: true},
		dayTurns:  {name: "turns", head: "turns", width: 6, right: true, gap: 1, drop: 3},
		dayCalls:  {name: "calls", head: "calls", width: 6, right: true, gap: 1, drop: 4},
		dayErrors: {name: "errors", head: "errors", width: 6, right: true, gap: 1, drop: 2},
		dayEnd:    {name: "how it ended", head: "ended", width: 11, gap: 2, asc: true, drop: 5},
		dayWhere:  {name: "where", head: "where", width: 12, gap: 2, flex: 1, asc: true, drop: 6},
	}}
	return d
}

// begin reads the sessions of the folder, in the background.
func (d *threads) begin() tea.Cmd {
	read, path := d.h.opts.Threads, d.path
	var cmd tea.Cmd
	d.job, cmd = startJob(d.h.opts.context(), func(ctx context.Context, tell func(done, total int64)) any {
		answer, err := read(ctx, path, tell)
		return threadsRead{answer, err}
	})
	return cmd
}

// Message takes what the job tells.
func (d *threads) Message(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(sortedMsg); ok {
		d.tables[0].sorted(m)
		d.tables[1].sorted(m)
		return nil
	}
	answer, cmd, of := d.job.message(msg)
	if !of || answer == nil {
		return cmd
	}
	r := answer.(threadsRead)
	d.job, d.answer, d.err = nil, r.answer, r.err
	if r.answer == nil {
		return nil
	}
	for i := range r.answer.Days {
		day := &r.answer.Days[i]
		for k := range day.Conversations {
			d.days = append(d.days, threadRow{day.Day, &day.Conversations[k]})
		}
	}
	if len(r.answer.Open) == 0 {
		d.shown = 1
	}
	return tea.Batch(d.tables[0].reset(len(r.answer.Open)), d.tables[1].reset(len(d.days)))
}

func (d *threads) moveTo(h *host) { d.h = h }

func (d *threads) openCells(row int, out []tableCell) {
	o := &d.answer.Open[row]
	k := inkText
	switch o.Kind {
	case query.OpenError:
		k = inkError
	case query.OpenQuestion, query.OpenPrompt:
		k = inkWarning
	}
	text := oneLine(o.Text)
	if o.Times > 1 {
		text += fmt.Sprintf(" (%d times)", o.Times)
	}
	out[openKind] = tableCell{text: o.Kind, ink: k}
	out[openText] = tableCell{text: text, ink: inkText}
	out[openSince] = tableCell{text: query.DayAndTime(int64(o.Time), d.h.zone), ink: inkDim}
	out[openAt] = tableCell{text: placeOf(o.Index), ink: inkDim}
	out[openWhere] = tableCell{text: d.where(o.Place()), ink: inkDim}
}

// where is a path below the folder.
func (d *threads) where(path string) string {
	if name, ok := strings.CutPrefix(filepath.ToSlash(path), filepath.ToSlash(filepath.Dir(d.path))+"/"); ok {
		return oneLine(name)
	}
	return shortName(path)
}

func (d *threads) dayCells(row int, out []tableCell) {
	r := &d.days[row]
	title, at := oneLine(r.c.Title), ""
	if title == "" {
		title = "without a title"
	}
	if r.c.Start != 0 {
		at = query.TimeOfDay(int64(r.c.Start), d.h.zone)
	}
	day := r.day
	if day == "" {
		day = query.NotSaid
	}
	if d.answer.Today != nil && r.day == d.answer.Today.Day {
		day = "today"
	}
	k := inkDim
	if r.c.Errors > 0 {
		k = inkError
	}
	out[dayDay] = tableCell{text: day, ink: inkText}
	out[dayTime] = tableCell{text: at, ink: inkDim}
	out[dayTitle] = tableCell{text: title, ink: inkText}
	out[dayTurns] = tableCell{text: count(r.c.Turns), ink: inkText}
	out[dayCalls] = tableCell{text: count(r.c.Calls), ink: inkText}
	out[dayErrors] = tableCell{text: count(r.c.Errors), ink: k}
	out[dayEnd] = tableCell{text: r.c.State, ink: inkDim}
	out[dayWhere] = tableCell{text: d.where(r.c.Place()), ink: inkDim}
}

func (d *threads) compareOpen(col, i, j int) int {
	a, b := &d.answer.Open[i], &d.answer.Open[j]
	switch col {
	case openKind:
		return strings.Compare(a.Kind, b.Kind)
	case openText:
		return strings.Compare(a.Text, b.Text)
	case openWhere:
		return strings.Compare(a.Place(), b.Place())
	}
	return cmp.Compare(int64(a.Time), int64(b.Time))
}

func (d *threads) compareDays(col, i, j int) int {
	a, b := d.days[i].c, d.days[j].c
	switch col {
	case dayTitle:
		return strings.Compare(a.Title, b.Title)
	case dayTurns:
		return cmp.Compare(a.Turns, b.Turns)
	case dayCalls:
		return cmp.Compare(a.Calls, b.Calls)
	case dayErrors:
		return cmp.Compare(a.Errors, b.Errors)
	case dayEnd:
		return strings.Compare(a.State, b.State)
	case dayWhere:
		return strings.Compare(a.Place(), b.Place())
	}
	return cmp.Or(strings.Compare(d.days[i].day, d.days[j].day), cmp.Compare(int64(a.Start), int64(b.Start)))
}

// Render draws the last conversation and today, and a table under them.
func (d *threads) Render(w, h int) []string {
	st := d.h.styles
	left := []span{{text: " "}, {text: "Open threads", ink: inkAccent}, {text: "   of the sessions beside " + shortName(d.path)}}
	var right []span
	if d.answer != nil {
		right = []span{{text: d.tables[d.shown].sortName() + " ", ink: inkDim}}
	}
	out := []string{st.spread(w, groundNone, left, right)}
	if d.answer == nil {
		text, k := " looking for sessions …", inkDim
		switch {
		case d.err != nil:
			text, k = " "+oneLine(d.err.Error()), inkError
		case d.job != nil && d.job.percent > 0:
			text = fmt.Sprintf(" reading the sessions, %d %%", d.job.percent)
		}
		return fill(append(out, st.line(w, groundNone, span{text: text, ink: k})), w, h)
	}
	out = append(out, d.told(w, "last conversation", d.answer.LastText(), 4)...)
	out = append(out, d.told(w, "today", d.answer.TodayText(), min(max(h/4, 2), 8))...)
	heads := [2]string{plural(len(d.answer.Open), "open thread", "open threads"), plural(len(d.days), "conversation by day", "conversations by day")}
	spans := []span{{text: " "}}
	for i, text := range heads {
		k, mark := inkDim, "  "
		if i == d.shown {
			k, mark = inkHeading, "▸ "
		}
		spans = append(spans, span{text: mark + text + "   ", ink: k})
	}
	out = append(out, "", st.line(w, groundNone, spans...))
	d.above = len(out)
	return fill(append(out, d.tables[d.shown].render(st, w, h-len(out), true)...), w, h)
}

// told are the first lines of a text under a heading.
func (d *threads) told(w int, head, text string, most int) []string {
	st := d.h.styles
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	var out []string
	for i, line := range lines[:min(len(lines), most)] {
		name := ""
		if i == 0 {
			name = head
		}
		out = append(out, st.line(w, groundNone, span{text: " " + fit(name, 18), ink: inkHeading}, span{text: oneLine(line), ink: inkText}))
	}
	return out
}

// Key moves, sorts, changes the list and opens a place.
func (d *threads) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	name := keyName(msg)
	if n, ok := addDigit(d.count, name); ok && n > 0 {
		d.count = n
		return false, nil
	}
	n := d.count
	d.count = 0
	if handled, cmd := pressed(d.keys(), name, n); handled || d.answer == nil {
		return d.done, cmd
	}
	handled, cmd := d.tables[d.shown].key(d.h, name, n)
	if !handled {
		d.h.complain(keyLabel(name) + " is no key of this table: ? shows them")
	}
	return false, cmd
}

// keys are those that only this table takes.
func (d *threads) keys() []paneKey {
	return []paneKey{
		{keys: []string{"enter", "l", "right"}, hint: "open", help: "open the place in its session; leaving it leads back", do: func(int, string) tea.Cmd { return d.open() }},
		{keys: []string{"tab", "shift+tab"}, hint: "list", help: "the other list: what is open, conversations by day", do: func(int, string) tea.Cmd { d.shown = 1 - d.shown; return nil }},
		{keys: []string{"q", "esc", "W"}, hint: "back", help: "back", do: func(int, string) tea.Cmd { return d.back() }},
		{keys: []string{"Q", "ctrl+c"}, help: "quit", do: func(int, string) tea.Cmd { return tea.Quit }},
		{keys: []string{"?", "f1"}, help: "help", do: func(int, string) tea.Cmd { return d.h.ask(Help{}) }},
	}
}

func (d *threads) back() tea.Cmd {
	d.job.stop()
	d.done = true
	return nil
}

// open shows the place of the row under the cursor.
func (d *threads) open() tea.Cmd {
	if d.answer == nil {
		return nil
	}
	row := d.tables[d.shown].row()
	switch {
	case row < 0:
		return nil
	case d.shown == 1:
		return d.h.ask(OpenPlace{d.days[row].c.Place(), ""})
	}
	o := &d.answer.Open[row]
	at := ""
	if o.Index >= 0 {
		at = strconv.Itoa(o.Index)
	}
	return d.h.ask(OpenPlace{o.Place(), at})
}

// Click selects a row or sorts; a double click opens the place.
func (d *threads) Click(x, y int, double bool) (done bool, cmd tea.Cmd) {
	if d.answer == nil || y < d.above {
		return false, nil
	}
	hit, cmd := d.tables[d.shown].click(x, y-d.above)
	if hit && double {
		return false, d.open()
	}
	return false, cmd
}

// Wheel scrolls.
func (d *threads) Wheel(n int) { d.tables[d.shown].scroll(n) }

// Hints are the keys of the table.
func (d *threads) Hints() []hint {
	return append(tableHints(&d.tables[d.shown], d.keys()), hint{"?", "help"})
}
