package format

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// chatRecord is the fields of a message or of what wraps messages, in all the
// spellings that chat formats have: raw values, nil where absent.
type chatRecord struct {
	// of a message
	role, content, name, parts               []byte
	toolCalls, functionCall, toolCallID      []byte
	refusal, audio, executed                 []byte
	reasoning, reasoningContent, reasoningDT []byte
	status, isError                          []byte
	// of both
	typ                                      []byte // inside of the string
	id, time, model, usage, stop, err, title []byte
	// of what wraps messages
	list, request, response, choices, system, prompt, completion []byte
	about                                                        bool // it has a field that conversations have
}

// spoken reports whether it is a message.
func (r *chatRecord) spoken() bool {
	if r.role == nil {
		switch string(r.typ) {
		case "human", "ai", "user", "assistant", "system", "tool":
			return r.content != nil
		}
		return false
	}
	return jsonspan.KindOf(r.role) == jsonspan.String || jsonspan.KindOf(r.role) == jsonspan.Object
}

// wraps reports whether it holds messages.
func (r *chatRecord) wraps() bool {
	return !isEmpty(r.list) || !isEmpty(r.request) || !isEmpty(r.response) || !isEmpty(r.prompt) && !isEmpty(r.completion)
}

// read consumes an object. What has no field goes into the Extra fields of f.
func (r *chatRecord) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		if !r.readMessage(c) && !r.readWrapper(c, f) {
			name := c.Name
			r.extra(f, name, c.Skip())
		}
	}
}

func (r *chatRecord) readMessage(c *jsonspan.Cursor) bool {
	switch string(c.Name) {
	case "role":
		if v := c.Skip(); !isNull(v) {
			r.role = v
		}
	case "speaker", "from", "sender", "author":
		if v := c.Skip(); r.role == nil && !isNull(v) {
			r.role = v
		}
	case "content":
		r.content = c.Skip()
	case "text", "value":
		if v := c.Skip(); r.content == nil {
			r.content = v
		}
	case "parts":
		r.parts = c.Skip()
	case "name", "tool_name":
		r.name = c.Skip()
	case "tool_calls":
		r.toolCalls = c.Skip()
	case "function_call":
		r.functionCall = c.Skip()
	case "tool_call_id", "tool_use_id":
		r.toolCallID = c.Skip()
	case "refusal":
		r.refusal = c.Skip()
	case "audio":
		r.audio = c.Skip()
	case "executed_tools":
		r.executed = c.Skip()
	case "reasoning_content":
		r.reasoningContent = c.Skip()
	case "reasoning", "thinking":
		r.reasoning = c.Skip()
	case "reasoning_details":
		r.reasoningDT = c.Skip()
	case "is_error", "isError":
		r.isError = c.Skip()
	case "status":
		r.status = c.Skip()
	case "type":
		r.typ = c.String()
	case "timestamp", "created_at", "createdAt", "created", "time", "ts", "date":
		if v := c.Skip(); r.time == nil {
			r.time = v
		}
	default:
		return false
	}
	return true
}

func (r *chatRecord) readWrapper(c *jsonspan.Cursor, f *model.Fact) bool {
	switch string(c.Name) {
	case "id", "custom_id", "conversation_id", "session_id":
		if v := c.Skip(); r.id == nil {
			r.id = v
		}
		return true
	case "model":
		r.model = c.Skip()
	case "usage":
		r.usage = c.Skip()
	case "stop_reason", "finish_reason":
		r.stop = c.Skip()
	case "error":
		r.err = c.Skip()
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
	case "tools", "temperature", "max_tokens", "stream", "metadata":
		name := c.Name
		r.extra(f, name, c.Skip())
	default:
		return false
	}
	r.about = true
	return true
}

