package compare

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"turns/query/answer"
	"turns/query/human"
	"turns/query/many"
	"turns/query/trials"
	"turns/ui/paint"
	"turns/ui/screen"
)

var (
	_ screen.FullScreen = (*trialList)(nil)
	_ screen.FullScreen = (*trialFailures)(nil)
)

// trialList shows the trials of a cell of the matrix, to open or compare them.
type trialList struct {
	screen.Overlay
	task   string
	list   []trials.Trial
	chosen []string // paths selected with v, at most two
	Table  screen.Table
}

func newTrialList(h *screen.Host, task string, list []trials.Trial) *trialList {
	d := &trialList{Overlay: screen.Overlay{H: h, Above: 2}, task: task, list: list}
	d.Table = screen.Table{SortBy: -1, N: len(list)}
	screen.Describe(&d.Table, trials.TrialColumns(), func(row int) *trials.Trial { return &list[row] })
	fill := d.Table.Cells
	d.Table.Cells = func(row int, out []screen.Cell) {
		if fill(row, out); slices.Contains(d.chosen, list[row].Path) {
			out[1].Lead = paint.Span{Text: "●", Ink: paint.InkMark}
		}
	}
	return d
}

// Render draws the list over the full screen.
func (d *trialList) Render(w, h int) []string {
	st := d.H.Styles
	left := []paint.Span{{Text: " "}, {Text: "Trials", Ink: paint.InkAccent}, {Text: "   " + paint.OneLine(d.task) + " in " + cmp.Or(paint.OneLine(d.list[0].Configuration), "(not recorded)")}}
	right := []paint.Span{{Text: d.Table.SortName() + " ", Ink: paint.InkDim}}
	out := []string{st.Spread(w, paint.GroundNone, left, right), ""}
	return paint.Fill(append(out, d.Table.Render(st, w, h-len(out), true)...), w, h)
}

// Message does nothing: the list reads no data.
func (d *trialList) Message(tea.Msg) tea.Cmd { return nil }

// Key moves, sorts, opens and compares.
func (d *trialList) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	return d.Press(msg, d.keys(), &d.Table)
}

func (d *trialList) keys() []screen.Key {
	do := func(f func() tea.Cmd) func(int, string) tea.Cmd { return func(int, string) tea.Cmd { return f() } }
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "open", Help: "open the trial", Do: do(func() tea.Cmd {
			return d.H.Ask(screen.OpenPlace{Path: d.list[d.Table.Row()].Path})
		})},
		{Keys: []string{"v"}, Hint: "select", Help: "select two trials to be compared", Do: do(d.choose)},
		{Keys: []string{"D"}, Hint: "compare", Help: "compare the two selected trials, or the selected one with that under the cursor, at their first difference", Do: do(d.difference)},
		{Keys: []string{"q", "esc", "h", "left"}, Hint: "back", Help: "back", Do: do(d.Back)},
		{Keys: []string{"Q", "ctrl+c"}, Help: "quit", Do: do(func() tea.Cmd { return tea.Quit })},
		{Keys: []string{"?", "f1"}, Help: "help", Do: do(func() tea.Cmd { return d.H.Ask(screen.Help{}) })},
	}
}

// choose selects or unselects a trial; a third drops the oldest.
func (d *trialList) choose() tea.Cmd {
	path := d.list[d.Table.Row()].Path
	d.chosen = screen.TakeTwo(d.chosen, path)
	d.Table.MoveTo(d.Table.Cur + 1)
	return nil
}

func (d *trialList) difference() tea.Cmd {
	two := d.chosen
	if here := d.list[d.Table.Row()].Path; len(two) == 1 && two[0] != here {
		two = []string{two[0], here}
	}
	if len(two) < 2 {
		return d.H.Complain("select two trials with " + d.H.Key("v") + " to compare them")
	}
	return d.H.Ask(screen.Compare{A: two[0], B: two[1], Apart: true})
}

// Click selects a row; a double click opens the trial.
func (d *trialList) Click(_, y int, double bool) (bool, tea.Cmd) {
	hit, cmd := d.Table.Click(0, y-d.Above)
	if hit && double {
		return false, d.H.Ask(screen.OpenPlace{Path: d.list[d.Table.Row()].Path})
	}
	return false, cmd
}

// Wheel scrolls by n rows.
func (d *trialList) Wheel(n int) { d.Table.Scroll(n) }

// Hints returns the keys of the list.
func (d *trialList) Hints() []screen.Hint { return screen.OverlayHints(&d.Table, d.keys()) }

// Group is the name of the list's keys.
func (d *trialList) Group() string { return "Trials of a task" }

