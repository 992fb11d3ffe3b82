package model

import (
	"bytes"
	"encoding/binary"
	"html"
	"math/bits"
	"unicode/utf8"
)

// Needle is a text to search for in recorded bytes. It matches in any case and spelling: with
// escapes of JSON at any depth, with invisible characters in between, and split over several
// strings that form one text.
type Needle struct {
	text []byte      // in lower case: printable ASCII without quotes, slashes and backslashes
	u    bool        // it may itself be a part of an escape
	at   [256]uint64 // positions of a byte in it: bit n is position n
	edge [256]edge   // possible meaning of a byte next to a quote
	// Matches within strings: the first n bytes at the end of a string, the rest from byte n on at
	// the beginning of one, and pieces that are a complete string.
	ends, begins []bool
	whole        [][]bool
	found        bool
	// Most texts have no piece of the needle, which a search for its rarest letter shows.
	rare   int  // index of its rarest letter; -1: it has none
	pieced bool // there are pieces: record all of them
	passed bool // pieces were not recorded in some searched bytes
}

// NewNeedles prepares texts for a search. It returns nil if one is too short to be found by bytes.
func NewNeedles(texts [][]byte) []*Needle {
	var all []*Needle
	for _, text := range texts {
		text = laidOut(plainRun(text))
		if len(text) < 3 {
			return nil
		}
		n := &Needle{text: text[:min(len(text), longestNeedle)]}
		n.u = bytes.Contains(n.text, []byte("u00"))
		for i := range n.at {
			for k, c := range n.text {
				if c == lower(byte(i)) {
					n.at[i] |= 1 << k
				}
			}
		}
		n.edge, n.rare = n.edges(), rarestLetter(n.text)
		n.ends, n.begins, n.whole = make([]bool, len(n.text)+1), make([]bool, len(n.text)+1), make([][]bool, len(n.text)+1)
		for i := range n.whole {
			n.whole[i] = make([]bool, len(n.text)+1)
		}
		all = append(all, n)
	}
	return all
}

// laidOut returns the longest part of a text that is the same for any layout of JSON: without white
// space next to punctuation of JSON.
func laidOut(text []byte) []byte {
	sign := func(i int) bool { return i >= 0 && i < len(text) && bytes.IndexByte([]byte("{}[]:,"), text[i]) >= 0 }
	var best []byte
	from := 0
	for i := range len(text) + 1 {
		if i == len(text) || text[i] == ' ' && (sign(i-1) || sign(i+1)) {
			if i-from > len(best) {
				best = text[from:i]
			}
			from = i + 1
		}
	}
	return best
}

// longestNeedle limits the part of a text to search for.
const longestNeedle = 64 // the number of bits in an element of n.at

// Reset forgets all matches.
func (n *Needle) Reset() {
	clear(n.ends)
	clear(n.begins)
	for i := range n.whole {
		clear(n.whole[i])
	}
	n.found, n.pieced, n.passed = false, false, false
}

// Look searches recorded bytes, and plain, their form after [Unescaped], if that differs (changed).
// It also records pieces of the text.
func (n *Needle) Look(data, plain []byte, changed bool) {
	n.found = n.found || changed && (n.u || IndexFold(data, n.text, bytes.IndexByte) >= 0)
	if n.found {
		return
	}
	if n.pieced || n.rare < 0 {
		n.found = IndexFold(plain, n.text, bytes.IndexByte) >= 0
	} else if n.found, n.pieced = n.near(plain); !n.pieced {
		n.passed = true
	}
	if !n.found && (n.pieced || n.rare < 0) && !n.passed {
		n.pieces(plain)
	}
}

// Unsure reports whether Look may have missed pieces before the first sign of one. If so, search
// again from the beginning, after [Needle.Thorough].
func (n *Needle) Unsure() bool { return n.pieced && n.passed && !n.found }

// Thorough resets the needle and makes it record every piece from now on.
func (n *Needle) Thorough() {
	n.Reset()
	n.pieced = true
}

