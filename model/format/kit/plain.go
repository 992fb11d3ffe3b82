package kit

import (
	"turns/model"
	"turns/model/jsonspan"
)

// PlainFields are the fields of OpenAI's messages in addition to role, content and name. The JSON
// export writes every message with them, next to the fields that identify a framework's format, so
// such formats read both.
type PlainFields struct {
	Calls, CallID, Reasoning, IsError, back []byte
}

// Take reads the field at the cursor if it is one of them.
func (p *PlainFields) Take(c *jsonspan.Cursor) bool {
	switch string(c.Name) {
	case "tool_calls":
		p.Calls = c.Skip()
	case "tool_call_id":
		p.CallID = c.Skip()
	case "reasoning_content":
		p.Reasoning = c.Skip()
	case "is_error":
		p.IsError = c.Skip()
	case model.ReadBackField:
		p.back = c.Skip()
	default:
		return false
	}
	return true
}

// Answers turns a tool message into a result. It returns false if the message names no call.
func (p *PlainFields) Answers(f *model.Fact, name, content []byte) bool {
	if f.Role != model.Tool || IsEmpty(p.CallID) {
		return false
	}
	b := BlockFields{CallID: p.CallID, Name: name, Content: content, IsError: p.IsError}
	AddResultBlock(f, &b)
	p.ReadBack(f)
	return true
}

// ReadBack restores the facts that an export stored outside of OpenAI's fields, and reports
// whether the message must not be split.
func (p *PlainFields) ReadBack(f *model.Fact) (whole bool) {
	if p.back == nil {
		return false
	}
	back := parseReadBack(p.back)
	back.place(f)
	back.complete(f)
	return back.unsplit()
}

// AddFacts adds what an export stored about the session and the subagent of the last fact, which is
// the message.
func (p *PlainFields) AddFacts(fs *model.Facts) {
	if p.back != nil {
		parseReadBack(p.back).addFacts(fs)
	}
}

// AddWholeCalls is like [AddToolCalls], and adds the recorded fields around the function as Extra
// fields.
func AddWholeCalls(f *model.Fact, calls []byte) {
	at := len(f.Blocks)
	AddToolCalls(f, calls)
	for v := range jsonspan.List(calls) {
		if !IsNull(v) && at < len(f.Blocks) {
			keepSiblings(&f.Blocks[at], v)
			at++
		}
	}
}

func keepSiblings(b *model.Block, call []byte) {
	if b.Kind != model.ToolCall || jsonspan.KindOf(call) != jsonspan.Object {
		return
	}
	c := jsonspan.New(call)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id", "type", "function":
			c.Skip()
		default:
			b.Extra = append(b.Extra, model.Field{Name: string(c.Name), Value: model.ValueText(c.Skip())})
		}
	}
}

// AddReasoning adds the reasoning that precedes the content.
func (p *PlainFields) AddReasoning(f *model.Fact) {
	if !IsEmpty(p.Reasoning) {
		f.AddText(model.Reasoning, model.ValueText(p.Reasoning))
	}
}
