package export

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// JSON is written by appending: reflection would cost more than reading the
// conversation does.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special is the first place at or after i of a byte that cannot stand in a JSON
// string as it is: a control character, a quote or a backslash. It looks at eight
// bytes at a time.
func special(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		hit := (x-ones*0x20)&^x | (quote-ones)&^quote | (slash-ones)&^slash
		if hit &= highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < 0x20 || c == '"' || c == '\\' {
			return i
		}
	}
	return len(b)
}

const hexDigits = "0123456789abcdef"

// appendQuoted adds text as a JSON string with its quotes. Only what JSON demands
// is escaped; bytes that are no UTF-8 become U+FFFD.
func appendQuoted(dst, text []byte) []byte {
	dst = append(dst, '"')
	dst = appendInside(dst, text)
	return append(dst, '"')
}

// replaced has U+FFFD for each byte that is no UTF-8, as every reader of JSON has
// it; bytes.ToValidUTF8 would write one for a run of them.
func replaced(b []byte) []byte { return []byte(string([]rune(string(b)))) }

// appendInside adds text as the inside of a JSON string.
func appendInside(dst, text []byte) []byte {
	if !utf8.Valid(text) {
		text = replaced(text)
	}
	for start := 0; ; {
		i := special(text, start)
		dst = append(dst, text[start:i]...)
		if i == len(text) {
			return dst
		}
		dst = appendEscape(dst, text[i])
		start = i + 1
	}
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\t':
		return append(dst, '\\', 't')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendRecorded adds the recorded inside of a JSON string as it stands. The
// reader of records is lenient, so what JSON does not allow is mended: control
// characters are escaped, unknown escapes lose their backslash, bytes that are no
// UTF-8 and incomplete \u escapes become U+FFFD.
func appendRecorded(dst, raw []byte) []byte {
	if !utf8.Valid(raw) {
		raw = replaced(raw)
	}
	for start := 0; ; {
		i := special(raw, start)
		if i == len(raw) {
			return append(dst, raw[start:]...)
		}
		if raw[i] != '\\' {
			dst = append(dst, raw[start:i]...)
			dst = appendEscape(dst, raw[i])
			start = i + 1
			continue
		}
		n := escapeLen(raw[i:])
		if n > 0 {
			dst = append(dst, raw[start:i+n]...)
			start = i + n
			continue
		}
		dst = append(dst, raw[start:i]...)
		if start = i + 1; start == len(raw) {
			return append(dst, '\\', '\\')
		}
		if raw[start] == 'u' { // as reading it has it
			dst = append(dst, "\uFFFD"...)
			start++
		}
	}
}

// escapeLen is the length of the escape at the start of b, 0 where it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 {
			return 0
		}
		for _, c := range b[2:6] {
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
				return 0
			}
		}
		return 6
	}
	return 0
}

// appendLine begins a line of indented JSON.
func appendLine(dst []byte, indent, depth int) []byte {
	const spaces = "                                "
	dst = append(dst, '\n')
	for n := indent * depth; n > 0; n -= len(spaces) {
		dst = append(dst, spaces[:min(n, len(spaces))]...)
	}
	return dst
}

// layout says how a JSON value is laid out: with indent spaces a level, or, where
// that is 0, with the white space that it was recorded with, on one line.
type layout struct{ indent int }

// valueDepth is how deep a value may nest before it is written as text instead.
const valueDepth = 10_000

// appendValue adds a recorded JSON value: keys, their order, numbers and strings
// stay as they are, only white space between them is laid out anew. It is
// strict: ok is false where the bytes are not one JSON value, and dst comes back
// as it was. NaN and Infinity, which Python writes, become strings.
func (l layout) appendValue(dst, v []byte, depth int) (out []byte, ok bool) {
	c := copier{layout: l, src: v, depth: depth, limit: depth + valueDepth}
	out = c.value(c.space(dst, true))
	if c.bad {
		return dst, false
	}
	if c.space(nil, true); c.pos != len(v) {
		return dst, false
	}
	return out, true
}

// copier copies a value and checks it on the way.
type copier struct {
	layout
	src               []byte
	pos, depth, limit int
	bad               bool
}

