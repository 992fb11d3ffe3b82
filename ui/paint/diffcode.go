package paint

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// diffCode colours the lines of a diff as code. The highlighter gets single lines, so diffCode
// itself tracks comments over several lines, separately for the old and the new text.
type diffCode struct {
	lexer         chroma.Lexer
	blocks        bool // the language has /* … */ comments
	before, after bool // the next line is inside such a comment
}

func newDiffCode(lexer chroma.Lexer) *diffCode {
	return &diffCode{lexer: lexer, blocks: lexer != nil && hasBlocks(lexer)}
}

// hasBlocks reports whether the language has /* … */ comments.
func hasBlocks(lexer chroma.Lexer) bool {
	for _, s := range syntax(lexer, "/* x */", InkText) {
		if strings.Contains(s.Text, "x") {
			return s.Ink == inkComment
		}
	}
	return false
}

// line colours a line with a sign.
func (c *diffCode) line(sign byte, body string, plain Ink) []Span {
	if !c.blocks {
		return syntax(c.lexer, body, plain)
	}
	in := c.before
	if sign == '+' {
		in = c.after
	}
	spans, open := c.spans(body, plain, in)
	if sign != '+' {
		c.before = open
	}
	if sign != '-' {
		c.after = open
	}
	return spans
}

// spans colours a line. in means that it begins inside a comment, open that the next one does.
func (c *diffCode) spans(body string, plain Ink, in bool) (spans []Span, open bool) {
	if lead := strings.TrimLeft(body, " \t"); !in && (lead == "*" || strings.HasPrefix(lead, "* ") || strings.HasPrefix(lead, "*/")) {
		in = true // the comment begins above the diff
	}
	if in {
		end := strings.Index(body, "*/")
		if end < 0 {
			return []Span{{Text: body, Ink: inkComment}}, true
		}
		rest, open := c.spans(body[end+2:], plain, false)
		return append([]Span{{Text: body[:end+2], Ink: inkComment}}, rest...), open
	}
	at := strings.LastIndex(body, "/*")
	if at < 0 || strings.Contains(body[at:], "*/") || strings.Contains(body[:at], "//") || strings.ContainsAny(body[:at], "\"'`") {
		return syntax(c.lexer, body, plain), false
	}
	return append(syntax(c.lexer, body[:at], plain), Span{Text: body[at:], Ink: inkComment}), true
}
