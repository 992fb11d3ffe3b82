package answer

import (
	"cmp"
	"slices"
	"strings"

	"turns/query/human"
)

// Page is text for people of a certain width.
type Page struct {
	strings.Builder
	Columns int  // of the terminal; 0: lines are not wrapped or cut
	Colours bool // headings of tables are bold
}

// String returns the text. On a narrow terminal, it wraps lines outside of tables between words,
// with the same indent.
func (p *Page) String() string { return human.Wrap(p.Builder.String(), p.Columns) }

// layout aligns the cells of a table.
type layout struct {
	columns []Head
	rows    [][]string
	width   []int
	left    bool // aligns numbers at the left as well
}

// add adds a row, widens the columns for it, and adds columns for more cells.
func (l *layout) add(cells ...string) {
	for i, c := range cells {
		if i == len(l.width) {
			l.width = append(l.width, l.column(i).Least)
		}
		l.width[i] = max(l.width[i], human.Width(c))
	}
	l.rows = append(l.rows, cells)
}

// lined returns the table with the texts of all cells in one line each, after the names of its
// columns if it has some.
func (t *Table) lined(columns int) *layout {
	l := &layout{columns: t.Columns, left: t.Bare && columns == 0, rows: make([][]string, 0, len(t.Rows)+1)}
	if t.Named() && !l.left {
		l.add(t.Names()...)
	}
	for i := range t.Rows {
		cells := make([]string, len(t.Rows[i].Cells))
		for k := range cells {
			cells[k] = t.Line(&t.Rows[i], k, columns)
		}
		l.add(cells...)
	}
	return l
}

// write writes the table, as wide as the page allows.
func (t *Table) write(p *Page) {
	l := t.lined(p.Columns)
	widths := l.fit(p.Columns)
	for i, row := range l.rows {
		line := l.line(row, widths)
		if p.Columns > 0 {
			line = human.CutText(line, p.Columns)
		}
		if i == 0 && p.Colours && t.Named() && !l.left {
			line = "\x1b[1m" + line + "\x1b[22m"
		}
		p.WriteString(line)
		p.WriteByte('\n')
	}
}

// gap is the space between two columns, and leftOut the width of a dropped column.
const (
	gap     = 2
	leftOut = -1
)

func (l *layout) line(row []string, widths []int) string {
	var line strings.Builder
	first := true
	for i, c := range row {
		if widths[i] == leftOut {
			continue
		}
		col := l.column(i)
		width := human.Width(c)
		if over := width > widths[i]; over && col.Kind == Path {
			c = human.CutFront(c, widths[i])
			width = human.Width(c)
		} else if over {
			c = human.CutText(c, widths[i])
			width = human.Width(c)
		}
		pad := strings.Repeat(" ", max(widths[i]-width, 0))
		if !first {
			line.WriteString("  ")
		}
		first = false
		if col.Kind.right() && !l.left {
			line.WriteString(pad + c)
		} else {
			line.WriteString(c + pad)
		}
	}
	return strings.TrimRight(line.String(), " ")
}

func (l *layout) column(i int) Head {
	if i < len(l.columns) {
		return l.columns[i]
	}
	return Head{}
}

// whole reports whether cells of this kind are never cut.
func (k Kind) whole() bool { return k == Word || k.right() }

// right reports whether cells of this kind are aligned at the right.
func (k Kind) right() bool { return k == Number || k == Pair }

// textLeast is the minimum width of a text column before other columns are dropped, and textEnd the
// minimum if none can be.
const (
	textLeast = 28
	textEnd   = 8
)

// fit returns the width of each column for lines of at most room cells; 0: any number.
func (l *layout) fit(room int) []int {
	widths := slices.Clone(l.width)
	for room > 0 && !l.shrink(widths, room, textLeast) {
		drop := leftOut
		for i, w := range widths {
			if d := l.column(i).Drop; w != leftOut && d > 0 && (drop == leftOut || d >= l.column(drop).Drop) {
				drop = i
			}
		}
		if drop == leftOut {
			l.shrink(widths, room, textEnd)
			break
		}
		for i, w := range widths {
			if w != leftOut {
				widths[i] = l.width[i] // a dropped column leaves room for the others
			}
		}
		widths[drop] = leftOut
	}
	return widths
}

// shrink narrows the widest text columns, none below least, and reports whether the line fits.
func (l *layout) shrink(widths []int, room, least int) bool {
	over := -gap - room
	var texts []int
	for i, w := range widths {
		if w == leftOut {
			continue
		}
		over += w + gap
		if !l.column(i).Kind.whole() && w > least {
			texts = append(texts, i)
		}
	}
	slices.SortFunc(texts, func(a, b int) int { return cmp.Compare(widths[b], widths[a]) })
	for n := 1; n <= len(texts) && over > 0; n++ {
		to := least // narrow the n widest to the next one
		if n < len(texts) {
			to = widths[texts[n]]
		}
		step := min(widths[texts[0]]-to, (over+n-1)/n)
		for _, i := range texts[:n] {
			widths[i] -= step
		}
		over -= step * n
	}
	return over <= 0
}
