package filter

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// regexSigns matches parts that are common in regular expressions and rare in literal searches. A
// dot, a question mark or brackets do not suffice: main.go, f(x), a[0].
var regexSigns = regexp.MustCompile(`\\[dDwWsSbB.|()\[\]{}*+?^$/\\]` + // \d+, \.go
	`|[^\s.]?\.[*+]` + // .*
	`|\[[^\]\s]*\w-\w[^\]]*\]|\[\^[^\]]+\]|\[[^\]]+\][*+{]` + // [a-z], [^"], [ab]+
	`|\)[*+?{]|\(\?[:imsU]` + // (ab)+, (?i)
	`|\w\|\w|\([^()]+\|[^()]+\)` + // error|panic, (a|b)
	`|\w\{\d+,?\d*\}` + // x{3}
	`|^\^\S|[^\s$]\$$`) // ^error, done$

// Typed returns the input of [NewPattern] for a typed search: the text, or a regex if it looks
// like one.
func Typed(text string) (src string, regex bool) {
	if wholeRegex(text) {
		return text, true
	}
	if !regexSigns.MatchString(text) {
		return text, false
	}
	if _, err := syntax.Parse(text, syntax.Perl); err != nil {
		return text, false // the brackets are literal
	}
	return AsRegex(text), true
}

// AsRegex returns the pattern source for a regex without slashes.
func AsRegex(expr string) string {
	var b strings.Builder
	b.WriteByte('/')
	escaped := false
	for _, r := range expr {
		if r == '/' && !escaped {
			b.WriteByte('\\')
		}
		escaped = !escaped && r == '\\'
		b.WriteRune(r)
	}
	b.WriteByte('/')
	return b.String()
}
