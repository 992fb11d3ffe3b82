package langchain

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// langchainHead holds the fields of a message in any serialisation.
type langchainHead struct {
	typ, role                           []byte // without quotes
	content, toolCalls, invalid, pieces []byte
	id, name, toolCallID, status        []byte
	usage, meta, more, artifact         []byte
}

var langchainHeadNames = kit.TableOf(func(h *langchainHead) kit.Fields {
	return kit.Fields{
		kit.Raw("content", &h.content), kit.Raw("tool_calls", &h.toolCalls), kit.Raw("invalid_tool_calls", &h.invalid),
		kit.Raw("tool_call_chunks", &h.pieces), kit.Raw("tool_call_id", &h.toolCallID), kit.Raw("status", &h.status),
		kit.Raw("name", &h.name), kit.Word("role", &h.role), kit.Raw("usage_metadata", &h.usage),
		kit.Raw("response_metadata", &h.meta), kit.Raw("additional_kwargs", &h.more), kit.Raw("artifact", &h.artifact),
	}
})

// read consumes an object. In the first two serialisations, the fields are in data and kwargs.
func (h *langchainHead) read(c *jsonspan.Cursor, f *model.Fact, depth int) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			if t := c.String(); depth == 0 && string(t) != "constructor" && string(t) != "not_implemented" {
				h.typ = t
			}
		case "id":
			if c.Kind() == jsonspan.Array { // the path of the class
				for c.Array(); c.More(); {
					h.typ = c.String()
				}
			} else if v := c.Skip(); !kit.IsNull(v) {
				h.id = v
			}
		case "data", "kwargs":
			if depth == 0 && c.Kind() == jsonspan.Object {
				h.read(c, f, 1)
			} else {
				c.Skip()
			}
		case "lc", "example", "lc_serializable", "lc_kwargs", "lc_namespace", "lc_direct_tool_output", "lc_attributes", "lc_aliases", "lc_secrets", "graph":
			c.Skip()
		default:
			langchainHeadNames.ReadOrKeep(c, h, f)
		}
	}
}

// readMessage fills the last fact with the message.
func (h *langchainHead) readMessage(p *LangchainParser, role model.Role) {
	f := p.Fs.Last()
	f.Role, f.Session, f.Key = role, p.Session, p.Key
	h.identify(p, f)
	kit.Keep(f, "id", h.id)
	f.Usage = kit.LangchainUsage(h.usage)
	h.metadata(f)
	extend := f.Join == model.Extend
	calls := h.additional(f, extend)
	switch {
	case role == model.Other && string(h.typ) != "ChatMessage" && string(h.typ) != "chat" && kit.IsEmpty(h.content):
		f.Op, f.Name = model.Note, model.EscapedText(h.typ) // remove
		return
	case role == model.Other:
		kit.SetRole(f, h.role)
	}
	if f.Role == model.Tool {
		o, _ := kit.OutcomeOfStatus(kit.Inside(h.status))
		if id := model.ValueText(h.toolCallID); extend {
			f.Join = model.Replace
			kit.AddResult(f, id, model.ValueText(h.name), h.content, o)
		} else {
			kit.AddResult(f, id, model.ValueText(h.name), h.content, o)
		}
		kit.Keep(f, "artifact", h.artifact)
		return
	}
	kit.Keep(f, "name", h.name)
	langchainContent(f, h.content)
	switch {
	case extend:
		h.addPieces(f)
	case !kit.IsEmpty(h.toolCalls):
		langchainCalls(f, h.toolCalls)
	default:
		kit.AddToolCalls(f, calls)
	}
	if !extend {
		langchainCalls(f, h.invalid)
	}
	if f.Role == model.User {
		kit.SplitUser(p.Fs)
	}
}

// identify sets the key by which a repetition of the message replaces it.
func (h *langchainHead) identify(p *LangchainParser, f *model.Fact) {
	if p.state {
		f.Key, f.Join = model.HashNumber("state", int64(p.at)), model.Replace
		p.at++
	}
	if id := kit.HashValue(h.id); id != 0 && (p.state || p.stream) {
		f.Key, f.Join = id, model.Replace
		if p.chunks && f.Role == model.Assistant {
			f.Join = model.Extend
			// the provider's id, in the middle of the run's message
			if kit.HasPrefix(kit.Inside(h.id), "msg_") {
				f.Key = 0
			}
		}
	}
}

