package export

import (
	"cmp"
	"context"
	"slices"

	"turns/model"
)

// encode writes a message that does not have the shape. One that holds results
// beside other things becomes several elements: a tool message for each result
// and what stands between them.
func (s *shaper) encode(ctx context.Context, dst []byte, it *item) ([]byte, error) {
	s.calls, s.callers = 0, callers{}
	results, wrote := 0, false
	for from := 0; from < len(it.blocks); {
		to := from
		for to < len(it.blocks) && it.blocks[to].Kind != model.ToolResult {
			to++
		}
		if to > from { // what precedes a result
			if it.head.Role == model.Tool && to < len(it.blocks) {
				// words before a result of a tool's message belong to it
			} else {
				dst = s.element(dst, it, it.blocks[from:to], !wrote)
				wrote = true
				from = to
			}
		}
		if to == len(it.blocks) {
			break
		}
		end := to + 1
		for it.head.Role == model.Tool && end < len(it.blocks) && it.blocks[end].Kind != model.ToolResult {
			end++
		}
		if !s.opts.NoResults {
			var err error
			if dst, err = s.result(ctx, dst, it, it.blocks[from:end], to-from, results, !wrote); err != nil {
				return dst, err
			}
			wrote = true
		}
		results++
		from = end
	}
	if !wrote {
		dst = s.element(dst, it, nil, true)
	}
	return dst, nil
}

// element writes blocks that hold no result. The fields beside the content stand
// with the first element of a message.
func (s *shaper) element(dst []byte, it *item, blocks []model.Block, first bool) []byte {
	o := object{buf: append(dst, s.sep...), layout: s.layout, depth: s.depth}
	o.open('{')
	o.string("role", s.snap.RoleName(it.head))
	s.content(&o, blocks)
	s.reasoning(&o, blocks)
	s.toolCalls(&o, it, blocks)
	s.beside(&o, it, first)
	return o.close('}')
}

// content writes what is said: a string, or a list of parts where there is more
// than words. Null is what was recorded as null, or not at all.
func (s *shaper) content(o *object, blocks []model.Block) {
	o.key("content")
	words, parts := 0, 0
	for i := range blocks {
		switch b := &blocks[i]; b.Kind {
		case model.Words, model.ToolResult:
			if !b.Text.IsNull() {
				words++
			}
		case model.Media, model.OtherBlock:
			if !malformed(b) {
				parts++
			}
		}
	}
	switch {
	case parts > 0:
		o.open('[')
		for i := range blocks {
			s.contentPart(o, &blocks[i])
		}
		o.close(']')
	case words == 0:
		o.buf = append(o.buf, "null"...)
	default:
		s.joined(o, blocks, func(k model.BlockKind) bool { return k == model.Words || k == model.ToolResult })
	}
}

// joined writes the texts of some blocks as one string, joined by newlines.
func (s *shaper) joined(o *object, blocks []model.Block, wanted func(model.BlockKind) bool) {
	o.buf = append(o.buf, '"')
	first := true
	for i := range blocks {
		if b := &blocks[i]; wanted(b.Kind) && !b.Text.IsNull() {
			if !first {
				o.buf = append(o.buf, '\\', 'n')
			}
			first = false
			o.buf = s.inside(o.buf, b.Text)
		}
	}
	o.buf = append(o.buf, '"')
}

// inside adds a text as the inside of a JSON string.
func (s *shaper) inside(dst []byte, t model.Text) []byte {
	if s.redact != nil {
		if raw := t.Raw(); len(s.redact.Find(raw)) > 0 {
			clean, n := s.redact.Redact(nil, raw)
			s.secrets += n
			if t.Encoding() == model.JSONString {
				return model.AppendRecorded(dst, clean)
			}
			return model.AppendInside(dst, clean)
		}
	}
	return t.AppendInside(dst)
}

func (s *shaper) textField(o *object, name string, t model.Text) {
	o.key(name)
	o.buf = append(o.buf, '"')
	o.buf = s.inside(o.buf, t)
	o.buf = append(o.buf, '"')
}

// malformed reports whether a block stands in the place of a call and is none.
func malformed(b *model.Block) bool {
	return b.Kind == model.OtherBlock && b.Name.String() == model.MalformedCall
}

// value writes a value as it was recorded.
func (s *shaper) value(o *object, t model.Text) {
	if t.Encoding() == model.JSONValue {
		if out, ok := o.layout.appendValue(o.buf, s.clean(t.Raw()), o.depth); ok {
			o.buf = out
			return
		}
	}
	o.buf = append(s.inside(append(o.buf, '"'), t), '"')
}

