// Package jsonspan is a cursor over raw JSON that yields spans of it without
// allocating or decoding. Parsers walk a record once with it:
//
//	c := jsonspan.New(record)
//	for c.Object(); c.Key(); {
//		switch string(c.Name) {
//		case "type":
//			kind = c.String()
//		case "message":
//			for c.Object(); c.Key(); { … }
//		default:
//			c.Skip()
//		}
//	}
//	if c.Err != nil { … }
//
// Every value must be consumed, by reading or by Skip. A read of the wrong kind skips the value
// and returns the zero value; so a parser never stumbles over a null in place of an object. A
// syntax error sets Err and ends all loops. Skipping checks only for balanced brackets and
// terminated strings: this is a reader for trusted shapes of untrusted bytes, not a validator.
package jsonspan

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math/bits"
	"strconv"
)

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds. End means the end of the input or of a container.
const (
	End Kind = iota
	Object
	Array
	String
	Number
	Bool
	Null
)

// KindOf returns the kind of the value that begins at v, after white space.
func KindOf(v []byte) Kind {
	for _, b := range v {
		if !isSpace(b) {
			return kindOfByte(b)
		}
	}
	return End
}

func kindOfByte(b byte) Kind { return kinds[b] }

// kinds are the kinds of values by their first byte.
var kinds = func() (kinds [256]Kind) {
	for _, b := range []byte("-0123456789NI") { // Python writes NaN and Infinity
		kinds[b] = Number
	}
	kinds['{'], kinds['['], kinds['"'] = Object, Array, String
	kinds['t'], kinds['f'], kinds['n'] = Bool, Bool, Null
	return kinds
}()

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\r' || b == '\t' }

// SyntaxError is the place where bytes stop being JSON.
type SyntaxError struct {
	Off int    // offset in the cursor's bytes
	Msg string // the error there
}

// Error returns the message with its position.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Msg, e.Off) }

// Cursor walks one JSON value. The zero Cursor is at the end of an empty text.
type Cursor struct {
	Buf  []byte
	Pos  int
	Name []byte // the last key, between its quotes, escapes unresolved
	Err  error

	depth, maxDepth int
	fresh           bool // just inside a container: no comma is expected
	refused         bool // the value was of another kind: the loop ends immediately
}

// MaxDepth is the maximum nesting of a value.
const MaxDepth = 10_000

// New returns a cursor at the start of buf.
func New(buf []byte) Cursor { return Cursor{Buf: buf, maxDepth: MaxDepth} }

// Kind returns the kind of the next value. It consumes only white space.
func (c *Cursor) Kind() Kind {
	if c.Err != nil {
		return End
	}
	c.space()
	if c.Pos >= len(c.Buf) {
		return End
	}
	return kindOfByte(c.Buf[c.Pos])
}

// Done reports whether the rest is only white space and NUL bytes.
func (c *Cursor) Done() bool {
	for c.Pos < len(c.Buf) && (isSpace(c.Buf[c.Pos]) || c.Buf[c.Pos] == 0) {
		c.Pos++
	}
	return c.Pos >= len(c.Buf)
}

// Object enters an object; loop with Key. It skips another kind of value, and the loop ends
// immediately.
func (c *Cursor) Object() bool { return c.enter('{') }

// Array enters an array; loop with More. It skips another kind of value, and the loop ends
// immediately.
func (c *Cursor) Array() bool { return c.enter('[') }

func (c *Cursor) enter(open byte) bool {
	if c.Err != nil {
		return false
	}
	c.space()
	if c.Pos >= len(c.Buf) || c.Buf[c.Pos] != open {
		c.Skip()
		c.refused = c.Err == nil
		return false
	}
	if c.depth++; c.depth > c.maxDepth {
		c.fail("nested too deeply")
		return false
	}
	c.Pos++
	c.fresh = true
	return true
}

