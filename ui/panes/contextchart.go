package panes

import (
	"context"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/window"
	"turns/ui/paint"
	"turns/ui/screen"
)

// kindMark is how the chart draws a kind of tokens: in a colour, or as a letter on a screen without
// colours.
type kindMark struct {
	ink    paint.Ink
	letter rune
}

// kindMarks are those of the kinds, in the order of window.Kinds.
var kindMarks = [len(window.Kinds)]kindMark{
	{paint.InkSystem, 's'}, {paint.InkBarUser, 'u'}, {paint.InkBar, 'a'}, {paint.InkBarReasoning, 't'}, {paint.InkBarCacheWrite, 'c'},
	{paint.InkBarCacheRead, 'r'}, {paint.InkInjected, 'i'}, {paint.InkRunning, '='}, {paint.InkBarModel, 'p'},
}

// seriesPoints is the most points of a thread: more than any chart has columns.
const seriesPoints = 400

// contextSeries is the context size over one thread of a snapshot.
type contextSeries struct {
	snap   *model.Snapshot
	thread uint32
	points []window.Point
	// per point: measured tokens that no message accounts for, from the nearest measured request
	rest   []int64
	Models []modelChange // ascending by row
	most   int64
}

// modelChange is a message from which a different model answers.
type modelChange struct {
	row   int
	Model string
}

func newContextSeries(x *window.Index, s *model.Snapshot, thread uint32) *contextSeries {
	c := &contextSeries{snap: s, thread: thread, points: x.Series(thread, seriesPoints)}
	c.rest = make([]int64, len(c.points))
	known := -1
	for i := range c.points {
		p := &c.points[i]
		sum := p.Tokens.Sum()
		if p.Measured != nil {
			c.rest[i] = max(*p.Measured-sum, 0)
			if known < 0 {
				for k := range i {
					c.rest[k] = c.rest[i]
				}
			}
			known = i
		} else if known >= 0 {
			c.rest[i] = c.rest[known]
		}
	}
	for i := range c.points {
		c.most = max(c.most, c.points[i].Tokens.Sum()+c.rest[i])
	}
	last := uint16(0)
	for row := range s.Rows() {
		h := s.HeadRow(s.Row(row))
		if h.Thread != thread || h.Op != model.Say || h.Role != model.Assistant || h.Name == 0 || h.Flags&model.Synthetic != 0 {
			continue
		}
		if last != 0 && h.Name != last {
			c.Models = append(c.Models, modelChange{row, s.Name(h.Name)})
		}
		last = h.Name
	}
	return c
}

// pointOf returns the first point at or after a message.
func (c *contextSeries) pointOf(id model.ID) int {
	return c.pointAt(c.snap.RowNumber(id))
}

func (c *contextSeries) pointAt(row int) int {
	i := sort.Search(len(c.points), func(i int) bool { return c.snap.RowNumber(c.points[i].ID) >= row })
	return min(i, len(c.points)-1)
}

// top returns the tokens at the full height of a chart: the model's window, or the peak if that is
// far below the window.
func (c *contextSeries) top(window int64) int64 {
	if window > 0 && c.most*5 >= window*2 {
		return max(window, c.most)
	}
	return max(c.most, 1)
}

// ChartLabels is the width of the labels before a chart.
const ChartLabels = 7

// chartColumn is a column of the chart: from is its first point, point its fullest.
type chartColumn struct{ from, point int }

// columns distributes the points over at most w columns; few points get wider columns.
func (c *contextSeries) columns(w int) []chartColumn {
	n := len(c.points)
	if n == 0 || w <= 0 {
		return nil
	}
	w = min(w, 6*n)
	cols := make([]chartColumn, w)
	for i := range cols {
		from := i * n / w
		to := max((i+1)*n/w, from+1)
		best := from
		for k := from; k < min(to, n); k++ {
			if c.full(k) > c.full(best) {
				best = k
			}
		}
		cols[i] = chartColumn{from, best}
	}
	return cols
}

func (c *contextSeries) full(point int) int64 { return c.points[point].Tokens.Sum() + c.rest[point] }

