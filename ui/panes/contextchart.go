package panes

import (
	"sort"

	"turns/model"
	"turns/query/window"
	"turns/ui/paint"
	"turns/ui/screen"
)

// contextInks are the colours of the kinds of tokens, in the order of window.Kinds. A letter says
// the same where there are none.
var contextInks = [len(window.Kinds)]paint.Ink{paint.InkSystem, paint.InkBarUser, paint.InkBar, paint.InkBarReasoning, paint.InkBarCacheWrite, paint.InkBarCacheRead, paint.InkInjected, paint.InkRunning}

const contextLetters = "suatcri="

// seriesPoints is how many points of a thread are looked at: more than any chart has columns.
const seriesPoints = 400

// contextSeries is the context over one thread of a snapshot.
type contextSeries struct {
	snap   *model.Snapshot
	thread uint32
	points []window.Point
	// by point: what was measured and is in no message, as the nearest measured request tells
	rest   []int64
	Models []modelChange // ascending
	most   int64
}

// modelChange is a message from which on another model answers.
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

// pointOf is the first point at or after a message.
func (c *contextSeries) pointOf(id model.ID) int {
	return c.pointAt(c.snap.RowNumber(id))
}

func (c *contextSeries) pointAt(row int) int {
	i := sort.Search(len(c.points), func(i int) bool { return c.snap.RowNumber(c.points[i].ID) >= row })
	return min(i, len(c.points)-1)
}

// top is what the full height of a chart stands for: the window of the model, or where little of it
// is used what is used most.
func (c *contextSeries) top(window int64) int64 {
	if window > 0 && c.most*5 >= window*2 {
		return max(window, c.most)
	}
	return max(c.most, 1)
}

// ChartLabels are the cells before the columns of a chart.
const ChartLabels = 7

// chartColumn is a column of the chart: the fullest of the points that fall into it.
type chartColumn struct{ from, point int }

// columns spreads the points over at most w columns; few points are drawn wider.
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

// columnOf is the column that a point is in.
func columnOf(cols []chartColumn, point int) int {
	return max(sort.Search(len(cols), func(i int) bool { return cols[i].from > point })-1, 0)
}

// chartCell is a cell of the chart or of the line under it.
type chartCell struct {
	r   rune
	ink paint.Ink
}

// Chart draws the run as stacked columns, h lines of them, and a line under them that says what
// happened when and where the message at is. Each line takes w cells at most.
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

// cell draws the part of a point that lies between line·unit and the line above.
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
		return chartCell{rune(contextLetters[best]), contextInks[best]}
	case eighths >= 8:
		return chartCell{'█', contextInks[best]}
	}
	return chartCell{[]rune(" ▁▂▃▄▅▆▇")[eighths], contextInks[best]}
}

// letters reports whether kinds of tokens are drawn as letters: colours must not say anything
// alone.
func letters(h *screen.Host) bool { return h.Opts.ASCII || h.Styles.NoColor }

// cellSpans joins cells of one colour.
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

// axis is the line under the chart: where the message is, compactions and changes of the model, and
// where there is room their times and those of the ends.
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

// at is the message that a cell of the chart stands for.
func (c *contextSeries) at(x, w int) (model.ID, bool) {
	cols := c.columns(w - ChartLabels)
	if x -= ChartLabels; x < 0 || x >= len(cols) {
		return model.NoID, false
	}
	return c.points[cols[x].point].ID, true
}
