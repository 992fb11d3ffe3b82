package mcp

import (
	"strings"

	"turns/query/answer"
)

// Draw formats an answer for agents: it does not align cells, since a model pays for every blank.
func Draw(d *answer.Doc) string {
	var b strings.Builder
	write := func(lines []string) {
		for _, line := range lines {
			b.WriteString(pulled(line) + "\n")
		}
	}
	for i, s := range d.In(answer.InText) {
		if i > 0 {
			b.WriteByte('\n')
		}
		write(s.Lines())
		if s.Chart != nil {
			b.WriteString(s.Chart(0))
		}
		if s.Table != nil {
			write(lines(s.Table))
		}
		write(s.Notes)
	}
	return b.String()
}

// lines returns the lines of a table, the column names first.
func lines(t *answer.Table) (all []string) {
	add := func(cells []string) {
		all = append(all, strings.TrimRight(strings.Join(cells, "  "), " "))
	}
	if t.Named() {
		add(t.Names())
	}
	for i := range t.Rows {
		row := &t.Rows[i]
		cells := make([]string, len(row.Cells))
		for k := range cells {
			if cells[k] = t.Line(row, k, 0); cells[k] == "" && k < last(row) && t.Named() {
				cells[k] = "-"
			}
		}
		add(cells)
	}
	return all
}

// last returns the index of the last cell with text.
func last(row *answer.Row) int {
	for i := len(row.Cells) - 1; i > 0; i-- {
		if c := &row.Cells[i]; c.Text+c.More != "" {
			return i
		}
	}
	return 0
}

// pulled returns a line with at most two blanks between its words, and four before them.
func pulled(line string) string {
	rest := strings.TrimLeft(line, " ")
	var b strings.Builder
	b.WriteString(line[:min(4, len(line)-len(rest))])
	blanks := 0
	for _, r := range rest {
		if r != ' ' {
			blanks = 0
		} else if blanks++; blanks > 2 {
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
