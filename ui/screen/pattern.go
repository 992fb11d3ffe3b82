package screen

import (
	"regexp"
	"strings"
	"unicode"
)

// Pattern finds the text of the search line in visible lines. Package query searches the session
// itself.
type Pattern struct {
	re    *regexp.Regexp
	plain bool // it is a text, not an expression
}

// NewPattern parses a search: /regex/flags or a text. It ignores case unless there are capital
// letters. An invalid expression is a text.
func NewPattern(text string) Pattern {
	fold := ""
	if !strings.ContainsFunc(text, unicode.IsUpper) {
		fold = "i"
	}
	if end := strings.LastIndexByte(text, '/'); len(text) > 2 && text[0] == '/' && end > 1 {
		if re, err := regexp.Compile(withFlags(text[end+1:]+fold, text[1:end])); err == nil {
			return Pattern{re: re}
		}
	}
	return Pattern{regexp.MustCompile(withFlags(fold, regexp.QuoteMeta(strings.ToValidUTF8(text, "\uFFFD")))), true}
}

// withFlags prefixes an expression with flags, if any.
func withFlags(flags, expr string) string {
	if flags == "" {
		return expr
	}
	return "(?" + flags + ")" + expr
}

// In finds the pattern in s from byte at on; from and to are -1 for none.
func (p Pattern) In(s string, at int) (from, to int) {
	if p.re == nil || at > len(s) {
		return -1, -1
	}
	m := p.re.FindStringIndex(s[at:])
	if m == nil || m[0] == m[1] {
		return -1, -1
	}
	return at + m[0], at + m[1]
}

// Holds reports whether the pattern occurs in s.
func (p Pattern) Holds(s string) bool {
	from, _ := p.In(s, 0)
	return from >= 0
}

// InLines reports whether the pattern occurs in a line of a text.
func (p Pattern) InLines(text string) bool {
	if p.plain {
		return p.Holds(text)
	}
	for line := range strings.Lines(text) {
		if p.Holds(strings.TrimSuffix(line, "\n")) {
			return true
		}
	}
	return false
}

// Times counts the occurrences of the pattern in s.
func (p Pattern) Times(s string) (n int) {
	for from, to := p.In(s, 0); from >= 0; from, to = p.In(s, to) {
		n++
	}
	return n
}
