package query

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"

	"turns/model"
)

// jsonWriter writes indented JSON piece by piece, so that an answer with all its
// texts is never in memory at once. The first error stays and is given by end.
type jsonWriter struct {
	w     *bufio.Writer
	depth int
	first bool // nothing was written yet at this level
	buf   []byte
	err   error
}

func newJSONWriter(w io.Writer) *jsonWriter { return &jsonWriter{w: bufio.NewWriterSize(w, 64<<10)} }

func (j *jsonWriter) raw(s string) {
	if _, err := j.w.WriteString(s); err != nil && j.err == nil {
		j.err = err
	}
}

func (j *jsonWriter) write(b []byte) {
	if _, err := j.w.Write(b); err != nil && j.err == nil {
		j.err = err
	}
}

// fail keeps an error of reading.
func (j *jsonWriter) fail(err error) {
	if err != nil && j.err == nil {
		j.err = err
	}
}

func (j *jsonWriter) open(bracket string) {
	j.raw(bracket)
	j.depth++
	j.first = true
}

func (j *jsonWriter) close(bracket string) {
	j.depth--
	if !j.first {
		j.line()
	}
	j.raw(bracket)
	j.first = false
}

func (j *jsonWriter) line() {
	j.raw("\n")
	for range j.depth {
		j.raw("  ")
	}
}

// item begins an element of a list.
func (j *jsonWriter) item() {
	if !j.first {
		j.raw(",")
	}
	j.first = false
	j.line()
}

// key begins a field.
func (j *jsonWriter) key(name string) {
	j.item()
	j.buf = appendJSONString(append(j.buf[:0], '"'), name)
	j.write(append(j.buf, '"', ':', ' '))
}

// value writes a small value.
func (j *jsonWriter) value(v any) {
	if s, ok := v.(string); ok {
		j.text(s)
		return
	}
	b, err := json.Marshal(v)
	if err != nil {
		j.fail(err)
		return
	}
	j.write(b)
}

func (j *jsonWriter) field(name string, v any) {
	j.key(name)
	j.value(v)
}

func (j *jsonWriter) number(name string, n int) {
	j.key(name)
	j.write(strconv.AppendInt(j.buf[:0], int64(n), 10))
}

// piece writes a part of a string whose quotes the caller writes.
func (j *jsonWriter) piece(s string) {
	for len(s) > 0 { // a large text goes out in parts
		n := min(len(s), 32<<10)
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		j.buf = appendJSONString(j.buf[:0], s[:n])
		j.write(j.buf)
		s = s[n:]
	}
}

func (j *jsonWriter) text(s string) {
	j.raw(`"`)
	j.piece(s)
	j.raw(`"`)
}

// arguments writes the arguments of a call: the JSON that they are, the text
// where they are none, {} where none were recorded.
func (j *jsonWriter) arguments(c *model.Content) {
	switch text := c.Text; {
	case c.Null || text == "":
		j.raw("{}")
	case jsonStarts(text) && json.Valid([]byte(text)):
		var b bytes.Buffer
		if err := json.Compact(&b, []byte(text)); err != nil {
			j.fail(err)
			return
		}
		j.write(b.Bytes())
	default:
		j.text(text)
	}
}

// jsonStarts reports whether a text could be an object or a list; other JSON
// values are texts to people.
func jsonStarts(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\n', '\t', '\r':
		case '{', '[':
			return true
		default:
			return false
		}
	}
	return false
}

// end closes the text with a newline and gives the first error.
func (j *jsonWriter) end() error {
	j.raw("\n")
	if err := j.w.Flush(); err != nil && j.err == nil {
		j.err = err
	}
	return j.err
}

// writeJSON writes a value that is small enough to be in memory.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

const jsonHex = "0123456789abcdef"

// appendJSONString adds s escaped as the inside of a JSON string. Only what JSON
// demands is escaped; bytes that are no UTF-8 become U+FFFD.
func appendJSONString(dst []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', jsonHex[c>>4], jsonHex[c&15])
		}
		i++
		start = i
	}
	return append(dst, s[start:]...)
}
