package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// table lines up cells under headings. It is for plain text; widths count runes,
// wide East Asian ones twice.
type table struct {
	right []bool
	rows  [][]string
	width []int
}

// newTable has the given headings; one that begins with > stands at the right.
func newTable(heads ...string) *table {
	t := &table{right: make([]bool, len(heads)), width: make([]int, len(heads))}
	names := make([]string, len(heads))
	for i, h := range heads {
		names[i] = strings.TrimPrefix(h, ">")
		t.right[i] = names[i] != h
	}
	t.add(names...)
	return t
}

func (t *table) add(cells ...string) {
	for i, c := range cells {
		t.width[i] = max(t.width[i], textWidth(c))
	}
	t.rows = append(t.rows, cells)
}

func (t *table) write(b *strings.Builder) {
	for _, row := range t.rows {
		t.line(b, row)
	}
}

func (t *table) line(b *strings.Builder, row []string) {
	line := ""
	for i, c := range row {
		pad := strings.Repeat(" ", max(t.width[i]-textWidth(c), 0))
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

// writeMarkdown writes the table as Markdown.
func (t *table) writeMarkdown(b *strings.Builder) {
	for i, row := range t.rows {
		for _, c := range row {
			b.WriteString("| " + markdownLine(c) + " ")
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

// textWidth is about how many columns a text takes. Package query may not use the
// terminal's own measure; its tables only have to line up for usual text.
func textWidth(s string) int {
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

// cutText is s, or as much of it as fits into room columns with an ellipsis.
func cutText(s string, room int) string {
	if len(s) <= room || textWidth(s) <= room {
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

// cutBytes is the beginning of s in whole runes: enough to look at, however long
// s is.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
