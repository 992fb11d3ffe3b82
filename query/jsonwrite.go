package query

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"turns/model"
)

// JSONWriter writes indented JSON piece by piece, so that an answer with all its texts never has
// to fit in memory. It remembers the first error, which End returns.
type JSONWriter struct {
	w     *bufio.Writer
	depth int
	first bool // no output yet at this level
	buf   []byte
	Err   error

	compact bytes.Buffer
}

// NewJSONWriter makes a writer that buffers; End writes the rest.
func NewJSONWriter(w io.Writer) *JSONWriter { return &JSONWriter{w: bufio.NewWriterSize(w, 64<<10)} }

// Raw writes existing JSON, or a piece of it.
func (j *JSONWriter) Raw(s string) {
	if _, err := j.w.WriteString(s); err != nil && j.Err == nil {
		j.Err = err
	}
}

func (j *JSONWriter) write(b []byte) {
	if _, err := j.w.Write(b); err != nil && j.Err == nil {
		j.Err = err
	}
}

// Fail records an error of reading, unless there was one already.
func (j *JSONWriter) Fail(err error) {
	if err != nil && j.Err == nil {
		j.Err = err
	}
}

// Open begins an object or an array, with "{" or "[".
func (j *JSONWriter) Open(bracket string) {
	j.Raw(bracket)
	j.depth++
	j.first = true
}

// Close ends what Open began, with "}" or "]".
func (j *JSONWriter) Close(bracket string) {
	j.depth--
	if !j.first {
		j.line()
	}
	j.Raw(bracket)
	j.first = false
}

func (j *JSONWriter) line() {
	j.Raw("\n")
	for range j.depth {
		j.Raw("  ")
	}
}

// Item begins an element of a list.
func (j *JSONWriter) Item() {
	if !j.first {
		j.Raw(",")
	}
	j.first = false
	j.line()
}

// Key begins a field.
func (j *JSONWriter) Key(name string) {
	j.Item()
	j.buf = append(model.AppendQuoted(j.buf[:0], []byte(name)), ':', ' ')
	j.write(j.buf)
}

// Value writes a value like package json, through memory. Use it for small values.
func (j *JSONWriter) Value(v any) {
	if s, ok := v.(string); ok {
		j.Text(s)
		return
	}
	b, err := json.Marshal(v)
	if err != nil {
		j.Fail(err)
		return
	}
	j.write(b)
}

// Field writes a field with any value like package json.
func (j *JSONWriter) Field(name string, v any) {
	j.Key(name)
	j.Value(v)
}

// Fields writes the fields of a struct into the open object, like package json.
func (j *JSONWriter) Fields(v any) {
	around := strings.Repeat(" ", 2*(j.depth-1))
	b, err := json.MarshalIndent(v, around, "  ")
	if err != nil {
		j.Fail(err)
		return
	}
	j.Item()
	b = bytes.TrimPrefix(b, []byte("{\n"+around+"  "))
	j.write(bytes.TrimSuffix(b, []byte("\n"+around+"}")))
}

// Number writes an integer field without allocating.
func (j *JSONWriter) Number(name string, n int) {
	j.Key(name)
	j.Integer(n)
}

// Array writes a field with a list of n elements.
func (j *JSONWriter) Array(name string, n int, write func(i int)) {
	j.Key(name)
	j.Open("[")
	for i := range n {
		j.Item()
		write(i)
	}
	j.Close("]")
}

// Integer writes an integer as a value.
func (j *JSONWriter) Integer(n int) {
	j.buf = strconv.AppendInt(j.buf[:0], int64(n), 10)
	j.write(j.buf)
}

// Piece writes a part of a string whose quotes the caller writes.
func (j *JSONWriter) Piece(t model.Text) {
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

// For speed only: jsonBuffer is the size of the largest buffer that is used again.
const jsonBuffer = 1 << 20

// Text writes a string as a value.
func (j *JSONWriter) Text(s string) { j.Span(model.StringText(s)) }

// Span writes a text as it was recorded.
func (j *JSONWriter) Span(t model.Text) {
	j.Raw(`"`)
	j.Piece(t)
	j.Raw(`"`)
}

// Arguments writes the arguments of a call: as JSON if they are JSON, as a text if they are not,
// and {} if there are none.
func (j *JSONWriter) Arguments(t model.Text) {
	if t.Empty() {
		j.Raw("{}")
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
	j.Span(t)
}

// jsonStarts reports whether a text could be an object or a list; people read other JSON values as
// text.
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

// End closes the text with a newline and returns the first error.
func (j *JSONWriter) End() error {
	j.Raw("\n")
	if err := j.w.Flush(); err != nil && j.Err == nil {
		j.Err = err
	}
	return j.Err
}

// WriteJSON writes a value that fits in memory.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