// columnOf returns the column of a point.
func columnOf(cols []chartColumn, point int) int {
	return max(sort.Search(len(cols), func(i int) bool { return cols[i].from > point })-1, 0)
}

// chartCell is a cell of the chart or its axis.
type chartCell struct {
	r   rune
	ink paint.Ink
}

// Chart draws the session as h lines of stacked columns, and an axis with the events and the
// message at. Lines are at most w cells wide.
func (c *contextSeries) Chart(ho *screen.Host, w, h int, window int64, at model.ID) [][]paint.Span {
	cols := c.columns(w - ChartLabels)
	if len(cols) < 4 || h < 1 {
		return nil
	}
	top := c.top(window)
	var out [][]paint.Span
	for line := range h {
		cells := make([]chartCell, len(cols))
		for i, col := range cols {
			cells[i] = c.cell(ho, col.point, h-1-line, float64(top)/float64(h))
		}
		out = append(out, append([]paint.Span{{Text: paint.FitRight(paint.ChartLabel(line, h, top), ChartLabels-1) + " ", Ink: paint.InkDim}}, cellSpans(cells)...))
	}
	return append(out, append([]paint.Span{{Text: paint.Blanks(ChartLabels)}}, cellSpans(c.axis(ho, cols, at))...))
}

// cell draws the part of a point between line·unit and the line above.
func (c *contextSeries) cell(ho *screen.Host, point, line int, unit float64) chartCell {
	lo, hi := float64(line)*unit, float64(line+1)*unit
	kinds := c.points[point].Tokens.ByKind()
	sum, best, most := 0.0, -1, 0.0
	for k := range len(kinds) + 1 {
		n := float64(c.rest[point])
		if k < len(kinds) {
			n = float64(kinds[k])
		}
		if part := min(sum+n, hi) - max(sum, lo); part > most {
			best, most = k, part
		}
		sum += n
	}
	eighths := int((sum-lo)/unit*8 + 0.5)
	if line == 0 && sum > 0 {
		eighths = max(eighths, 1)
	}
	switch {
	case best < 0 || eighths <= 0:
		return chartCell{' ', paint.InkText}
	case best == len(kinds):
		if eighths < 4 {
			return chartCell{' ', paint.InkText}
		}
		return chartCell{'░', paint.InkDim}
	case letters(ho):
		return chartCell{kindMarks[best].letter, kindMarks[best].ink}
	case eighths >= 8:
		return chartCell{'█', kindMarks[best].ink}
	}
	return chartCell{[]rune(" ▁▂▃▄▅▆▇")[eighths], kindMarks[best].ink}
}

// letters reports whether kinds of tokens are drawn as letters, because colours are missing.
func letters(h *screen.Host) bool { return h.Opts.ASCII || h.Styles.NoColor }

// cellSpans joins neighbouring cells of one colour.
func cellSpans(cells []chartCell) []paint.Span {
	var out []paint.Span
	from := 0
	for i := 1; i <= len(cells); i++ {
		if i < len(cells) && cells[i].ink == cells[from].ink {
			continue
		}
		text := make([]rune, 0, i-from)
		for _, c := range cells[from:i] {
			text = append(text, c.r)
		}
		out = append(out, paint.Span{Text: string(text), Ink: cells[from].ink})
		from = i
	}
	return out
}

