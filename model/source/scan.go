package source

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// For speed only: so many bytes are read at a time.
const window = 256 << 10

var quote, space = []byte{'"'}, []byte{' '}

// scanner reads JSON of any size through a window.
type scanner struct {
	ctx  context.Context
	r    io.ReaderAt
	mem  []byte // the window's memory
	buf  []byte // the window
	pos  int    // offset in the window
	base int64  // offset of the window in r
	eof  bool
	err  error
	msg  string
	c    copier
}

func (s *scanner) offset() int64 { return s.base + int64(s.pos) }

// seek moves to an offset and clears errors.
func (s *scanner) seek(off int64) {
	s.base, s.buf, s.pos, s.eof, s.err, s.msg = off, nil, 0, false, nil, ""
}

// more advances the window; it returns false at the end and after an error.
func (s *scanner) more() bool {
	if s.eof || s.err != nil {
		return false
	}
	if err := s.ctx.Err(); err != nil {
		s.err, s.msg = err, "interrupted"
		return false
	}
	s.base += int64(len(s.buf))
	s.pos = 0
	if s.mem == nil {
		s.mem = make([]byte, window)
	}
	n, err := s.r.ReadAt(s.mem, s.base)
	s.buf = s.mem[:n]
	switch {
	case n > 0: // an error recurs at the next read
		return true
	case err == io.EOF:
		s.eof = true
	case err != nil:
		s.err, s.msg = err, err.Error()
	default:
		s.eof = true
	}
	return false
}

// peek returns the next byte; false at the end.
func (s *scanner) peek() (byte, bool) {
	if s.pos >= len(s.buf) && !s.more() {
		return 0, false
	}
	return s.buf[s.pos], true
}

func (s *scanner) take() byte {
	b, ok := s.peek()
	if ok {
		s.pos++
	}
	return b
}

func (s *scanner) fail(msg string) {
	if s.err == nil {
		s.err, s.msg = io.ErrUnexpectedEOF, msg
	}
}

// failure returns the error with its position.
func (s *scanner) failure() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return &documentError{Off: s.offset(), Msg: s.msg, Err: s.err}
}

// skipSpace returns the next byte that is not white space; the end is an error.
func (s *scanner) skipSpace() byte {
	for {
		b, ok := s.peek()
		if !ok {
			s.fail("unexpected end")
			return 0
		}
		if b != ' ' && b != '\n' && b != '\r' && b != '\t' {
			return b
		}
		s.pos++
	}
}

// nextValue moves to the next top-level value: past white space, NUL bytes, a byte order mark,
// separators and comment lines.
func (s *scanner) nextValue() bool {
	for {
		b, ok := s.peek()
		switch {
		case !ok:
			return false
		case b == '/' || b == '#':
			for ok && b != '\n' {
				s.pos++
				b, ok = s.peek()
			}
		case b == ' ', b == '\n', b == '\r', b == '\t', b == 0, b == 0xEF, b == 0xBB, b == 0xBF, b == 0x1E, b == ',':
			s.pos++
		default:
			return true
		}
	}
}

// copyValue writes the next value to out (nil: discards it), on one line.
func (s *scanner) copyValue(out io.Writer) {
	b := s.skipSpace()
	if s.err != nil {
		return
	}
	c := &s.c
	c.out, c.err = out, nil
	switch b {
	case '{', '[':
		s.copyContainer(c)
	case '"':
		s.pos++
		c.write(quote)
		s.copyString(c)
	case '}', ']', ',', ':':
		s.fail(fmt.Sprintf("unexpected %q", b))
	default:
		s.copyScalar(c)
	}
	c.flush()
	if c.err != nil && s.err == nil {
		s.err, s.msg = c.err, c.err.Error()
	}
}

// copier buffers small pieces, because a spool takes a lock for each write.
type copier struct {
	out io.Writer
	buf []byte
	err error
}

