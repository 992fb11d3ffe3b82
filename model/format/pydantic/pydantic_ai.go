package pydantic

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Format reads the output of PydanticAI's ModelMessagesTypeAdapter: requests and responses with
// parts, of all versions, and the flat messages before v0.0.14.
func Format() *model.Format {
	return &model.Format{
		Name:    "pydantic-ai",
		Highest: 88,
		Title:   "PydanticAI messages",
		Detect:  pydanticKind.Detect,
		Lists:   pydanticKind.Lists,
		Parse:   pydanticParse,
	}
}

var pydanticKind = &kit.FrameKind{
	Paths:  []string{kit.WholeList, "messages", "message_history", "all_messages", "new_messages", "history", "message_list", "conversation.messages"},
	Marks:  []string{`"part_kind"`, `"model-text-response"`, `"model-structured-response"`, `"tool-return"`},
	Judge:  pydanticJudge,
	Score:  88,
	Reason: "kind request or response and parts with a part_kind",
}

var pydanticJudge = kit.Judge(
	"+ kind=request|response & parts",
	"+ role=model-text-response|model-structured-response|tool-return|retry-prompt",
	"~ role=user|system",
)

func pydanticParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case kit.FrameRest(rec):
		kit.FrameHolder(&c, fs)
	case c.Kind() == jsonspan.Array: // all messages of a run on one line
		for c.Array(); c.More(); {
			PydanticMessage(&c, fs, 0)
		}
		if fs.Len() == 0 {
			kit.Note(fs, "empty")
		}
	case kit.StartObject(&c, fs):
		pydanticRecord(&c, fs)
	}
	return kit.Finish(&c, fs)
}

// pydanticRecord reads a message, or an object on a line with a list of messages.
func pydanticRecord(c *jsonspan.Cursor, fs *model.Facts) {
	if jsonspan.Get(c.Buf[c.Pos:], "parts") != nil {
		PydanticMessage(c, fs, 0)
		return
	}
	for _, path := range pydanticKind.Paths[1:] {
		list := jsonspan.Get(c.Buf[c.Pos:], path)
		if jsonspan.KindOf(list) != jsonspan.Array {
			continue
		}
		session := model.Hash(list)
		f := fs.Add(model.About)
		f.Session = session
		for c.Object(); c.Key(); {
			if string(c.Name) == path {
				c.Skip()
			} else {
				kit.FrameField(f, c)
			}
		}
		in := jsonspan.New(list)
		for in.Array(); in.More(); {
			PydanticMessage(&in, fs, session)
		}
		return
	}
	PydanticMessage(c, fs, 0)
}

// pydanticHead holds the fields of a message other than its parts.
type pydanticHead struct {
	kind, parts, usage, model, time, instructions, id, finish, state []byte
	role, calls                                                      []byte // of the first versions
	details                                                          []byte // of the provider
	session                                                          model.Key
	extra                                                            []model.Field
}

// PydanticMessage adds one message. It divides a request into the parts of the system, the
// tools and the user.
func PydanticMessage(c *jsonspan.Cursor, fs *model.Facts, session model.Key) {
	start := c.Pos
	h := pydanticHead{session: session}
	f := fs.Add(model.Say) // collects the fields until the speaker is known
	for c.Object(); c.Key(); {
		h.field(c, f)
	}
	if c.Err != nil {
		fs.Drop()
		return
	}
	h.extra = append(h.extra, f.Extra...)
	raw := bytes.TrimSpace(c.Buf[start:c.Pos])
	switch {
	case h.parts == nil && h.role != nil:
		fs.Drop()
		h.flat(fs, raw)
	case h.kind == nil && h.parts == nil:
		kit.FrameOther(fs, nil, raw)
	case string(h.kind) == "response":
		h.response(f)
		kit.SplitCompaction(fs)
	default:
		fs.Drop()
		h.request(fs)
	}
}

var pydanticHeadNames = kit.TableOf(func(h *pydanticHead) kit.Fields {
	return kit.Fields{
		kit.Raw("parts", &h.parts), kit.Word("kind", &h.kind), kit.Raw("usage", &h.usage), kit.Raw("model_name", &h.model),
		kit.Raw("timestamp", &h.time), kit.Raw("instructions", &h.instructions), kit.Raw("vendor_id", &h.id),
		kit.Raw("provider_response_id", &h.id), kit.Raw("finish_reason", &h.finish), kit.Raw("state", &h.state),
		kit.Word("role", &h.role), kit.Raw("calls", &h.calls),
	}
})

func (h *pydanticHead) field(c *jsonspan.Cursor, f *model.Fact) {
	switch string(c.Name) {
	case "vendor_details", "provider_details":
		name := c.Name
		h.details = c.Skip()
		kit.KeepNamed(f, name, h.details)
	case "content", "tool_name", "tool_id", "tool_call_id":
		c.Skip() // in the first versions; read later as a part
	default:
		pydanticHeadNames.ReadOrKeep(c, h, f)
	}
}

