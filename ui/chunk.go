package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
)

// doc is the body of an item or what the detail shows: parts that are rendered when somebody looks at them, so that of a text of a megabyte
// only the first screen costs anything.
type doc struct {
	parts []part
	w     int
	st    *styles
	wrap  bool
	md    *markdown
	done  [][]string
	count *int // renderings, for tests
}

// part is a piece of a doc of one kind.
type part struct {
	kind partKind
	text string // cleaned
	ink  ink
	rows [][]span // of a partRows
	wide bool     // not bound to the width of prose
	raw  cleaner  // what cleans it yet: of a very long text only what is looked at is cleaned
}

type partKind uint8

const (
	partPlain    partKind = iota // wrapped as it is
	partMarkdown                 // rendered
	partRows                     // lines that are ready
	partJSON                     // coloured as JSON
	partDiff                     // coloured by the first sign of each line
)

// proseWidth is how wide running text becomes at most: longer lines are hard to read.
const proseWidth = 116

// chunkBytes is about how much text a part holds. A part is rendered whole.
const chunkBytes = 4 << 10

func (d *doc) len() int { return len(d.parts) }

// lines are those of a part. They are styled and at most w cells wide.
func (d *doc) lines(i int) []string {
	if d.done == nil {
		d.done = make([][]string, len(d.parts))
	}
	if d.done[i] == nil {
		if d.count != nil {
			*d.count++
		}
		d.done[i] = d.render(&d.parts[i])
		if d.done[i] == nil {
			d.done[i] = []string{}
		}
	}
	return d.done[i]
}

func (d *doc) render(p *part) []string {
	w := d.w
	if w < 1 {
		w = 1
	}
	if p.raw != nil {
		p.text, p.raw = p.raw(p.text), nil
	}
	switch p.kind {
	case partMarkdown:
		return d.md.render(p.text, min(w, proseWidth))
	case partRows:
		out := make([]string, 0, len(p.rows))
		for _, row := range p.rows {
			var b strings.Builder
			d.st.lineTo(&b, restWidthMax(row, w), groundNone, row)
			out = append(out, b.String())
		}
		return out
	case partJSON:
		return d.each(p.text, w, d.jsonLine)
	case partDiff:
		return d.each(p.text, w, d.diffLine)
	}
	if !p.wide {
		w = min(w, proseWidth)
	}
	return d.each(p.text, w, func(line string) []span { return []span{{text: line, ink: p.ink}} })
}

func restWidthMax(row []span, w int) int { return min(restWidth(row), w) }

// each wraps or cuts every line of a text and styles it.
func (d *doc) each(text string, w int, style func(string) []span) []string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		line = expand(line)
		spans := style(line)
		if width(line) <= w {
			out = append(out, d.join(spans))
			continue
		}
		if !d.wrap {
			out = append(out, d.st.line(w, groundNone, spans...))
			continue
		}
		for part := range strings.SplitSeq(ansi.Wrap(d.join(spans), w, "/-"), "\n") {
			if width(part) > w { // of hyphens and spaces in a row too much stays on a line
				out = append(out, strings.Split(ansi.Hardwrap(part, w, true), "\n")...)
				continue
			}
			out = append(out, part)
		}
	}
	return balance(out)
}

func (d *doc) join(spans []span) string {
	var b strings.Builder
	for _, sp := range spans {
		d.st.put(&b, sp, groundNone)
	}
	return b.String()
}

// balance carries colours that a wrapped line left open over to the next one, so that every line stands for itself.
func balance(lines []string) []string {
	open := ""
	for i, line := range lines {
		last := open
		for at := 0; ; {
			j := strings.Index(line[at:], "\x1b[")
			if j < 0 {
				break
			}
			at += j
			end := strings.IndexByte(line[at:], 'm')
			if end < 0 {
				break
			}
			if seq := line[at : at+end+1]; seq == "\x1b[m" || seq == "\x1b[0m" {
				last = ""
			} else {
				last = seq
			}
			at += end + 1
		}
		if open != "" {
			line = open + line
		}
		if last != "" {
			line += "\x1b[m"
		}
		lines[i], open = line, last
	}
	return lines
}

func (d *doc) diffLine(line string) []span {
	i := inkDim
	if line != "" {
		switch line[0] {
		case '+':
			i = inkAdd
		case '-':
			i = inkDel
		case '@':
			i = inkHunk
		}
	}
	return []span{{text: line, ink: i}}
}

// jsonLine colours one line of formatted JSON. It need not be valid.
func (d *doc) jsonLine(line string) []span {
	var spans []span
	add := func(s string, i ink) {
		if s != "" {
			spans = append(spans, span{text: s, ink: i})
		}
	}
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == '"':
			j := i + 1
			for j < len(line) && line[j] != '"' {
				if line[j] == '\\' {
					j++
				}
				j++
			}
			j = min(j+1, len(line))
			ink := inkString
			if rest := strings.TrimLeft(line[j:], " "); strings.HasPrefix(rest, ":") {
				ink = inkFunction
			}
			add(line[i:j], ink)
			i = j
		case c == '-' || c >= '0' && c <= '9':
			j := i + 1
			for j < len(line) && strings.IndexByte("0123456789.eE+-", line[j]) >= 0 {
				j++
			}
			add(line[i:j], inkNumber)
			i = j
		case c >= 'a' && c <= 'z':
			j := i + 1
			for j < len(line) && line[j] >= 'a' && line[j] <= 'z' {
				j++
			}
			add(line[i:j], inkKeyword)
			i = j
		default:
			j := i + 1
			for j < len(line) && strings.IndexByte("{}[]:, ", line[j]) >= 0 {
				j++
			}
			for j < len(line) && line[j]&0xc0 == 0x80 {
				j++
			}
			add(line[i:j], inkPunct)
			i = j
		}
	}
	return spans
}

