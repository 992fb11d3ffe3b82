package paint

import (
	"fmt"
	"image"
	"strings"

	"github.com/alecthomas/chroma/v2"

	"turns/model"
	"turns/query/human"
)

// Doc is a long text, such as the body of a row, in parts. Each part is rendered on first use, so a
// text of a megabyte costs only its first screen.
type Doc struct {
	Parts []Part
	W     int
	St    *Styles
	Wrap  bool
	Md    *Markdown
	done  [][]string
	Count *int // counts renderings, for tests
	Waits bool // its text is not read yet, and its only line shows that

	begins map[int][]int // by part: the drawn lines at which text lines begin
	texts  map[int]int   // by part: number of text lines
}

// Part is a piece of a Doc of one kind.
type Part struct {
	Kind     partKind
	Text     string // cleaned
	ink      Ink
	Rows     [][]Span     // of PartRows
	wide     bool         // not limited to the width of prose
	numbers  lineNumbers  // of PartDiff, at its first line
	numbered bool         // its line numbers were recorded
	lexer    chroma.Lexer // of the file of a PartDiff; nil: unknown language
	looks    []look       // of PartPrinted, indexed by its marker runes
	open     look         // at its first rune
	picture  *image.RGBA  // of partPicture
	// raw cleans the text on use, so that of a very long text only the visible parts are cleaned
	raw cleaner
}

type partKind uint8

const (
	PartPlain    partKind = iota // wrapped only
	PartMarkdown                 // rendered
	PartRows                     // finished lines
	PartJSON                     // coloured as JSON
	PartDiff                     // coloured by the first character of each line
	partPicture                  // drawn in half blocks
	PartPrinted                  // in the colours that the program printed
)

// proseWidth is the greatest width of running text: longer lines are hard to read.
const proseWidth = 116

// chunkBytes is the approximate size of a part. Parts are rendered in full.
const chunkBytes = 4 << 10

// Len returns the number of parts, 0 for a nil Doc.
func (d *Doc) Len() int {
	if d == nil {
		return 0
	}
	return len(d.Parts)
}

// Lines returns the lines of a part, styled and at most w cells wide.
func (d *Doc) Lines(i int) []string {
	if d.done == nil {
		d.done = make([][]string, len(d.Parts))
	}
	if d.done[i] == nil {
		if d.Count != nil {
			*d.Count++
		}
		d.done[i] = d.render(&d.Parts[i])
		if d.done[i] == nil {
			d.done[i] = []string{}
		}
	}
	return d.done[i]
}

// Lacks reports whether a part cannot show a text because its own text has none that has accepts.
// It does not draw the part. False also means that the answer needs a drawing.
func (d *Doc) Lacks(i int, has func(text string) bool) bool {
	p := &d.Parts[i]
	switch p.Kind {
	case PartRows, PartPrinted, partPicture:
		return false
	}
	return p.raw == nil && p.Text != "" && !has(p.Text)
}

func (d *Doc) render(p *Part) []string {
	w := max(d.W, 1)
	if p.raw != nil {
		p.Text, p.raw = p.raw(p.Text), nil
	}
	switch p.Kind {
	case PartMarkdown:
		return d.Md.Render(p.Text, min(w, proseWidth))
	case PartRows:
		out := make([]string, 0, len(p.Rows))
		for _, row := range p.Rows {
			var b strings.Builder
			d.St.LineTo(&b, restWidthMax(row, w), GroundNone, row)
			out = append(out, b.String())
		}
		return out
	case PartJSON:
		return d.each(p.Text, w, d.jsonLine)
	case PartDiff:
		return d.diff(p)
	case PartPrinted:
		return d.printed(p)
	case partPicture:
		return HalfBlocks(p.picture, w, pictureRows)
	}
	if !p.wide {
		w = min(w, proseWidth)
	}
	return d.each(p.Text, w, func(line string) []Span { return []Span{{Text: line, Ink: p.ink}} })
}

func restWidthMax(row []Span, w int) int { return min(RestWidth(row), w) }

// each wraps or cuts every line of a text and styles it.
func (d *Doc) each(text string, w int, style func(string) []Span) []string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		line = Expand(line)
		spans := style(line)
		if Width(line) <= w {
			out = append(out, d.join(spans))
			continue
		}
		if !d.Wrap {
			out = append(out, d.St.Line(w, GroundNone, spans...))
			continue
		}
		out = append(out, d.fit(d.join(spans), w)...)
	}
	return balance(out)
}

func (d *Doc) join(spans []Span) string {
	var b strings.Builder
	for _, sp := range spans {
		d.St.Put(&b, sp, GroundNone)
	}
	return b.String()
}

// balance repeats the colours that a wrapped line left open on the next one, so that every line is
// complete.
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