// near looks around each of the needle's rarest letters, for the complete needle, or for a piece of
// it next to the possible start or end of a string. If there is none, no pieces can form the
// needle, because readers add no letters.
func (n *Needle) near(data []byte) (whole, piece bool) {
	small := n.text[n.rare]
	for _, c := range [...]byte{small, upper(small)} {
		for at := bytes.IndexByte(data, c); at >= 0; {
			from, to := at, at+1 // start and end of the equal part
			k, m := n.rare, n.rare+1
			for k > 0 && from > 0 && lower(data[from-1]) == n.text[k-1] {
				k, from = k-1, from-1
			}
			for m < len(n.text) && to < len(data) && lower(data[to]) == n.text[m] {
				m, to = m+1, to+1
			}
			if k == 0 && m == len(n.text) {
				return true, piece
			}
			piece = piece || (k == 0 || mayBegin(data[:from])) && (m == len(n.text) || to == len(data) || mayEnd(data[to]))
			next := bytes.IndexByte(data[at+1:], c)
			if next < 0 {
				break
			}
			at += 1 + next
		}
		if c == upper(c) {
			break
		}
	}
	return false, piece
}

// mayBegin reports whether a string may begin after data, ignoring the bytes that [trimBegin]
// removes.
func mayBegin(data []byte) bool {
	if len(data) == 0 {
		return true
	}
	switch c := data[len(data)-1]; c {
	case 'n', 'r', 't':
		return len(data) == 1 || data[len(data)-2] == '\\'
	default:
		return mayEnd(c)
	}
}

// edge is the possible meaning of a byte next to a quote.
type edge uint8

const (
	edgeEnd   edge = 1 << iota // a piece of it may end here
	edgeBegin                  // a piece of it may begin here
)

// edges returns for each byte its possible meaning next to a quote. It rules out most quotes, which
// belong to names and punctuation.
func (n *Needle) edges() (edges [256]edge) {
	for c := range edges {
		if n.at[c] != 0 || bytes.IndexByte([]byte(` \nrt`), byte(c)) >= 0 {
			edges[c] |= edgeEnd
		}
		if n.at[c]&^1 != 0 || c == ' ' || c == '\\' {
			edges[c] |= edgeBegin
		}
	}
	return edges
}

// pieces records the beginnings and ends of strings. Quotes are so frequent that checking eight
// bytes at a time is faster than a search for each.
func (n *Needle) pieces(data []byte) {
	const low, quotes = 0x7f7f7f7f7f7f7f7f, 0x2222222222222222
	i := 0
	for ; i+8 <= len(data); i += 8 {
		x := binary.LittleEndian.Uint64(data[i:]) ^ quotes
		for is := ^((x&low + low) | x | low); is != 0; is &= is - 1 {
			n.quote(data, i+bits.TrailingZeros64(is)/8)
		}
	}
	for ; i < len(data); i++ {
		if data[i] == '"' {
			n.quote(data, i)
		}
	}
}

// quote records the bytes before and after a quote.
func (n *Needle) quote(data []byte, at int) {
	if at > 0 && n.edge[data[at-1]]&edgeEnd != 0 {
		n.before(data[:at])
	}
	if at+1 < len(data) && n.edge[data[at+1]]&edgeBegin != 0 {
		n.behind(data[at+1:])
	}
}

// before searches the end of a string for beginnings of the needle.
func (n *Needle) before(data []byte) {
	data = trimEnd(data)
	if len(data) == 0 {
		return
	}
	ends := n.at[data[len(data)-1]]
	if len(data) > 1 { // two letters rule out most strings
		ends &= n.at[data[len(data)-2]]<<1 | 1
	}
	for ; ends != 0; ends &= ends - 1 {
		k := bits.TrailingZeros64(ends) + 1
		if k < len(n.text) && !n.ends[k] && len(data) >= k && equalFold(data[len(data)-k:], n.text[:k]) {
			n.ends[k] = true
		}
	}
}

// behind searches a string for the rest of the needle, or for a piece of it.
func (n *Needle) behind(data []byte) {
	data = trimBegin(data)
	if len(data) == 0 {
		return
	}
	starts := n.at[data[0]] &^ 1
	if len(data) > 1 && !mayEnd(data[1]) { // two letters also suffice here
		starts &= n.at[data[1]]>>1 | 1<<(len(n.text)-1)
	}
	for ; starts != 0; starts &= starts - 1 {
		k, m := bits.TrailingZeros64(starts), 1
		for m < len(data) && k+m < len(n.text) && lower(data[m]) == n.text[k+m] {
			m++
		}
		if k+m == len(n.text) {
			n.begins[k] = true
		} else if rest := trimBegin(data[m:]); len(rest) > 0 && rest[0] == '"' {
			n.whole[k][k+m] = true
		}
	}
}

// mayEnd reports whether a string may end here, ignoring the bytes that [trimBegin] removes.
func mayEnd(c byte) bool { return c == '"' || c == ' ' || c == '\\' }

// Found reports whether the complete needle was found.
func (n *Needle) Found() bool { return n.found }

