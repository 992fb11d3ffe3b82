package ui

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/query"
)

// folders compares two folders of runs, task by task. It lies over the whole screen.
type folders struct {
	h      *host
	dirs   [2]string
	names  [2]string
	quits  bool // q ends the program
	done   bool // a key closed it
	job    *job
	answer *query.DirsAnswer // nil until it is computed
	err    error
	table  table
	count  int
	above  int // lines over the table
}

// Columns of the table.
const (
	taskName = iota
	taskFlip
	taskTrials
	taskPassed
	taskCalls
	taskErrors
	taskTokens
	taskTime
)

// foldersRead is what the job answers.
type foldersRead struct {
	answer *query.DirsAnswer
	err    error
}

func newFolders(h *host, a, b string) *folders {
	d := &folders{h: h, dirs: [2]string{a, b}, names: namesOf(a, b)}
	d.table = table{sortBy: -1, cells: d.cells, cmp: d.compare, cols: []tableColumn{
		taskName:   {name: "task", head: "task", width: 14, flex: 1, asc: true},
		taskFlip:   {name: "flip", head: "flip", width: 6, gap: 1, asc: true},
		taskTrials: {name: "trials", head: "trials ", width: 7, right: true, gap: 1, drop: 6},
		taskPassed: {name: "passed", head: "passed  ", width: 13, right: true, gap: 1, drop: 3},
		taskCalls:  {name: "calls", head: "calls   ", width: 13, right: true, gap: 1},
		taskErrors: {name: "errors", head: "errors  ", width: 13, right: true, gap: 1, drop: 4},
		taskTokens: {name: "tokens", head: "tokens   ", width: 15, right: true, gap: 1, drop: 5},
		taskTime:   {name: "time", head: "time    ", width: 15, right: true, gap: 1, drop: 7},
	}}
	return d
}

// begin reads the runs of both folders, in the background.
func (d *folders) begin() tea.Cmd {
	read := d.h.opts.Runs
	if read == nil {
		d.err = fmt.Errorf("folders cannot be compared here")
		return nil
	}
	dirs := d.dirs
	var cmd tea.Cmd
	d.job, cmd = startJob(d.h.opts.context(), func(ctx context.Context, tell func(done, total int64)) any {
		var runs [2][]query.RunInfo
		for i := range dirs {
			var err error
			runs[i], err = read(ctx, dirs[i], tellSide(tell, i, 2000))
			if err != nil {
				return foldersRead{err: err}
			}
		}
		return foldersRead{answer: query.DiffDirs(runs[0], runs[1])}
	})
	return cmd
}

// Message takes what the job tells.
func (d *folders) Message(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(sortedMsg); ok {
		d.table.sorted(m)
		return nil
	}
	answer, cmd, of := d.job.message(msg)
	if !of || answer == nil {
		return cmd
	}
	r := answer.(foldersRead)
	d.job, d.answer, d.err = nil, r.answer, r.err
	if r.answer == nil {
		return nil
	}
	return d.table.reset(len(r.answer.Tasks))
}

func (d *folders) moveTo(h *host) { d.h = h }

// sides writes a number of both folders into w cells, "12 → 14", so that the arrows of a column stand under one another.
func sides(w int, a, b *query.TrialMeans, say func(*query.TrialMeans) string) string {
	one := func(m *query.TrialMeans) string {
		if m.Trials == 0 {
			return query.NotSaid
		}
		return say(m)
	}
	half := (w - 3) / 2
	return fitRight(one(a), half) + " → " + fit(one(b), half)
}

