package lanes

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"turns/query/human"
)

// Slot is the time of one column.
type Slot struct {
	From, To human.Stamp
	Gap      int // index of its folded gap in Folded(); -1: not in a gap
}

// Axis maps time to columns. Time without a gap has equally long columns; a folded gap has a few,
// or one.
type Axis struct {
	Slots  []Slot
	folded []Gap
	wide   int // columns of a folded gap
}

// piece is a part of an axis.
type piece struct {
	span
	gap, cols int
}

// The widths of a folded gap, with and without its length, and the minimum number of columns for
// each.
const (
	gapWide, gapRoom = 6, 12
	gapThin, thinGap = 1, 3
)

// Axis returns an axis with a number of columns for a range of time; from and to of 0 mean the
// complete time.
func (a *Answer) Axis(columns int, from, to human.Stamp) *Axis {
	if from == 0 && to == 0 {
		from, to = a.From, a.To
	}
	x := &Axis{}
	if columns < 1 || a.From == 0 {
		return x
	}
	to = max(to, from+1)
	for _, g := range a.Gaps {
		if g.From, g.To = max(g.From, from), min(g.To, to); g.To-g.From > gapLeast {
			g.Took = human.Millis(g.To - g.From)
			x.folded = append(x.folded, g)
		}
	}
	x.wide = gapWide
	if len(x.folded)*gapRoom > columns {
		x.wide = gapThin
		x.foldOnly(columns / thinGap)
	}
	x.fill(x.pieces(from, to), columns)
	return x
}

// foldOnly folds only the n longest gaps.
func (x *Axis) foldOnly(n int) {
	slices.SortFunc(x.folded, func(a, b Gap) int { return cmp.Compare(b.Took, a.Took) })
	x.folded = x.folded[:min(n, len(x.folded))]
	slices.SortFunc(x.folded, func(a, b Gap) int { return cmp.Compare(a.From, b.From) })
}

// pieces splits a time range into folded gaps and the stretches between them.
func (x *Axis) pieces(from, to human.Stamp) (list []piece) {
	at := from
	for i, g := range x.folded {
		if g.From > at {
			list = append(list, piece{span{int64(at), int64(g.From)}, -1, 0})
		}
		list = append(list, piece{span{int64(g.From), int64(g.To)}, i, x.wide})
		at = g.To
	}
	if to > at {
		list = append(list, piece{span{int64(at), int64(to)}, -1, 0})
	}
	return list
}

// fill distributes columns: folded gaps have a fixed width, the rest is shared by length.
func (x *Axis) fill(list []piece, columns int) {
	left, time := columns, int64(0)
	for _, p := range list {
		if left -= p.cols; p.gap < 0 {
			time += p.to - p.from
		}
	}
	done := int64(0)
	for i := range list {
		p := &list[i]
		if p.gap < 0 { // round the running total, so that the widths add up exactly
			before := done * int64(left) / time
			done += p.to - p.from
			p.cols = int(done*int64(left)/time - before)
		}
		for c := range int64(p.cols) {
			n, took := int64(p.cols), p.to-p.from
			x.Slots = append(x.Slots, Slot{human.Stamp(p.from + took*c/n), human.Stamp(p.from + took*(c+1)/n), p.gap})
		}
	}
}

// Column returns the column of a moment, -1 if the axis does not have it.
func (x *Axis) Column(at human.Stamp) int {
	n := len(x.Slots)
	if n == 0 || at < x.Slots[0].From || at > x.Slots[n-1].To {
		return -1
	}
	i, found := slices.BinarySearchFunc(x.Slots, at, func(s Slot, at human.Stamp) int { return cmp.Compare(s.From, at) })
	if !found {
		return i - 1
	}
	for i+1 < n && x.Slots[i+1].From == at && x.Slots[i].To <= at {
		i++ // a column without time
	}
	return i
}

// Folded returns the folded gaps.
func (x *Axis) Folded() []Gap { return x.folded }

// tick is the approximate number of columns between two times on the axis.
const tick = 14

// Labels returns the line above the lanes: times, and the length of each folded gap.
func (x *Axis) Labels(clock func(human.Stamp) string) []rune {
	line := make([]rune, len(x.Slots))
	for i := range line {
		line[i] = ' '
	}
	free := 0 // columns before this one are used
	put := func(at int, text string) {
		if r := []rune(text); at >= free && at+len(r) <= len(line) {
			copy(line[at:], r)
			free = at + len(r) + 1
		}
	}
	last := -tick
	for i := 0; i < len(x.Slots); i++ {
		s := x.Slots[i]
		begins := i == 0 || x.Slots[i-1].Gap != s.Gap
		switch {
		case s.Gap >= 0 && begins && x.wide == gapWide:
			free = min(free, i)
			put(i, foldText(x.folded[s.Gap].Took))
			last = i + x.wide - tick
		case s.Gap >= 0 && begins:
			free = min(free, i)
			put(i, "⋯")
		case begins || i-last >= tick:
			if text := clock(s.From); x.clear(i, len(text)) && i >= free {
				put(i, text)
				last = i
			}
		}
	}
	return line
}

// Clock returns the layout of the times on the axis, for package time: with seconds if minutes
// would repeat.
func (x *Axis) Clock() string {
	for i, s := range x.Slots {
		if n := i + tick; s.Gap < 0 && n < len(x.Slots) && x.Slots[n].Gap < 0 {
			if x.Slots[n].From-s.From < gapLeast {
				return time.TimeOnly
			}
			break
		}
	}
	return "15:04"
}

