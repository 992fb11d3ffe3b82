package filter

import (
	"unicode"
	"unicode/utf8"
)

// Rank is the relevance of a match, from 0 to 1: messages rank above tool output, whole words
// above parts, and many matches above one, with less weight for each.
func (m *SearchMatch) Rank() float64 {
	weight := 0.5
	switch {
	case m.Where == "text" && m.Role == "user":
		weight = 1
	case m.Where == "text":
		weight = 0.9
	case m.Where == "reasoning":
		weight = 0.7
	case m.Where == "call", m.Where == "name":
		weight = 0.6
	}
	if len(m.Spans) > 0 && !wholeWord(m.Line, m.Spans[0]) {
		weight *= 0.6
	}
	often := float64(max(m.Count, 1))
	return weight * often / (often + 1.2)
}

// wholeWord reports whether no letters or digits adjoin a range.
func wholeWord(line string, at [2]int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:at[0]])
	behind, _ := utf8.DecodeRuneInString(line[at[1]:])
	in := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	return !in(before) && !in(behind)
}
