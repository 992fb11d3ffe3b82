package kit

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// ChatRecord has the fields of a message or of an object around messages, in all the spellings of
// chat formats: raw values, nil if absent.
type ChatRecord struct {
	// of a message
	Role, Content, Name, parts               []byte
	ToolCalls, functionCall, ToolCallID      []byte
	refusal, audio, executed, additional     []byte
	Reasoning, ReasoningContent, ReasoningDT []byte
	thinking                                 bool // Reasoning was recorded as "thinking"
	Status, isError, readBack                []byte
	// of both
	typ                                      []byte // inside of the string
	id, Time, Model, usage, Stop, err, title []byte
	run                                      []byte // conversation id in a table
	meta, metaOfExport                       []byte // objects with the time or the exit code
	// of an object around messages
	list, request, response, choices, system, prompt, completion []byte
	// it has a field of conversations
	about bool
}

// isMessage reports whether the record is a message.
func (r *ChatRecord) isMessage() bool {
	if r.Role == nil {
		switch string(r.typ) {
		case "human", "ai", "user", "assistant", "system", "tool":
			return r.Content != nil
		}
		return false
	}
	return jsonspan.KindOf(r.Role) == jsonspan.String || jsonspan.KindOf(r.Role) == jsonspan.Object
}

// wraps reports whether the record contains messages.
func (r *ChatRecord) wraps() bool {
	return !IsEmpty(r.list) || !IsEmpty(r.request) || !IsEmpty(r.response) || !IsEmpty(r.prompt) && !IsEmpty(r.completion)
}

// read consumes an object. Unknown fields become Extra fields of f.
func (r *ChatRecord) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		if !r.ReadMessage(c) && !r.readWrapper(c, f) {
			name := c.Name
			r.Extra(f, name, c.Skip())
		}
	}
}

// ReadMessage consumes the field at the cursor and returns true if messages have such a field.
// Otherwise the cursor does not move.
func (r *ChatRecord) ReadMessage(c *jsonspan.Cursor) bool {
	switch string(c.Name) {
	case "role":
		if v := c.Skip(); !IsNull(v) {
			r.Role = v
		}
	case "speaker", "from", "sender", "author":
		if v := c.Skip(); r.Role == nil && !IsNull(v) {
			r.Role = v
		}
	case "content":
		r.Content = c.Skip()
	case "text", "value":
		if v := c.Skip(); r.Content == nil {
			r.Content = v
		}
	case "parts":
		r.parts = c.Skip()
	case "name", "tool_name":
		r.Name = c.Skip()
	case "tool_calls":
		r.ToolCalls = c.Skip()
	case "function_call":
		r.functionCall = c.Skip()
	case "tool_call_id", "tool_use_id":
		r.ToolCallID = c.Skip()
	case "additional_kwargs":
		r.additional = c.Skip()
	case "refusal":
		r.refusal = c.Skip()
	case "audio":
		r.audio = c.Skip()
	case "executed_tools":
		r.executed = c.Skip()
	case "reasoning_content":
		r.ReasoningContent = c.Skip()
	case "reasoning":
		r.Reasoning = c.Skip()
	case "thinking":
		r.Reasoning, r.thinking = c.Skip(), true
	case "reasoning_details":
		r.ReasoningDT = c.Skip()
	case "is_error", "isError":
		r.isError = c.Skip()
	case "status":
		r.Status = c.Skip()
	case model.ReadBackField:
		r.readBack = c.Skip()
	case "type":
		r.typ = c.String()
	case TimeNames[0], TimeNames[1], TimeNames[2], TimeNames[3], TimeNames[4], TimeNames[5], TimeNames[6]:
		if v := c.Skip(); r.Time == nil {
			r.Time = v
		}
	default:
		return false
	}
	return true
}

// TimeNames are the fields of a message that may have its time; the first of a record counts.
var TimeNames = [...]string{"timestamp", "created_at", "createdAt", "created", "time", "ts", "date"}

// modelName returns the id or the name of a model if v is an object, otherwise v.
func modelName(v []byte) []byte {
	for _, name := range [...]string{"id", "name"} {
		if in := jsonspan.Get(v, name); IsString(in) {
			return in
		}
	}
	return v
}