// trialFailures groups the failures of some trials by cause.
type trialFailures struct {
	screen.Overlay
	paths  []string
	job    *screen.Job[*many.Groups]
	groups *many.Groups
	Table  screen.Table
}

func newTrialFailures(h *screen.Host, paths []string) *trialFailures {
	d := &trialFailures{Overlay: screen.Overlay{H: h, Above: 2}, paths: paths}
	d.Table.SortBy = -1
	return d
}

// Begin reads the failures in the background.
func (d *trialFailures) Begin() tea.Cmd {
	lib, paths := d.H.Opts.Store, d.paths
	return screen.StartJob(d.H.Opts.BaseContext(), &d.job, func(ctx context.Context, report func(done, total int64)) (*many.Groups, error) {
		groups, done := many.NewGroups("failure"), 0
		for a := range lib.Problems(ctx, paths) {
			for i := range a.Answer.Failures {
				groups.Add(&a.Answer.Failures[i])
			}
			done++
			report(int64(done), int64(len(paths)))
		}
		groups.Finish(nil)
		return groups, ctx.Err()
	})
}

// Message handles a report of the job.
func (d *trialFailures) Message(msg tea.Msg) tea.Cmd {
	done, cmd := d.job.Message(msg)
	if done == nil {
		return cmd
	}
	d.job, d.Err = nil, done.Err
	if d.Err != nil {
		return nil
	}
	d.groups = done.Answer
	columns := answer.Pick(d.groups.Columns(d.H.Zone), "count", "share", "sessions", "tool", "why")
	screen.Describe(&d.Table, columns, func(row int) *many.FailureGroup { return d.groups.List[row] })
	d.Table.Cols[2].Name, d.Table.Cols[2].Head = "trials", "trials" // each session is a trial
	return d.Table.Reset(len(d.groups.List))
}

// Render draws the groups over the full screen.
func (d *trialFailures) Render(w, h int) []string {
	st := d.H.Styles
	left := []paint.Span{{Text: " "}, {Text: "Failures", Ink: paint.InkAccent}, {Text: "   in " + human.Plural(len(d.paths), "trial")}}
	out := []string{st.Spread(w, paint.GroundNone, left, nil), ""}
	switch {
	case d.groups == nil:
		return d.Waiting(out, " reading the trials …", w, h)
	case len(d.groups.List) == 0:
		return d.Waiting(out, " no call failed in these trials", w, h)
	}
	return paint.Fill(append(out, d.Table.Render(st, w, h-len(out), true)...), w, h)
}

// Key moves, sorts and opens a failure.
func (d *trialFailures) Key(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	if d.groups == nil {
		return d.Press(msg, d.keys(), nil)
	}
	return d.Press(msg, d.keys(), &d.Table)
}

func (d *trialFailures) keys() []screen.Key {
	do := func(f func() tea.Cmd) func(int, string) tea.Cmd { return func(int, string) tea.Cmd { return f() } }
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "first call", Help: "open the first failure of the group", Do: do(d.open)},
		{Keys: []string{"q", "esc", "h", "left"}, Hint: "back", Help: "back", Do: do(func() tea.Cmd { d.job.Stop(); return d.Back() })},
		{Keys: []string{"Q", "ctrl+c"}, Help: "quit", Do: do(func() tea.Cmd { return tea.Quit })},
		{Keys: []string{"?", "f1"}, Help: "help", Do: do(func() tea.Cmd { return d.H.Ask(screen.Help{}) })},
	}
}

// open shows the first failure of the group under the cursor.
func (d *trialFailures) open() tea.Cmd {
	row := d.Table.Row()
	if row < 0 || len(d.groups.List[row].Examples) == 0 {
		return screen.NoRow(d.H)
	}
	at := &d.groups.List[row].Examples[0]
	place := screen.OpenPlace{Path: at.Path}
	if at.Index >= 0 {
		place.At = strconv.Itoa(int(at.Index))
	}
	return d.H.Ask(place)
}

// Click selects a row; a double click opens its first failure.
func (d *trialFailures) Click(_, y int, double bool) (bool, tea.Cmd) {
	if d.groups == nil {
		return false, nil
	}
	hit, cmd := d.Table.Click(0, y-d.Above)
	if hit && double {
		return false, d.open()
	}
	return false, cmd
}

// Hints returns the keys of the groups.
func (d *trialFailures) Hints() []screen.Hint { return screen.OverlayHints(&d.Table, d.keys()) }

// Wheel scrolls by n rows.
func (d *trialFailures) Wheel(n int) { d.Table.Scroll(n) }

// Group is the name of the keys of the groups.
func (d *trialFailures) Group() string { return "Failures of trials" }
