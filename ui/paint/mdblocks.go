package paint

import (
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// blockKind is the kind of a [block].
type blockKind uint8

const (
	blockOther blockKind = iota // rendered as one
	blockCode                   // fenced
	blockQuote
	blockItem // of a list
)

// block is a block of Markdown. Quotes and items are rendered in their own width, so that each of
// their lines has its bar or indent; the renderer wraps some of them as if they started at the
// edge.
type block struct {
	kind  blockKind
	mark  string   // of an item: "•" or "12."
	lines []string // without quote and list marks
	apart bool     // a blank line precedes it
}

var (
	quoteMark  = regexp.MustCompile(`^ {0,3}> ?`)
	itemMark   = regexp.MustCompile(`^( {0,3})([-*+]|[0-9]{1,9}[.)])( {1,4}|$)`)
	thematic   = regexp.MustCompile(`^ {0,3}(([-_*]) *)(\s*([-_*]) *){2,}$`)
	heading    = regexp.MustCompile(`^ {0,3}#{1,6}( |$)`)
	definition = regexp.MustCompile(`(?m)^ {0,3}\[[^\]]+\]:`)
)

// splitBlocks splits a text into its outermost blocks.
func splitBlocks(text string) (blocks []block) {
	lines := strings.Split(text, "\n")
	apart := false
	add := func(b block, from, to int) {
		b.apart, apart = apart, false
		if b.lines == nil {
			b.lines = lines[from:to]
		}
		blocks = append(blocks, b)
	}
	for i := 0; i < len(lines); {
		line := lines[i]
		if strings.TrimSpace(line) == "" {
			apart, i = true, i+1
			continue
		}
		from := i
		switch {
		case fenceAt(line) != "":
			i = endOfFence(lines, i)
			add(block{kind: blockCode}, from, i)
		case quoteMark.MatchString(line):
			var inside []string
			for ; i < len(lines) && goesOn(lines, i, from, quoteMark.MatchString(lines[i])); i++ {
				inside = append(inside, quoteMark.ReplaceAllString(lines[i], ""))
			}
			add(block{kind: blockQuote, lines: inside}, from, i)
		case isItem(line):
			b, next := itemAt(lines, i)
			add(b, from, next)
			i = next
		default:
			for i++; i < len(lines) && !begins(lines[i]) && (strings.TrimSpace(lines[i]) != "" || !beginsNext(lines, i)); i++ {
				continue
			}
			add(block{}, from, i)
		}
	}
	return blocks
}

// beginsNext reports whether the next non-blank line starts a block, or there is none.
func beginsNext(lines []string, i int) bool {
	for i < len(lines) && strings.TrimSpace(lines[i]) == "" {
		i++
	}
	return i == len(lines) || begins(lines[i])
}

// begins reports whether a line starts a fence, a quote or an item, which end a paragraph.
func begins(line string) bool {
	return fenceAt(line) != "" || quoteMark.MatchString(line) || isItem(line)
}

func isItem(line string) bool { return itemMark.MatchString(line) && !thematic.MatchString(line) }

// fenceAt returns the fence that starts a line, "" for none.
func fenceAt(line string) string {
	t := strings.TrimLeft(line, " ")
	if len(line)-len(t) > 3 {
		return ""
	}
	return fenceOf(t)
}

// endOfFence returns the line after the code block that starts at a line.
func endOfFence(lines []string, i int) int {
	mark := fenceAt(lines[i])
	for i++; i < len(lines); i++ {
		if m := fenceAt(lines[i]); strings.HasPrefix(m, mark) && strings.TrimSpace(strings.TrimLeft(lines[i], " ")[len(m):]) == "" {
			return i + 1
		}
	}
	return i
}

// goesOn reports whether a line belongs to the block above: it is marked, or it continues a
// paragraph.
func goesOn(lines []string, i, from int, marked bool) bool {
	if marked {
		return true
	}
	return i > from && strings.TrimSpace(lines[i]) != "" && !begins(lines[i]) && !heading.MatchString(lines[i]) && !thematic.MatchString(lines[i]) &&
		strings.TrimSpace(quoteMark.ReplaceAllString(lines[i-1], "")) != "" && fenceAt(quoteMark.ReplaceAllString(lines[i-1], "")) == ""
}

// itemAt returns the list item that starts at a line, and the line after it.
func itemAt(lines []string, i int) (b block, next int) {
	m := itemMark.FindStringSubmatch(lines[i])
	b = block{kind: blockItem, mark: "•"}
	if c := m[2][0]; c >= '0' && c <= '9' {
		b.mark = m[2]
	}
	inner := len(m[0])
	if m[3] == "" {
		inner = len(m[1]) + len(m[2]) + 1
	}
	b.lines = append(b.lines, lines[i][min(len(m[0]), len(lines[i])):])
	from := i
	for i++; i < len(lines); i++ {
		line := lines[i]
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case strings.TrimSpace(line) == "":
			k := i
			for k < len(lines) && strings.TrimSpace(lines[k]) == "" {
				k++
			}
			if k == len(lines) || len(lines[k])-len(strings.TrimLeft(lines[k], " ")) < inner {
				return b, i
			}
			b.lines = append(b.lines, "")
		case indent >= inner:
			b.lines = append(b.lines, line[inner:])
		case goesOn(lines, i, from, false):
			b.lines = append(b.lines, strings.TrimLeft(line, " "))
		default:
			return b, i
		}
	}
	return b, i
}