// metadata reads the provider's data about the response.
func (h *langchainHead) metadata(f *model.Fact) {
	if kit.IsEmpty(h.meta) {
		return
	}
	c := jsonspan.New(h.meta)
	fields := kit.Fields{
		kit.Text("model_name", &f.Model), kit.Time("created_at", &f.Time), kit.Time("created", &f.Time),
		kit.Time("timestamp", &f.Time), kit.Key("id", &f.Usage.Key),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "model", "model_id":
			if v := c.Skip(); f.Model.IsNull() && kit.IsString(v) {
				f.Model = model.ValueText(v)
			}
		case "finish_reason", "stop_reason", "stopReason", "done_reason":
			if s := c.String(); s != nil {
				kit.SetStop(f, s)
			}
		case "token_usage", "usage", "tokenUsage":
			if v := c.Skip(); f.Usage.Scope == model.NoUsage {
				f.Usage = kit.AnyUsage(v)
			}
		case "error":
			if v := c.Skip(); !kit.IsEmpty(v) {
				f.Flags |= model.APIError
				f.Outcome = model.Failure
				kit.Keep(f, "error", v)
			}
		default:
			fields.ReadOrKeep(f, &c)
		}
	}
	if f.Usage.Scope == model.NoUsage {
		f.Usage.Key = 0
	}
}

// additional reads the fields of the provider's API that LangChain does not have, and returns the
// calls in the provider's form.
func (h *langchainHead) additional(f *model.Fact, extend bool) (calls []byte) {
	if kit.IsEmpty(h.more) {
		return nil
	}
	c := jsonspan.New(h.more)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "tool_calls", "function_call":
			v := c.Skip()
			if kit.IsEmpty(v) || calls != nil {
				continue
			}
			calls = v
		case "reasoning_content":
			if v := c.Skip(); !kit.IsEmpty(v) {
				f.AddText(model.Reasoning, model.ValueText(v))
			}
		case "reasoning":
			v := c.Skip()
			if kit.IsString(v) {
				f.AddText(model.Reasoning, model.ValueText(v))
			} else if b := kit.ReadBlockFields(v); !extend || !kit.IsEmpty(b.Reasoning) {
				kit.AddReasoning(f, &b)
			}
		case "refusal":
			if v := c.Skip(); kit.IsString(v) && !kit.IsEmpty(v) {
				f.Flags |= model.Refused
				f.AddText(model.Words, model.ValueText(v))
			}
		case "timestamp", "created_at":
			if m := kit.ReadMoment(&c); f.Time.Ms == 0 {
				f.Time = m
			}
		case "__openai_function_call_ids__":
			c.Skip()
		default:
			kit.KeepField(f, &c)
		}
	}
	return calls
}

// langchainContent adds content: a string, or blocks of the provider or of LangChain's own
// standard.
func langchainContent(f *model.Fact, v []byte) {
	if jsonspan.KindOf(v) != jsonspan.Array {
		if !kit.IsEmpty(v) || kit.IsString(v) && len(f.Blocks) == 0 {
			kit.AddContent(f, v)
		}
		return
	}
	c := jsonspan.New(v)
	for c.Array(); c.More(); {
		var b kit.BlockFields
		switch string(kit.LookAt(c, "type")) {
		case "server_tool_call", "server_tool_call_chunk":
			b.ReadNext(&c)
			kit.AddCallBlock(f, &b)
		case "server_tool_result":
			b.ReadNext(&c)
			kit.AddResultBlock(f, &b)
		case "reasoning":
			b.ReadNext(&c)
			if kit.IsEmpty(b.Text) && kit.IsEmpty(b.Content) && kit.IsEmpty(b.Reasoning) && langchainHasReasoning(f) {
				continue
			}
			kit.AddReasoning(f, &b)
		default:
			kit.AddNextBlock(f, &c)
		}
	}
}

func langchainHasReasoning(f *model.Fact) bool {
	return len(f.Blocks) > 0 && f.Blocks[0].Kind == model.Reasoning
}

// langchainCalls adds the calls that the content did not add already. A call that could not be
// parsed has its text and its error.
func langchainCalls(f *model.Fact, v []byte) {
	if kit.IsEmpty(v) {
		return
	}
	c := jsonspan.New(v)
	for c.Array(); c.More(); {
		var b kit.BlockFields
		item := b.ReadNext(&c)
		if langchainMade(f, b.Id) {
			continue
		}
		kit.AddCallBlock(f, &b)
		kit.KeepNumbered(f, "error", jsonspan.Get(item, "error"))
	}
}

func langchainMade(f *model.Fact, id []byte) bool {
	if kit.IsEmpty(id) {
		return false
	}
	for i := range f.Blocks {
		if b := &f.Blocks[i]; b.Kind == model.ToolCall && string(b.ID.Raw()) == string(kit.Inside(id)) {
			return true
		}
	}
	return false
}

// addPieces adds the fragments of calls in a chunk; their index joins them.
func (h *langchainHead) addPieces(f *model.Fact) {
	if kit.IsEmpty(h.pieces) {
		return
	}
	c := jsonspan.New(h.pieces)
	for c.Array(); c.More(); {
		call := f.Add(model.ToolCall)
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "name":
				call.Name = model.ValueText(c.Skip())
			case "args":
				call.Text = model.ValueText(c.Skip())
			case "id":
				call.ID = model.ValueText(c.Skip())
			case "index":
				if i, ok := c.Int(); ok {
					call.Key = model.HashNumber("call", i)
				}
			default:
				c.Skip()
			}
		}
	}
}