// nested keeps a value that may hold messages in a field; what cannot is an
// Extra field. A message's own words may stand under such a name too.
func (r *chatRecord) nested(c *jsonspan.Cursor, f *model.Fact, field *[]byte) {
	name := c.Name
	v := c.Skip()
	switch k := jsonspan.KindOf(v); {
	case k == jsonspan.String && string(name) == "message" && r.content == nil:
		r.content = v
	case *field == nil && (k == jsonspan.Array || k == jsonspan.Object || k == jsonspan.String && string(name) == "response") &&
		(string(name) != "data" && string(name) != "items" || holdsMessages(v)):
		*field = v
	default:
		r.extra(f, name, v)
	}
}

// holdsMessages reports whether a value is or holds a list of messages.
func holdsMessages(v []byte) bool {
	if m, _ := messagesAt(v, wholeList); len(m) > 0 {
		return true
	}
	m, _ := messagesAt(v, "messages")
	return len(m) > 0
}

func (r *chatRecord) extra(f *model.Fact, name, v []byte) {
	if isEmpty(v) {
		return
	}
	f.KeepNamed(name, model.ValueText(v))
}

// message turns the last fact into the message.
func (p *chatParser) message(r *chatRecord) {
	f := p.fs.Last()
	f.Session = p.session
	r.setSpeaker(f)
	f.Time, f.Model, f.Usage = momentOf(r.time), model.ValueText(r.model), usageOf(r.usage)
	if r.stop != nil {
		setStop(f, inside(r.stop))
	}
	keep(f, "id", r.id)
	r.keepUnused(f)
	r.addReasoning(f)
	content := r.content
	if content == nil {
		content = r.parts
	}
	if f.Role == model.Tool && !hasResultBlocks(content) {
		if r.toolCallID == nil && r.name == nil && isNull(content) { // it says nothing: the SDKs write such beside a call that waits
			return
		}
		addResult(f, model.ValueText(r.toolCallID), model.ValueText(r.name), content, r.outcome())
		return
	}
	keep(f, "name", r.name)
	addContent(f, content)
	r.addRest(f)
	if !isEmpty(r.err) && f.Role == model.Assistant {
		f.Flags |= model.APIError
		f.Outcome = model.Failure
		keep(f, "error", r.err)
	}
	if f.Role == model.User {
		splitUser(p.fs)
	}
	splitCompaction(p.fs)
}

// setSpeaker sets the role. An author may be an object with role and name.
func (r *chatRecord) setSpeaker(f *model.Fact) {
	v := r.role
	if jsonspan.KindOf(v) == jsonspan.Object {
		if name := jsonspan.Get(v, "name"); r.name == nil && !isNull(name) {
			r.name = name
		}
		v = jsonspan.Get(v, "role")
	}
	if v == nil && r.typ != nil {
		if role, ok := model.ParseRole(string(r.typ)); ok {
			f.Role = role
			return
		}
	}
	if s := inside(v); s != nil {
		f.Role = speakerRole(s)
		if f.Role == model.Other {
			f.Name = model.EscapedText(s)
		}
	}
}