// deepest is the deepest nesting of blocks rendered in their own width.
const deepest = 6

// narrowest is the least width of a block rendered in its own width.
const narrowest = 16

// blocks renders a text block by block; false if the renderer failed.
func (m *Markdown) blocks(text string, w, depth int) (out []string, ok bool) {
	if depth >= deepest || w < narrowest || definition.MatchString(text) {
		return m.rendered(text, w)
	}
	var before blockKind
	for n, b := range splitBlocks(text) {
		var lines []string
		inside := strings.Join(b.lines, "\n")
		switch b.kind {
		case blockQuote:
			lines, ok = m.blocks(inside, w-2, depth+1)
			bar := m.St.Paint(InkDim, "│")
			lines = hung(lines, bar, bar)
		case blockItem:
			mark := Width(b.mark)
			lines, ok = m.blocks(inside, w-mark-1, depth+1)
			lines = hung(lines, b.mark, Blanks(mark))
		case blockCode:
			lines, ok = m.code(inside, w)
		default:
			lines, ok = m.rendered(inside, w)
		}
		if !ok {
			return nil, false
		}
		close := !b.apart && b.kind == blockItem && (before == blockItem || before == blockOther)
		if n > 0 && !close {
			out = append(out, "")
		}
		out, before = append(out, lines...), b.kind
	}
	return out, true
}

// The renderer pads each line to its width. That of code grows in steps, up to codeCells in all.
const (
	codeStep  = 64
	codeCells = 1 << 17
)

// code renders a code block. A wrapped line continues below its own indent.
func (m *Markdown) code(text string, w int) ([]string, bool) {
	widest := 0
	for line := range strings.SplitSeq(text, "\n") {
		widest = max(widest, Width(line))
	}
	wide := (widest/codeStep + 2) * codeStep
	if widest+2 <= w || wide*(strings.Count(text, "\n")+1) > codeCells {
		return m.rendered(text, w)
	}
	lines, ok := m.rendered(text, wide)
	var out []string
	for _, line := range lines {
		if Width(line) <= w {
			out = append(out, line)
			continue
		}
		plain := ansi.Strip(line)
		indent := min(len(plain)-len(strings.TrimLeft(plain, " ")), w/2)
		for _, piece := range wrapWords(ansi.TruncateLeft(line, indent, ""), w-indent) {
			out = append(out, Blanks(indent)+piece)
		}
	}
	return out, ok
}

// hung puts first before the first line and rest before the others, followed by a blank.
func hung(lines []string, first, rest string) []string {
	if len(lines) == 0 {
		return []string{first}
	}
	lines = balance(lines)
	for i, line := range lines {
		lead := rest
		if i == 0 {
			lead = first
		}
		switch {
		case line != "":
			lines[i] = lead + " " + line
		case strings.TrimSpace(lead) != "":
			lines[i] = lead
		}
	}
	return lines
}

// unwrapped is a width at which the renderer wraps no prose. It pads each line to the width, so a
// text gets no more than its number of bytes, and a text of many lines is not widened.
const (
	unwrapped = 4000
	manyLines = 40
)

// linkWidth returns the width for the renderer. It breaks addresses at punctuation, so a text with
// an address is rendered wide and wrapped afterwards, between words.
func linkWidth(text string, w int) int {
	if strings.Contains(text, "://") && !strings.Contains(text, "|") && strings.Count(text, "\n") < manyLines {
		return max(w, min(len(text), unwrapped))
	}
	return w
}

// wrapWords wraps a styled line at its blanks only; a word longer than a line is cut.
func wrapWords(line string, w int) (out []string) {
	now, width := "", 0
	for word := range strings.SplitSeq(line, " ") {
		n := Width(word)
		if now != "" && width+1+n > w {
			out, now, width = append(out, now), "", 0
		}
		if now != "" {
			now, width = now+" ", width+1
		}
		if n > w {
			pieces := strings.Split(ansi.Hardwrap(word, w, true), "\n")
			out, word = append(out, pieces[:len(pieces)-1]...), pieces[len(pieces)-1]
			n = Width(word)
		}
		now, width = now+word, width+n
	}
	return append(out, now)
}
