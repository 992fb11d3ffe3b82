package compare

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query/answer"
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
	days   []runs.DayRow
	tables [2]screen.Table // unfinished work; sessions by day
	shown  int             // index of the visible table
}

// NewThreads shows the unfinished work in the folder of the session at path, or with all in all
// folders.
func NewThreads(h *screen.Host, path string, all bool) *Threads {
	d := &Threads{Overlay: screen.Overlay{H: h}, path: path, all: all}
	d.tables[0].SortBy, d.tables[1].SortBy = -1, -1
	return d
}

// Begin reads the sessions in the background.
func (d *Threads) Begin() tea.Cmd {
	lib, path := d.H.Opts.Store, d.path
	if d.all {
		path = ""
	}
	return screen.StartJob(d.H.Opts.BaseContext(), &d.job, func(ctx context.Context, report func(done, total int64)) (*runs.ContinuityAnswer, error) {
		return lib.Threads(ctx, path, report)
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
	d.days = d.Answer.Rows()
	screen.Describe(&d.tables[0], answer.Pick(d.Answer.OpenColumns(), "kind", "text", "since", "place", "session"), func(row int) *runs.OpenThread { return &d.Answer.Open[row] })
	screen.Describe(&d.tables[1], d.Answer.DayColumns(), func(row int) *runs.DayRow { return &d.days[row] })
	if len(d.Answer.Open) == 0 {
		d.shown = 1
	}
	return tea.Batch(d.tables[0].Reset(len(d.Answer.Open)), d.tables[1].Reset(len(d.days)))
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
	out = append(out, d.firstLines(w, runs.LastHead, d.Answer.LastText(), 4)...)
	out = append(out, d.firstLines(w, runs.TodayHead, d.Answer.TodayText(), min(max(h/4, 2), 8))...)
	heads := [2]string{d.Answer.OpenHead(), human.Plural(len(d.days), "session by day", "sessions by day")}
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
		return d.H.Ask(screen.OpenPlace{Path: d.days[row].Place(), At: ""})
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
