package answer

import (
	"cmp"
	"slices"
	"strings"

	"turns/query/human"
)

// Page is text for people, on paper of a width.
type Page struct {
	strings.Builder
	Columns int  // of the terminal; 0: lines are as long as they are
	Colours bool // headings of tables are bold
}

// String returns the text. On a narrow terminal, lines outside of tables are wrapped between
// words, with the same indent.
func (p *Page) String() string { return human.Wrap(p.Builder.String(), p.Columns) }

// layout lines up the cells of a table.
type layout struct {
	columns []Head
	rows    [][]string
	width   []int
	left    bool // numbers, too, are aligned at the left
}

// add adds a row, whose cells may be more than the columns, and widens these.
func (l *layout) add(cells ...string) {
	for i, c := range cells {
		if i == len(l.width) {
			l.width = append(l.width, l.column(i).Least)
		}
		l.width[i] = max(l.width[i], human.Width(c))
	}
	l.rows = append(l.rows, cells)
}

// lined returns the table with the texts of all cells in one line each, the names of its columns
// first if it has some.
func (t *Table) lined(columns int) *layout {
	l := &layout{columns: t.Columns, left: t.Bare && columns == 0}
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
		p.WriteString(line + "\n")
	}
}

// gap is between two columns, and left out is the width of a column that is not there.
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
		over := human.Width(c) > widths[i]
		if over && col.Kind == Path {
			c = human.CutFront(c, widths[i])
		} else if over {
			c = human.CutText(c, widths[i])
		}
		pad := strings.Repeat(" ", max(widths[i]-human.Width(c), 0))
		if !first {
			line.WriteString("  ")
		}
		first = false
		if col.Kind == Number && !l.left {
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
func (k Kind) whole() bool { return k == Word || k == Number }

// textLeast is how narrow a column of text becomes before others are left out, and textEnd how
// narrow where none can be.
const (
	textLeast = 28
	textEnd   = 8
)

// fit is how wide each column is where a line has so many cells, 0 for any number.
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
				widths[i] = l.width[i] // what is left out leaves room to the others
			}
		}
		widths[drop] = leftOut
	}
	return widths
}

// shrink makes the widest columns of text narrower, none narrower than least, and says whether
// all fits then.
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
		to := least // the n widest come down to the next one
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
