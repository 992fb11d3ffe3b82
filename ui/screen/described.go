package screen

import (
	"slices"
	"strings"

	"turns/query/answer"
	"turns/ui/paint"
)

// ToneInks are the colours of the tones of answers.
var ToneInks = [...]paint.Ink{
	answer.Plain: paint.InkText, answer.Dim: paint.InkDim, answer.Name: paint.InkAssistant, answer.Tool: paint.InkTool, answer.Bad: paint.InkError,
	answer.Warn: paint.InkWarning, answer.Good: paint.InkOK, answer.Going: paint.InkRunning, answer.Added: paint.InkAdd, answer.Removed: paint.InkDel,
}

// Describe sets the columns of a table to those of an answer; row returns a row by number.
func Describe[T any](t *Table, columns []answer.Column[T], row func(i int) T) {
	t.Cols, t.Laid = make([]Column, len(columns)), 0
	for i := range columns {
		c := &columns[i]
		t.Cols[i] = Column{
			Name: c.Name, Head: c.Head, Width: c.Width, Want: c.Want, Flex: c.Flex, Gap: c.Gap, Drop: c.Drop, Asc: c.Asc,
			Right: c.Kind == answer.Number || c.Kind == answer.Pair, Ends: c.Kind == answer.Ends, Paths: c.Kind == answer.Path,
		}
		if c.Order == nil {
			t.Cols[i].Name = ""
		}
	}
	t.Cells = func(i int, out []Cell) { Fill(t, columns, row(i), out) }
	t.Cmp = func(col, i, j int) int { return columns[col].Order(row(i), row(j)) }
}

// Fill writes the cells of a row of the described columns, shortened to the widths of the table.
func Fill[T any](t *Table, columns []answer.Column[T], row T, out []Cell) {
	for i := range columns {
		c := columns[i].Cell(row)
		if columns[i].Kind == answer.Bar {
			out[i] = Cell{Text: paint.Bar(c.Part, 1, t.WidthOf(i)), Ink: paint.InkBar}
			continue
		}
		if w := t.WidthOf(i); w == 0 || w >= paint.Width(c.Text+c.More) {
			c.Text += c.More
		} else if c.Short != nil {
			c.Text = c.Short(w)
		}
		out[i] = Cell{Text: paint.OneLine(c.Text), Ink: ToneInks[c.Tone]}
		w := t.WidthOf(i)
		if a, b, ok := strings.Cut(out[i].Text, answer.Both); ok && columns[i].Kind == answer.Pair {
			half := (w - paint.Width(answer.Both)) / 2
			out[i].Text = paint.FitRight(a, half) + answer.Both + paint.Fit(b, half)
		}
		if w >= paint.Width(out[i].Text) {
			out[i].Parts = partSpans(c, w, columns[i].Kind == answer.Number)
		}
	}
}

// partSpans returns the pieces of a cell, or nil for a cell of one piece.
func partSpans(c answer.Cell, w int, right bool) (spans []paint.Span) {
	for _, part := range c.Parts {
		spans = append(spans, paint.Span{Text: part.Text, Ink: ToneInks[part.Tone]})
	}
	if right && spans != nil {
		spans = slices.Insert(spans, 0, paint.Span{Text: paint.Blanks(max(w-paint.RestWidth(spans), 0))})
	}
	return spans
}

// Facts returns the spans of lines: dim labels and notes around their numbers.
func Facts(lines ...answer.Line) [][]paint.Span {
	facts := make([][]paint.Span, len(lines))
	for i := range lines {
		l := &lines[i]
		for _, piece := range [...]paint.Span{{Text: l.Label, Ink: paint.InkDim}, {Text: l.Sign, Ink: paint.InkDim}, {Text: l.Number, Ink: ToneInks[l.Tone]}, {Text: l.Note, Ink: paint.InkDim}} {
			if piece.Text = paint.OneLine(piece.Text); piece.Text == "" {
				continue
			}
			if len(facts[i]) > 0 {
				piece.Text = " " + piece.Text
			}
			facts[i] = append(facts[i], piece)
		}
	}
	return facts
}

// Column returns the index of the column with a name, or of a column without a name by its
// heading; -1 for none.
func (t *Table) Column(name string) int {
	return slices.IndexFunc(t.Cols, func(c Column) bool { return c.Name == name || c.Name == "" && c.Head == name })
}

// Hide hides some columns of a table, or shows them again.
func (t *Table) Hide(hidden bool, names ...string) {
	for _, name := range names {
		if i := t.Column(name); i >= 0 && t.Cols[i].Hidden != hidden {
			t.Cols[i].Hidden, t.Laid = hidden, 0
		}
	}
}
