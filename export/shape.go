package export

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"turns/export/redact"
	"turns/model"
	"turns/query"
)

// shaper writes messages in the OpenAI-compatible shape: role, content,
// tool_calls, tool_call_id and name as the API has them, everything else beside
// them under its own name. What has that shape already is copied.
type shaper struct {
	opts    *Options
	snap    *model.Snapshot
	tokens  *query.TokenColumn
	reader  *itemReader
	read    *query.Pairs     // nil: no call was looked for yet
	redact  *redact.Redactor // nil: credentials stay
	layout  layout
	sep     string  // before each element
	depth   int     // of the elements
	chat    bool    // the format is one of chat messages: all fields are a message's own, also those named like a session's
	dict    bool    // original records instead of the shape
	calls   int     // of the item that were written
	callers callers // of the item's results
	cut     splicer
	text    []byte // scratch

	secrets, written, outside int
	clashes                   int // messages that have a field index or token_count of their own
	shared                    int // messages that share their original record
}

// message writes a message as one or several elements.
func (s *shaper) message(ctx context.Context, dst []byte, id, prev model.ID) ([]byte, error) {
	it, err := s.reader.read(ctx, id)
	if err != nil {
		return dst, err
	}
	s.written++
	if s.dict {
		return s.original(ctx, dst, it, prev)
	}
	if s.opts.NoResults && it.head.Role == model.Tool {
		s.outside++
		return dst, nil
	}
	if !s.opts.NoReasoning || !hasBlock(it, model.Reasoning) {
		if v := s.cut.element(it); v != nil {
			if out, ok := s.splice(dst, v, it); ok {
				return out, nil
			}
		}
	}
	return s.encode(ctx, dst, it)
}

func hasBlock(it *item, kind model.BlockKind) bool {
	for i := range it.blocks {
		if it.blocks[i].Kind == kind {
			return true
		}
	}
	return false
}

// splice copies an element as it was recorded.
func (s *shaper) splice(dst, v []byte, it *item) ([]byte, bool) {
	start := len(dst)
	v = s.clean(v)
	out, ok := s.layout.appendValue(append(dst, s.sep...), v, s.depth)
	if !ok {
		return dst[:start], false
	}
	if s.opts.Metadata {
		out = s.into(out, v, func(o *object) { s.metadata(o, it, v) })
	}
	return out, true
}

// clean takes credentials out of JSON.
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
func (s *shaper) into(dst, v []byte, add func(*object)) []byte {
	for dst[len(dst)-1] != '}' {
		dst = dst[:len(dst)-1]
	}
	dst = dst[:len(dst)-1]
	for last := len(dst) - 1; isSpace(dst[last]); last-- {
		dst = dst[:last]
	}
	o := object{buf: dst, layout: s.layout, depth: s.depth + 1, fresh: dst[len(dst)-1] == '{'}
	if s.layout.indent == 0 && len(v) > 2 {
		o.spaced = spaced(v)
	}
	add(&o)
	return o.close('}')
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// object writes fields of an object, or elements of an array.
type object struct {
	buf    []byte
	layout layout
	depth  int
	fresh  bool // nothing was written yet
	spaced bool // on one line, but with spaces
}

func (o *object) open(bracket byte) {
	o.buf = append(o.buf, bracket)
	o.depth++
	o.fresh = true
}

func (o *object) close(bracket byte) []byte {
	o.depth--
	if !o.fresh && o.layout.indent > 0 {
		o.buf = appendLine(o.buf, o.layout.indent, o.depth)
	}
	o.fresh = false
	o.buf = append(o.buf, bracket)
	return o.buf
}

// element begins an element of an array.
func (o *object) element() {
	if !o.fresh {
		o.buf = append(o.buf, ',')
	}
	switch {
	case o.layout.indent > 0:
		o.buf = appendLine(o.buf, o.layout.indent, o.depth)
	case o.spaced && !o.fresh:
		o.buf = append(o.buf, ' ')
	}
	o.fresh = false
}

// key begins a field.
func (o *object) key(name string) {
	o.element()
	o.buf = model.AppendQuoted(o.buf, []byte(name))
	o.buf = append(o.buf, ':')
	if o.layout.indent > 0 || o.spaced {
		o.buf = append(o.buf, ' ')
	}
}

func (o *object) raw(name, value string) {
	o.key(name)
	o.buf = append(o.buf, value...)
}

func (o *object) string(name, value string) {
	o.key(name)
	o.buf = model.AppendQuoted(o.buf, []byte(value))
}

func (o *object) int(name string, n int64) {
	o.key(name)
	o.buf = strconv.AppendInt(o.buf, n, 10)
}

// metadata adds index, token_count and timestamp. A message may have fields of
// these names: they stay, and ours go into an object of their own.
func (s *shaper) metadata(o *object, it *item, own []byte) {
	has := fieldsOf(own, "index", "token_count", "timestamp")
	if has[0] || has[1] {
		s.clashes++
		o.key(metadataName(own))
		o.open('{')
		s.numbers(o, it)
		s.timestamp(o, it)
		o.close('}')
		return
	}
	s.numbers(o, it)
	if !has[2] {
		s.timestamp(o, it)
	}
}

func (s *shaper) numbers(o *object, it *item) {
	o.int("index", int64(it.pos))
	if n, ok := s.tokens.Message(it.id); ok {
		o.int("token_count", n.Sum())
	} else {
		o.raw("token_count", "null")
	}
}

func (s *shaper) timestamp(o *object, it *item) {
	if it.head.Time == 0 {
		o.raw("timestamp", "null")
		return
	}
	o.string("timestamp", time.UnixMilli(it.head.Time).UTC().Format("2006-01-02T15:04:05.000Z"))
}

// callID is the id of a call, or of its result: the recorded one, or one made of
// the position of its message, which stays the same from export to export.
func callID(pos, block int) string { return fmt.Sprintf("call_%d_%d", pos, block) }