func (r *ChatRecord) readWrapper(c *jsonspan.Cursor, f *model.Fact) bool {
	switch string(c.Name) {
	case "transcript_id":
		r.run = c.Skip()
		r.id = r.run
	case "id", "custom_id", "conversation_id", "session_id":
		if v := c.Skip(); r.id == nil {
			r.id = v
		}
		return true
	case "model":
		r.Model = modelName(c.Skip())
	case "usage":
		r.usage = c.Skip()
	case "stop_reason", "finish_reason":
		r.Stop = c.Skip()
	case "error", "error_str":
		if v := c.Skip(); IsEmpty(r.err) {
			r.err = v
		}
		return true
	case "title":
		r.title = c.Skip()
	case "choices":
		r.choices = c.Skip()
	case "system":
		r.system = c.Skip()
	case "prompt":
		r.prompt = c.Skip()
	case "completion", "preferred_output":
		r.completion = c.Skip()
	case "request", "body", "params", "input":
		r.nested(c, f, &r.request)
	case "response", "result", "message", "output":
		r.nested(c, f, &r.response)
	case "messages", "conversation", "conversations", "history", "chat_history", "chat", "thread", "session", "transcript",
		"dialog", "dialogue", "turns", "items", "data", "entries", "log":
		r.nested(c, f, &r.list)
	case "metadata", "_metadata":
		name, v := c.Name, c.Skip()
		r.Extra(f, name, v)
		if name[0] == '_' {
			r.metaOfExport = v
			return true
		}
		r.meta = v
	case "tools", "temperature", "max_tokens", "stream":
		name := c.Name
		r.Extra(f, name, c.Skip())
	default:
		return false
	}
	r.about = true
	return true
}

// nested stores a value in a field if it may contain messages, otherwise as an Extra field. A
// message's own words may also have such a name.
func (r *ChatRecord) nested(c *jsonspan.Cursor, f *model.Fact, field *[]byte) {
	name := c.Name
	v := c.Skip()
	switch k := jsonspan.KindOf(v); {
	case k == jsonspan.String && string(name) == "message" && r.Content == nil:
		r.Content = v
	case *field == nil && (k == jsonspan.Array || k == jsonspan.Object || k == jsonspan.String && string(name) == "response") &&
		(string(name) != "data" && string(name) != "items" || holdsMessages(v)):
		*field = v
	default:
		r.Extra(f, name, v)
	}
}

// holdsMessages reports whether a value is or contains a list of messages.
func holdsMessages(v []byte) bool {
	if m, _ := messagesAt(v, WholeList); len(m) > 0 {
		return true
	}
	m, _ := messagesAt(v, "messages")
	return len(m) > 0
}

// Extra adds a field that messages do not have as an Extra field. It ignores empty values.
func (r *ChatRecord) Extra(f *model.Fact, name, v []byte) {
	if IsEmpty(v) {
		return
	}
	f.KeepNamed(name, model.ValueText(v))
}

// Message turns the last fact into the message.
func (p *ChatParser) Message(r *ChatRecord) {
	f := p.Fs.Last()
	f.Session = p.Session
	r.setSpeaker(f)
	back, result := parseReadBack(r.readBack), f.Role == model.Tool
	back.place(f)
	f.Time, f.Model, f.Usage = r.moment(), model.ValueText(r.Model), UsageOf(r.usage)
	if r.Stop != nil {
		SetStop(f, Inside(r.Stop))
	}
	Keep(f, "id", r.id)
	r.keepUnused(f)
	r.addReasoning(f)
	content := Or(r.Content, r.parts)
	if r.ToolCalls == nil && (f.Role == model.Assistant || f.Role == model.Tool) {
		if calls := writtenCalls(content); calls != nil {
			f.Role, r.ToolCalls, content, result = model.Assistant, calls, nil, false
		}
	}
	r.fromAdditional(f)
	if result && isDefinition(content) {
		define(f, content)
		return
	}
	if result && !HasResultBlocks(content) {
		if r.ToolCallID == nil && r.Name == nil && IsNull(content) {
			// an empty one: SDKs write these for waiting calls
			return
		}
		AddResult(f, model.ValueText(r.ToolCallID), model.ValueText(r.Name), content, r.outcome())
		back.complete(f)
		back.addFacts(p.Fs)
		return
	}
	Keep(f, "name", r.Name)
	AddContent(f, content)
	r.addRest(f)
	if r.failed() {
		if f.Role == model.Assistant {
			f.Flags |= model.APIError
			f.Outcome = model.Failure
		}
		Keep(f, "error", r.err)
	}
	if back.complete(f); back.unsplit() {
		back.addFacts(p.Fs)
		return
	}
	defer back.addFacts(p.Fs)
	if f.Role == model.User {
		SplitUser(p.Fs)
	}
	SplitCompaction(p.Fs)
}