func (s *shaper) contentPart(o *object, b *model.Block) {
	switch b.Kind {
	case model.Words, model.ToolResult:
		if b.Text.IsNull() {
			return
		}
		o.element()
		o.open('{')
		o.string("type", "text")
		s.textField(o, "text", b.Text)
		o.close('}')
	case model.Media:
		o.element()
		s.media(o, b)
	case model.OtherBlock:
		if malformed(b) {
			return // it stands among the calls
		}
		o.element()
		if b.Text.Encoding() == model.JSONValue && len(b.Text.Raw()) > 0 && b.Text.Raw()[0] == '{' {
			if out, ok := o.layout.appendValue(o.buf, s.clean(b.Text.Raw()), o.depth); ok {
				o.buf = out
				return
			}
		}
		o.open('{')
		o.string("type", cmp.Or(b.Name.String(), "other"))
		s.textField(o, "text", b.Text)
		o.close('}')
	}
}

// beside writes the fields that stand beside those of the API.
func (s *shaper) beside(o *object, it *item, first bool) {
	if first {
		for i := range it.extra {
			f := &it.extra[i]
			if slices.Contains(ownNames[:], f.Name) || !s.chat && slices.Contains(model.AboutNames[:], f.Name) || s.opts.NoReasoning && f.Name == "reasoning_details" {
				continue
			}
			s.field(o, f)
		}
	}
	if !s.opts.Metadata {
		return
	}
	if first && slices.ContainsFunc(it.extra, func(f model.Field) bool { return f.Name == "index" || f.Name == "token_count" }) {
		s.clashes++
		o.key("_metadata")
		o.open('{')
		defer o.close('}')
	}
	s.numbers(o, it)
	s.timestamp(o, it)
}

// ownNames are the fields that an element has from its blocks.
var ownNames = [...]string{"role", "content", "tool_calls", "tool_call_id", "reasoning_content", "is_error", "timestamp", "_metadata"}

// field writes a field that the model has no place for, as it was recorded.
func (s *shaper) field(o *object, f *model.Field) {
	o.key(f.Name)
	switch f.Value.Encoding() {
	case model.Absent, model.Null:
		o.buf = append(o.buf, "null"...)
		return
	case model.JSONValue:
		if out, ok := o.layout.appendValue(o.buf, s.clean(f.Value.Raw()), o.depth); ok {
			o.buf = out
			return
		}
	}
	o.buf = append(o.buf, '"')
	o.buf = s.inside(o.buf, f.Value)
	o.buf = append(o.buf, '"')
}

// reasoning writes thinking under the name that most servers use.
func (s *shaper) reasoning(o *object, blocks []model.Block) {
	if s.opts.NoReasoning || !slices.ContainsFunc(blocks, func(b model.Block) bool {
		return b.Kind == model.Reasoning && !b.Text.IsNull()
	}) {
		return
	}
	o.key("reasoning_content")
	s.joined(o, blocks, func(k model.BlockKind) bool { return k == model.Reasoning })
}

func (s *shaper) toolCalls(o *object, it *item, blocks []model.Block) {
	first := true
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != model.ToolCall && !malformed(b) {
			continue
		}
		if first {
			o.key("tool_calls")
			o.open('[')
			first = false
		}
		o.element()
		if b.Kind != model.ToolCall {
			s.value(o, b.Text)
			continue
		}
		o.open('{')
		if b.ID.Empty() {
			o.string("id", callID(it.pos, s.calls))
		} else {
			s.textField(o, "id", b.ID)
		}
		s.calls++
		o.string("type", "function")
		o.key("function")
		o.open('{')
		s.textField(o, "name", b.Name)
		if b.Text.IsNull() {
			o.string("arguments", "{}")
		} else {
			s.textField(o, "arguments", b.Text)
		}
		o.close('}')
		o.close('}')
	}
	if !first {
		o.close(']')
	}
}

// result writes a tool message. at is the place of the result among its blocks,
// n its number in the message.
func (s *shaper) result(ctx context.Context, dst []byte, it *item, blocks []model.Block, at, n int, first bool) ([]byte, error) {
	b := &blocks[at]
	id, name, err := s.called(ctx, it, b, n)
	if err != nil {
		return dst, err
	}
	o := object{buf: append(dst, s.sep...), layout: s.layout, depth: s.depth}
	o.open('{')
	o.string("role", "tool")
	o.string("tool_call_id", id)
	if name != "" {
		o.string("name", name)
	}
	s.content(&o, blocks)
	if b.Outcome.Failed() {
		o.raw("is_error", "true")
	}
	s.beside(&o, it, first)
	return o.close('}'), nil
}
