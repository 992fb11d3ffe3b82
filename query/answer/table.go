package answer

import (
	"cmp"
	"strings"

	"turns/model"
	"turns/query/human"
)

// Table has the columns and the rows of an answer, independent of the type of its rows.
type Table struct {
	Columns []Head
	Rows    []Row
	Bare    bool // names and alignment only on a terminal: programs read one row per line
}

// Head is a column of a table.
type Head struct {
	Name  string // above the column; a table without any name has no line of names
	Kind  Kind
	Drop  int // without enough room, columns with the highest number are dropped first; 0 stays
	Room  int // maximum cells of a text without a terminal; 0: the text is not cut
	Least int // width in a text, even if all of its cells are narrower
}

// Row is a row of a table.
type Row struct {
	Indent int // of the first cell
	Cells  []Cell
}

// marks in names of columns set their kinds.
var marks = [...]string{Path: "<", Word: "=", Number: ">"}

// NewTable returns a table with these names of columns. A mark before a name sets the kind: > for a
// [Number], = for a [Word], < for a [Path]. More question marks after it mean that it is dropped
// earlier.
func NewTable(names ...string) *Table {
	t := &Table{Columns: make([]Head, len(names))}
	for i, name := range names {
		h := &t.Columns[i]
		for kind, mark := range marks {
			if mark != "" && strings.HasPrefix(name, mark) {
				h.Kind, name = Kind(kind), name[1:]
				break
			}
		}
		h.Name = strings.TrimRight(name, "?")
		h.Drop = len(name) - len(h.Name)
	}
	return t
}

// Of returns the table of rows in some columns.
func Of[T any](columns []Column[T], rows ...T) *Table {
	t := &Table{Columns: make([]Head, len(columns))}
	for i := range columns {
		c := &columns[i]
		h := Head{Name: strings.TrimSpace(c.Head), Kind: c.Kind}
		if !c.Stays {
			h.Drop = c.Drop
		}
		if h.Room = c.Room; c.Kind == Text || c.Kind == Ends {
			h.Room = cmp.Or(c.Room, 60)
		}
		t.Columns[i] = h
	}
	Add(t, columns, rows...)
	return t
}

// OfList returns the table of a list in some columns.
func OfList[T any](columns []Column[*T], list []T) *Table {
	t := Of(columns)
	t.Rows = make([]Row, 0, len(list))
	for i := range list {
		Add(t, columns, &list[i])
	}
	return t
}

// Add adds rows to a table with these columns.
func Add[T any](t *Table, columns []Column[T], rows ...T) {
	for _, row := range rows {
		cells := make([]Cell, len(columns))
		for i := range columns {
			cells[i] = columns[i].Cell(row)
		}
		t.Rows = append(t.Rows, Row{Cells: cells})
	}
}

// OfLines returns the table of lines: labels, numbers and notes of a kind. The parts of a number
// follow its note.
func OfLines(notes Kind, lines ...Line) *Table {
	t := &Table{Columns: []Head{{Room: 30}, {Kind: Number}, {Kind: notes}}}
	for i := range lines {
		l := &lines[i]
		note := l.Note
		for k, part := range l.Parts {
			note += [...]string{"   ", ", "}[min(k, 1)] + part.Number + " " + part.Label
		}
		t.Rows = append(t.Rows, Row{l.Indent, []Cell{{Text: l.Label, Tone: Dim}, {Text: l.Number, Tone: l.Tone}, {Text: note, Tone: Dim}}})
	}
	return t
}

// Add adds a row of texts.
func (t *Table) Add(texts ...string) *Row {
	row := Row{Cells: make([]Cell, len(texts))}
	for i, text := range texts {
		row.Cells[i].Text = text
	}
	t.Rows = append(t.Rows, row)
	return &t.Rows[len(t.Rows)-1]
}

// Cut sets the Room of columns with texts of a session, and returns the table.
func (t *Table) Cut(room int, columns ...int) *Table {
	for _, i := range columns {
		t.Columns[i].Room = room
	}
	return t
}

// Names returns the names of the columns.
func (t *Table) Names() []string {
	names := make([]string, len(t.Columns))
	for i := range names {
		names[i] = t.Columns[i].Name
	}
	return names
}

// Named reports whether any column has a name.
func (t *Table) Named() bool {
	for i := range t.Columns {
		if t.Columns[i].Name != "" {
			return true
		}
	}
	return false
}

// Line returns the text of a cell in one line; columns is the width of a terminal, 0 without one.
// A text of a session needs a Room, or it must be clean.
func (t *Table) Line(row *Row, i, columns int) string {
	c := &row.Cells[i]
	text, h := cmp.Or(c.Long, c.Text), Head{}
	if i < len(t.Columns) {
		h = t.Columns[i]
	}
	switch {
	case h.Kind == Code:
		text = human.CutText(model.Clean(strings.ReplaceAll(text, "\t", "    ")), max(h.Room, columns))
	case h.Room > 0:
		text = human.OneLine(text, max(h.Room, columns))
	case h.Kind == Path:
		text = model.CleanLine(text)
	}
	if text += c.More; i == 0 {
		text = strings.Repeat(" ", row.Indent) + text
	}
	return text
}
