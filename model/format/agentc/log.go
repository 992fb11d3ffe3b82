package agentc

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

var agentCIsEvent = kit.Meets("timestamp & event.session_id & event.type=system_prompt|user_request|interaction|completion|text_delta|thought_delta|" +
	"complete_thought|tool_call|tool_select_delta|history|history_delta|message|system_message|render_media|audio_delta|subsession_started|subsession_ended")

// agentCEventFields holds the fields of an event.
type agentCEventFields struct {
	typ, role, severity                               []byte // without quotes
	content, data, calls, results, id, stop, messages []byte
	options, place, started                           []byte
	input, output                                     int64
	active, running                                   bool
}

// agentCEvent reads a line of the event log. A subsession becomes a thread.
func agentCEvent(c *jsonspan.Cursor, fs *model.Facts) {
	if !kit.StartObject(c, fs) {
		return
	}
	f := fs.Add(model.Say)
	start := c.Pos
	e := agentCEventFields{input: -1, output: -1}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "timestamp":
			f.Time = kit.ReadMoment(c)
		case "event":
			e.read(c, f)
		default:
			kit.KeepField(f, c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return
	}
	if !e.readMessage(f) {
		f.Usage = e.usage()
		if s := kit.Inside(e.stop); s != nil {
			f.Stop = kit.StopOf(s)
		}
		kit.TurnToNote(f, e.typ, nil)
		e.note(f, bytes.TrimSpace(c.Buf[start:c.Pos]))
	}
}

var agentCEventTable = kit.TableOf(func(e *agentCEventFields) kit.Fields {
	return kit.Fields{
		kit.Word("type", &e.typ), kit.Word("role", &e.role), kit.Raw("content", &e.content),
		kit.Raw("data", &e.data), kit.Raw("tool_calls", &e.calls),
		kit.Raw("tool_results", &e.results), kit.Flag("active", &e.active),
		kit.Raw("started", &e.started), kit.Flag("running", &e.running), kit.Raw("id", &e.id),
		kit.Raw("stop_reason", &e.stop), kit.Count("input_tokens", &e.input),
		kit.Count("output_tokens", &e.output), kit.Raw("completion_options", &e.options),
		kit.Raw("messages", &e.messages), kit.Word("severity", &e.severity),
		kit.Raw("url", &e.place),
	}
})

func (e *agentCEventFields) read(c *jsonspan.Cursor, f *model.Fact) {
	var session, parent []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "session_id":
			session = c.Skip()
		case "parent_session_id":
			parent = c.Skip()
		case "user_session_id":
			c.Skip()
		case "format", "vendor":
			c.Skip()
		default:
			agentCEventTable.ReadOrKeep(c, e, f)
		}
	}
	if !kit.IsEmpty(parent) && !bytes.Equal(parent, session) {
		f.Thread = kit.HashValue(session)
		f.Flags |= model.Sidechain
	} else {
		kit.Keep(f, "session", session)
	}
}

// readMessage turns an event into a message. It returns false if the event is bookkeeping.
func (e *agentCEventFields) readMessage(f *model.Fact) bool {
	switch string(e.typ) {
	case "system_prompt":
		f.Role = model.System
		f.AddText(model.Words, model.ValueText(e.content))
	case "user_request":
		f.Role = model.User
		f.AddText(model.Words, agentCRequest(e.data))
	case "text_delta", "thought_delta":
		f.Role, f.Join = model.Assistant, model.Extend
		kind := model.Words
		if string(e.typ) == "thought_delta" {
			kind = model.Reasoning
		} else if r, ok := model.ParseRole(string(e.role)); ok {
			f.Role = r
		}
		f.AddText(kind, model.ValueText(e.content))
	case "message", "system_message":
		kit.SetRole(f, e.role)
		if f.Role == model.NoRole || string(e.typ) == "system_message" {
			f.Role = model.System
		}
		if string(e.severity) == "error" {
			f.Flags |= model.APIError
			f.Outcome = model.Failure
		}
		f.AddText(model.Words, model.ValueText(e.content))
	case "tool_call":
		e.tools(f)
	case "render_media":
		f.Role = model.Assistant
		place := e.place
		if kit.IsNull(place) {
			place = e.content
		}
		kit.AddMedia(f, model.Text{}, kit.MediaType("file"), place)
	default:
		return false
	}
	return true
}

// tools adds the calls of an event when they begin, and their results when they arrive.
func (e *agentCEventFields) tools(f *model.Fact) {
	if e.active || kit.IsEmpty(e.results) {
		f.Role, f.Join = model.Assistant, model.Extend
		kit.AddToolCalls(f, e.calls)
		return
	}
	f.Role = model.Tool
	if jsonspan.KindOf(e.results) != jsonspan.Array {
		kit.AddContent(f, e.results)
		return
	}
	for v := range jsonspan.List(e.results) {
		if nested := jsonspan.Get(v, "content"); jsonspan.GetString(v, "role") != nil && jsonspan.KindOf(nested) == jsonspan.Array && kit.HasResultBlocks(nested) {
			kit.AddContent(f, nested) // a user's message in Anthropic's form
			continue
		}
		b := kit.ReadBlockFields(v)
		kit.AddResultBlock(f, &b)
	}
}

// agentCRequest returns the text that the user typed.
func agentCRequest(v []byte) model.Text {
	for _, name := range [...]string{"message", "text", "content", "input", "user_message"} {
		if s := jsonspan.Get(v, name); kit.IsString(s) {
			return model.ValueText(s)
		}
	}
	return model.ValueText(v)
}

func (e *agentCEventFields) usage() model.Usage {
	if e.running || e.input <= 0 && e.output <= 0 {
		return model.Usage{}
	}
	u := kit.NoUsage(model.Each)
	u.Input, u.Output = e.input, e.output
	return u
}

// note fills the note about an event. History events repeat the conversation, so only the number of
// their messages matters.
func (e *agentCEventFields) note(f *model.Fact, raw []byte) {
	kit.Keep(f, "stop_reason", e.stop)
	if !kit.IsEmpty(e.options) {
		f.Model = model.ValueText(jsonspan.Get(e.options, "model"))
		kit.Keep(f, "completion_options", e.options)
	}
	if string(e.typ) == "interaction" {
		f.Interaction = kit.HashValue(e.id)
		kit.Keep(f, "interaction_id", e.id)
		kit.Keep(f, "started", e.started)
		return
	}
	switch {
	case !kit.IsEmpty(e.content):
		f.AddText(model.Words, model.ValueText(e.content))
	case !kit.IsEmpty(e.messages):
		f.AddText(model.OtherBlock, model.ValueText(e.messages))
	case len(f.Extra) == 0:
		f.AddText(model.OtherBlock, model.ValueText(raw))
	}
}