func mean(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

func (d *folders) fillCells(a, b *query.TrialMeans, out []tableCell) {
	k := inkText
	if a.Trials == 0 || b.Trials == 0 {
		k = inkDim
	}
	put := func(col int, worse bool, say func(*query.TrialMeans) string) {
		ink := k
		if worse && k == inkText {
			ink = inkError
		}
		out[col] = tableCell{text: sides(d.table.cols[col].width, a, b, say), ink: ink}
	}
	put(taskTrials, false, func(m *query.TrialMeans) string { return thousands(m.Trials) })
	put(taskPassed, b.Passed < a.Passed, func(m *query.TrialMeans) string { return percent(int(m.Passed*1000), 1000) })
	put(taskCalls, false, func(m *query.TrialMeans) string { return mean(m.Calls) })
	put(taskErrors, b.Errors > a.Errors, func(m *query.TrialMeans) string { return mean(m.Errors) })
	put(taskTokens, false, func(m *query.TrialMeans) string { return short(int64(m.Tokens)) })
	put(taskTime, false, func(m *query.TrialMeans) string { return took(time.Duration(m.Took) * time.Millisecond) })
}

func (d *folders) cells(row int, out []tableCell) {
	t := &d.answer.Tasks[row]
	d.fillCells(&t.A, &t.B, out)
	out[taskName] = tableCell{text: oneLine(t.Task)}
	switch {
	case t.Flip == "broken":
		out[taskFlip] = tableCell{text: t.Flip, ink: inkError}
	case t.Flip != "":
		out[taskFlip] = tableCell{text: t.Flip, ink: inkOK}
	case t.B.Trials == 0:
		out[taskFlip] = tableCell{text: "only a", ink: inkDim}
	case t.A.Trials == 0:
		out[taskFlip] = tableCell{text: "only b", ink: inkDim}
	}
}

// compare orders tasks by how much a number has changed.
func (d *folders) compare(col, i, j int) int {
	a, b := &d.answer.Tasks[i], &d.answer.Tasks[j]
	by := func(of func(*query.TrialMeans) float64) int {
		return cmp.Compare(of(&a.B)-of(&a.A), of(&b.B)-of(&b.A))
	}
	switch col {
	case taskName:
		return strings.Compare(a.Task, b.Task)
	case taskTrials:
		return cmp.Compare(a.A.Trials+a.B.Trials, b.A.Trials+b.B.Trials)
	case taskPassed:
		return by(func(m *query.TrialMeans) float64 { return m.Passed })
	case taskCalls:
		return by(func(m *query.TrialMeans) float64 { return m.Calls })
	case taskErrors:
		return by(func(m *query.TrialMeans) float64 { return m.Errors })
	case taskTokens:
		return by(func(m *query.TrialMeans) float64 { return m.Tokens })
	case taskTime:
		return by(func(m *query.TrialMeans) float64 { return float64(m.Took) })
	}
	return i - j // as they come: what got worse first
}

// Render draws the totals and the table over the whole screen.
func (d *folders) Render(w, h int) []string {
	st := d.h.styles
	left := []span{{text: " "}, {text: "Compare", ink: inkAccent}, {text: "   " + d.names[0]}, {text: " → ", ink: inkDim}, {text: d.names[1]}}
	var right []span
	if d.answer != nil {
		right = []span{{text: d.table.sortName() + " ", ink: inkDim}}
	}
	out := []string{st.spread(w, groundNone, left, right)}
	if d.answer == nil {
		text, k := " looking for runs …", inkDim
		switch {
		case d.err != nil:
			text, k = " "+oneLine(d.err.Error()), inkError
		case d.job != nil && d.job.percent > 0:
			text = fmt.Sprintf(" reading the runs of %s, %d %%", d.names[b2i(d.job.percent >= 50)], d.job.percent)
		}
		return fill(append(out, st.line(w, groundNone, span{text: text, ink: k})), w, h)
	}
	for _, spans := range flow(w, d.totals()) {
		out = append(out, st.line(w, groundNone, spans...))
	}
	out = append(out, "")
	d.above = len(out) + 1 // the means stand between the heads and the rows
	rows := d.table.render(st, w, h-len(out)-1, true)
	if len(rows) == 0 {
		return fill(out, w, h)
	}
	cells := make([]tableCell, len(d.table.cols))
	d.fillCells(&d.answer.A, &d.answer.B, cells)
	cells[taskName] = tableCell{text: "mean of the tasks in both", ink: inkHeading}
	out = append(out, rows[0], st.line(w, groundNone, d.table.spans(span{text: " "}, cells)...))
	return fill(append(out, rows[1:]...), w, h)
}

// status names the runs of the task under the cursor.
func (d *folders) status() string {
	row := d.table.row()
	if d.answer == nil || row < 0 {
		return ""
	}
	t := &d.answer.Tasks[row]
	name := func(m *query.TrialMeans) string {
		switch len(m.Paths) {
		case 0:
			return query.NotSaid
		case 1:
			return oneLine(filepath.Base(m.Paths[0]))
		}
		return oneLine(filepath.Base(m.Paths[0])) + " and " + plural(len(m.Paths)-1, "other", "others")
	}
	return name(&t.A) + " → " + name(&t.B)
}

// totals are how many tasks there are, and how many ended in another way.
func (d *folders) totals() [][]span {
	a := d.answer
	out := [][]span{{{text: plural(a.Pairs, "task", "tasks")}, {text: " in both", ink: inkDim}}}
	add := func(n int, what string, k ink) {
		if n > 0 {
			out = append(out, []span{{text: thousands(n), ink: k}, {text: " " + what, ink: inkDim}})
		}
	}
	add(a.Broken, "broken", inkError)
	add(a.Fixed, "fixed", inkOK)
	add(a.OnlyA, "only in "+d.names[0], inkText)
	add(a.OnlyB, "only in "+d.names[1], inkText)
	return out
}

// Key moves, sorts and opens a pair.
func (d *folders) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	name := keyName(msg)
	if n, ok := addDigit(d.count, name); ok && n > 0 {
		d.count = n
		return false, nil
	}
	n := d.count
	d.count = 0
	if handled, cmd := pressed(d.keys(), name, n); handled {
		return d.done, cmd
	}
	if d.answer == nil {
		return false, nil
	}
	handled, cmd := d.table.key(d.h, name, n)
	if !handled {
		d.h.complain(keyLabel(name) + " is no key of this table: ? shows them")
	}
	return false, cmd
}

