// Package shape writes messages as JSON in the OpenAI-compatible shape, and the original records.
// Raw copies bytes of the source. The others work on the records: a message that already has the
// right shape is spliced, so that big numbers, the order of keys, duplicate keys and lone
// surrogates survive; any other is encoded from spans of the record, without decoding. Ranges of
// messages are encoded in parallel and written in order.
package shape

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"turns/export"
	"turns/model"
	"turns/query"
	"turns/query/redact"
)

// shaper writes messages in the OpenAI-compatible shape: role, content, tool_calls, tool_call_id
// and name as in the API, all other fields next to them under their own names. Messages of that
// shape are copied.
type shaper struct {
	opts   *export.Options
	snap   *model.Snapshot
	tokens *query.TokenColumn
	reader *ItemReader
	read   *query.Pairs     // nil: not needed yet
	redact *redact.Redactor // nil: credentials stay
	layout Layout
	sep    string // before each element
	depth  int    // of the elements
	// the format is one of chat messages: all fields belong to the message, including those named
	// like fields of a session
	chat    bool
	dict    bool    // original records instead of the shape
	calls   int     // written calls of the item
	callers callers // of the item's results
	pieces  []piece // of the item
	// names of sessions and subagents for messages; nil: not computed yet
	sessions []string
	agents   map[uint32]string
	facts    sessionFacts
	cut      Splicer
	text     []byte   // scratch
	names    []string // written fields of the element
	timed    bool     // the recorded time of its message is written

	conversations map[model.ID][]byte // fields of documents about them, by their first message

	metadata string // name of the additional field, if its content cannot be next to the others

	secrets, written, outside int
	clashes                   int // messages with their own fields index or token_count
	thoughts                  int // messages with only reasoning
	concluded                 int // failed results without is_error
	shared                    int // messages that share their original record
}

// message writes a message as one or several elements.
func (s *shaper) message(ctx context.Context, dst []byte, id, prev model.ID) ([]byte, error) {
	it, err := s.reader.Read(ctx, id)
	if err != nil {
		return dst, err
	}
	s.written++
	if s.dict {
		return s.original(ctx, dst, it, prev)
	}
	failed, start := s.failed(it), len(dst)
	dst, err = s.elements(ctx, dst, it)
	if failed > 0 && len(dst) > start {
		s.concluded += max(failed-bytes.Count(dst[start:], []byte(`"is_error":true`))-bytes.Count(dst[start:], []byte(`"is_error": true`)), 0)
	}
	return dst, err
}

// failed counts the failed results of a message.
func (s *shaper) failed(it *Item) (failed int) {
	if it.head.Flags&model.HasResults == 0 {
		return 0
	}
	s.callers = callers{}
	for i, n := 0, 0; i < len(it.Blocks); i++ {
		if b := &it.Blocks[i]; b.Kind == model.ToolResult {
			if s.outcomeOf(it, b, n).Failed() {
				failed++
			}
			n++
		}
	}
	s.callers = callers{}
	return failed
}

// elements writes a message in the shape of OpenAI's, as recorded if it has that shape.
func (s *shaper) elements(ctx context.Context, dst []byte, it *Item) ([]byte, error) {
	id := it.id
	if s.opts.NoResults && it.head.Role == model.Tool {
		s.outside++
		return dst, nil
	}
	if s.opts.NoReasoning && len(it.Blocks) > 0 && !slices.ContainsFunc(it.Blocks, isContent) {
		s.thoughts++
		return dst, nil
	}
	if !s.opts.NoReasoning || !hasBlock(it, model.Reasoning) {
		if v := s.cut.Element(it); v != nil {
			if out, ok := s.splice(dst, v, it); ok {
				return out, nil
			}
		}
	}
	if it.record == nil && it.Recorded() != nil && bytes.Contains(it.Recorded(), []byte(`"part_of"`)) {
		if out, ok := s.spliceParts(dst, it); ok {
			return out, nil
		}
		var err error
		if it, err = s.reader.Read(ctx, id); err != nil {
			return dst, err
		}
	}
	return s.encode(ctx, dst, it)
}

// isContent reports whether a block is anything but reasoning.
func isContent(b model.Block) bool { return b.Kind != model.Reasoning }

func hasBlock(it *Item, kind model.BlockKind) bool {
	return slices.ContainsFunc(it.Blocks, func(b model.Block) bool { return b.Kind == kind })
}

// splice copies an element as recorded.
func (s *shaper) splice(dst, v []byte, it *Item) ([]byte, bool) {
	start := len(dst)
	v = s.clean(v)
	out, ok := s.layout.AppendValue(append(dst, s.sep...), v, s.depth)
	if !ok {
		return dst[:start], false
	}
	if s.opts.Metadata {
		out = s.into(out, v, func(o *Object) { s.addNumbers(o, it, v) })
	}
	if add := s.ownFields(it, v); add != nil {
		out = s.into(out, v, add)
	}
	return out, true
}

// clean removes credentials from JSON.
func (s *shaper) clean(v []byte) []byte {
	if s.redact == nil {
		return v
	}
	if n := len(s.redact.Find(v)); n == 0 {
		return v
	}
	var n int
	s.text, n = s.redact.Redact(s.text[:0], v)
	s.secrets += n
	return s.text
}