// Key moves to the next key of the object and sets Name; the value follows. At the end of the
// object it consumes the object and returns false.
//
// It is optimised for keys without escapes and with the colon right after them, as nearly all are;
// anyKey handles the rest.
func (c *Cursor) Key() bool {
	b, i := c.Buf, c.Pos
	if c.Err != nil || c.refused {
		return c.anyKey()
	}
	if i < len(b) && b[i] <= ' ' {
		i = afterSpace(b, i)
		c.Pos = i
	}
	if i >= len(b) {
		return c.anyKey()
	}
	if b[i] == '}' {
		c.leave(i)
		return false
	}
	if !c.fresh {
		if b[i] != ',' {
			return c.anyKey()
		}
		if i++; i < len(b) && b[i] <= ' ' {
			i = afterSpace(b, i)
		}
	}
	if i >= len(b) || b[i] != '"' {
		return c.anyKey()
	}
	i++
	for from := i; i+10 <= len(b); i += 8 {
		m := zeroes(binary.LittleEndian.Uint64(b[i:]) ^ quotes)
		if m == 0 {
			continue
		}
		if i += bits.TrailingZeros64(m) >> 3; b[i-1] == '\\' || b[i+1] != ':' {
			break
		}
		c.Name = b[from:i]
		if i += 2; b[i] == ' ' {
			i++
		}
		c.Pos = i
		c.fresh = false
		return true
	}
	return c.anyKey()
}

// anyKey implements Key for all cases.
func (c *Cursor) anyKey() bool {
	if !c.next('}') {
		return false
	}
	if c.Pos >= len(c.Buf) || c.Buf[c.Pos] != '"' {
		c.fail("expected a key")
		return false
	}
	end := stringEnd(c.Buf, c.Pos)
	if end < 0 {
		c.fail("unterminated key")
		return false
	}
	c.Name = c.Buf[c.Pos+1 : end-1]
	c.Pos = end
	c.space()
	if c.Pos >= len(c.Buf) || c.Buf[c.Pos] != ':' {
		c.fail("expected a colon after the key")
		return false
	}
	c.Pos++
	return true
}

// More reports whether the array has another value, which follows. At the end it consumes the array
// and returns false.
func (c *Cursor) More() bool {
	b, i := c.Buf, c.Pos
	if c.Err != nil || c.refused {
		return c.next(']')
	}
	if i < len(b) && b[i] <= ' ' {
		i = afterSpace(b, i)
		c.Pos = i
	}
	switch {
	case i >= len(b):
		return c.next(']')
	case b[i] == ']':
		c.leave(i)
		return false
	case c.fresh:
		c.fresh = false
		return true
	case b[i] != ',':
		return c.next(']')
	}
	if i++; i < len(b) && b[i] <= ' ' {
		i = afterSpace(b, i)
	}
	if i >= len(b) || b[i] == ']' {
		return c.next(']')
	}
	c.Pos = i
	return true
}

// leave consumes the closing bracket at i.
func (c *Cursor) leave(i int) {
	c.Pos = i + 1
	c.depth--
	c.fresh = false
}

func (c *Cursor) next(closing byte) bool {
	if c.Err != nil {
		return false
	}
	if c.refused {
		c.refused = false
		return false
	}
	c.space()
	if c.Pos >= len(c.Buf) {
		c.fail("unexpected end")
		return false
	}
	b := c.Buf[c.Pos]
	if b == closing {
		c.Pos++
		c.depth--
		c.fresh = false
		return false
	}
	if !c.fresh {
		if b != ',' {
			c.fail("expected a comma")
			return false
		}
		c.Pos++
		c.space()
		if c.Pos >= len(c.Buf) {
			c.fail("unexpected end")
			return false
		}
		if c.Buf[c.Pos] == closing { // allow a trailing comma
			c.Pos++
			c.depth--
			return false
		}
	}
	c.fresh = false
	return true
}

// Skip consumes the next value and returns its span, without white space around it.
func (c *Cursor) Skip() []byte {
	if c.Err != nil {
		return nil
	}
	c.space()
	if i := c.Pos; i < len(c.Buf) && c.Buf[i] == '"' {
		if end := stringEnd(c.Buf, i); end >= 0 {
			c.Pos = end
			return c.Buf[i:end]
		}
	}
	end, msg := valueEnd(c.Buf, c.Pos, c.maxDepth-c.depth)
	if msg != "" {
		c.Pos = end
		c.fail(msg)
		return nil
	}
	v := c.Buf[c.Pos:end]
	c.Pos = end
	return v
}

