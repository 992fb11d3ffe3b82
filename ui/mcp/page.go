package mcp

import (
	"crypto/rand"
	"fmt"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"turns/model/token"
)

// Sizes of an answer in tokens.
const (
	usualTokens = 800
	mostTokens  = 20_000
	margin      = 120 // for the marks around the text of transcripts
)

// page cuts a text to a number of tokens, at a line end if that loses little. rest is the byte at
// which the next page starts, 0 at the end.
func page(text string, tokens int) (part string, rest int) {
	if tokens <= 0 {
		tokens = usualTokens
	}
	tokens = min(max(tokens, 2*margin), mostTokens) - margin
	counter := token.New(token.O200k)
	end := 0
	for line := range strings.Lines(text) {
		n := counter.Count([]byte(line))
		if n > tokens {
			if end == 0 {
				end = longest(counter, line, tokens)
			}
			return text[:end], end
		}
		tokens -= n
		end += len(line)
	}
	return text, 0
}

// longest returns the number of bytes of a line that have that many tokens, if the line is longer
// than a page.
func longest(counter *token.Counter, line string, tokens int) int {
	low := max(1, sort.Search(min(len(line), 8*tokens), func(n int) bool { return counter.Count([]byte(line[:n+1])) > tokens }))
	for low > 1 && low < len(line) && !utf8.RuneStart(line[low]) {
		low--
	}
	return low
}

// rests stores the rests of long answers, so that the next page needs no second search. The oldest
// are dropped first.
type rests struct {
	mu    sync.Mutex
	texts map[string]string
	order []string // keys of texts, the oldest first
	bytes int
}

// Limits of the stored rests.
const (
	mostRests     = 64
	mostRestBytes = maxOutput
)

// keep stores a text and returns its token.
func (r *rests) keep(text string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.texts == nil {
		r.texts = map[string]string{}
	}
	id := strings.ToLower(rand.Text()[:8])
	r.texts[id], r.order, r.bytes = text, append(r.order, id), r.bytes+len(text)
	for len(r.order) > 1 && (len(r.order) > mostRests || r.bytes > mostRestBytes) {
		r.bytes -= len(r.texts[r.order[0]])
		delete(r.texts, r.order[0])
		r.order = r.order[1:]
	}
	return id
}

// text returns the text of a token. Tokens are reusable.
func (r *rests) text(id string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, ok := r.texts[id]
	if !ok {
		return "", fmt.Errorf("next %q is unknown or too old: call again without next", id)
	}
	return text, nil
}