// setSpeaker sets the role. An author may be an object with role and name.
func (r *ChatRecord) setSpeaker(f *model.Fact) {
	v := r.Role
	if jsonspan.KindOf(v) == jsonspan.Object {
		if name := jsonspan.Get(v, "name"); r.Name == nil && !IsNull(name) {
			r.Name = name
		}
		v = jsonspan.Get(v, "role")
	}
	if v == nil && r.typ != nil {
		if role, ok := model.ParseRole(string(r.typ)); ok {
			f.Role = role
			return
		}
	}
	if s := Inside(v); s != nil {
		f.Role = SpeakerRole(s)
		if f.Role == model.Other {
			f.Name = model.EscapedText(s)
		}
	}
}

// SpeakerRole is ParseRole for names in any case.
func SpeakerRole(name []byte) model.Role {
	if role, ok := model.ParseRole(string(name)); ok {
		return role
	}
	var low [12]byte
	if len(name) > len(low) {
		return model.Other
	}
	for i, b := range name {
		if low[i] = b; 'A' <= b && b <= 'Z' {
			low[i] = b + 'a' - 'A'
		}
	}
	if role, ok := model.ParseRole(string(low[:len(name)])); ok {
		return role
	}
	return model.Other
}

// keepUnused stores fields that a message does not use but a conversation would.
func (r *ChatRecord) keepUnused(f *model.Fact) {
	Keep(f, "title", r.title)
	Keep(f, "system", r.system)
	Keep(f, "prompt", r.prompt)
	Keep(f, "completion", r.completion)
	Keep(f, "request", r.request)
	Keep(f, "response", r.response)
	Keep(f, "messages", r.list)
	if f.Role != model.Tool {
		Keep(f, "status", r.Status)
	}
	if r.Content != nil {
		Keep(f, "parts", r.parts)
	}
}

// failed reports whether the record has an error: some programs write false if there is none.
func (r *ChatRecord) failed() bool { return !IsEmpty(r.err) && string(r.err) != "false" }

// outcome returns the outcome recorded in a tool message; Unknown if there is none.
func (r *ChatRecord) outcome() model.Outcome {
	switch {
	case IsTrue(r.isError), r.failed():
		return model.Failure
	case len(r.isError) == 5: // false
		return model.Success
	}
	if o, ok := OutcomeOfStatus(Inside(r.Status)); ok || IsEmpty(r.meta) {
		return o
	}
	if code, ok := LeadingInt(jsonspan.Get(r.meta, "exit_code")); ok {
		return OutcomeOfExit(code)
	}
	return model.Unknown
}

// moment returns the time of a message, which its metadata may have.
func (r *ChatRecord) moment() (m model.Moment) {
	m = MomentOf(r.Time)
	for _, meta := range [...][]byte{r.meta, r.metaOfExport} {
		for i := 0; i < len(TimeNames) && m.Ms == 0 && !IsEmpty(meta); i++ {
			m = MomentOf(jsonspan.Get(meta, TimeNames[i]))
		}
	}
	return m
}

// addReasoning adds thinking once: vendors record the same text as a string and as a list of
// details.
func (r *ChatRecord) addReasoning(f *model.Fact) {
	for _, v := range [...][]byte{r.ReasoningContent, r.Reasoning} {
		if !IsEmpty(v) {
			if IsString(v) {
				f.AddText(model.Reasoning, model.ValueText(v))
			} else if jsonspan.Get(v, "effort") != nil { // settings of the request
				Keep(f, "reasoning", v)
				continue
			} else {
				AddContent(f, v)
			}
			Keep(f, "reasoning_details", r.ReasoningDT)
			return
		}
	}
	if !IsEmpty(r.ReasoningDT) {
		AddContent(f, r.ReasoningDT)
	}
}