// keys are those that only this table takes.
func (d *folders) keys() []paneKey {
	last := "back"
	if d.quits {
		last = "quit"
	}
	return []paneKey{
		{keys: []string{"enter", "l", "right"}, hint: "compare the pair", help: "compare the runs of the task: of several trials the first, or the n-th; a task of one folder opens", do: func(n int, _ string) tea.Cmd { return d.open(n) }},
		{keys: []string{"x"}, hint: "write", help: "write the comparison as Markdown under the next free name", do: func(int, string) tea.Cmd { return d.write(".md") }},
		{keys: []string{"X"}, help: "write the comparison as text under the next free name", do: func(int, string) tea.Cmd { return d.write(".txt") }},
		{keys: []string{"q", "esc"}, hint: last, help: "back", do: func(int, string) tea.Cmd { return d.back() }},
		{keys: []string{"Q", "ctrl+c"}, help: "quit", do: func(int, string) tea.Cmd { return tea.Quit }},
		{keys: []string{"?", "f1"}, help: "help", do: func(int, string) tea.Cmd { return d.h.ask(Help{}) }},
	}
}

// write is the command that writes the comparison into a file.
func (d *folders) write(ext string) tea.Cmd {
	if d.answer == nil {
		return nil
	}
	return writeComparison(d.h.exportDir(), d.names, ext, d.answer)
}

func (d *folders) back() tea.Cmd {
	d.job.stop()
	if d.quits {
		return tea.Quit
	}
	d.done = true
	return nil
}

// open compares the runs of the task under the cursor: of several trials the first of each folder, or the n-th. A task that only one folder has
// shows its run.
func (d *folders) open(n int) tea.Cmd {
	row := d.table.row()
	if d.answer == nil || row < 0 {
		return nil
	}
	t := &d.answer.Tasks[row]
	trial := func(m *query.TrialMeans) string {
		if len(m.Places) == 0 {
			return ""
		}
		return m.Places[min(max(n-1, 0), len(m.Places)-1)]
	}
	a, b := trial(&t.A), trial(&t.B)
	switch {
	case a == "":
		return d.h.ask(OpenPlace{b, ""})
	case b == "":
		return d.h.ask(OpenPlace{a, ""})
	}
	return d.h.ask(Compare{a, b})
}

// Click selects a row or sorts; a double click opens the pair.
func (d *folders) Click(x, y int, double bool) (done bool, cmd tea.Cmd) {
	if d.answer == nil {
		return false, nil
	}
	line := y - d.above // the means are 0, the heads over them -1
	switch {
	case line == -1:
		line = 0
	case line <= 0:
		return false, nil
	}
	hit, cmd := d.table.click(x, line)
	if hit && double {
		return false, d.open(0)
	}
	return false, cmd
}

// Wheel scrolls.
func (d *folders) Wheel(n int) { d.table.scroll(n) }

// Hints are the keys of the table.
func (d *folders) Hints() []hint {
	keys := hintsOf(d.keys()[1:])
	if d.table.n > 0 {
		keys = tableHints(&d.table, d.keys())
	}
	return append(keys, hint{"?", "help"})
}
