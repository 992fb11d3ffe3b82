package mcp

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"turns/model/token"
)

// How much an answer says: what is usual, and what may be asked for.
const (
	usualTokens = 1000
	mostTokens  = 20_000
	margin      = 120 // tokens for the marks around what transcripts say
)

// page cuts a text to a number of tokens, from a byte on, at the end of a line where
// that loses little. rest is the byte to go on from, 0 at the end.
func page(text string, from, tokens int) (part string, rest int, err error) {
	if from < 0 || from > len(text) || from < len(text) && !utf8.RuneStart(text[from]) {
		return "", 0, fmt.Errorf("next is %d, and there is nothing to go on from; the transcript may have changed", from)
	}
	if tokens <= 0 {
		tokens = usualTokens
	}
	tokens = min(max(tokens, 2*margin), mostTokens) - margin
	counter := token.New(token.O200k)
	text = text[from:]
	end := 0
	for line := range strings.Lines(text) {
		n := counter.Count([]byte(line))
		if n > tokens {
			if end == 0 {
				end = longest(counter, line, tokens)
			}
			return text[:end], from + end, nil
		}
		tokens -= n
		end += len(line)
	}
	return text, 0, nil
}

// longest is how many bytes of a line have that many tokens: the line is longer than
// a page.
func longest(counter *token.Counter, line string, tokens int) int {
	low := max(1, sort.Search(min(len(line), 8*tokens), func(n int) bool { return counter.Count([]byte(line[:n+1])) > tokens }))
	for low > 1 && low < len(line) && !utf8.RuneStart(line[low]) {
		low--
	}
	return low
}

// pulled has at most two blanks between the cells of tables: those that align them
// cost a reader without eyes.
func pulled(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		rest := strings.TrimLeft(line, " ")
		b.WriteString(line[:len(line)-len(rest)])
		blanks := 0
		for _, r := range rest {
			if r != ' ' {
				blanks = 0
			} else if blanks++; blanks > 2 {
				continue
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