// plainParts cuts a cleaned text into parts at line ends. A line without end is cut too.
func plainParts(text string, kind partKind, i ink, wide bool) []part {
	var parts []part
	for len(text) > 0 {
		n := min(len(text), chunkBytes)
		if n < len(text) {
			if j := strings.LastIndexByte(text[:n], '\n'); j > 0 {
				n = j + 1
			} else {
				for n > 1 && text[n]&0xc0 == 0x80 {
					n--
				}
			}
		}
		parts = append(parts, part{kind: kind, text: text[:n], ink: i, wide: wide})
		text = text[n:]
	}
	return parts
}

// markdownParts cuts a text at blank lines outside of fences, at least a kilobyte a part. What no renderer should be given (very long
// paragraphs, deep nesting) becomes plain.
func markdownParts(text string) []part {
	var parts []part
	flush := func(s string) {
		if strings.TrimSpace(s) == "" {
			return
		}
		if !renderable(s) {
			parts = append(parts, plainParts(s, partPlain, inkText, false)...)
			return
		}
		parts = append(parts, part{kind: partMarkdown, text: s})
	}
	start, fence := 0, ""
	for i := 0; i < len(text); {
		end := strings.IndexByte(text[i:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += i
		}
		line := strings.TrimLeft(text[i:end], " ")
		if mark := fenceOf(line); mark != "" {
			if fence == "" {
				fence = mark
			} else if strings.HasPrefix(mark, fence) && strings.TrimRight(strings.Trim(line, mark[:1]), " ") == "" {
				fence = ""
			}
		}
		next := min(end+1, len(text))
		if line == "" && fence == "" && next-start >= 1024 && !listFollows(text[next:]) || next-start > 4*chunkBytes {
			flush(text[start:next])
			start = next
			if fence != "" { // the rest of a huge block of code
				parts = append(parts, plainParts(text[start:], partPlain, inkText, true)...)
				return parts
			}
		}
		i = next
	}
	flush(text[start:])
	return parts
}

func fenceOf(line string) string {
	for _, c := range [...]string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, c))
		if n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// listFollows: a list goes on after a blank line; cutting there would number it afresh.
func listFollows(rest string) bool {
	return strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\t") || strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "* ") ||
		len(rest) > 2 && rest[0] >= '0' && rest[0] <= '9' && (rest[1] == '.' || rest[2] == '.')
}

// renderable reports whether a block can be rendered as Markdown in a time that a frame has.
func renderable(s string) bool {
	if len(s) > 5*chunkBytes {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if len(line) > chunkBytes {
			return false
		}
		if containers(line) > maxContainers || len(line)-len(strings.TrimLeft(line, " \t")) > 60 || strings.Count(line, "[") > 200 || strings.Count(line, "*") > 400 ||
			strings.Count(line, "- ") > 100 || strings.Count(line, "`") > 400 {
			return false
		}
	}
	return true
}

// maxContainers is how deep quotes and lists may nest in each other: what a renderer needs grows with a power of it.
const maxContainers = 8

// containers counts the quotes and lists that a line opens before its text.
func containers(line string) int {
	for n := 0; ; n++ {
		line = strings.TrimLeft(line, " \t")
		digits := strings.TrimLeft(line, "0123456789")
		switch {
		case strings.HasPrefix(line, ">"):
			line = line[1:]
		case len(line) > 1 && strings.ContainsRune("-*+", rune(line[0])) && (line[1] == ' ' || line[1] == '\t'):
			line = line[2:]
		case len(digits) < len(line) && len(line)-len(digits) < 10 && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ")):
			line = digits[2:]
		default:
			return n
		}
		if n > maxContainers {
			return n
		}
	}
}

// longText is from where on a text is neither formatted nor cleaned as a whole.
const longText = 1 << 20

// cleaner makes a text from a transcript fit for a body: [cleaned], or model.Printed for what a tool gave back.
type cleaner func(string) string

// textParts are the parts of a text that is not cleaned yet.
func textParts(text string, clean cleaner, kind partKind, wide bool) []part {
	const i = inkText
	if len(text) <= longText {
		return plainParts(clean(text), kind, i, wide)
	}
	parts := plainParts(text, partPlain, i, wide)
	for n := range parts {
		parts[n].raw = clean
	}
	return parts
}

// cleaned is a text from a transcript fit for a body.
func cleaned(s string) string { return model.Clean(s) }

// lineCount is how many lines a text has.
func lineCount(s string) int {
	if s == "" {
		return 0
	}
	n := strings.Count(s, "\n")
	if !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// shorten cuts a doc to its first n lines and says how many there are. Only the parts that are shown are rendered.
func (d *doc) shorten(n int) {
	shown := 0
	for i := range d.parts {
		lines := d.lines(i)
		if shown+len(lines) <= n {
			shown += len(lines)
			continue
		}
		rest := n - shown
		hidden := 0
		for j := i; j < len(d.parts); j++ {
			hidden += d.parts[j].count()
		}
		hidden = max(hidden-rest, 1)
		if len(lines)-rest <= 1 && i == len(d.parts)-1 {
			return // a line that says that one line is missing would be no shorter
		}
		d.parts = append(d.parts[:i:i], part{kind: partPlain}, part{kind: partRows, rows: [][]span{{{
			text: fmt.Sprintf("first %d of %s lines, zo shows all", n, thousands(n+hidden)), ink: inkDim}}}})
		d.done = append(d.done[:i:i], lines[:rest], nil)
		return
	}
}

// count is how many lines a part has as it was recorded.
func (p *part) count() int {
	if p.kind == partRows {
		return len(p.rows)
	}
	return lineCount(p.text)
}
