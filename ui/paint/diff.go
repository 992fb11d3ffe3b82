package paint

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// lineNumbers are those of a diff's next line on both sides; 0 if they were not recorded.
type lineNumbers struct{ before, after int }

// pass advances the numbers past a line.
func (n *lineNumbers) pass(line string) {
	switch {
	case strings.HasPrefix(line, "@@"):
		*n = hunkNumbers(line)
	case n.before == 0 && n.after == 0 || line == "":
	case line[0] == '+':
		n.after++
	case line[0] == '-':
		n.before++
	case line[0] == ' ':
		n.before++
		n.after++
	}
}

// hunkNumbers parses "@@ -118,5 +118,5 @@".
func hunkNumbers(line string) lineNumbers {
	f := strings.Fields(line)
	if len(f) < 3 || !strings.HasPrefix(f[1], "-") || !strings.HasPrefix(f[2], "+") {
		return lineNumbers{}
	}
	number := func(s string) int {
		s, _, _ = strings.Cut(s[1:], ",")
		n, _ := strconv.Atoi(s)
		return n
	}
	return lineNumbers{number(f[1]), number(f[2])}
}

// DiffParts returns the parts of a diff of a file. Each has the numbers of its first lines, so it
// does not depend on the part before.
func DiffParts(text, file string) []Part {
	parts := PlainParts(text, PartDiff, InkText, true)
	lexer := syntaxOf(file)
	for i := range parts {
		parts[i].lexer = lexer
	}
	if !strings.Contains(text, "@@ -") {
		return parts
	}
	var n lineNumbers
	for i := range parts {
		parts[i].numbers, parts[i].numbered = n, true
		for line := range strings.Lines(parts[i].Text) {
			n.pass(strings.TrimRight(line, "\n"))
		}
	}
	return parts
}

// diffLook is the style of a diff line by its sign.
type diffLook struct {
	sign, text, word Ink
	ground           Ground
}

var diffLooks = map[byte]diffLook{
	'+': {InkAdd, InkAdd, inkAddWord, groundAdd}, '-': {InkDel, InkDel, inkDelWord, groundDel}, ' ': {InkDim, InkDim, InkDim, GroundNone},
}

// diff draws the lines of a diff: numbers if recorded, sign, and the changed words of replaced
// lines. A wrapped line repeats its sign and its indent.
func (d *Doc) diff(p *Part) []string {
	lines := strings.Split(strings.TrimSuffix(p.Text, "\n"), "\n")
	words := changedWords(lines)
	n := p.numbers
	lexer := p.lexer
	if d.St.NoColor || d.St.Theme.ANSI {
		lexer = nil
	}
	code := newDiffCode(lexer)
	var out []string
	for i, line := range lines {
		sign, body := byte(' '), ""
		if line != "" {
			sign, body = line[0], line[1:]
		}
		look, ok := diffLooks[sign]
		if !ok {
			ink := InkDim
			if sign == '@' {
				ink = inkHunk
			}
			n.pass(line)
			out = append(out, d.each(line, d.W, func(s string) []Span { return []Span{{Text: s, Ink: ink}} })...)
			continue
		}
		head, rest := string(sign)+" ", ""
		if p.numbered {
			head, rest = n.gutter(sign)+head, strings.Repeat(" ", gutterWidth)
		}
		n.pass(line)
		spans := inked(code.line(sign, body, look.text), words[i][0], words[i][1], look.word)
		out = append(out, d.hang(head, rest+string(sign)+" ", look, spans)...)
	}
	return out
}

// gutterWidth is the width of two line numbers.
const gutterWidth = 10

func (n *lineNumbers) gutter(sign byte) string {
	number := func(n int, show bool) string {
		if n == 0 || !show {
			return "     "
		}
		s := strconv.Itoa(n)
		return strings.Repeat(" ", max(4-len(s), 0)) + s + " "
	}
	return number(n.before, sign != '+') + number(n.after, sign != '-')
}