// axis is the line under the chart: the position of the message, compactions, model changes, and if
// there is room their times and those of both ends.
func (c *contextSeries) axis(ho *screen.Host, cols []chartColumn, at model.ID) []chartCell {
	cells := make([]chartCell, len(cols))
	for i := range cells {
		cells[i] = chartCell{' ', paint.InkText}
	}
	free := func(from, to int) bool {
		for k := max(from, 0); k < min(to, len(cells)); k++ {
			if cells[k].r != ' ' {
				return false
			}
		}
		return from >= 0 && to <= len(cells)
	}
	put := func(col int, text string, i paint.Ink) {
		for k, r := range []rune(text) {
			cells[col+k] = chartCell{r, i}
		}
	}
	clock := func(point int) string { return ho.Minute(c.snap.HeadRow(c.points[point].ID).Time) }
	type label struct {
		col  int
		text string
		ink  paint.Ink
	}
	var labels []label
	sign := func(point int, text, after string, i paint.Ink) {
		for col := columnOf(cols, point); col < min(columnOf(cols, point)+3, len(cells)); col++ {
			if free(col, col+1) {
				put(col, text, i)
				labels = append(labels, label{col + 2, after, i})
				return
			}
		}
	}
	sign(c.pointOf(at), "▲", "", paint.InkAccent)
	for i := range c.points {
		if c.points[i].Compacted {
			sign(i, "≡", clock(i), paint.InkWarning)
		}
	}
	for i := 0; ho.Cached != nil && i < len(ho.Cached.Misses); i++ {
		if id := ho.Cached.Misses[i].ID; int(id) < c.snap.Rows() && c.snap.HeadRow(id).Thread == c.thread {
			sign(c.pointOf(id), "✗", "", paint.InkWarning)
		}
	}
	for _, m := range c.Models {
		sign(c.pointAt(m.row), "→", screen.ShortModel(m.Model), paint.InkAssistant)
	}
	first, last := clock(0), clock(len(c.points)-1)
	labels = append(labels, label{0, first, paint.InkDim}, label{len(cells) - len(last), last, paint.InkDim})
	for _, l := range labels {
		if n := len([]rune(l.text)); n > 0 && free(l.col, l.col+n) && free(max(l.col-1, 0), min(l.col+n+1, len(cells))) {
			put(l.col, l.text, l.ink)
		}
	}
	return cells
}

// at returns the message at a cell of the chart.
func (c *contextSeries) at(x, w int) (model.ID, bool) {
	cols := c.columns(w - ChartLabels)
	if x -= ChartLabels; x < 0 || x >= len(cols) {
		return model.NoID, false
	}
	return c.points[cols[x].point].ID, true
}

// contextPoint is the size of the context at one request.
type contextPoint struct {
	id   model.ID
	Time int64
	n    int64
}

// ContextMark is an abrupt change of the context.
type ContextMark struct {
	At            int // before this point
	Time          int64
	Compact       bool
	Before, After int64  // tokens, 0 if unknown
	Model         string // for a change of the model: the new model
}

// contextRun is the size of the context window over a session.
type contextRun struct {
	version uint64
	Points  []contextPoint
	Marks   []ContextMark
	most    int64
}

// contextTracker computes a contextRun in the background, once per requested version of the
// session.
type contextTracker struct {
	h      *screen.Host
	run    *contextRun
	busy   bool
	wanted bool
}

type contextRunMsg struct {
	tracker *contextTracker
	run     *contextRun
}

// refresh returns the command that computes the run, nil if it is current.
func (t *contextTracker) refresh() tea.Cmd {
	snap := t.h.Snap
	if !t.wanted || t.busy || snap == nil || t.h.State.Preview || t.run != nil && t.run.version == snap.Version() {
		return nil
	}
	t.busy = true
	ctx := t.h.Ctx
	return screen.Background(func() tea.Msg { return contextRunMsg{t, ContextOver(ctx, snap)} })
}

// message stores the computed run.
func (t *contextTracker) message(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(contextRunMsg); ok && m.tracker == t {
		t.busy, t.run = false, m.run
		return t.refresh()
	}
	return nil
}