// May reports whether the needle was found, or its pieces can form it. White space and punctuation
// from the reader may be between pieces.
func (n *Needle) May() bool {
	if n.found {
		return true
	}
	reached := make([]bool, len(n.text)+1)
	reached[1] = sign(n.text[0])
	for k := 1; k < len(n.text); k++ {
		if reached[k] = reached[k] || n.ends[k]; !reached[k] {
			continue
		}
		if n.begins[k] {
			return true
		}
		if sign(n.text[k]) {
			reached[k+1] = true
		}
		for to, is := range n.whole[k] {
			reached[to] = reached[to] || is
		}
	}
	return reached[len(n.text)]
}

// sign reports whether a reader may have added the character between two pieces.
func sign(c byte) bool { return c < '0' || c > '9' && c < 'a' || c > 'z' }

func upper(b byte) byte {
	if b >= 'a' && b <= 'z' {
		b -= 'a' - 'A'
	}
	return b
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}

// trimEnd removes the possible bytes between words and the end of their string: white space, its
// escapes, and the backslashes of a nested quote.
func trimEnd(data []byte) []byte {
	for n := len(data); n > 0; n = len(data) {
		switch c := data[n-1]; {
		case c == ' ' || c == '\\':
			data = data[:n-1]
		case n > 1 && data[n-2] == '\\' && (c == 'n' || c == 'r' || c == 't'):
			data = data[:n-2]
		default:
			return data
		}
	}
	return data
}

func trimBegin(data []byte) []byte {
	for len(data) > 0 {
		switch {
		case data[0] == ' ':
			data = data[1:]
		case len(data) > 1 && data[0] == '\\' && (data[1] == 'n' || data[1] == 'r' || data[1] == 't'):
			data = data[2:]
		case data[0] == '\\' && len(data) > 1 && (data[1] == '\\' || data[1] == '"'):
			data = data[1:]
		default:
			return data
		}
	}
	return data
}

// Unescaped resolves escapes of printable ASCII at any depth and entities of HTML, and removes
// invisible characters. It returns data and false if there are none. buf is memory for the result.
func Unescaped(data, buf []byte) (plain []byte, changed bool) {
	if !hasEscape(data) && !hasEntity(data) && nextRaw(data, 0) == len(data) {
		return data, false
	}
	out := buf[:0]
	for i := 0; i < len(data); {
		c := data[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(data[i:])
			if !Invisible(r) {
				out = append(out, data[i:i+n]...)
			}
			i += n
			continue
		}
		if c == '&' {
			if sign, size := entity(data[i:]); size > 0 {
				out = append(out, sign)
				i += size
				continue
			}
		}
		if c != '\\' {
			out = append(out, c)
			i++
			continue
		}
		j := i
		for j < len(data) && data[j] == '\\' {
			j++
		}
		r, ok := rune(0), false
		if j < len(data) && data[j] == 'u' {
			r, ok = hex4(data[j+1:])
		}
		switch {
		case ok && r >= ' ' && r < 0x7f:
			out = append(out, byte(r))
		case ok && unseen(r):
		default:
			out = append(out, data[i:j]...)
			i = j
			continue
		}
		i = j + 5
	}
	return out, true
}

// unseen reports whether an escape may be of an invisible character, or of half of one.
func unseen(r rune) bool {
	return Invisible(r) || r == 0xdb40 || r == 0xd82f || r == 0xd834 || r >= 0xdc00 && r <= 0xdfff
}

// entity returns the character and the length of an HTML entity, in which some transcripts store
// texts; 0 if there is none.
func entity(data []byte) (sign byte, size int) {
	end := bytes.IndexByte(data[:min(len(data), len("&quot;")+2)], ';')
	if end < 0 {
		return 0, 0
	}
	if text := html.UnescapeString(string(data[:end+1])); len(text) == 1 {
		return text[0], end + 1
	}
	return 0, 0
}

func hasEntity(data []byte) bool {
	for i := 0; ; i++ {
		k := bytes.IndexByte(data[i:], '&')
		if k < 0 {
			return false
		}
		i += k
		if _, size := entity(data[i:]); size > 0 {
			return true
		}
	}
}

func hasEscape(data []byte) bool {
	for i := 0; ; {
		k := bytes.Index(data[i:], []byte(`\u`))
		if k < 0 {
			return false
		}
		i += k + 2
		if r, ok := hex4(data[i:]); ok && (r >= ' ' && r < 0x7f || unseen(r)) {
			return true
		}
	}
}
