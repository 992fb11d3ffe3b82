package shape

import (
	"bytes"
	"unicode/utf8"

	"turns/model"
)

// JSON is written by appending: reflection would cost more than reading the conversation.

// deepestIndent is the level from which lines are not indented further: with ten thousand levels,
// the spaces would grow with the square.
const deepestIndent = 64

// appendLine begins a line of indented JSON.
func appendLine(dst []byte, indent, depth int) []byte {
	depth = min(depth, deepestIndent)
	const spaces = "                                "
	dst = append(dst, '\n')
	for n := indent * depth; n > 0; n -= len(spaces) {
		dst = append(dst, spaces[:min(n, len(spaces))]...)
	}
	return dst
}

// Layout is the layout of a JSON value: Indent spaces per level or, if 0, the recorded white space
// on one line.
type Layout struct{ Indent int }

// valueDepth is the maximum nesting of a value; a deeper one is written as text.
const valueDepth = 10_000

// AppendValue adds a recorded JSON value. Keys, their order, numbers and strings do not change;
// only the white space between them does. If the bytes are not exactly one JSON value, ok is false
// and dst is returned unchanged. NaN and Infinity, which Python writes, become strings.
func (l Layout) AppendValue(dst, v []byte, depth int) (out []byte, ok bool) {
	c := copier{Layout: l, src: v, depth: depth, limit: depth + valueDepth}
	out = c.value(c.space(dst, true))
	if c.bad {
		return dst, false
	}
	if c.space(nil, true); c.pos != len(v) {
		return dst, false
	}
	return out, true
}

// copier copies and validates a value.
type copier struct {
	Layout
	src               []byte
	pos, depth, limit int
	bad               bool
}

// space skips white space. In a value on one line it copies the white space except newlines.
func (c *copier) space(dst []byte, drop bool) []byte {
	for c.pos < len(c.src) {
		switch b := c.src[c.pos]; b {
		case '\n', '\r':
		case ' ', '\t':
			if !drop && c.Indent == 0 {
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

// python reads the numbers that only Python's json module writes.
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
		if c.Indent > 0 {
			dst = appendLine(dst, c.Indent, c.depth)
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
			if c.depth--; c.Indent > 0 {
				dst = appendLine(dst, c.Indent, c.depth)
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
	if c.Indent > 0 {
		dst = append(dst, ' ')
	}
	return c.space(dst, false)
}

// text copies a string.
func (c *copier) text(dst []byte) []byte {
	start := c.pos + 1
	plain := true
	for i := start; ; {
		i = model.JSONSpecial(c.src, i)
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
				dst = model.AppendRecorded(dst, inside)
			}
			return append(dst, '"')
		case '\\':
			n := model.JSONEscape(c.src[i:])
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
