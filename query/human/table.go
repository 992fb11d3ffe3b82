package human

import (
	"strings"
	"unicode/utf8"
)

// Table lines up cells, under headings where it has some.
type Table struct {
	right []bool
	Rows  [][]string
	Width []int
}

// NewTable has the given headings; one that begins with > stands at the right.
func NewTable(heads ...string) *Table {
	t := &Table{}
	names := make([]string, len(heads))
	for i, h := range heads {
		names[i] = strings.TrimPrefix(h, ">")
		t.right = append(t.right, names[i] != h)
	}
	t.Add(names...)
	return t
}

func (t *Table) Add(cells ...string) {
	for i, c := range cells {
		if i == len(t.Width) {
			t.Width = append(t.Width, 0)
		}
		t.Width[i] = max(t.Width[i], Width(c))
	}
	t.Rows = append(t.Rows, cells)
}

func (t *Table) Write(b *strings.Builder) {
	for _, row := range t.Rows {
		t.Line(b, row)
	}
}

func (t *Table) Line(b *strings.Builder, row []string) {
	line := ""
	for i, c := range row {
		pad := strings.Repeat(" ", max(t.Width[i]-Width(c), 0))
		if i > 0 {
			line += "  "
		}
		if i < len(t.right) && t.right[i] {
			line += pad + c
		} else {
			line += c + pad
		}
	}
	b.WriteString(strings.TrimRight(line, " "))
	b.WriteByte('\n')
}

// WriteMarkdown writes the table as Markdown.
func (t *Table) WriteMarkdown(b *strings.Builder) {
	for i, row := range t.Rows {
		for _, c := range row {
			b.WriteString("| " + MarkdownLine(c) + " ")
		}
		b.WriteString("|\n")
		if i > 0 {
			continue
		}
		for _, right := range t.right {
			b.WriteString("| ---")
			if right {
				b.WriteByte(':')
			}
			b.WriteByte(' ')
		}
		b.WriteString("|\n")
	}
}

// CutBytes is the beginning of s in whole runes: enough to look at, however long
// s is.
func CutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
