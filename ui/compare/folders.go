package compare

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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
	screen.Teller
} = (*Folders)(nil)

// Folders compares two folders of sessions, task by task. It covers the screen.
type Folders struct {
	screen.Overlay
	dirs   [2]string
	names  [2]string
	job    *screen.Job[*runs.DirsAnswer]
	Answer *runs.DirsAnswer // nil until computed
	Table  screen.Table
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

// NewFolders compares the tasks of two folders of sessions; Begin reads them.
func NewFolders(h *screen.Host, a, b string) *Folders {
	d := &Folders{Overlay: screen.Overlay{H: h}, dirs: [2]string{a, b}, names: namesOf(a, b)}
	d.Table = screen.Table{SortBy: -1, Cells: d.cells, Cmp: d.compare, Cols: []screen.Column{
		taskName:   {Name: "task", Head: "task", Width: 14, Flex: 1, Asc: true},
		taskFlip:   {Name: "flip", Head: "flip", Width: 6, Gap: 1, Asc: true},
		taskTrials: {Name: "trials", Head: "trials ", Width: 7, Right: true, Gap: 1, Drop: 6},
		taskPassed: {Name: "passed", Head: "passed  ", Width: 13, Right: true, Gap: 1, Drop: 3},
		taskCalls:  {Name: "calls", Head: "calls   ", Width: 13, Right: true, Gap: 1},
		taskErrors: {Name: "errors", Head: "errors  ", Width: 13, Right: true, Gap: 1, Drop: 4},
		taskTokens: {Name: "tokens", Head: "tokens   ", Width: 15, Right: true, Gap: 1, Drop: 5},
		taskTime:   {Name: "time", Head: "time    ", Width: 15, Right: true, Gap: 1, Drop: 7},
	}}
	return d
}

// Begin reads the sessions of both folders in the background.
func (d *Folders) Begin() tea.Cmd {
	lib := d.H.Opts.Store
	if lib == nil {
		d.Err = fmt.Errorf("folders cannot be compared here")
		return nil
	}
	dirs := d.dirs
	return screen.StartJob(d.H.Opts.BaseContext(), &d.job, func(ctx context.Context, tell func(done, total int64)) (*runs.DirsAnswer, error) {
		var found [2][]runs.RunInfo
		for i := range dirs {
			var err error
			if found[i], err = lib.Runs(ctx, dirs[i], tellSide(tell, i, 2000)); err != nil {
				return nil, err
			}
		}
		return runs.DiffDirs(found[0], found[1]), nil
	})
}

// Message handles a report of the job.
func (d *Folders) Message(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(screen.SortedMsg); ok {
		d.Table.Sorted(m)
		return nil
	}
	done, cmd := d.job.Message(msg)
	if done == nil {
		return cmd
	}
	if d.job, d.Answer, d.Err = nil, done.Answer, done.Err; d.Answer == nil {
		return nil
	}
	return d.Table.Reset(len(d.Answer.Tasks))
}

// sides formats a number of both folders in w cells, "12 → 14", so that the arrows of a column are
// aligned.
func sides(w int, a, b *runs.TrialMeans, say func(*runs.TrialMeans) string) string {
	one := func(m *runs.TrialMeans) string {
		if m.Trials == 0 {
			return human.NotSaid
		}
		return say(m)
	}
	half := (w - 3) / 2
	return paint.FitRight(one(a), half) + " → " + paint.Fit(one(b), half)
}

func mean(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

func (d *Folders) fillCells(a, b *runs.TrialMeans, out []screen.Cell) {
	k := paint.InkText
	if a.Trials == 0 || b.Trials == 0 {
		k = paint.InkDim
	}
	put := func(col int, worse bool, say func(*runs.TrialMeans) string) {
		ink := k
		if worse && k == paint.InkText {
			ink = paint.InkError
		}
		out[col] = screen.Cell{Text: sides(d.Table.Cols[col].Width, a, b, say), Ink: ink}
	}
	put(taskTrials, false, func(m *runs.TrialMeans) string { return human.Count(m.Trials) })
	put(taskPassed, passed(b) < passed(a), (*runs.TrialMeans).PassedText)
	put(taskCalls, false, func(m *runs.TrialMeans) string { return mean(m.Calls) })
	put(taskErrors, b.Errors > a.Errors, func(m *runs.TrialMeans) string { return mean(m.Errors) })
	put(taskTokens, false, func(m *runs.TrialMeans) string { return human.Short(int64(m.Tokens)) })
	put(taskTime, false, func(m *runs.TrialMeans) string { return human.Took(time.Duration(m.Took) * time.Millisecond) })
}

func (d *Folders) cells(row int, out []screen.Cell) {
	t := &d.Answer.Tasks[row]
	d.fillCells(&t.A, &t.B, out)
	out[taskName] = screen.Cell{Text: paint.OneLine(string(t.Task))}
	switch {
	case t.Flip == "broken":
		out[taskFlip] = screen.Cell{Text: t.Flip, Ink: paint.InkError}
	case t.Flip != "":
		out[taskFlip] = screen.Cell{Text: t.Flip, Ink: paint.InkOK}
	case t.B.Trials == 0:
		out[taskFlip] = screen.Cell{Text: "only a", Ink: paint.InkDim}
	case t.A.Trials == 0:
		out[taskFlip] = screen.Cell{Text: "only b", Ink: paint.InkDim}
	}
}

// passed returns the share of passed trials, 0 if none was judged.
func passed(m *runs.TrialMeans) float64 {
	if m.Passed == nil {
		return 0
	}
	return *m.Passed
}

// compare sorts tasks by the change of a number.
func (d *Folders) compare(col, i, j int) int {
	a, b := &d.Answer.Tasks[i], &d.Answer.Tasks[j]
	by := func(of func(*runs.TrialMeans) float64) int {
		return cmp.Compare(of(&a.B)-of(&a.A), of(&b.B)-of(&b.A))
	}
	return [...]int{
		taskName:   strings.Compare(string(a.Task), string(b.Task)),
		taskFlip:   i - j, // default order: the worst changes first
		taskTrials: cmp.Compare(a.A.Trials+a.B.Trials, b.A.Trials+b.B.Trials),
		taskPassed: by(passed),
		taskCalls:  by(func(m *runs.TrialMeans) float64 { return m.Calls }),
		taskErrors: by(func(m *runs.TrialMeans) float64 { return m.Errors }),
		taskTokens: by(func(m *runs.TrialMeans) float64 { return m.Tokens }),
		taskTime:   by(func(m *runs.TrialMeans) float64 { return float64(m.Took) }),
	}[col]
}

// Render draws the totals and the table over the full screen.
func (d *Folders) Render(w, h int) []string {
	st := d.H.Styles
	left := []paint.Span{{Text: " "}, {Text: "Compare", Ink: paint.InkAccent}, {Text: "   " + d.names[0]}, {Text: " → ", Ink: paint.InkDim}, {Text: d.names[1]}}
	var right []paint.Span
	if d.Answer != nil {
		right = []paint.Span{{Text: d.Table.SortName() + " ", Ink: paint.InkDim}}
	}
	out := []string{st.Spread(w, paint.GroundNone, left, right)}
	if d.Answer == nil {
		doing := " looking for runs …"
		if d.job != nil && d.job.Percent > 0 {
			doing = fmt.Sprintf(" reading the sessions of %s, %d %%", d.names[paint.BoolInt(d.job.Percent >= 50)], d.job.Percent)
		}
		return d.Waiting(out, doing, w, h)
	}
	for _, spans := range paint.Flow(w, d.totals()) {
		out = append(out, st.Line(w, paint.GroundNone, spans...))
	}
	out = append(out, "")
	d.Above = len(out) + 1 // the means are between the heads and the rows
	rows := d.Table.Render(st, w, h-len(out)-1, true)
	if len(rows) == 0 {
		return paint.Fill(out, w, h)
	}
	cells := make([]screen.Cell, len(d.Table.Cols))
	d.fillCells(&d.Answer.A, &d.Answer.B, cells)
	cells[taskName] = screen.Cell{Text: "mean of the tasks in both", Ink: paint.InkHeading}
	out = append(out, rows[0], st.Line(w, paint.GroundNone, d.Table.Spans(paint.Span{Text: " "}, cells)...))
	return paint.Fill(append(out, rows[1:]...), w, h)
}

// Status names the sessions of the task under the cursor.
func (d *Folders) Status() string {
	row := d.Table.Row()
	if d.Answer == nil || row < 0 {
		return ""
	}
	t := &d.Answer.Tasks[row]
	name := func(m *runs.TrialMeans) string {
		switch len(m.Paths) {
		case 0:
			return human.NotSaid
		case 1:
			return paint.OneLine(filepath.Base(m.Paths[0]))
		}
		return paint.OneLine(filepath.Base(m.Paths[0])) + " and " + human.Plural(len(m.Paths)-1, "other", "others")
	}
	return name(&t.A) + " → " + name(&t.B)
}

// totals returns the number of tasks, and how many changed their outcome.
func (d *Folders) totals() [][]paint.Span {
	a := d.Answer
	out := [][]paint.Span{{{Text: human.Plural(a.Pairs, "task", "tasks")}, {Text: " in both", Ink: paint.InkDim}}}
	add := func(n int, what string, k paint.Ink) {
		if n > 0 {
			out = append(out, []paint.Span{{Text: human.Count(n), Ink: k}, {Text: " " + what, Ink: paint.InkDim}})
		}
	}
	add(a.Broken, "broken", paint.InkError)
	add(a.Fixed, "fixed", paint.InkOK)
	add(a.OnlyA, "only in "+d.names[0], paint.InkText)
	add(a.OnlyB, "only in "+d.names[1], paint.InkText)
	return out
}

// Key moves, sorts and opens a pair.
func (d *Folders) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	if d.Answer == nil {
		return d.Press(msg, d.Keys(), nil)
	}
	return d.Press(msg, d.Keys(), &d.Table)
}

// Keys returns the keys of this table only.
func (d *Folders) Keys() []screen.Key {
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "compare the pair", Help: "compare the sessions of the task: the first trial, or trial n; a task in one folder opens", Do: func(n int, _ string) tea.Cmd { return d.open(n) }},
		{Keys: []string{"x"}, Hint: "write", Help: "write the comparison as Markdown under the next free name", Do: func(int, string) tea.Cmd { return d.write(".md") }},
		{Keys: []string{"X"}, Help: "write the comparison as text under the next free name", Do: func(int, string) tea.Cmd { return d.write(".txt") }},
		{Keys: []string{"q", "esc"}, Hint: d.BackWord(), Help: "back", Do: func(int, string) tea.Cmd { d.job.Stop(); return d.Back() }},
		{Keys: []string{"Q", "ctrl+c"}, Help: "quit", Do: func(int, string) tea.Cmd { return tea.Quit }},
		{Keys: []string{"?", "f1"}, Help: "help", Do: func(int, string) tea.Cmd { return d.H.Ask(screen.Help{}) }},
	}
}