// speakerRole is ParseRole for names in any case.
func speakerRole(name []byte) model.Role {
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

// keepUnused keeps what a message has no use for but a conversation would.
func (r *chatRecord) keepUnused(f *model.Fact) {
	keep(f, "title", r.title)
	keep(f, "system", r.system)
	keep(f, "prompt", r.prompt)
	keep(f, "completion", r.completion)
	keep(f, "request", r.request)
	keep(f, "response", r.response)
	keep(f, "messages", r.list)
	if f.Role != model.Tool {
		keep(f, "status", r.status)
	}
	if r.content != nil {
		keep(f, "parts", r.parts)
	}
}

// outcome is how a tool message says that it ended; Unknown where it does not.
func (r *chatRecord) outcome() model.Outcome {
	switch {
	case isTrue(r.isError), !isEmpty(r.err) && len(r.err) != 5:
		return model.Failure
	case len(r.isError) == 5: // false
		return model.Success
	}
	o, _ := outcomeOfStatus(inside(r.status))
	return o
}

// addReasoning adds thinking once: vendors give the same text as a string and as
// a list of details.
func (r *chatRecord) addReasoning(f *model.Fact) {
	for _, v := range [...][]byte{r.reasoningContent, r.reasoning} {
		if !isEmpty(v) {
			if isString(v) {
				f.AddText(model.Reasoning, model.ValueText(v))
			} else {
				addContent(f, v)
			}
			keep(f, "reasoning_details", r.reasoningDT)
			return
		}
	}
	if !isEmpty(r.reasoningDT) {
		addContent(f, r.reasoningDT)
	}
}

// addRest adds what stands beside the content: a refusal, sound, calls.
func (r *chatRecord) addRest(f *model.Fact) {
	if isString(r.refusal) && !isEmpty(r.refusal) {
		f.Flags |= model.Refused
		f.AddText(model.Words, model.ValueText(r.refusal))
	}
	if jsonspan.KindOf(r.audio) == jsonspan.Object {
		addSource(f, model.Text{}, mediaTypes["audio"], r.audio)
		if t := jsonspan.Get(r.audio, "transcript"); isString(t) {
			f.AddText(model.Words, model.ValueText(t))
		}
	}
	addToolCalls(f, r.toolCalls)
	if !isEmpty(r.functionCall) {
		b := blockFields{}
		c := jsonspan.New(r.functionCall)
		readFunction(&c, &b)
		addCallBlock(f, &b)
	}
	r.addExecuted(f)
}

// addToolCalls adds the calls of a list such as OpenAI's tool_calls: with the
// function in an object of its own or flat, custom tools too.
func addToolCalls(f *model.Fact, v []byte) {
	if isNull(v) {
		return
	}
	if jsonspan.KindOf(v) == jsonspan.Object { // a single one
		b := readBlockFields(v)
		addCallBlock(f, &b)
		return
	}
	c := jsonspan.New(v)
	for c.Array(); c.More(); {
		if c.Kind() != jsonspan.Object {
			if item := c.Skip(); !isNull(item) {
				addMalformed(f, item)
			}
			continue
		}
		var b blockFields
		if whole := b.readNext(&c); whole == nil {
			continue
		} else if isEmpty(b.name) && b.text == nil && !hasKey(whole, "index") { // else a fragment of a stream
			addMalformed(f, whole)
		} else {
			addCallBlock(f, &b)
		}
	}
}

// addMalformed keeps what stands in the place of a call and names no tool.
func addMalformed(f *model.Fact, v []byte) {
	b := f.Add(model.OtherBlock)
	b.Name, b.Text = malformedCall, model.ValueText(v)
}

var malformedCall = model.StringText(model.MalformedCall)

// addExecuted adds the tools that Groq ran itself: call and result in one object.
func (r *chatRecord) addExecuted(f *model.Fact) {
	if isNull(r.executed) {
		return
	}
	c := jsonspan.New(r.executed)
	for c.Array(); c.More(); {
		var b blockFields
		b.readNext(&c)
		name := model.ValueText(b.name)
		if b.name == nil {
			name = model.EscapedText(b.typ)
		}
		id := model.ValueText(b.id)
		call := f.Add(model.ToolCall)
		call.ID, call.Name, call.Text = id, name, model.ValueText(b.input)
		addResult(f, id, name, b.output, model.Unknown)
	}
}

// hasResultBlocks reports whether content is a list whose blocks are results.
func hasResultBlocks(v []byte) bool {
	if jsonspan.KindOf(v) != jsonspan.Array {
		return false
	}
	c := jsonspan.New(v)
	for c.Array(); c.More(); {
		if b := c.Skip(); jsonspan.KindOf(b) == jsonspan.Object {
			typ := jsonspan.GetString(b, "type")
			if bytes.HasSuffix(typ, []byte("tool_result")) || string(typ) == "function_response" {
				return true
			}
		}
	}
	return false
}