// String consumes a string and returns the bytes between its quotes, escapes unresolved. For
// another kind of value it skips the value and returns nil; an empty string returns an empty
// non-nil slice.
func (c *Cursor) String() []byte {
	c.space()
	if i := c.Pos; c.Err == nil && i < len(c.Buf) && c.Buf[i] == '"' {
		if end := stringEnd(c.Buf, i); end >= 0 {
			c.Pos = end
			return c.Buf[i+1 : end-1]
		}
	}
	v := c.Skip()
	if len(v) >= 2 && v[0] == '"' {
		return v[1 : len(v)-1]
	}
	return nil
}

// ID is String for identifiers. Some versions of a format record them as numbers: then it
// returns the digits.
func (c *Cursor) ID() []byte {
	if c.Kind() == Number {
		return c.Skip()
	}
	return c.String()
}

// Int consumes a number, or a string with one, and returns its integer part; ok is false for other
// values.
func (c *Cursor) Int() (n int64, ok bool) { return ParseInt(c.Skip()) }

// Float consumes a number, or a string with one; ok is false for other values.
func (c *Cursor) Float() (x float64, ok bool) {
	v := unquoted(c.Skip())
	if len(v) == 0 || kindOfByte(v[0]) != Number {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(v), 64)
	return x, err == nil
}

// Bool consumes a value and reports whether it is true.
func (c *Cursor) Bool() bool {
	v := c.Skip()
	return len(v) == 4 && v[0] == 't'
}

// ParseInt returns the integer part of a raw number, or of a string with one.
func ParseInt(v []byte) (n int64, ok bool) {
	v = unquoted(v)
	digits := v
	if len(v) > 0 && v[0] == '-' {
		digits = v[1:]
	}
	for i, b := range digits {
		if b < '0' || b > '9' || i == 18 {
			x, err := strconv.ParseFloat(string(v), 64)
			if err != nil || x > 1<<62 || x < -1<<62 || x != x {
				return 0, false
			}
			return int64(x), true
		}
		n = n*10 + int64(b-'0')
	}
	if len(digits) < len(v) {
		n = -n
	}
	return n, len(digits) > 0
}

func unquoted(v []byte) []byte {
	if len(v) >= 2 && v[0] == '"' {
		return v[1 : len(v)-1]
	}
	return v
}

func (c *Cursor) space() {
	if c.Pos < len(c.Buf) && c.Buf[c.Pos] <= ' ' {
		c.passSpace()
	}
}

//go:noinline
func (c *Cursor) passSpace() { c.Pos = afterSpace(c.Buf, c.Pos) }

// afterSpace returns the first index from i on without white space. It checks eight bytes of an
// indentation at a time.
func afterSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		for i++; i+8 <= len(b); i += 8 {
			if x := binary.LittleEndian.Uint64(b[i:]) ^ spaces; x != 0 {
				i += bits.TrailingZeros64(x) >> 3
				break
			}
		}
	}
	return i
}

func (c *Cursor) fail(msg string) {
	switch {
	case c.Err != nil:
	case len(c.Buf) == 0: // parsers also read absent values
		c.Err = errNothing
	default:
		c.Err = &SyntaxError{c.Pos, msg}
	}
}

var errNothing = &SyntaxError{Msg: "unexpected end"}

// valueEnd returns the offset after the value that begins at b[i]. If there is none, msg is the
// error and end its offset.
func valueEnd(b []byte, i, depth int) (end int, msg string) {
	if i >= len(b) {
		return i, "unexpected end"
	}
	switch b[i] {
	case '"':
		if end := stringEnd(b, i); end >= 0 {
			return end, ""
		}
		return len(b), "unterminated string"
	case '{', '[':
		return containerEnd(b, i, depth)
	}
	return scalarEnd(b, i)
}