func (c *copier) write(p []byte) {
	if c.out == nil || len(p) == 0 {
		return
	}
	if len(p) > 32<<10 {
		c.flush()
		if c.err == nil {
			_, c.err = c.out.Write(p)
		}
		return
	}
	if c.buf = append(c.buf, p...); len(c.buf) > 64<<10 {
		c.flush()
	}
}

func (c *copier) flush() {
	if c.out != nil && len(c.buf) > 0 && c.err == nil {
		_, c.err = c.out.Write(c.buf)
	}
	c.buf = c.buf[:0]
}

func (s *scanner) copyScalar(c *copier) {
	for {
		rest := s.buf[s.pos:]
		n := bytes.IndexAny(rest, " \t\r\n,]}\x00")
		if n >= 0 {
			c.write(rest[:n])
			s.pos += n
			return
		}
		c.write(rest)
		s.pos = len(s.buf)
		if !s.more() {
			return // a scalar at the end of the document
		}
	}
}

// copyString copies the rest of a string, after its opening quote.
func (s *scanner) copyString(c *copier) {
	escaped := false
	for {
		if s.pos >= len(s.buf) && !s.more() {
			s.fail("unterminated string")
			return
		}
		if escaped {
			escaped = false
			c.write(s.buf[s.pos : s.pos+1])
			s.pos++
			continue
		}
		run := s.buf[s.pos:]
		n := bytes.IndexByte(run, '"')
		if n >= 0 {
			run = run[:n]
		}
		slashes := 0
		for slashes < len(run) && run[len(run)-1-slashes] == '\\' {
			slashes++
		}
		c.string(run)
		s.pos += len(run)
		switch {
		case slashes%2 == 1:
			escaped = true
		case n >= 0:
			c.write(quote)
			s.pos++
			return
		}
	}
}

// string writes a part of a string, newlines escaped.
func (c *copier) string(p []byte) {
	if c.out != nil && (bytes.IndexByte(p, '\n') >= 0 || bytes.IndexByte(p, '\r') >= 0) {
		p = appendEscaped(nil, p)
	}
	c.write(p)
}

// copyContainer copies an object or array. Like package jsonspan it checks the kinds
// of brackets unless they are more than 64 levels deep: parsers check the rest.
func (s *scanner) copyContainer(c *copier) {
	var kinds uint64
	depth, deepest := 0, 0
	from := s.pos // start of the bytes to copy
	for {
		if s.pos >= len(s.buf) {
			c.write(s.buf[min(from, len(s.buf)):])
			if !s.more() {
				s.fail("unexpected end")
				return
			}
			from = 0
		}
		switch b := s.buf[s.pos]; b {
		case '"':
			s.pos++
			c.write(s.buf[from:s.pos])
			s.copyString(c)
			if s.err != nil {
				return
			}
			from = s.pos
		case '{', '[':
			depth++
			if deepest = max(deepest, depth); depth > nesting {
				s.fail("nested too deeply")
				return
			}
			kinds <<= 1
			if b == '{' {
				kinds |= 1
			}
			s.pos++
		case '}', ']':
			if deepest <= 64 && (kinds&1 == 1) != (b == '}') {
				c.write(s.buf[from:s.pos])
				s.fail(fmt.Sprintf("unexpected %q", b))
				return
			}
			kinds >>= 1
			s.pos++
			if depth--; depth == 0 {
				c.write(s.buf[from:s.pos])
				return
			}
		case '\n', '\r':
			c.write(s.buf[from:s.pos])
			s.dropSpace(c)
			from = s.pos
		default:
			s.pos++
		}
	}
}

// dropSpace replaces white space with a newline by one space, to drop the indentation of documents.
func (s *scanner) dropSpace(c *copier) {
	c.write(space)
	for {
		b, ok := s.peek()
		if !ok || b != ' ' && b != '\n' && b != '\r' && b != '\t' {
			return
		}
		s.pos++
	}
}
