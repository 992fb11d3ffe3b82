package compare

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/query/answer"
	"turns/query/many"
	"turns/query/runs"
	"turns/query/trials"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// The screen finds these interfaces by type assertions.
var _ interface {
	screen.FullScreen
	screen.Beginner
	screen.Teller
} = (*Trials)(nil)

// Trials shows sessions of the same tasks as a matrix of tasks and configurations: one mark per
// trial, with the pass rates above. A cell leads to its trials, and two trials to their first
// difference. The matrix is updated while trials run. It covers the screen.
type Trials struct {
	screen.Overlay
	options transcripts.TrialsOptions
	job     *screen.Job[*trials.Answer]
	Answer  *trials.Answer // nil until read
	Table   screen.Table
	column  int             // index of the current configuration
	chosen  map[string]bool // tasks selected with v

	pair   *screen.Job[parting]
	parted map[string]string // by task: the first difference of two trials
}

// parting is the first difference of two trials of a task.
type parting struct{ task, at string }

// NewTrials shows the trials of the store; Begin reads them.
func NewTrials(h *screen.Host, o transcripts.TrialsOptions) *Trials {
	d := &Trials{Overlay: screen.Overlay{H: h}, options: o, chosen: map[string]bool{}, parted: map[string]string{}}
	d.Table.SortBy = -1
	return d
}

// Begin reads the trials in the background.
func (d *Trials) Begin() tea.Cmd {
	lib, o := d.H.Opts.Store, d.options
	if lib == nil {
		d.Err = fmt.Errorf("trials cannot be read here")
		return nil
	}
	return screen.StartJob(d.H.Opts.BaseContext(), &d.job, func(ctx context.Context, report func(done, total int64)) (*trials.Answer, error) {
		return lib.Trials(ctx, o, func(done, all int, a *transcripts.Answer[[]*many.Run]) bool {
			report(int64(done), int64(all))
			return a.Err == nil && !a.None
		})
	})
}

// trialsAgain is the delay before running trials are read again.
const trialsAgain = 3 * time.Second

// trialsTick requests another reading.
type trialsTick struct{ of *Trials }

// Message handles the reports of the jobs.
func (d *Trials) Message(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case screen.SortedMsg:
		d.Table.Sorted(m)
		return nil
	case trialsTick:
		if m.of == d && d.job == nil && !d.Closed {
			return d.Begin()
		}
		return nil
	}
	if done, cmd := d.pair.Message(msg); done != nil {
		d.pair = nil
		if done.Err == nil {
			d.parted[done.Answer.task] = done.Answer.at
		}
		return nil
	} else if cmd != nil {
		return cmd
	}
	done, cmd := d.job.Message(msg)
	if done == nil {
		return cmd
	}
	if d.job = nil; done.Err != nil && d.Answer != nil {
		return d.again() // the folder may return
	}
	if d.Answer, d.Err = done.Answer, done.Err; d.Answer == nil {
		return nil
	}
	d.columns()
	return tea.Batch(d.Table.Reset(len(d.Answer.Tasks)), d.part(), d.again())
}

// again schedules another reading if trials are running.
func (d *Trials) again() tea.Cmd {
	for i := range d.Answer.Configurations {
		if d.Answer.Configurations[i].Running > 0 {
			return d.H.After(trialsAgain, trialsTick{d})
		}
	}
	return nil
}

// columns makes one column per configuration, with a mark at the current one.
func (d *Trials) columns() {
	a, n := d.Answer, len(d.Answer.Configurations)
	screen.Describe(&d.Table, a.Columns(), func(row int) *trials.Task { return &a.Tasks[row] })
	d.Table.Hide(n < 2, "flips")
	d.Table.Hide(!d.anyCost(), "cost")
	d.column = min(d.column, max(n-1, 0))
	fill := d.Table.Cells
	d.Table.Cells = func(row int, out []screen.Cell) {
		fill(row, out)
		if d.chosen[a.Tasks[row].Name] {
			out[0].Lead = paint.Span{Text: "● ", Ink: paint.InkMark}
		}
		for i := range n {
			out[1+i].Lead.Text = "  "
			if i == d.column && row == d.Table.Row() {
				out[1+i].Lead = paint.Span{Text: "▸ ", Ink: paint.InkAccent}
			}
		}
	}
}

