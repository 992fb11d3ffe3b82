// Package answer describes answers independently of their drawings: doc.go has complete answers
// with their text and Markdown, table.go tables of any rows, answer.go the columns for a type of
// rows. Package mcp draws answers for agents, package screen those in panes.
package answer

import (
	"cmp"
	"slices"
	"strings"

	"turns/model"
	"turns/query/human"
)

// Tone is the tone of a drawn cell.
type Tone uint8

// The tones.
const (
	Plain Tone = iota
	Dim
	Name // of an agent
	Tool // name of a tool
	Bad
	Warn
	Good
	Going // in progress
	Added
	Removed
)

// Cell is the content of a column.
type Cell struct {
	Text string
	Long string // instead of Text in the text of commands, if any
	More string // follows if there is room
	Tone Tone
	Part float64 // length of a bar, of the longest one
	// pieces of Text in their tones, clean already
	Parts []Cell
	// Short returns both in less room; nil: the text is cut
	Short func(room int) string
}

// Unknown is the cell of a value that the session does not record.
var Unknown = Cell{Text: human.NotSaid, Tone: Dim}

// Join returns the cell of several pieces of text.
func Join(parts ...Cell) Cell {
	c := Cell{Parts: parts}
	for i := range parts {
		c.Text += parts[i].Text
	}
	return c
}

// Delta returns the cell of numbers of added and removed lines: "+12 −3".
func Delta(added, removed int) Cell {
	return Join(Cell{Text: "+" + human.Count(added), Tone: Added}, Cell{Text: " "}, Cell{Text: "−" + human.Count(removed), Tone: Removed})
}

// Count returns the cell of a count in a tone, a dim dot for 0.
func Count[N int | int64](n N, tone Tone) Cell {
	if n == 0 {
		return Cell{Text: human.Zero, Tone: Dim}
	}
	return Cell{Text: human.Count(n), Tone: tone}
}

// Size returns the cell of a number of tokens or bytes, a dim dot for 0.
func Size(n int64) Cell {
	if n == 0 {
		return Cell{Text: human.Zero, Tone: Dim}
	}
	return Cell{Text: human.Short(n)}
}

// Tokens returns the cell of a number of tokens, which the text of commands has in full; a dim dot
// for 0.
func Tokens(n int64) Cell {
	c := Size(n)
	if n != 0 {
		c.Long = human.Count(n)
	}
	return c
}

// At returns the cell of the position of a message; it is Unknown if it is negative.
func At[N ~int](index N) Cell {
	if index < 0 {
		return Unknown
	}
	return Cell{Text: human.Place(int(index)), Tone: Dim}
}

// Took returns the cell of a duration; it is Unknown if known is false.
func Took(m human.Millis, known bool) Cell {
	if !known {
		return Unknown
	}
	return Cell{Text: m.String()}
}

// Line is a number of an answer with its label and its parts.
type Line struct {
	Label  string
	Sign   string // of the number in a chart: the screen draws it
	Indent int    // of the label, in cells
	Number string
	Note   string
	Tone   Tone    // of the number
	Part   float64 // length of a bar, of the longest one
	Parts  []Line  // counts of the parts of a number: text has them after the note
	Place  *Place
}

// Place is the message that a line leads to, and the call in it.
type Place struct {
	ID    model.ID
	Call  model.CallID
	Index int // the number that people see; negative: off the live branch
}

// CountLine returns the line of a count, dim for 0.
func CountLine(indent int, label string, n int, note string) Line {
	c := Count(n, Plain)
	return Line{Label: label, Indent: indent, Number: c.Text, Note: note, Tone: c.Tone}
}

// Facts returns lines as one sentence: their labels, numbers and notes, separated by commas.
func Facts(lines ...Line) string {
	facts := make([]string, len(lines))
	for i := range lines {
		l := &lines[i]
		facts[i] = strings.TrimSpace(l.Label + " " + l.Number + " " + l.Note)
	}
	return strings.Join(facts, ", ")
}

// Sentences returns lines as text, with labels of at least some width. Lines without a label
// continue the one before.
func Sentences(width int, lines ...Line) (text []string) {
	for from, to := 0, 0; from < len(lines); from = to {
		for to = from + 1; to < len(lines) && lines[to].Label == ""; {
			to++
		}
		first := lines[from]
		first.Label += strings.Repeat(" ", max(width-human.Width(first.Label), 0))
		text = append(text, Facts(append([]Line{first}, lines[from+1:to]...)...))
	}
	return text
}