// hang draws a line after its head; continuation lines follow a head of the same width. The
// background of added and deleted lines extends to the edge.
func (d *Doc) hang(head, next string, look diffLook, spans []Span) []string {
	col := 0
	for i := range spans {
		spans[i].Text, col = expandFrom(spans[i].Text, col)
	}
	w := d.W - Width(head)
	if w < 8 || !d.Wrap || RestWidth(spans) <= w {
		return []string{d.hung(head, look, spans)}
	}
	var out []string
	for i, line := range wrapSpans(spans, w) {
		if i > 0 {
			head = next
		}
		out = append(out, d.hung(head, look, line))
	}
	return out
}

// hung draws one line of a diff after its head.
func (d *Doc) hung(head string, look diffLook, spans []Span) string {
	w := min(d.W, Width(head)+RestWidth(spans))
	if look.ground != GroundNone && d.St.open[look.ground][InkText] != d.St.open[GroundNone][InkText] {
		w = d.W
	}
	return d.St.Line(w, look.ground, append([]Span{{Text: head, Ink: look.sign}}, spans...)...)
}

// wrapSpans breaks spans into lines of w cells, between words if possible.
func wrapSpans(spans []Span, w int) (lines [][]Span) {
	var text strings.Builder
	for _, s := range spans {
		text.WriteString(s.Text)
	}
	for rest := text.String(); rest != ""; {
		fit := ansi.Truncate(rest, w, "")
		if fit == "" {
			_, n := utf8.DecodeRuneInString(rest) // wider than a line
			fit = rest[:n]
		}
		if at := strings.LastIndexByte(fit, ' ') + 1; fit != rest && rest[len(fit)] != ' ' && at > 0 {
			fit = fit[:at]
		}
		var line []Span
		line, spans = cutSpans(spans, len(fit))
		lines, rest = append(lines, line), rest[len(fit):]
	}
	if len(lines) == 0 {
		return [][]Span{nil}
	}
	return lines
}

// cutSpans cuts spans after n bytes.
func cutSpans(spans []Span, n int) (line, rest []Span) {
	for i, s := range spans {
		if len(s.Text) > n {
			if n > 0 {
				line = append(line, Span{Text: s.Text[:n], Ink: s.Ink})
			}
			return line, append([]Span{{Text: s.Text[n:], Ink: s.Ink}}, spans[i+1:]...)
		}
		line, n = append(line, s), n-len(s.Text)
	}
	return line, nil
}

// changedWords returns, for each line of a diff that replaces another, the range in which it
// differs.
func changedWords(lines []string) [][2]int {
	out := make([][2]int, len(lines))
	has := func(i int, sign byte) bool { return i < len(lines) && lines[i] != "" && lines[i][0] == sign }
	for i := 0; i < len(lines); {
		gone := i
		for has(i, '-') {
			i++
		}
		added := i
		for has(i, '+') {
			i++
		}
		if n := added - gone; n > 0 && n == i-added {
			for k := range n {
				out[gone+k], out[added+k] = changed(lines[gone+k][1:], lines[added+k][1:])
			}
		}
		if i == gone {
			i++
		}
	}
	return out
}

// changed returns the ranges in which two lines differ, extended to words; empty if the lines have
// little in common.
func changed(a, b string) (inA, inB [2]int) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	head = wordStart(a, head)
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	tail = min(len(a)-wordEnd(a, len(a)-tail), len(b)-head)
	for tail > 0 && (!utf8.RuneStart(a[len(a)-tail]) || !utf8.RuneStart(b[len(b)-tail])) {
		tail--
	}
	if common := len(strings.TrimSpace(a[:head])) + len(strings.TrimSpace(a[len(a)-tail:])); 3*common < max(len(a), len(b)) {
		return inA, inB
	}
	return [2]int{head, len(a) - tail}, [2]int{head, len(b) - tail}
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func inWord(r rune) bool { return isWordRune(r) || r == utf8.RuneError }

// wordStart returns the start of the word at i.
func wordStart(s string, i int) int { return len(strings.TrimRightFunc(s[:i], inWord)) }

// wordEnd returns the end of the word at i.
func wordEnd(s string, i int) int { return len(s) - len(strings.TrimLeftFunc(s[i:], inWord)) }