// addRest adds the fields next to the content: a refusal, sound, calls.
func (r *ChatRecord) addRest(f *model.Fact) {
	if IsString(r.refusal) && !IsEmpty(r.refusal) {
		f.Flags |= model.Refused
		f.AddText(model.Words, model.ValueText(r.refusal))
	}
	if jsonspan.KindOf(r.audio) == jsonspan.Object {
		AddSource(f, model.Text{}, MediaType("audio"), r.audio)
		if t := jsonspan.Get(r.audio, "transcript"); IsString(t) {
			f.AddText(model.Words, model.ValueText(t))
		}
	}
	said := len(f.Blocks)
	AddToolCalls(f, r.ToolCalls)
	dropRepeated(f, said)
	if !IsEmpty(r.functionCall) {
		b := BlockFields{}
		c := jsonspan.New(r.functionCall)
		readFunction(&c, &b)
		AddCallBlock(f, &b)
	}
	r.addExecuted(f)
}

// dropRepeated removes calls among the first n blocks that the blocks after them repeat: some
// programs write a call as a part of the content and in tool_calls.
func dropRepeated(f *model.Fact, n int) {
	later, i := f.Blocks[n:], 0
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b model.Block) bool {
		i++
		return i <= n && b.Kind == model.ToolCall && !b.ID.Empty() && slices.ContainsFunc(later, func(o model.Block) bool { return o.ID.String() == b.ID.String() })
	})
}

// AddToolCalls adds the calls of a list such as OpenAI's tool_calls. It reads functions in a nested
// object and flat ones, and also custom tools.
func AddToolCalls(f *model.Fact, v []byte) {
	if IsNull(v) {
		return
	}
	if IsString(v) { // a list in a column of a database
		if inside := RowsJSON(v); !IsString(inside) {
			AddToolCalls(f, inside)
			return
		}
	}
	if jsonspan.KindOf(v) == jsonspan.Object { // a single one
		b := ReadBlockFields(v)
		AddCallBlock(f, &b)
		return
	}
	c := jsonspan.New(v)
	for c.Array(); c.More(); {
		if c.Kind() != jsonspan.Object {
			if item := c.Skip(); !IsNull(item) {
				addMalformed(f, item)
			}
			continue
		}
		var b BlockFields
		if whole := b.ReadNext(&c); whole == nil {
			continue
		} else if inner := jsonspan.Get(whole, "tool_call"); IsEmpty(b.Name) && jsonspan.KindOf(inner) == jsonspan.Object {
			AddToolCalls(f, inner) // as in OpenInference
		} else if IsEmpty(b.Name) && b.Text == nil && !HasKey(whole, "index") { // a stream fragment
			addMalformed(f, whole)
		} else {
			AddCallBlock(f, &b)
		}
	}
}

// addMalformed adds a block for a value in the place of a call that names no tool.
func addMalformed(f *model.Fact, v []byte) {
	b := f.Add(model.OtherBlock)
	b.Name, b.Text = malformedCall, model.ValueText(v)
}

var malformedCall = model.StringText(model.MalformedCall)

// addExecuted adds the tools that Groq ran itself: call and result in one object.
func (r *ChatRecord) addExecuted(f *model.Fact) {
	if IsNull(r.executed) {
		return
	}
	c := jsonspan.New(r.executed)
	for c.Array(); c.More(); {
		var b BlockFields
		b.ReadNext(&c)
		name := model.ValueText(b.Name)
		if b.Name == nil {
			name = model.EscapedText(b.Typ)
		}
		id := model.ValueText(b.Id)
		call := f.Add(model.ToolCall)
		call.ID, call.Name, call.Text = id, name, model.ValueText(b.Input)
		AddResult(f, id, name, b.Output, model.Unknown)
	}
}

// HasResultBlocks reports whether content is a list whose blocks are results.
func HasResultBlocks(v []byte) bool {
	if jsonspan.KindOf(v) != jsonspan.Array {
		return false
	}
	for b := range jsonspan.List(v) {
		if jsonspan.KindOf(b) == jsonspan.Object {
			typ := jsonspan.GetString(b, "type")
			if bytes.HasSuffix(typ, []byte("tool_result")) || string(typ) == "function_response" {
				return true
			}
		}
	}
	return false
}