// into adds fields to the object v that was just copied to the end of dst.
func (s *shaper) into(dst, v []byte, add func(*Object)) []byte {
	for dst[len(dst)-1] != '}' {
		dst = dst[:len(dst)-1]
	}
	dst = dst[:len(dst)-1]
	for last := len(dst) - 1; isSpace(dst[last]); last-- {
		dst = dst[:last]
	}
	o := Object{Buf: dst, Layout: s.layout, Depth: s.depth + 1, Fresh: dst[len(dst)-1] == '{'}
	if s.layout.Indent == 0 && len(v) > 2 {
		o.Spaced = spaced(v)
	}
	add(&o)
	return o.Close("}")
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// Object writes fields of an object, or elements of an array.
type Object struct {
	Buf    []byte
	Layout Layout
	Depth  int
	Fresh  bool // no output yet
	Spaced bool // on one line, but with spaces
}

// Open writes '{' or '['. The caller writes a comma or a key before it.
func (o *Object) Open(bracket byte) {
	o.Buf = append(o.Buf, bracket)
	o.Depth++
	o.Fresh = true
}

// OpenObject begins a field with an object.
func (o *Object) OpenObject(name string) {
	o.Key(name)
	o.Open('{')
}

// OpenList begins a field with an array.
func (o *Object) OpenList(name string) {
	o.Key(name)
	o.Open('[')
}

// Item begins an array element with an object.
func (o *Object) Item() {
	o.Element()
	o.Open('{')
}

// Close writes the closing brackets, innermost first, and returns the output so far. Then the
// fields of the surrounding object continue.
func (o *Object) Close(brackets string) []byte {
	for i := range len(brackets) {
		o.Depth--
		if !o.Fresh && o.Layout.Indent > 0 {
			o.Buf = appendLine(o.Buf, o.Layout.Indent, o.Depth)
		}
		o.Fresh = false
		o.Buf = append(o.Buf, brackets[i])
	}
	return o.Buf
}

// Element begins an element of an array.
func (o *Object) Element() {
	if !o.Fresh {
		o.Buf = append(o.Buf, ',')
	}
	switch {
	case o.Layout.Indent > 0:
		o.Buf = appendLine(o.Buf, o.Layout.Indent, o.Depth)
	case o.Spaced && !o.Fresh:
		o.Buf = append(o.Buf, ' ')
	}
	o.Fresh = false
}

// Key begins a field.
func (o *Object) Key(name string) {
	o.Element()
	o.Buf = model.AppendQuoted(o.Buf, []byte(name))
	o.Buf = append(o.Buf, ':')
	if o.Layout.Indent > 0 || o.Spaced {
		o.Buf = append(o.Buf, ' ')
	}
}

// Raw writes a field with a JSON value.
func (o *Object) Raw(name, value string) {
	o.Key(name)
	o.Buf = append(o.Buf, value...)
}

// Copy writes JSON after a key or as an element; it returns false if v is invalid.
func (o *Object) Copy(v []byte) bool {
	out, ok := o.Layout.AppendValue(o.Buf, v, o.Depth)
	if ok {
		o.Buf = out
	}
	return ok
}

// Value writes JSON after a key or as an element; invalid JSON becomes a text.
func (o *Object) Value(v []byte) {
	if !o.Copy(v) {
		o.Buf = model.AppendQuoted(o.Buf, v)
	}
}

// String writes a field with a text, and quotes it.
func (o *Object) String(name, value string) {
	o.Key(name)
	o.Buf = model.AppendQuoted(o.Buf, []byte(value))
}

// Optional writes a field with a text, unless the text is empty.
func (o *Object) Optional(name, value string) {
	if value != "" {
		o.String(name, value)
	}
}

// Int writes a field with an integer.
func (o *Object) Int(name string, n int64) {
	o.Key(name)
	o.Buf = strconv.AppendInt(o.Buf, n, 10)
}

// addNumbers adds index, token_count and timestamp. If a message has fields with these names, they
// stay, and the added ones go into a separate object.
func (s *shaper) addNumbers(o *Object, it *Item, own []byte) {
	has := fieldsOf(own, "index", "token_count", "timestamp")
	if has[0] || has[1] {
		s.clashes++
		o.OpenObject(s.metadata)
		s.numbers(o, it)
		s.timestamp(o, it)
		o.Close("}")
		return
	}
	s.numbers(o, it)
	if !has[2] {
		s.timestamp(o, it)
	}
}

func (s *shaper) numbers(o *Object, it *Item) {
	o.Int("index", int64(it.pos))
	if n, ok := s.tokens.Message(it.id); ok {
		o.Int("token_count", n.Sum())
	} else {
		o.Raw("token_count", "null")
	}
}

func (s *shaper) timestamp(o *Object, it *Item) {
	if it.head.Time == 0 {
		o.Raw("timestamp", "null")
		return
	}
	o.String("timestamp", time.UnixMilli(it.head.Time).UTC().Format(timeLayout))
}

// timeLayout is how exports write the time of a message.
const timeLayout = "2006-01-02T15:04:05.000Z"

// callID makes the id of a call, or of its result, from the position of its message. It is the same
// in every export.
func callID(pos, block int) string { return fmt.Sprintf("call_%d_%d", pos, block) }
