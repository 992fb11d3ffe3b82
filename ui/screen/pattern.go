package screen

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern finds what the search line asks for in lines that are on the screen. What matches in the
// conversation, package query says.
type Pattern struct {
	text string
	fold bool // case does not matter
	re   *regexp.Regexp
}

// NewPattern reads a search: /regex/flags or a text; capital letters make case matter.
func NewPattern(text string) Pattern {
	p := Pattern{text: text, fold: !strings.ContainsFunc(text, unicode.IsUpper)}
	if end := strings.LastIndexByte(text, '/'); len(text) > 2 && text[0] == '/' && end > 1 {
		flags := text[end+1:]
		if p.fold && !strings.Contains(flags, "i") {
			flags += "i"
		}
		expr := text[1:end]
		if flags != "" {
			expr = "(?" + flags + ")" + expr
		}
		if re, err := regexp.Compile(expr); err == nil {
			p.re = re
		}
	}
	if p.fold {
		p.text = strings.ToLower(text)
	}
	return p
}

// In finds the pattern in s from a byte on; from and to are -1 for none.
func (p Pattern) In(s string, at int) (from, to int) {
	if p.text == "" || at > len(s) {
		return -1, -1
	}
	if p.re != nil {
		m := p.re.FindStringIndex(s[at:])
		if m == nil || m[0] == m[1] {
			return -1, -1
		}
		return at + m[0], at + m[1]
	}
	if !p.fold {
		i := strings.Index(s[at:], p.text)
		if i < 0 {
			return -1, -1
		}
		return at + i, at + i + len(p.text)
	}
	first, _ := utf8.DecodeRuneInString(p.text)
	for i := at; i < len(s); {
		j := indexRuneFold(s[i:], first)
		if j < 0 {
			return -1, -1
		}
		i += j
		if n := prefixFold(s[i:], p.text); n >= 0 {
			return i, i + n
		}
		_, w := utf8.DecodeRuneInString(s[i:])
		i += w
	}
	return -1, -1
}

// Holds reports whether the pattern occurs in s.
func (p Pattern) Holds(s string) bool {
	from, _ := p.In(s, 0)
	return from >= 0
}

func indexRuneFold(s string, lower rune) int {
	upper := unicode.ToUpper(lower)
	a, b := strings.IndexRune(s, lower), -1
	if upper != lower {
		if a >= 0 {
			b = strings.IndexRune(s[:a], upper)
		} else {
			b = strings.IndexRune(s, upper)
		}
	}
	if b >= 0 && (a < 0 || b < a) {
		return b
	}
	return a
}

// prefixFold is how many bytes at the beginning of s are the text in any case, -1 if they are not.
func prefixFold(s, lower string) int {
	n := 0
	for _, want := range lower {
		if n >= len(s) {
			return -1
		}
		r, w := utf8.DecodeRuneInString(s[n:])
		if r != want && unicode.ToLower(r) != want {
			return -1
		}
		n += w
	}
	return n
}