func scalarEnd(b []byte, i int) (end int, msg string) {
	if kindOfByte(b[i]) == End {
		return i, fmt.Sprintf("unexpected %q", b[i])
	}
	end = i
	for end < len(b) && isScalar(b[end]) {
		end++
	}
	word := b[i:end]
	switch word[0] {
	case 't', 'f', 'n':
		if w := string(word); w != "true" && w != "false" && w != "null" {
			return i, fmt.Sprintf("unexpected %q", word[:min(len(word), 20)])
		}
	}
	return end, ""
}

func isScalar(b byte) bool { return scalars[b] }

// scalars are the bytes that numbers and words consist of.
var scalars = func() (scalars [256]bool) {
	for _, b := range []byte("-+.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
		scalars[b] = true
	}
	return scalars
}()

// containerEnd finds the end of an object or array by its brackets. It checks the kind of each
// bracket unless they are more than 64 levels deep.
func containerEnd(b []byte, i, maxDepth int) (end int, msg string) {
	var kinds uint64 // a bit per level, 1 is an object
	depth, deepest := 0, 0
	for i < len(b) {
		if b[i] < '[' && b[i] != '"' { // a digit, a comma, a colon, white space
			if i++; b[i-1] == '\n' {
				i = afterSpace(b, i)
			}
			continue
		}
		switch b[i] {
		case '"':
			if i+17 <= len(b) { // most strings are short: keys, kinds, names
				m := zeroes(binary.LittleEndian.Uint64(b[i+1:]) ^ quotes)
				n := i + 1
				if m == 0 {
					m = zeroes(binary.LittleEndian.Uint64(b[i+9:]) ^ quotes)
					n += 8
				}
				if m != 0 {
					if n += bits.TrailingZeros64(m) >> 3; b[n-1] != '\\' {
						i = n + 1
						continue
					}
				}
			}
			n := stringEnd(b, i)
			if n < 0 {
				return len(b), "unterminated string"
			}
			i = n
			continue
		case '{', '[':
			if depth++; depth > deepest {
				if deepest = depth; depth > maxDepth {
					return i, "nested too deeply"
				}
			}
			kinds <<= 1
			if b[i] == '{' {
				kinds |= 1
			}
		case '}', ']':
			if deepest <= 64 && (kinds&1 == 1) != (b[i] == '}') {
				return i, fmt.Sprintf("unexpected %q", b[i])
			}
			kinds >>= 1
			if depth--; depth == 0 {
				return i + 1, ""
			}
		}
		i++
	}
	return i, "unexpected end"
}

// Cut returns the first JSON value of b, without white space around it, and the bytes after it. err
// is a *SyntaxError whose Off counts from the start of b.
func Cut(b []byte) (value, rest []byte, err error) {
	c := New(b)
	v := c.Skip()
	if c.Err != nil {
		return nil, b, c.Err
	}
	return v, b[c.Pos:], nil
}

// IsTuple reports whether v is a list that begins with a text, such as the name of a method and its
// result: a record whose fields have positions instead of names. Other lists contain records.
func IsTuple(v []byte) bool {
	c := New(v)
	return c.Array() && c.More() && c.Kind() == String
}

// List yields the values of an array; a value of another kind has none.
func List(v []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		c := New(v)
		for c.Array(); c.More(); {
			if !yield(c.Skip()) {
				return
			}
		}
	}
}

// Get returns the raw value at a path of keys, nil if it is absent. It is for samples; parsers use
// a Cursor.
func Get(v []byte, path ...string) []byte {
	for _, name := range path {
		c := New(v)
		found := false
		for c.Object(); c.Key(); {
			if string(c.Name) == name {
				v, found = c.Skip(), c.Err == nil
				break
			}
			c.Skip()
		}
		if !found {
			return nil
		}
	}
	return v
}

// GetString returns the bytes between the quotes of the string at a path, nil if there is none.
func GetString(v []byte, path ...string) []byte {
	v = Get(v, path...)
	if len(v) >= 2 && v[0] == '"' {
		return v[1 : len(v)-1]
	}
	return nil
}