// clear reports whether no folded gap begins in some columns.
func (x *Axis) clear(at, n int) bool {
	for i := at; i < min(at+n+1, len(x.Slots)); i++ {
		if x.Slots[i].Gap >= 0 {
			return false
		}
	}
	return true
}

// foldText returns the length of a gap between its signs, in at most gapWide columns.
func foldText(took human.Millis) string {
	d := took.Duration()
	text := fmt.Sprintf("%dm", int(d/time.Minute))
	switch hours := int(d / time.Hour); {
	case hours >= 48:
		text = fmt.Sprintf("%dd", hours/24)
	case hours >= 1:
		text = fmt.Sprintf("%dh", hours)
	}
	return "⋯" + text + "⋯"
}

// Cell is the sign in a column of a lane.
type Cell uint8

// The cells of lanes.
const (
	Blank Cell = iota
	ModelCell
	ToolCell
	WaitCell
	ErrorCell
)

// Glyph returns the sign of a cell, which has the same meaning without colour.
func (c Cell) Glyph() rune { return [...]rune{' ', '▓', '█', '·', '✗'}[c] }

// Cells returns the columns of a lane, each with the longest kind of work in its time. An error is
// a mark in the column in which its call ended.
func (x *Axis) Cells(l *Lane) []Cell {
	cells := make([]Cell, len(x.Slots))
	next := 0
	for i, s := range x.Slots {
		for next < len(l.Stretches) && l.Stretches[next].To <= s.From && (s.From < s.To || l.Stretches[next].To < s.From) {
			next++
		}
		var took [ErrorCell]human.Stamp
		for n := next; n < len(l.Stretches) && l.Stretches[n].From < max(s.To, s.From+1); n++ {
			part := &l.Stretches[n]
			took[part.Kind.cell()] += max(min(part.To, s.To)-max(part.From, s.From), 1)
		}
		for c := ModelCell; c < ErrorCell; c++ {
			if took[c] > 0 && (cells[i] == Blank && took[c]*4 >= s.To-s.From || took[c] > took[cells[i]]) {
				cells[i] = c
			}
		}
	}
	for i := range l.Calls {
		if c := &l.Calls[i]; c.Outcome.Failed() && c.Row == 0 {
			x.mark(cells, c)
		}
	}
	return cells
}

func (k Kind) cell() Cell { return [...]Cell{Blank, ModelCell, ToolCell, WaitCell, WaitCell}[k] }

func (x *Axis) mark(cells []Cell, c *Call) {
	if i := x.Column(c.End()); i >= 0 {
		// the previous column, if the next one begins at the end
		if i > 0 && x.Slots[i].From == c.End() && c.From < x.Slots[i].From {
			i--
		}
		cells[i] = ErrorCell
	}
}

// Stacked returns at most most rows of calls that ran in parallel with others. The last one
// also has the calls of further rows.
func (x *Axis) Stacked(l *Lane, most int) [][]Cell {
	n := min(l.Rows-1, most)
	if n <= 0 {
		return nil
	}
	rows := make([][]Cell, n)
	for i := range rows {
		rows[i] = make([]Cell, len(x.Slots))
	}
	for i := range l.Calls {
		c := &l.Calls[i]
		if c.Row == 0 {
			continue
		}
		row := rows[min(c.Row, n)-1]
		from, to := x.Column(max(c.From, x.first())), x.Column(min(c.End(), x.last()))
		if from < 0 || to < 0 || c.End() < x.first() || c.From > x.last() {
			continue
		}
		for k := from; k <= to && (k == from || x.Slots[k].From < c.End()); k++ {
			if row[k] != ErrorCell {
				row[k] = ToolCell
			}
		}
		if c.Outcome.Failed() {
			x.mark(row, c)
		}
	}
	return slices.DeleteFunc(rows, func(row []Cell) bool {
		return !slices.ContainsFunc(row, func(c Cell) bool { return c != Blank })
	})
}

func (x *Axis) first() human.Stamp {
	if len(x.Slots) == 0 {
		return 0
	}
	return x.Slots[0].From
}

func (x *Axis) last() human.Stamp {
	if len(x.Slots) == 0 {
		return 0
	}
	return x.Slots[len(x.Slots)-1].To
}

// Fill returns the line of the context: eighths of the window, or of the largest request if the
// window is unknown.
func (x *Axis) Fill(a *Answer) []rune {
	top := int64(a.Window)
	for _, f := range a.Context {
		top = max(top, f.Tokens)
	}
	line := make([]rune, len(x.Slots))
	next, now := 0, int64(0)
	for i, s := range x.Slots {
		most := int64(-1)
		for next < len(a.Context) && (a.Context[next].Time < s.To || i == len(x.Slots)-1 && a.Context[next].Time <= s.To) {
			now = a.Context[next].Tokens
			if a.Context[next].Time >= s.From {
				most = max(most, now)
			}
			next++
		}
		if most < 0 {
			most = now
		}
		if line[i] = ' '; most > 0 && s.Gap < 0 {
			line[i] = []rune("▁▂▃▄▅▆▇█")[min(most*8/top, 7)]
		}
	}
	return line
}
