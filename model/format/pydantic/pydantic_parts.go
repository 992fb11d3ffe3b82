package pydantic

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// pydanticPart is a part of a message.
type pydanticPart struct {
	kind, partID                      []byte // part_kind and id, without quotes
	content, name, id, args, time     []byte
	outcome, signature, transcript, v []byte
	extra                             []model.Field
}

var pydanticPartFields = kit.TableOf(func(p *pydanticPart) kit.Fields {
	return kit.Fields{
		kit.Word("part_kind", &p.kind), kit.Raw("content", &p.content),
		kit.Raw("tool_name", &p.name), kit.Raw("tool_call_id", &p.id), kit.Raw("tool_id", &p.id),
		kit.Raw("transcript", &p.transcript), kit.Raw("text", &p.transcript),
	}
})

// readPydanticPart consumes a part; unknown fields are stored in the Extra of its block.
func readPydanticPart(c *jsonspan.Cursor) (p pydanticPart) {
	start := c.Pos
	for c.Object(); c.Key(); {
		if pydanticPartFields.Take(c, &p) {
			continue
		}
		switch string(c.Name) {
		case "args":
			p.args = pydanticArgs(c.Skip())
		case "timestamp":
			p.time = c.Skip()
			p.keep("timestamp", p.time)
		case "outcome":
			v := c.Skip()
			p.outcome = kit.Inside(v)
			p.keep("outcome", v)
		case "signature":
			p.signature = c.Skip()
			p.keep("signature", p.signature)
		case "id":
			v := c.Skip()
			p.partID = kit.Inside(v)
			p.keep("id", v)
		default:
			name := string(c.Name)
			p.keep(name, c.Skip())
		}
	}
	p.v = bytes.TrimLeft(c.Buf[start:c.Pos], " \t\r\n,")
	return p
}

// pydanticArgs unwraps the arguments of v0.0.18 and earlier.
func pydanticArgs(v []byte) []byte {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return v
	}
	c := jsonspan.New(v)
	if c.Object(); c.Key() {
		switch string(c.Name) {
		case "args_json", "args_dict", "args_object":
			if inner := c.Skip(); !c.Key() { // it has no other field
				return inner
			}
		}
	}
	return v
}

// speaker returns the role of a request's part, and whether it is a hint of a program to the model
// rather than words of the user.
func (p *pydanticPart) speaker() (role model.Role, hint bool) {
	switch string(p.kind) {
	case "system-prompt", "instruction":
		return model.System, false
	case "tool-return", "builtin-tool-return":
		return model.Tool, false
	case "retry-prompt":
		if !kit.IsEmpty(p.name) {
			return model.Tool, false
		}
		return model.User, true
	case "user-prompt", "speech", "text":
		return model.User, false
	}
	return model.User, true
}

func (p *pydanticPart) keep(name string, v []byte) {
	if !kit.IsEmpty(v) {
		p.extra = append(p.extra, model.Field{Name: name, Value: model.ValueText(v)})
	}
}

// add adds the part's blocks; the part's other fields are stored in the first one.
func (p *pydanticPart) add(f *model.Fact) {
	at := len(f.Blocks)
	p.addTo(f)
	if string(p.kind) == "retry-prompt" { // a retry request of the framework
		p.extra = append(p.extra, model.Field{Name: "part_kind", Value: model.EscapedText(p.kind)})
	}
	if len(f.Blocks) > at && f.Blocks[at].Kind != model.OtherBlock { // OtherBlock: the full part
		f.Blocks[at].Extra = p.extra
	}
}

func (p *pydanticPart) addTo(f *model.Fact) {
	switch string(p.kind) {
	case "system-prompt", "user-prompt", "text", "instruction":
		pydanticContent(f, p.content)
	case "thinking":
		b := f.Add(model.Reasoning)
		b.Text = model.ValueText(p.content)
		if kit.IsEmpty(p.content) && string(p.partID) == "redacted_thinking" {
			b.Name = model.EscapedText(p.partID)
		}
	case "tool-call", "builtin-tool-call":
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = model.ValueText(p.id), model.ValueText(p.name), model.ValueText(p.args)
	case "tool-return", "builtin-tool-return":
		p.addReturn(f)
	case "retry-prompt":
		if kit.IsEmpty(p.name) {
			p.keep("tool_call_id", p.id)
			pydanticContent(f, p.content)
			return
		}
		b := f.Add(model.ToolResult)
		b.ID, b.Name, b.Text = model.ValueText(p.id), model.ValueText(p.name), model.ValueText(p.content)
		b.Outcome = kit.FailureOf(b.Text)
	case "file":
		pydanticItem(f, model.Text{}, p.content)
	default:
		if p.transcript != nil && string(p.kind) == "speech" {
			f.AddText(model.Words, model.ValueText(p.transcript))
			return
		}
		kit.AddOther(f, p.kind, p.v)
	}
}

func (p *pydanticPart) addReturn(f *model.Fact) {
	b := f.Add(model.ToolResult)
	b.ID, b.Name, b.Text = model.ValueText(p.id), model.ValueText(p.name), model.ValueText(p.content)
	if p.outcome != nil {
		b.Outcome, _ = kit.OutcomeOfStatus(p.outcome)
	} else {
		b.Outcome = kit.OutcomeOfText(b.Text)
	}
	id := b.ID
	if jsonspan.KindOf(p.content) == jsonspan.Array {
		for v := range jsonspan.List(p.content) {
			if pydanticIsMedia(v) {
				pydanticItem(f, id, v)
			}
		}
	} else if pydanticIsMedia(p.content) {
		pydanticItem(f, id, p.content)
	}
}

// pydanticContent adds the content of a prompt: a string, or a list of strings,
// media and markers.
func pydanticContent(f *model.Fact, v []byte) {
	if jsonspan.KindOf(v) != jsonspan.Array {
		f.AddText(model.Words, model.ValueText(v))
		return
	}
	for part := range jsonspan.List(v) {
		pydanticItem(f, model.Text{}, part)
	}
}

func pydanticIsMedia(v []byte) bool {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return false
	}
	kind := jsonspan.GetString(v, "kind")
	return string(kind) == "binary" || string(kind) == "uploaded-file" || bytes.HasSuffix(kind, []byte("-url"))
}

// pydanticItem adds an item of a prompt's content.
func pydanticItem(f *model.Fact, id model.Text, v []byte) {
	if kit.IsString(v) {
		f.AddText(model.Words, model.ValueText(v))
		return
	}
	var kind, text, place, mime []byte
	kit.ReadObject(v,
		kit.Word("kind", &kind), kit.Raw("content", &text), kit.Raw("url", &place),
		kit.Raw("data", &place), kit.Raw("file_id", &place), kit.Raw("media_type", &mime),
	)
	switch {
	case string(kind) == "cache-point":
	case string(kind) == "text-content":
		f.AddText(model.Words, model.ValueText(text))
	case place != nil:
		typ := model.ValueText(mime)
		if kit.IsNull(mime) {
			b := kit.BlockFields{Typ: kind}
			typ = kit.MediaTypeOf(&b)
		}
		kit.AddMedia(f, id, typ, place)
	default:
		kit.AddOther(f, kind, v)
	}
}
