package shape

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// encode writes a message of another shape. A message with results and other blocks becomes several
// elements: a tool message for each result, and the blocks between them.
func (s *shaper) encode(ctx context.Context, dst []byte, it *Item) ([]byte, error) {
	s.calls, s.callers = 0, callers{}
	s.pieces = pieces(s.pieces[:0], it, s.opts)
	if len(it.Blocks) == 0 {
		s.pieces = append(s.pieces, piece{result: -1})
	}
	for i, p := range s.pieces {
		write := s.element
		if p.result >= 0 {
			write = s.result
		}
		var err error
		if dst, err = write(ctx, dst, it, p, i == 0); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// element writes blocks without a result. The additional fields of a message are with its first
// element.
func (s *shaper) element(ctx context.Context, dst []byte, it *Item, p piece, first bool) ([]byte, error) {
	blocks := it.Blocks[p.from:p.to]
	o := Object{Buf: append(dst, s.sep...), Layout: s.layout, Depth: s.depth}
	from := len(o.Buf)
	o.Open('{')
	o.String("role", s.snap.RoleName(it.head))
	o.Key("content")
	if own := s.recordedContent(it); own == nil || !o.Copy(s.clean(own)) {
		s.content(&o, blocks)
	}
	s.reasoning(&o, blocks)
	s.toolCalls(&o, it, blocks)
	s.writeOwnFields(&o, it, blocks, first)
	err := s.readBack(ctx, &o, from, it, p, first, model.Unknown)
	return o.Close("}"), err
}

// recordedContent returns the content of a message that lacks only a role; nil if there is none or
// if it contains reasoning.
func (s *shaper) recordedContent(it *Item) []byte {
	v := s.cut.shaped(it)
	if jsonspan.GetString(v, "role") != nil || hasBlock(it, model.Reasoning) {
		return nil
	}
	return jsonspan.Get(v, "content")
}

// content writes the content: a string, or a list of parts if there is more than words. Content
// recorded as null or not at all becomes null.
func (s *shaper) content(o *Object, blocks []model.Block) {
	words, parts := 0, 0
	for i := range blocks {
		switch b := &blocks[i]; {
		case isDocument(b):
			parts++
		case isText(b):
			words++
		case b.Kind == model.Media, b.Kind == model.OtherBlock && !malformed(b):
			parts++
		}
	}
	switch {
	case parts > 0:
		o.Open('[')
		for i := range blocks {
			s.contentPart(o, &blocks[i])
		}
		o.Close("]")
	case words == 0:
		o.Buf = append(o.Buf, "null"...)
	case words == 1 && s.plainValue(o, blocks):
	default:
		s.joined(o, blocks, isText)
	}
}

// isText reports whether a block is a text of the content.
func isText(b *model.Block) bool {
	return (b.Kind == model.Words || b.Kind == model.ToolResult) && !b.Text.IsNull()
}

// isDocument reports whether a block is the text of an attached document.
func isDocument(b *model.Block) bool {
	return b.Kind == model.Words && b.Name.Is(model.DocumentText) && !b.Text.IsNull()
}

// document writes the fields of an attached document.
func (s *shaper) document(o *Object, b *model.Block) {
	o.String("type", model.DocumentText)
	o.OpenObject("source")
	o.String("type", "text")
	o.String("media_type", "text/plain")
	s.textField(o, "data", b.Text)
	o.Close("}")
	for k := range b.Extra {
		s.field(o, &b.Extra[k])
	}
}

// plainValue writes a content that is one number, object or other value unchanged. A list of typed
// objects would be misread as parts of a content.
func (s *shaper) plainValue(o *Object, blocks []model.Block) bool {
	i := slices.IndexFunc(blocks, func(b model.Block) bool { return isText(&b) })
	v := blocks[i].Text
	if v.Encoding() != model.JSONValue || jsonspan.KindOf(v.Raw()) == jsonspan.Array && bytes.Contains(v.Raw(), []byte(`"type"`)) {
		return false
	}
	return o.Copy(s.clean(v.Raw()))
}

// joined writes the texts of some blocks as one string, joined by newlines.
func (s *shaper) joined(o *Object, blocks []model.Block, wanted func(*model.Block) bool) {
	o.Buf = append(o.Buf, '"')
	first := true
	for i := range blocks {
		if b := &blocks[i]; wanted(b) {
			if !first {
				o.Buf = append(o.Buf, '\\', 'n')
			}
			first = false
			o.Buf = s.inside(o.Buf, b.Text)
		}
	}
	o.Buf = append(o.Buf, '"')
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

func (s *shaper) textField(o *Object, name string, t model.Text) {
	o.Key(name)
	o.Buf = append(o.Buf, '"')
	o.Buf = s.inside(o.Buf, t)
	o.Buf = append(o.Buf, '"')
}

// malformed reports whether a block is an invalid call.
func malformed(b *model.Block) bool {
	return b.Kind == model.OtherBlock && b.Name.String() == model.MalformedCall
}

// value writes a value as recorded.
func (s *shaper) value(o *Object, t model.Text) {
	if t.Encoding() == model.JSONValue {
		if o.Copy(s.clean(t.Raw())) {
			return
		}
	}
	o.Buf = append(s.inside(append(o.Buf, '"'), t), '"')
}

func (s *shaper) contentPart(o *Object, b *model.Block) {
	switch b.Kind {
	case model.Words, model.ToolResult:
		if b.Text.IsNull() {
			return
		}
		o.Item()
		if isDocument(b) {
			s.document(o, b)
		} else {
			o.String("type", "text")
			s.textField(o, "text", b.Text)
		}
		o.Close("}")
	case model.Media:
		o.Element()
		s.media(o, b)
	case model.OtherBlock:
		if malformed(b) {
			return // it is among the calls
		}
		o.Element()
		if b.Text.IsNull() && b.Name.Empty() {
			o.Buf = append(o.Buf, "null"...)
			return
		}
		if raw := b.Text.Raw(); b.Text.Encoding() == model.JSONValue && len(raw) > 0 && (raw[0] == '{' || b.Name.Empty() && jsonspan.KindOf(raw) != jsonspan.Array) {
			if o.Copy(s.clean(raw)) {
				return
			}
		}
		o.Open('{')
		o.String("type", cmp.Or(b.Name.String(), "other"))
		s.textField(o, "text", b.Text)
		o.Close("}")
	}
}

// field writes a field without a place in the model, as recorded.
func (s *shaper) field(o *Object, f *model.Field) {
	o.Key(f.Name)
	switch f.Value.Encoding() {
	case model.Absent, model.Null:
		o.Buf = append(o.Buf, "null"...)
		return
	case model.JSONValue:
		if o.Copy(s.clean(f.Value.Raw())) {
			return
		}
	}
	o.Buf = append(o.Buf, '"')
	o.Buf = s.inside(o.Buf, f.Value)
	o.Buf = append(o.Buf, '"')
}

// reasoning writes thinking under the name that most servers use.
func (s *shaper) reasoning(o *Object, blocks []model.Block) {
	if s.opts.NoReasoning || !slices.ContainsFunc(blocks, func(b model.Block) bool {
		return b.Kind == model.Reasoning && !hidden(&b)
	}) {
		return
	}
	o.Key("reasoning_content")
	s.joined(o, blocks, func(b *model.Block) bool { return b.Kind == model.Reasoning && !hidden(b) })
}

func (s *shaper) toolCalls(o *Object, it *Item, blocks []model.Block) {
	first := true
	for i := range blocks {
		b := &blocks[i]
		if b.Kind != model.ToolCall && !malformed(b) {
			continue
		}
		if first {
			o.OpenList("tool_calls")
			first = false
		}
		o.Element()
		if b.Kind != model.ToolCall {
			s.value(o, b.Text)
			continue
		}
		o.Open('{')
		if b.ID.Empty() {
			o.String("id", callID(it.pos, s.calls))
		} else {
			s.textField(o, "id", b.ID)
		}
		s.calls++
		o.String("type", "function")
		o.OpenObject("function")
		s.textField(o, "name", b.Name)
		if b.Text.IsNull() {
			o.String("arguments", "{}")
		} else {
			s.textField(o, "arguments", b.Text)
		}
		o.Close("}")
		for k := range b.Extra {
			s.field(o, &b.Extra[k])
		}
		o.Close("}")
	}
	if !first {
		o.Close("]")
	}
}

// result writes a tool message.
func (s *shaper) result(ctx context.Context, dst []byte, it *Item, p piece, first bool) ([]byte, error) {
	b, blocks := &it.Blocks[p.result], it.Blocks[p.from:p.to]
	id, name, err := s.called(ctx, it, b, p.number)
	if err != nil {
		return dst, err
	}
	o := Object{Buf: append(dst, s.sep...), Layout: s.layout, Depth: s.depth}
	from := len(o.Buf)
	o.Open('{')
	o.String("role", "tool")
	o.String("tool_call_id", id)
	o.Optional("name", name)
	o.Key("content")
	s.content(&o, blocks)
	runs := b.Outcome == model.Running && s.answeredAgain(it)
	failed := !runs && (b.Outcome.Failed() || s.outcomeOf(it, b, p.number).Failed())
	if failed {
		o.Raw("is_error", "true")
	}
	s.writeOwnFields(&o, it, blocks, first)
	if runs {
		s.put(&o, "status", model.StringText("running"))
	}
	outcome := model.Unknown
	if !runs {
		outcome = s.outcome(it, b, p.number, failed)
	}
	err = s.readBack(ctx, &o, from, it, p, first, outcome)
	return o.Close("}"), err
}
