package human

import (
	"strings"
	"unicode/utf8"
)

// MarkdownLine escapes a line of text for Markdown, for places other than the beginning of a line,
// tables included. Tags become references, since a character before them could cancel a backslash.
// An underscore within a word has no effect, so names of tools do not change.
func MarkdownLine(s string) string {
	const active = "\\`*_[<&|~!"
	if !strings.ContainsAny(s, active) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '<':
			b.WriteString("&lt;")
			continue
		case r == '&':
			b.WriteByte('&')
			if i+1 < len(s) && (s[i+1] == '#' || s[i+1] >= 'A' && s[i+1] <= 'Z' || s[i+1] >= 'a' && s[i+1] <= 'z') {
				b.WriteString("amp;") // otherwise it would begin a reference
			}
			continue
		case r < utf8.RuneSelf && strings.IndexByte(active, byte(r)) >= 0 && (r != '_' || !withinWord(s, i)):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// withinWord reports whether the run of underscores at s[i] has letters on both sides.
func withinWord(s string, i int) bool {
	letter := func(c byte) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
	}
	before, after := strings.TrimRight(s[:i], "_"), strings.TrimLeft(s[i:], "_")
	return before != "" && after != "" && letter(before[len(before)-1]) && letter(after[0])
}

// AppendCSV adds a row of CSV. It quotes cells that a spreadsheet with another separator than the
// comma would split.
func AppendCSV(dst []byte, cells ...string) []byte {
	for i, cell := range cells {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !strings.ContainsAny(cell, ",;\t\r\n\"") && strings.TrimSpace(cell) == cell && cell != `\.` {
			dst = append(dst, cell...)
			continue
		}
		dst = append(dst, '"')
		dst = append(dst, strings.ReplaceAll(cell, `"`, `""`)...)
		dst = append(dst, '"')
	}
	return append(dst, '\n')
}

// CSVCell prevents a spreadsheet from running a cell as a formula: it inserts a ' before each
// formula, at the beginning of the cell or after a separator of another dialect. Numbers and
// items of lists do not change.
func CSVCell(s string) string {
	if !strings.ContainsAny(s, "=+-@＝＋－＠") {
		return s
	}
	var b strings.Builder
	for start := 0; ; {
		n := strings.IndexAny(s[start:], ";\t\r\n\"")
		end := len(s)
		if n >= 0 {
			end = start + n
		}
		if runs(s[start:end]) {
			b.WriteByte('\'')
		}
		if n < 0 {
			b.WriteString(s[start:])
			return b.String()
		}
		b.WriteString(s[start : end+1])
		start = end + 1
	}
}

// runs reports whether a spreadsheet would run s.
func runs(s string) bool {
	s = strings.Trim(s, " \u00a0\u3000")
	r, n := utf8.DecodeRuneInString(s)
	switch r {
	case '=', '@', '＝', '＠':
		return true
	case '+', '-', '＋', '－':
	default:
		return false
	}
	rest := s[n:]
	if strings.Trim(rest, "0123456789.,:/ %eE€$£") == "" && rest != "" && strings.ContainsAny(rest, "0123456789") {
		return false // a number, a date, a percentage
	}
	word := strings.TrimLeft(rest, " ")
	// not an item of a list, or a call of another program
	if word == rest || strings.Contains(s, "|") && strings.Contains(s, "!") {
		return rest != "" && strings.Trim(rest, "-+= ") != ""
	}
	end := strings.IndexFunc(word, func(r rune) bool {
		return r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r < utf8.RuneSelf
	})
	if end <= 0 {
		return end == 0 && strings.ContainsAny(word[:1], "+-=@({")
	}
	after := strings.TrimLeft(word[end:], " ")
	return after != "" && strings.ContainsAny(after[:1], "(!+-*/^&=<>")
}
