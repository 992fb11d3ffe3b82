package human

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Table lines up cells under headings. It is for plain text; widths count runes,
// wide East Asian ones twice.
type Table struct {
	right []bool
	Rows  [][]string
	Width []int
}

// NewTable has the given headings; one that begins with > stands at the right.
func NewTable(heads ...string) *Table {
	t := &Table{right: make([]bool, len(heads)), Width: make([]int, len(heads))}
	names := make([]string, len(heads))
	for i, h := range heads {
		names[i] = strings.TrimPrefix(h, ">")
		t.right[i] = names[i] != h
	}
	t.Add(names...)
	return t
}

func (t *Table) Add(cells ...string) {
	for i, c := range cells {
		t.Width[i] = max(t.Width[i], TextWidth(c))
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
		pad := strings.Repeat(" ", max(t.Width[i]-TextWidth(c), 0))
		if i > 0 {
			line += "  "
		}
		if t.right[i] {
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

// TextWidth is about how many columns a text takes. Package query may not use the
// terminal's own measure; its tables only have to line up for usual text.
func TextWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.Is(unicode.Mn, r) || r == 0x200d || r >= 0xfe00 && r <= 0xfe0f:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// CutText is s, or as much of it as fits into room columns with an ellipsis.
func CutText(s string, room int) string {
	if len(s) <= room || TextWidth(s) <= room {
		return s
	}
	if room <= 0 {
		return ""
	}
	n := 0
	for i, r := range s {
		w := runeWidth(r)
		if n+w > room-1 {
			return s[:i] + "…"
		}
		n += w
	}
	return s
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
