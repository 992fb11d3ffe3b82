package compare

import (
	"context"
	"fmt"
	"path/filepath"

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

// NewFolders compares the tasks of two folders of sessions; Begin reads them.
func NewFolders(h *screen.Host, a, b string) *Folders {
	d := &Folders{Overlay: screen.Overlay{H: h}, dirs: [2]string{a, b}, names: namesOf(a, b)}
	d.Table.SortBy = -1
	screen.Describe(&d.Table, runs.TaskColumns(), func(row int) *runs.TaskDiff { return &d.Answer.Tasks[row] })
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
	return screen.StartJob(d.H.Opts.BaseContext(), &d.job, func(ctx context.Context, report func(done, total int64)) (*runs.DirsAnswer, error) {
		var found [2][]runs.RunInfo
		for i := range dirs {
			var err error
			if found[i], err = lib.Runs(ctx, dirs[i], reportSide(report, i, 2000)); err != nil {
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
	for _, spans := range paint.Flow(w, screen.Facts(d.Answer.Counts(d.names[0], d.names[1])...)) {
		out = append(out, st.Line(w, paint.GroundNone, spans...))
	}
	out = append(out, "")
	d.Above = len(out) + 1 // the means are between the heads and the rows
	rows := d.Table.Render(st, w, h-len(out)-1, true)
	if len(rows) == 0 {
		return paint.Fill(out, w, h)
	}
	cells := make([]screen.Cell, len(d.Table.Cols))
	screen.Fill(&d.Table, runs.TaskColumns(), d.Answer.Mean(), cells)
	cells[0].Ink = paint.InkHeading
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
