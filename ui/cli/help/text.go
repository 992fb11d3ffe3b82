package help

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Layout says how a page looks on a terminal.
type Layout struct {
	Columns int  // of the terminal; 0: 80
	Colours bool // headings and terms are bold
}

// The terms of a page have at most a column of termMost cells; a longer one has a line to itself.
// Lines have at most lineMost cells, as longer ones are hard to read.
const (
	termMost = 30
	lineMost = 120
)

// WriteText writes a page for a terminal. Paragraphs and the texts of rows are wrapped between
// words, each under its own column; code and terms are never cut.
func (p *Page) WriteText(w io.Writer, l Layout) error {
	t := textWriter{width: min(cmp.Or(max(l.Columns, 0), 80), lineMost), colours: l.Colours}
	t.paragraph("", p.Title)
	for i := range p.Sections {
		s := &p.Sections[i]
		if s.Heading != "" {
			t.b.WriteString("\n" + t.bold(strings.ToUpper(s.Heading)) + "\n")
		}
		for j := range s.Blocks {
			if j > 0 || s.Heading == "" {
				t.b.WriteByte('\n')
			}
			t.block(&s.Blocks[j])
		}
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

type textWriter struct {
	b       strings.Builder
	width   int
	colours bool
}

func (t *textWriter) bold(s string) string {
	if !t.colours {
		return s
	}
	return "\x1b[1m" + s + "\x1b[22m"
}

func (t *textWriter) block(b *Block) {
	switch {
	case b.Rows != nil && b.Wide:
		t.table(b.Rows)
	case b.Rows != nil:
		t.rows(b.Rows)
	case b.Code != "":
		for line := range strings.Lines(b.Code) {
			t.b.WriteString(strings.TrimRight("  "+line, " \n") + "\n")
		}
	default:
		t.paragraph("", b.Text)
	}
}

// paragraph writes a text between words, with an indent before every line.
func (t *textWriter) paragraph(indent, text string) {
	for _, line := range wrap(text, t.width-len(indent)) {
		t.b.WriteString(indent + line + "\n")
	}
}

// rows writes terms in one column and their texts in the next.
func (t *textWriter) rows(rows []Row) {
	column := 0
	for _, r := range rows {
		if w := ansi.StringWidth(r.Term); w <= termMost {
			column = max(column, w)
		}
	}
	room := t.width - column - 4
	for _, r := range rows {
		gap := column - ansi.StringWidth(r.Term)
		t.b.WriteString("  " + t.bold(r.Term))
		lines := wrap(r.Text, room)
		if gap < 0 && len(lines) > 0 { // the text begins on the next line
			t.b.WriteString("\n" + strings.Repeat(" ", column+4) + lines[0])
		} else if len(lines) > 0 {
			t.b.WriteString(strings.Repeat(" ", gap+2) + lines[0])
		}
		t.b.WriteByte('\n')
		for _, line := range lines[min(1, len(lines)):] {
			t.b.WriteString(strings.Repeat(" ", column+4) + line + "\n")
		}
	}
}

// table writes a table. If it is wider than the terminal, the widest columns are wrapped.
func (t *textWriter) table(rows []Row) {
	widths := t.columnWidths(rows)
	for n, r := range rows {
		var cells [][]string
		lines := 1
		for i, c := range r.all() {
			cells = append(cells, wrap(c, widths[i]))
			lines = max(lines, len(cells[i]))
		}
		for k := range lines {
			line := " "
			for i, cell := range cells {
				text := ""
				if k < len(cell) {
					text = cell[k]
				}
				line += " " + text + strings.Repeat(" ", max(widths[i]-ansi.StringWidth(text), 0)+1)
			}
			if line = strings.TrimRight(line, " "); n == 0 {
				line = t.bold(line)
			}
			t.b.WriteString(line + "\n")
		}
	}
}

// columnWidths are the widths of the columns of a table: those of the widest cells, of which the
// largest shrink until the table fits.
func (t *textWriter) columnWidths(rows []Row) []int {
	var widths []int
	for _, r := range rows {
		for i, c := range r.all() {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(c))
		}
	}
	left := t.width - 2*len(widths)
	for _, w := range widths {
		left -= w
	}
	for ; left < 0 && slices.Max(widths) > 12; left++ {
		widths[slices.Index(widths, slices.Max(widths))]--
	}
	return widths
}

func (r *Row) all() []string {
	if r.Cells == nil {
		return []string{r.Term, r.Text}
	}
	return append([]string{r.Term}, r.Cells...)
}

// wrap breaks a text between words into lines of at most width cells. A word that is longer has a
// line to itself. Line breaks of the text stay; an empty text is one empty line.
func wrap(text string, width int) []string {
	var lines []string
	for part := range strings.SplitSeq(text, "\n") {
		line, used := "", 0
		for word := range strings.FieldsSeq(part) {
			w := ansi.StringWidth(word)
			if used > 0 && used+1+w > width {
				lines = append(lines, line)
				line, used = "", 0
			}
			if used > 0 {
				line, used = line+" ", used+1
			}
			line, used = line+word, used+w
		}
		lines = append(lines, line)
	}
	return lines
}
