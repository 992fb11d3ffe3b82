package redact

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"
	"unicode/utf8"

	"turns/model"
)

// A credential may be visible to a reader but hidden from a search: with a colour sequence or a
// zero-width character inside, or with JSON escapes for its letters. Around such places the text is
// searched again in its visible form.

// seenReach is the distance around such a place that is searched.
const seenReach = 1 << 10

// seen is a part of a text in its visible form.
type seen struct {
	plain []byte
	runs  []run
	odd   []int // indexes in plain of bytes that differ from the record, or before such a place
}

// run is the origin of bytes of plain: those from at on are in the text from from on.
type run struct {
	at, from int
	n        int // for one byte written as several: their number; 0: they are as recorded
}

// findSeen searches the places whose visible form differs from the text, and adds its findings.
func (r *Redactor) findSeen(s *scan, search func(*scan)) {
	text, where := s.text, places{text: s.text, names: r.names != nil, odd: -1, escaped: -1}
	i := where.next(0)
	if i == len(text) {
		return
	}
	v := r.seen.Get().(*seen)
	defer r.seen.Put(v)
	for i < len(text) {
		begin := max(0, i-seenReach)
		end := begin
		*v = seen{v.plain[:0], v.runs[:0], v.odd[:0]}
		for i < len(text) && i-end <= 2*seenReach { // places close together form one part
			v.asRecorded(text, end, i)
			end = i + where.at(v, i)
			i = where.next(end)
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

// asRecorded adds text that is visible as recorded.
func (v *seen) asRecorded(text []byte, from, to int) {
	v.runs = append(v.runs, run{at: len(v.plain), from: from})
	v.plain = append(v.plain, text[from:to]...)
}

// oddly adds n bytes that represent one character, or none.
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

// touches reports whether a finding includes bytes that differ from the record; the name before a
// value counts as well.
func (v *seen) touches(h hit) bool {
	i, _ := slices.BinarySearch(v.odd, h.start-16)
	return i < len(v.odd) && v.odd[i] < h.end
}

// origin returns the origin of a byte of plain, as a range of the text.
func (v *seen) origin(i int) (from, to int) {
	n := sort.Search(len(v.runs), func(k int) bool { return v.runs[k].at > i }) - 1
	r := v.runs[n]
	from = r.from + i - r.at
	return from, from + max(r.n, 1)
}

// nextOdd returns the next position from i on where the visible form differs.
func nextOdd(t []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for {
		for i+8 <= len(t) {
			x := binary.LittleEndian.Uint64(t[i:])
			slash, del := x^ones*'\\', x^ones*0x7f
			if hit := ((x-ones*0x20)&^x | x | (slash-ones)&^slash | (del-ones)&^del) & highs; hit != 0 {
				i += bits.TrailingZeros64(hit) / 8
				break
			}
			i += 8
		}
		if i >= len(t) {
			return len(t)
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
}

// oddAt returns the length of the bytes at i whose visible form differs, and the character that
// they represent (0: none).
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
	case r == '␛': // the visible form of control characters
		return 0, n + sequence(t[i+n:])
	case r >= 0x2400 && r <= 0x2426 && r != '␊' && r != '␉':
		return 0, n
	}
	if r >= 0x80 && r <= 0x9f || model.Invisible(r) {
		return 0, n
	}
	return 0, 0
}

// escapeAt parses a JSON escape, at any depth, for a character that needs no escape or is
// invisible.
func escapeAt(t []byte, i int) (c byte, n int) {
	j := i
	for j < len(t) && t[j] == '\\' {
		j++
	}
	if j == len(t) || j-i > 16 {
		return 0, 0
	}
	switch t[j] {
	case '_', '*', '~', '!', '|': // Markdown
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
	// many encoders escape the last four, and no key contains them
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

// sequence returns the length of the escape sequence after an escape character.
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