// write returns the command that writes the comparison to a file.
func (d *Folders) write(ext string) tea.Cmd {
	if d.Answer == nil {
		return nil
	}
	return writeComparison(d.H.ExportDir(), d.names, ext, d.Answer)
}

// open compares the sessions of the task under the cursor: the first trial of each folder, or the
// n-th. For a task in only one folder, it opens the session.
func (d *Folders) open(n int) tea.Cmd {
	row := d.Table.Row()
	if d.Answer == nil || row < 0 {
		return nil
	}
	t := &d.Answer.Tasks[row]
	trial := func(m *runs.TrialMeans) string {
		if len(m.Places) == 0 {
			return ""
		}
		return m.Places[min(max(n-1, 0), len(m.Places)-1)]
	}
	a, b := trial(&t.A), trial(&t.B)
	switch {
	case a == "":
		return d.H.Ask(screen.OpenPlace{Path: b, At: ""})
	case b == "":
		return d.H.Ask(screen.OpenPlace{Path: a, At: ""})
	}
	return d.H.Ask(screen.Compare{A: a, B: b})
}

// Click selects a row or sorts; a double click opens the pair.
func (d *Folders) Click(x, y int, double bool) (done bool, cmd tea.Cmd) {
	if d.Answer == nil {
		return false, nil
	}
	line := y - d.Above // 0 is the line of the means, -1 that of the heads
	switch {
	case line == -1:
		line = 0
	case line <= 0:
		return false, nil
	}
	hit, cmd := d.Table.Click(x, line)
	if hit && double {
		return false, d.open(0)
	}
	return false, cmd
}

// Wheel scrolls by n rows.
func (d *Folders) Wheel(n int) { d.Table.Scroll(n) }

// Hints returns the keys of the table.
func (d *Folders) Hints() []screen.Hint { return screen.OverlayHints(&d.Table, d.Keys()) }

// Group is the name of the keys of a comparison.
func (d *Runs) Group() string { return "Comparison" }

// Group is the name of the keys of a comparison of folders.
func (d *Folders) Group() string { return "Comparison of folders" }

// Group is the name of the keys of unfinished work.
func (d *Threads) Group() string { return "Unfinished" }

// KeyGroups returns the keys of the comparison dialogs.
func KeyGroups() []screen.KeyGroup {
	r, f, t, m, l, e := &Runs{}, &Folders{}, &Threads{}, &Trials{}, &trialList{}, &trialFailures{}
	return []screen.KeyGroup{
		{Name: r.Group(), Keys: r.Keys()}, {Name: f.Group(), Keys: f.Keys()}, {Name: t.Group(), Keys: t.Keys()},
		{Name: m.Group(), Keys: m.Keys()}, {Name: l.Group(), Keys: l.keys()}, {Name: e.Group(), Keys: e.keys()},
	}
}
