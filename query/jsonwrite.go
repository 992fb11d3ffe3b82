package query

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"

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

	compact bytes.Buffer
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
	j.buf = append(model.AppendQuoted(j.buf[:0], []byte(name)), ':', ' ')
	j.write(j.buf)
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
	j.integer(n)
}

func (j *jsonWriter) integer(n int) {
	j.buf = strconv.AppendInt(j.buf[:0], int64(n), 10)
	j.write(j.buf)
}

// piece writes a part of a string whose quotes the caller writes.
func (j *jsonWriter) piece(t model.Text) {
	if inside, ok := t.Inside(); ok {
		j.write(inside)
		return
	}
	j.buf = t.AppendInside(j.buf[:0])
	j.write(j.buf)
	if cap(j.buf) > jsonBuffer { // one huge text must not stay in memory
		j.buf = nil
	}
}

const jsonBuffer = 1 << 20

func (j *jsonWriter) text(s string) { j.span(model.StringText(s)) }

// span writes a text as it was recorded.
func (j *jsonWriter) span(t model.Text) {
	j.raw(`"`)
	j.piece(t)
	j.raw(`"`)
}

// arguments writes the arguments of a call: the JSON that they are, the text
// where they are none, {} where none were recorded.
func (j *jsonWriter) arguments(t model.Text) {
	if t.Empty() {
		j.raw("{}")
		return
	}
	source := t.Raw()
	if t.Encoding() == model.JSONString {
		j.buf = t.Append(j.buf[:0])
		source = j.buf
	}
	if jsonStarts(source) {
		j.compact.Reset()
		if json.Compact(&j.compact, source) == nil {
			j.write(j.compact.Bytes())
			if j.compact.Cap() > jsonBuffer {
				j.compact = bytes.Buffer{}
			}
			return
		}
	}
	j.span(t)
}

// jsonStarts reports whether a text could be an object or a list; other JSON
// values are texts to people.
func jsonStarts(s []byte) bool {
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
