package source

import (
	"bufio"
	"strconv"
)

// unquoter decodes lines of JSON inside JSON strings. Other lines stay as they are.
type unquoter struct {
	r      *bufio.Reader
	start  bool // at the start of a line
	inside bool // inside a string
}

func (u *unquoter) Read(p []byte) (n int, err error) {
	for n < len(p) && (n == 0 || u.r.Buffered() > 0) {
		b, err := u.r.ReadByte()
		if err != nil {
			return n, err
		}
		start := u.start
		u.start = b == '\n'
		switch {
		case b == '"' && (start || u.inside):
			u.inside = !u.inside
			continue
		case b == '\n':
			u.inside = false // the line is cut off
		case b == '\\' && u.inside:
			b = u.escaped()
		}
		p[n] = b
		n++
	}
	return n, nil
}

// escaped returns the byte for the escape after a backslash. Escapes of other characters stay: the
// inner JSON can have them only in its own strings, with the same meaning.
func (u *unquoter) escaped() byte {
	next, err := u.r.Peek(1)
	if err != nil {
		return '\\'
	}
	size, b := 1, next[0]
	switch b {
	case 'n':
		b = '\n'
	case 't':
		b = '\t'
	case 'r':
		b = '\r'
	case '"', '\\', '/':
	case 'u':
		code, err := u.r.Peek(5)
		if err != nil {
			return '\\'
		}
		c, err := strconv.ParseUint(string(code[1:]), 16, 16)
		if err != nil || c >= 0x80 {
			return '\\'
		}
		size, b = 5, byte(c)
	default:
		return '\\'
	}
	u.r.Discard(size)
	return b
}