// Counted returns the facts of numbers that are not 0.
func Counted(lines ...Line) []Line {
	return slices.DeleteFunc(lines, func(l Line) bool { return l.Number == "0" })
}

// Both separates the numbers of two sides.
const Both = " → "

// Kind is the kind of a column, for the alignment and the cuts of its cells.
type Kind uint8

// The kinds.
const (
	Text   Kind = iota // cut at its end
	Ends               // texts that differ at their ends: cut in the middle on the screen
	Path               // cut in front
	Word               // short words and times, never cut
	Number             // aligned at the right, and never cut
	Code               // like Text, but keeps blanks and tabs
	Bar                // drawn on the screen only
	Pair               // a Number of each of two sides, aligned at the arrow on the screen
)

// Column is a column of rows of a type. Widths are in cells of a terminal.
type Column[T any] struct {
	Name  string // name for sorting
	Head  string
	JSON  string // field of a row in JSON; "": none
	Kind  Kind
	Drop  int  // without enough room, columns with the highest number are dropped first; 0 stays
	Stays bool // always in the text of commands, whatever Drop is
	Room  int  // maximum width of a text in the text of commands; 0: 60
	Width int  // on the screen; the minimum of a flexible column
	Most  int  // maximum width on a wide screen; 0: it stays
	Want  int  // width up to which it grows before others share the rest
	Flex  int  // its share of the remaining room
	Gap   int  // cells before it
	Asc   bool // sorts ascending at first
	Cell  func(T) Cell
	Order func(a, b T) int // nil: rows are not sorted by it
}

// Pick returns the columns with some names, in their order.
func Pick[T any](columns []Column[T], names ...string) []Column[T] {
	var picked []Column[T]
	for _, name := range names {
		if i := slices.IndexFunc(columns, func(c Column[T]) bool { return c.Name == name }); i >= 0 {
			picked = append(picked, columns[i])
		}
	}
	return picked
}

// On returns the columns for rows that have such a value, or none: nil. Rows without it have empty
// cells and follow the others.
func On[T, U any](columns []Column[*T], of func(U) *T) []Column[U] {
	on := make([]Column[U], len(columns))
	for i, c := range columns {
		on[i] = Column[U]{
			Name: c.Name, Head: c.Head, JSON: c.JSON, Kind: c.Kind, Drop: c.Drop, Stays: c.Stays, Room: c.Room,
			Width: c.Width, Most: c.Most, Want: c.Want, Flex: c.Flex, Gap: c.Gap, Asc: c.Asc,
		}
		on[i].Cell = func(u U) (cell Cell) {
			if t := of(u); t != nil {
				cell = c.Cell(t)
			}
			return cell
		}
		if c.Order != nil {
			on[i].Order = func(a, b U) int {
				x, y := of(a), of(b)
				if x == nil || y == nil {
					return cmp.Compare(has(y), has(x))
				}
				return c.Order(x, y)
			}
		}
	}
	return on
}

// has returns 1 if there is a value, otherwise 0.
func has[T any](t *T) int {
	if t == nil {
		return 0
	}
	return 1
}

// By returns an order by a number or a text.
func By[T any, K cmp.Ordered](of func(T) K) func(a, b T) int {
	return func(a, b T) int { return cmp.Compare(of(a), of(b)) }
}

// ByText returns an order by a text, ignoring case.
func ByText[T any](of func(T) string) func(a, b T) int {
	return func(a, b T) int { return strings.Compare(strings.ToLower(of(a)), strings.ToLower(of(b))) }
}

// Counts completes a column of counts in a tone.
func Counts[T any, N int | int64](c Column[T], tone Tone, of func(T) N) Column[T] {
	c.Kind, c.Order, c.Cell = Number, By(of), func(t T) Cell { return Count(of(t), tone) }
	return c
}

// Sizes completes a column of numbers of tokens or bytes.
func Sizes[T any](c Column[T], of func(T) int64) Column[T] {
	c.Kind, c.Order, c.Cell = Number, By(of), func(t T) Cell { return Size(of(t)) }
	return c
}

// Durations completes a column of durations; known reports whether a row has one.
func Durations[T any](c Column[T], of func(T) human.Millis, known func(T) bool) Column[T] {
	c.Kind, c.Order, c.Cell = Number, By(of), func(t T) Cell { return Took(of(t), known(t)) }
	return c
}

// Texts completes a column of texts.
func Texts[T any](c Column[T], of func(T) string) Column[T] {
	c.Asc, c.Order, c.Cell = true, ByText(of), func(t T) Cell { return Cell{Text: of(t)} }
	return c
}