// anyCost reports whether the cost of any task is known.
func (d *Trials) anyCost() bool {
	return slices.ContainsFunc(d.Answer.Tasks, func(t trials.Task) bool { _, ok := d.Answer.TaskCost(&t); return ok })
}

// task returns the task under the cursor, nil for none.
func (d *Trials) task() *trials.Task {
	if row := d.Table.Row(); d.Answer != nil && row >= 0 {
		return &d.Answer.Tasks[row]
	}
	return nil
}

// Render draws the rates and the matrix over the full screen.
func (d *Trials) Render(w, h int) []string {
	st := d.H.Styles
	left := []paint.Span{{Text: " "}, {Text: "Trials", Ink: paint.InkAccent}}
	var right []paint.Span
	if d.Answer != nil {
		left = append(left, paint.Span{Text: "   " + d.Answer.Headline()})
		right = []paint.Span{{Text: d.Table.SortName() + " ", Ink: paint.InkDim}}
	}
	out := []string{st.Spread(w, paint.GroundNone, left, right)}
	if d.Answer == nil {
		doing := " looking for trials …"
		if d.job != nil && d.job.Percent > 0 {
			doing = fmt.Sprintf(" reading trials, %d %%", d.job.Percent)
		}
		return d.Waiting(out, doing, w, h)
	}
	summary := answer.Page{Columns: max(w-2, 1)}
	d.Answer.Summary().Print(&summary)
	for line := range strings.Lines(summary.String()) {
		if line = strings.TrimSpace(line); line != "" && len(out) <= h/3 { // leave the room to the matrix
			out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " " + line, Ink: paint.InkDim}))
		}
	}
	out = append(out, "")
	d.Above = len(out)
	out = append(out, d.Table.Render(st, w, h-len(out), true)...)
	return paint.Fill(out, w, h)
}

// Status shows the first difference of two trials of the task.
func (d *Trials) Status() string {
	t := d.task()
	if t == nil {
		return ""
	}
	if at := d.parted[t.Name]; at != "" {
		return "first difference: " + paint.OneLine(at)
	}
	return ""
}

// Key moves, sorts, and opens trials.
func (d *Trials) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	if d.Answer == nil {
		return d.Press(msg, d.Keys(), nil)
	}
	done, cmd := d.Press(msg, d.Keys(), &d.Table)
	return done, tea.Batch(cmd, d.part())
}

// Keys returns the keys of this table only.
func (d *Trials) Keys() []screen.Key {
	do := func(f func() tea.Cmd) func(int, string) tea.Cmd { return func(int, string) tea.Cmd { return f() } }
	return []screen.Key{
		{Keys: []string{"enter"}, Hint: "trials", Help: "open the trials of the cell", Do: do(d.open)},
		{Keys: []string{"tab", "l", "right"}, Hint: "column", Help: "next configuration; of two the other one", Do: do(func() tea.Cmd { return d.turn(1) })},
		{Keys: []string{"shift+tab", "h", "left"}, Help: "configuration before; of two the other one", Do: do(func() tea.Cmd { return d.turn(-1) })},
		{Keys: []string{"D"}, Hint: "compare", Help: "compare two trials of the task at their first difference", Do: do(d.difference)},
		{Keys: []string{"v"}, Hint: "select", Help: "select or deselect the task", Do: do(d.choose)},
		{Keys: []string{"!"}, Hint: "failures", Help: "what fails in the selected tasks, or in the task under the cursor, grouped by cause", Do: do(d.failures)},
		{Keys: []string{"x"}, Hint: "export", Help: "write the trials as Markdown under the next free name", Do: do(d.write)},
		{Keys: []string{"q", "esc"}, Hint: d.BackWord(), Help: "back", Do: do(func() tea.Cmd { d.job.Stop(); d.pair.Stop(); return d.Back() })},
		{Keys: []string{"Q", "ctrl+c"}, Help: "quit", Do: do(func() tea.Cmd { return tea.Quit })},
		{Keys: []string{"?", "f1"}, Help: "help", Do: do(func() tea.Cmd { return d.H.Ask(screen.Help{}) })},
	}
}

// turn moves to another configuration.
func (d *Trials) turn(by int) tea.Cmd {
	if n := len(d.Answer.Configurations); n > 0 {
		d.column = (d.column + by + n) % n
	}
	return nil
}