// ContextOver computes the run from the requests of the main threads. It reads heads only.
func ContextOver(ctx context.Context, s *model.Snapshot) *contextRun {
	r := &contextRun{version: s.Version()}
	threads := s.Threads()
	events := s.Events()
	next := 0
	var last uint16
	for i, id := range s.LiveIDs() {
		if i&0xffff == 0 && ctx.Err() != nil {
			return r
		}
		h := s.HeadRow(id)
		if !threads[h.Thread].Main || h.Role != model.Assistant {
			continue
		}
		n, ok := query.ContextOf(s, id)
		if !ok {
			continue
		}
		row := s.RowNumber(id)
		for ; next < len(events) && s.RowNumber(events[next].At) <= row; next++ {
			if e := events[next]; e.Op == model.Compact {
				m := ContextMark{At: len(r.Points), Time: e.Time, Compact: true, After: n}
				if len(r.Points) > 0 {
					m.Before = r.Points[len(r.Points)-1].n
				}
				r.Marks = append(r.Marks, m)
			}
		}
		if h.Name != 0 && h.Flags&model.Synthetic == 0 {
			if last != 0 && last != h.Name {
				r.Marks = append(r.Marks, ContextMark{At: len(r.Points), Time: h.Time, Model: s.Name(h.Name)})
			}
			last = h.Name
		}
		r.Points = append(r.Points, contextPoint{id, h.Time, n})
		r.most = max(r.most, n)
	}
	return r
}

// Chart draws the session as h lines of columns of block characters, and a line of times under
// them, in w cells. window is the tokens at full height, 0: the peak. Each line begins with a
// label.
func (r *contextRun) Chart(ho *screen.Host, w, h int, window int64) [][]paint.Span {
	const labels = 7
	w -= labels
	if w < 8 || h < 1 || len(r.Points) == 0 {
		return nil
	}
	top := max(window, r.most)
	cols := r.columns(w)
	var out [][]paint.Span
	for line := range h {
		label := paint.ChartLabel(line, h, top)
		var b strings.Builder
		for _, n := range cols {
			eighths := int(float64(n)/float64(top)*float64(h)*8 + 0.5)
			if n > 0 {
				eighths = max(eighths, 1)
			}
			switch here := eighths - (h-1-line)*8; {
			case here <= 0:
				b.WriteByte(' ')
			case here >= 8:
				b.WriteString("█")
			default:
				b.WriteString(string([]rune(" ▁▂▃▄▅▆▇█")[here]))
			}
		}
		out = append(out, []paint.Span{{Text: paint.FitRight(label, labels-1) + " ", Ink: paint.InkDim}, {Text: b.String(), Ink: paint.InkBar}})
	}
	return append(out, append([]paint.Span{{Text: paint.Blanks(labels)}}, r.Axis(ho, len(cols))...))
}

// columns distributes the requests over at most w columns; each shows its fullest request.
func (r *contextRun) columns(w int) []int64 {
	if len(r.Points) <= w {
		w = max(len(r.Points), min(w, 3*len(r.Points)))
	}
	cols := make([]int64, w)
	for i := range cols {
		from, to := i*len(r.Points)/w, (i+1)*len(r.Points)/w
		to = max(to, from+1)
		for _, p := range r.Points[from:min(to, len(r.Points))] {
			cols[i] = max(cols[i], p.n)
		}
	}
	return cols
}

// Axis is the line under the chart: the times of both ends, and the marks between them.
func (r *contextRun) Axis(ho *screen.Host, w int) []paint.Span {
	line := make([]paint.Span, 0, 8)
	at := 0
	put := func(col int, text string, i paint.Ink) bool {
		n := paint.Width(text)
		if col < at || col+n > w {
			return false
		}
		line = append(line, paint.Span{Text: paint.Blanks(col - at)}, paint.Span{Text: text, Ink: i})
		at = col + n
		return true
	}
	first, end := ho.Minute(r.Points[0].Time), ho.Minute(r.Points[len(r.Points)-1].Time)
	put(0, first, paint.InkDim)
	room := w - paint.Width(end) - 1
	for _, m := range r.Marks {
		col := m.At * w / len(r.Points)
		text, sign, i := "≡ "+ho.Minute(m.Time), "≡", paint.InkAccent
		if !m.Compact {
			text, sign, i = "→ "+screen.ShortModel(m.Model), "→", paint.InkAssistant
		}
		if col > 0 && col < at+1 && col+1 >= at { // next to the previous one
			col = at + 1
		}
		if col+paint.Width(text) > room || !put(col, text, i) {
			if col+1 <= room {
				put(col, sign, i)
			}
		}
	}
	if at < w-paint.Width(end) {
		put(w-paint.Width(end), end, paint.InkDim)
	}
	return line
}