// response turns f into the model's answer.
func (h *pydanticHead) response(f *model.Fact) {
	f.Role, f.Session, f.Time, f.Model = model.Assistant, h.session, kit.MomentOf(h.time), model.ValueText(h.model)
	f.Usage = pydanticUsage(h.usage)
	f.Usage.Key = kit.HashValue(h.id)
	kit.Keep(f, "id", h.id)
	reason := kit.Inside(h.finish)
	if reason == nil {
		reason = jsonspan.GetString(h.details, "finish_reason")
	}
	if reason != nil {
		kit.SetStop(f, reason)
	}
	if s := string(kit.Inside(h.state)); s == "interrupted" || s == "incomplete" || s == "suspended" {
		f.Flags |= model.Interrupted
		f.Outcome, f.Stop = model.Stopped, model.StopAborted
	}
	kit.Keep(f, "instructions", h.instructions)
	in := jsonspan.New(h.parts)
	for in.Array(); in.More(); {
		p := readPydanticPart(&in)
		p.add(f)
	}
}

// request adds the content of a request; consecutive parts of one speaker form a message.
func (h *pydanticHead) request(fs *model.Facts) {
	var last model.Role
	var injected bool
	first := fs.Len()
	in := jsonspan.New(h.parts)
	for in.Array(); in.More(); {
		var f *model.Fact
		p := readPydanticPart(&in)
		role, hint := p.speaker()
		if fs.Len() > first && role == last && hint == injected {
			f = fs.Last()
		} else {
			f = fs.Add(model.Say)
			f.Role, f.Session = role, h.session
			if hint {
				f.Flags |= model.Injected
			}
			if f.Time = kit.MomentOf(p.time); f.Time.Ms == 0 {
				f.Time = kit.MomentOf(h.time)
			}
		}
		last, injected = role, hint
		p.add(f)
	}
	if fs.Len() == first { // instructions only, or empty
		f := fs.Add(model.Say)
		f.Role, f.Session, f.Time = model.User, h.session, kit.MomentOf(h.time)
		f.Flags |= model.Injected
		f.AddText(model.Words, model.ValueText(h.instructions))
	} else {
		kit.Keep(fs.At(first), "instructions", h.instructions)
	}
	f := fs.At(first)
	f.Extra = append(f.Extra, h.extra...)
}

// flat adds a message of the versions before parts, in which the role determines the content.
func (h *pydanticHead) flat(fs *model.Facts, raw []byte) {
	f := fs.Add(model.Say)
	in := jsonspan.New(raw)
	p := readPydanticPart(&in)
	p.extra, f.Extra = nil, append(f.Extra, h.extra...)
	f.Session, f.Time = h.session, kit.MomentOf(h.time)
	switch string(h.role) {
	case "model-text-response":
		f.Role = model.Assistant
		p.kind = []byte("text")
	case "model-structured-response":
		f.Role = model.Assistant
		calls := jsonspan.New(h.calls)
		for calls.Array(); calls.More(); {
			call := readPydanticPart(&calls)
			call.kind = []byte("tool-call")
			call.add(f)
		}
		return
	case "system":
		p.kind = []byte("system-prompt")
	case "user":
		p.kind = []byte("user-prompt")
	default:
		p.kind = h.role
	}
	if f.Role == model.NoRole {
		var hint bool
		if f.Role, hint = p.speaker(); hint {
			f.Flags |= model.Injected
		}
	}
	p.add(f)
}

// pydanticUsage reads the usage of all versions; the input includes cached tokens.
func pydanticUsage(v []byte) model.Usage {
	u, cached, written := kit.NoUsage(model.Each), int64(-1), int64(-1)
	kit.ReadObject(v,
		kit.Count("input_tokens", &u.Input), kit.Count("request_tokens", &u.Input),
		kit.Count("output_tokens", &u.Output), kit.Count("response_tokens", &u.Output),
		kit.Count("cache_read_tokens", &u.CacheRead), kit.Count("cache_write_tokens", &u.CacheWrite), kit.Cost("cost", &u),
		// the provider's own numbers: before version 1, only they have the cached tokens
		kit.Within("details", kit.Count("reasoning_tokens", &u.Reasoning),
			kit.Count("cached_tokens", &cached), kit.Count("cache_read_input_tokens", &cached), kit.Count("cache_creation_input_tokens", &written)),
	)
	if u.CacheRead < 0 {
		u.CacheRead = cached
	}
	if u.CacheWrite < 0 {
		u.CacheWrite = written
	}
	if u.Input < 0 && u.Output < 0 && !u.HasCost {
		return model.Usage{}
	}
	kit.ExcludeCache(&u)
	return u
}