// choose selects or unselects the task, and goes to the next one.
func (d *Trials) choose() tea.Cmd {
	t := d.task()
	if t == nil {
		return screen.NoRow(d.H)
	}
	if d.chosen[t.Name] {
		delete(d.chosen, t.Name)
	} else {
		d.chosen[t.Name] = true
	}
	d.Table.MoveTo(d.Table.Cur + 1)
	return nil
}

// open lists the trials of the cell under the cursor.
func (d *Trials) open() tea.Cmd {
	t := d.task()
	if t == nil {
		return screen.NoRow(d.H)
	}
	cell := &t.Cells[d.column]
	if len(cell.Trials) == 0 {
		return d.H.Complain("no trials of this task in " + paint.OneLine(d.Answer.Configurations[d.column].Title()))
	}
	return d.H.Ask(screen.Show{Dialog: newTrialList(d.H, t.Name, d.Answer.TrialsOf(cell))})
}

// difference compares the two most informative trials of the task.
func (d *Trials) difference() tea.Cmd {
	t := d.task()
	if t == nil {
		return screen.NoRow(d.H)
	}
	x, y, ok := d.Answer.Pair(t)
	if !ok {
		return d.H.Complain("there is one trial of this task, and nothing to compare it with")
	}
	return d.H.Ask(screen.Compare{A: d.Answer.Trials[x].Path, B: d.Answer.Trials[y].Path, Apart: true})
}

// part finds the first difference of two trials of the task under the cursor, in the background.
func (d *Trials) part() tea.Cmd {
	t := d.task()
	if t == nil {
		return nil
	}
	if _, known := d.parted[t.Name]; known || d.Closed {
		return nil
	}
	x, y, ok := d.Answer.Pair(t)
	d.parted[t.Name] = ""
	if !ok {
		return nil
	}
	d.pair.Stop()
	lib, a, b := d.H.Opts.Store, d.Answer.Trials[x].Path, d.Answer.Trials[y].Path
	name := t.Name
	return screen.StartJob(d.H.Opts.BaseContext(), &d.pair, func(ctx context.Context, _ func(done, total int64)) (parting, error) {
		at, err := divergence(ctx, lib, a, b)
		return parting{name, at}, err
	})
}

// divergence names the first difference of two sessions.
func divergence(ctx context.Context, lib screen.Store, a, b string) (string, error) {
	var two [2]runs.DiffRun
	for i, path := range [...]string{a, b} {
		var err error
		if two[i], err = lib.Run(ctx, path, func(_, _ int64) {}); err != nil {
			return "", err
		}
	}
	d, err := runs.Diff(ctx, two[0], two[1])
	if err != nil {
		return "", err
	}
	return d.DivergenceText(), nil
}

// failures groups the failures of the selected tasks, or of the task under the cursor.
func (d *Trials) failures() tea.Cmd {
	var paths []string
	for i := range d.Answer.Tasks {
		t := &d.Answer.Tasks[i]
		if !d.chosen[t.Name] && (len(d.chosen) > 0 || t != d.task()) {
			continue
		}
		for _, c := range t.Cells {
			for _, at := range c.Trials {
				paths = append(paths, d.Answer.Trials[at].Path)
			}
		}
	}
	if len(paths) == 0 {
		return screen.NoRow(d.H)
	}
	return d.H.Ask(screen.Show{Dialog: newTrialFailures(d.H, paths)})
}

// write returns the command that writes the trials as Markdown.
func (d *Trials) write() tea.Cmd {
	if d.Answer == nil {
		return nil
	}
	return d.H.Ask(screen.Export{Name: "trials", Ext: ".md", What: "trials", Text: d.Answer.Doc().Markdown()})
}

// Click selects a cell or sorts; a double click lists the trials of the cell.
func (d *Trials) Click(x, y int, double bool) (done bool, cmd tea.Cmd) {
	if d.Answer == nil || y < d.Above {
		return false, nil
	}
	hit, cmd := d.Table.Click(x, y-d.Above)
	if hit && double {
		return false, d.open()
	}
	return false, cmd
}

// Wheel scrolls by n rows.
func (d *Trials) Wheel(n int) { d.Table.Scroll(n) }

// Hints returns the keys of the table.
func (d *Trials) Hints() []screen.Hint { return screen.OverlayHints(&d.Table, d.Keys()) }

// Group is the name of the keys of trials.
func (d *Trials) Group() string { return "Trials" }
