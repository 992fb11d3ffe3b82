package redact

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"
	"unicode/utf8"

	"turns/model"
)

// A credential may be written so that a reader sees it and a search does not: with a colour or a
// character without width within it, or with escapes of JSON for its letters. Around such places
// the text is looked at once more as it is seen.

// seenReach is how far around such a place a credential is looked for.
const seenReach = 1 << 10

// seen is a part of a text as it is seen.
type seen struct {
	plain []byte
	runs  []run
	odd   []int // bytes of plain that are, or behind which something is, not as it is recorded
}

// run is where bytes of plain come from: those from at on stand in the text from from on.
type run struct {
	at, from int
	n        int // of one byte that is written with several: how many; 0: they are as recorded
}

// findSeen looks at what is not written as it is seen and adds what it finds.
func (r *Redactor) findSeen(s *scan, search func(*scan)) {
	text, i := s.text, nextOdd(s.text, 0)
	if i == len(text) {
		return
	}
	v := r.seen.Get().(*seen)
	defer r.seen.Put(v)
	for i < len(text) {
		begin := max(0, i-seenReach)
		end := begin
		*v = seen{v.plain[:0], v.runs[:0], v.odd[:0]}
		for i < len(text) && i-end <= 2*seenReach { // places close together are one part
			v.asRecorded(text, end, i)
			c, n := oddAt(text, i)
			v.oddly(c, i, n)
			end = i + n
			i = nextOdd(text, end)
		}
		v.asRecorded(text, end, min(len(text), end+seenReach))
		inner := scan{text: v.plain}
		search(&inner)
		for _, h := range inner.found {
			if h.start == 0 && begin > 0 || !v.touches(h) {
				continue
			}
			start, _ := v.origin(h.start)
			_, end := v.origin(h.end - 1)
			s.found = append(s.found, hit{start, end, h.rule, h.with})
		}
	}
}

// asRecorded adds text that is seen as it is recorded.
func (v *seen) asRecorded(text []byte, from, to int) {
	if from < to {
		v.runs = append(v.runs, run{at: len(v.plain), from: from})
		v.plain = append(v.plain, text[from:to]...)
	}
}

// oddly adds n bytes that stand for a character, or for none.
func (v *seen) oddly(c byte, from, n int) {
	switch {
	case c != 0:
		v.odd = append(v.odd, len(v.plain))
		v.runs = append(v.runs, run{len(v.plain), from, n})
		v.plain = append(v.plain, c)
	case len(v.plain) > 0:
		v.odd = append(v.odd, len(v.plain)-1)
	}
}

// touches tells whether a finding holds what is not as it is recorded; the name before a
// value counts too.
func (v *seen) touches(h hit) bool {
	i, _ := slices.BinarySearch(v.odd, h.start-16)
	return i < len(v.odd) && v.odd[i] < h.end
}

// origin is where a byte of plain comes from, and where what it comes from ends.
func (v *seen) origin(i int) (from, to int) {
	n := sort.Search(len(v.runs), func(k int) bool { return v.runs[k].at > i }) - 1
	r := v.runs[n]
	from = r.from + i - r.at
	return from, from + max(r.n, 1)
}

// nextOdd is the next place from i on that is not as it is seen.
func nextOdd(t []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for i < len(t) {
		for i+8 <= len(t) {
			x := binary.LittleEndian.Uint64(t[i:])
			slash := x ^ ones*'\\'
			if hit := ((x-ones*0x20)&^x | x | (slash-ones)&^slash) & highs; hit != 0 {
				i += bits.TrailingZeros64(hit) / 8
				break
			}
			i += 8
		}
		if i >= len(t) {
			break
		}
		if _, n := oddAt(t, i); n > 0 {
			return i
		}
		if i++; t[i-1] == '\\' {
			for i < len(t) && t[i] == '\\' {
				i++
			}
		}
	}
	return len(t)
}

// oddAt is the length of what begins at i and is not as it is seen, and the character that it
// stands for; 0 for none.
func oddAt(t []byte, i int) (c byte, n int) {
	switch b := t[i]; {
	case b == '\\':
		return escapeAt(t, i)
	case b == 0x1b:
		return 0, 1 + sequence(t[i+1:])
	case b == '\r':
		if i+1 < len(t) && t[i+1] == '\n' {
			return 0, 0
		}
		return 0, 1
	case b == '\n', b == '\t', b >= 0x20 && b < 0x7f:
		return 0, 0
	case b < utf8.RuneSelf:
		return 0, 1
	}
	r, n := utf8.DecodeRune(t[i:])
	switch {
	case r == '␛': // as control characters are shown
		return 0, n + sequence(t[i+n:])
	case r >= 0x2400 && r <= 0x2426 && r != '␊' && r != '␉':
		return 0, n
	}
	if r >= 0x80 && r <= 0x9f || model.Invisible(r) {
		return 0, n
	}
	return 0, 0
}

// escapeAt reads an escape of JSON, of whatever depth, that stands for a character which needs
// none, or for one that is not seen.
func escapeAt(t []byte, i int) (c byte, n int) {
	j := i
	for j < len(t) && t[j] == '\\' {
		j++
	}
	if j == len(t) || j-i > 16 {
		return 0, 0
	}
	switch t[j] {
	case '_', '*', '~', '!', '|': // of Markdown
		return t[j], j + 1 - i
	case '/':
		return '/', j + 1 - i
	case 'b', 'f':
		return 0, j + 1 - i
	case 'u':
	default:
		return 0, 0
	}
	if j+5 > len(t) {
		return 0, 0
	}
	r := rune(0)
	for _, h := range t[j+1 : j+5] {
		switch h = lower(h); {
		case h >= '0' && h <= '9':
			r = r<<4 | rune(h-'0')
		case h >= 'a' && h <= 'f':
			r = r<<4 | rune(h-'a'+10)
		default:
			return 0, 0
		}
	}
	n = j + 5 - i
	switch {
	// the last four are escaped by many, and no part of a key
	case r == '"', r == '\\', r == '\n', r == '\t', r == '\r', r == '<', r == '>', r == '&', r == '\'':
		return 0, 0
	case r == 0x1b:
		return 0, n + sequence(t[i+n:])
	case r >= 0x20 && r < 0x7f:
		return byte(r), n
	case r <= 0x9f, model.Invisible(r), r == 0xdb40, r >= 0xdc00 && r <= 0xdfff && i >= 6 && t[i-6] == '\\':
		// tags are written as two
		return 0, n
	}
	return 0, 0
}

// sequence is the length of what follows an escape character and belongs to it.
func sequence(t []byte) int {
	if len(t) == 0 || t[0] != '[' {
		return 0
	}
	for i := 1; i < len(t) && i < 32; i++ {
		switch c := t[i]; {
		case c >= 0x40 && c < 0x7f:
			return i + 1
		case c < 0x20 || c > 0x7f:
			return i
		}
	}
	return 1
}