// space passes over white space; in a value on one line it is kept, but for
// newlines.
func (c *copier) space(dst []byte, drop bool) []byte {
	for c.pos < len(c.src) {
		switch b := c.src[c.pos]; b {
		case '\n', '\r':
		case ' ', '\t':
			if !drop && c.indent == 0 {
				dst = append(dst, b)
			}
		default:
			return dst
		}
		c.pos++
	}
	return dst
}

func (c *copier) peek() byte {
	if c.pos < len(c.src) {
		return c.src[c.pos]
	}
	return 0
}

func (c *copier) value(dst []byte) []byte {
	switch b := c.peek(); {
	case b == '"':
		return c.text(dst)
	case b == '{' || b == '[':
		return c.container(dst, b)
	case b == '-' || b >= '0' && b <= '9':
		return c.number(dst)
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(c.src[c.pos:], []byte(word)) {
			c.pos += len(word)
			return append(dst, word...)
		}
	}
	return c.python(dst)
}

// python reads the numbers that only Python's json has.
func (c *copier) python(dst []byte) []byte {
	for _, word := range [...]string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(c.src[c.pos:], []byte(word)) {
			c.pos += len(word)
			return append(append(append(dst, '"'), word...), '"')
		}
	}
	c.bad = true
	return dst
}

func (c *copier) container(dst []byte, open byte) []byte {
	closing := open + 2 // '{' and '}', '[' and ']'
	if c.depth++; c.depth > c.limit {
		c.bad = true
		return dst
	}
	c.pos++
	dst = append(dst, open)
	dst = c.space(dst, false)
	if c.peek() == closing {
		c.pos++
		c.depth--
		return append(dst, closing)
	}
	for !c.bad {
		if c.indent > 0 {
			dst = appendLine(dst, c.indent, c.depth)
		}
		if open == '{' {
			dst = c.key(dst)
		}
		dst = c.space(c.value(dst), false)
		switch c.peek() {
		case ',':
			c.pos++
			dst = c.space(append(dst, ','), false)
			continue
		case closing:
			c.pos++
			if c.depth--; c.indent > 0 {
				dst = appendLine(dst, c.indent, c.depth)
			}
			return append(dst, closing)
		}
		c.bad = true
	}
	return dst
}

func (c *copier) key(dst []byte) []byte {
	if c.peek() != '"' {
		c.bad = true
		return dst
	}
	dst = c.space(c.text(dst), false)
	if c.peek() != ':' {
		c.bad = true
		return dst
	}
	c.pos++
	dst = append(dst, ':')
	if c.indent > 0 {
		dst = append(dst, ' ')
	}
	return c.space(dst, false)
}

// text copies a string.
func (c *copier) text(dst []byte) []byte {
	start := c.pos + 1
	plain := true
	for i := start; ; {
		i = special(c.src, i)
		if i >= len(c.src) {
			c.bad = true
			return dst
		}
		switch c.src[i] {
		case '"':
			c.pos = i + 1
			dst = append(dst, '"')
			if inside := c.src[start:i]; plain && utf8.Valid(inside) {
				dst = append(dst, inside...)
			} else {
				dst = appendRecorded(dst, inside)
			}
			return append(dst, '"')
		case '\\':
			n := escapeLen(c.src[i:])
			if n == 0 {
				plain = false
				n = min(2, len(c.src)-i)
			}
			i += n
		default:
			plain = false
			i++
		}
	}
}

func (c *copier) number(dst []byte) []byte {
	i := c.pos
	b := c.src
	digits := func() bool {
		from := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if b[i] == '-' {
		if i++; i < len(b) && b[i] == 'I' {
			return c.python(dst)
		}
	}
	first := i
	ok := digits() && (b[first] != '0' || i == first+1)
	if ok && i < len(b) && b[i] == '.' {
		i++
		ok = digits()
	}
	if ok && i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		ok = digits()
	}
	if !ok {
		c.bad = true
		return dst
	}
	dst = append(dst, b[c.pos:i]...)
	c.pos = i
	return dst
}