// jsonLine colours one line of formatted JSON. It need not be valid.
func (d *Doc) jsonLine(line string) []Span {
	var spans []Span
	add := func(s string, i Ink) {
		if s != "" {
			spans = append(spans, Span{Text: s, Ink: i})
		}
	}
	run := func(i int, of string, ink Ink) (end int) {
		end = len(line) - len(strings.TrimLeft(line[i+1:], of))
		add(line[i:end], ink)
		return end
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
			i = run(i, "0123456789.eE+-", inkNumber)
		case c >= 'a' && c <= 'z':
			i = run(i, "abcdefghijklmnopqrstuvwxyz", inkKeyword)
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

// PlainParts splits a cleaned text into parts at line ends, or within very long lines.
func PlainParts(text string, kind partKind, i Ink, wide bool) []Part {
	var parts []Part
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
		parts = append(parts, Part{Kind: kind, Text: text[:n], ink: i, wide: wide})
		text = text[n:]
	}
	return parts
}

// MarkdownParts splits a text at blank lines outside of fences, into parts of at least a kilobyte.
// Blocks unfit for a renderer (very long paragraphs, deep nesting) become plain.
func MarkdownParts(text string) []Part {
	var parts []Part
	flush := func(s string) {
		if strings.TrimSpace(s) == "" {
			return
		}
		if !renderable(s) {
			parts = append(parts, PlainParts(s, PartPlain, InkText, false)...)
			return
		}
		if len(parts) > 0 { // the blank line of the split
			parts = append(parts, Part{Kind: PartRows, Rows: [][]Span{{}}})
		}
		parts = append(parts, Part{Kind: PartMarkdown, Text: s})
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
			if fence != "" { // the rest of a huge code block
				parts = append(parts, PlainParts(text[start:], PartPlain, InkText, true)...)
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

// listFollows reports whether a list may continue: splitting there would restart its numbers.
func listFollows(rest string) bool {
	return strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\t") || strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "* ") ||
		len(rest) > 2 && rest[0] >= '0' && rest[0] <= '9' && (rest[1] == '.' || rest[2] == '.')
}

// renderable reports whether a block can be rendered as Markdown within a frame.
func renderable(s string) bool {
	if len(s) > 5*chunkBytes {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if len(line) > chunkBytes {
			return false
		}
		if containers(line) > maxContainers || blanks(line) > 60 {
			return false
		}
		if len(line) > 200 && (strings.Count(line, "[") > 200 || strings.Count(line, "*") > 400 || strings.Count(line, "- ") > 100 || strings.Count(line, "`") > 400) {
			return false
		}
	}
	return true
}

// blanks counts the spaces and tabs before the text of a line.
func blanks(line string) int {
	for i := range len(line) {
		if line[i] != ' ' && line[i] != '\t' {
			return i
		}
	}
	return len(line)
}

// maxContainers is how deep quotes and lists may nest: the cost of rendering grows with a power of
// the depth.
const maxContainers = 8

// containers counts the quotes and lists that a line opens before its text.
func containers(line string) int {
	for n := 0; ; n++ {
		line = line[blanks(line):]
		if line == "" || line[0] > '>' { // true for most lines, and a long text has many
			return n
		}
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

// LongText is the size from which a text is neither formatted nor cleaned in full.
const LongText = 1 << 20

// cleaner prepares a text from a transcript for a body: [Cleaned], or model.Printed for tool
// results.
type cleaner func(string) string

// TextParts returns the parts of a text that is not cleaned yet.
func TextParts(text string, clean cleaner, kind partKind, wide bool) []Part {
	const i = InkText
	if len(text) <= LongText {
		return PlainParts(clean(text), kind, i, wide)
	}
	parts := PlainParts(text, PartPlain, i, wide)
	for n := range parts {
		parts[n].raw = clean
	}
	return parts
}

// Cleaned prepares a text from a transcript for a body.
func Cleaned(s string) string { return model.Clean(s) }

// LineCount returns the number of lines of a text.
func LineCount(s string) int {
	if s == "" {
		return 0
	}
	n := strings.Count(s, "\n")
	if !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// Append adds another Doc of the same width at the end.
func (d *Doc) Append(next *Doc) {
	for len(d.done) < len(d.Parts) {
		d.done = append(d.done, nil)
	}
	d.Parts = append(d.Parts, next.Parts...)
	d.done = append(append(d.done, next.done...), make([][]string, len(next.Parts)-len(next.done))...)
}

// Room returns how many of n lines the Doc leaves free, negative if it has more. It renders no more
// than necessary.
func (d *Doc) Room(n int) int { return d.roomFrom(0, n) }

func (d *Doc) roomFrom(i, n int) int {
	for ; i < len(d.Parts) && n >= 0; i++ {
		n -= len(d.Lines(i))
	}
	return n
}

// Slack is how many lines a Doc may exceed its limit without being cut: a note about so few missing
// lines needs nearly their room.
const Slack = 3

// Shorten cuts a Doc to its first n lines and adds a note with the full number and the key that
// shows all. It never cuts a picture: one that ends within room lines stays, others are dropped. It
// renders only the shown parts, and enough to know whether more than [Slack] lines are left.
func (d *Doc) Shorten(n, room int, key string) {
	shown := 0
	for i := range d.Parts {
		lines := d.Lines(i)
		picture := d.Parts[i].Kind == partPicture
		if shown+len(lines) <= n || picture && shown+len(lines) <= room {
			shown += len(lines)
			n = max(n, shown)
			continue
		}
		if d.roomFrom(i, n+Slack-shown) >= 0 {
			return
		}
		rest := n - shown
		if picture {
			n, rest = shown, 0
		}
		hidden := 0
		for j := i; j < len(d.Parts); j++ {
			hidden += d.Parts[j].Count()
		}
		hidden = max(hidden-rest, 1)
		note := fmt.Sprintf("first %d of %s lines, %s shows all", n, human.Count(n+hidden), key)
		if picture && i == len(d.Parts)-1 {
			note = key + " draws the picture"
		}
		d.Parts = append(d.Parts[:i:i], Part{Kind: PartPlain}, Part{Kind: PartRows, Rows: [][]Span{{{Text: note, Ink: InkDim}}}})
		d.done = append(d.done[:i:i], lines[:rest], nil)
		return
	}
}

// Count returns the number of recorded lines of a part, 1 for a picture.
func (p *Part) Count() int {
	if p.Kind == partPicture {
		return 1
	}
	if p.Kind == PartRows {
		return len(p.Rows)
	}
	return LineCount(p.Text)
}
