package vercel

import (
	"bytes"
	"math"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// UIFormat reads the UIMessages of Vercel's AI SDK, versions 4 to 7, as a list, in a chat, or
// as rows of a table.
func UIFormat() *model.Format {
	return &model.Format{
		Name:    "vercel-ui",
		Highest: 85,
		Title:   "Vercel AI SDK UI messages",
		Detect:  vercelUIKind.Detect,
		Lists:   vercelUIKind.Lists,
		Parse:   vercelUIParse,
	}
}

var vercelUIKind = &kit.FrameKind{
	Paths:  []string{kit.WholeList, "messages", "ui", "chat.messages", "history", "uiMessages", "initialMessages"},
	Marks:  []string{`"parts"`, `"toolInvocations"`},
	Judge:  vercelUIJudge,
	Score:  85,
	Reason: "role and typed parts, as UIMessage has them",
}

func vercelUIJudge(v []byte) int {
	if jsonspan.GetString(v, "role") == nil || kit.HasKey(v, "message") {
		return -1
	}
	if kit.HasKey(v, "toolInvocations") {
		return 1
	}
	parts := kit.RowsJSON(jsonspan.Get(v, "parts"))
	if jsonspan.KindOf(parts) != jsonspan.Array {
		if kit.IsString(jsonspan.Get(v, "content")) {
			return 0
		}
		return -1
	}
	sure := 0
	for _, p := range kit.Elements(parts, kit.WholeList, 30) {
		typ := jsonspan.GetString(p, "type")
		switch {
		case typ == nil || jsonspan.Get(p, "part_kind") != nil || string(typ) == "tool_call" || string(typ) == "tool_call_response":
			return -1
		case string(typ) == "text" && !kit.HasKey(p, "text"), kit.HasKey(p, "sessionID"), kit.HasKey(p, "callID"):
			return -1
		default:
			sure = 1
		}
	}
	return sure
}

func vercelUIParse(rec model.Record, fs *model.Facts) error {
	return vercelParse(rec, fs, vercelUIKind.Paths[1:], vercelUIMessage)
}

// vercelReader reads a message of one of the two shapes.
type vercelReader func(c *jsonspan.Cursor, fs *model.Facts, session model.Key)

// vercelParse reads a record with messages of one shape: the rest of a document, a list, a message,
// or a conversation with its messages under one of the names.
func vercelParse(rec model.Record, fs *model.Facts, names []string, message vercelReader) error {
	c := jsonspan.New(rec.Data)
	switch {
	case kit.FrameRest(rec):
		kit.FrameHolder(&c, fs)
	case c.Kind() == jsonspan.Array:
		for c.Array(); c.More(); {
			message(&c, fs, kit.FrameOf(rec))
		}
		if fs.Len() == 0 {
			kit.Note(fs, "empty")
		}
	case !kit.StartObject(&c, fs):
	case jsonspan.Get(rec.Data, "role") == nil:
		vercelHolder(&c, fs, kit.FrameOf(rec), names, message)
	default:
		message(&c, fs, 0)
	}
	return kit.Finish(&c, fs)
}

// vercelHolder reads a conversation on one line: its messages are under one of the names.
func vercelHolder(c *jsonspan.Cursor, fs *model.Facts, session model.Key, names []string, message vercelReader) {
	f := fs.Add(model.About)
	f.Session = session
	var list, system []byte
	for c.Object(); c.Key(); {
		known := false
		if system == nil && (string(c.Name) == "system" || string(c.Name) == "instructions") {
			system = c.Skip()
			continue
		}
		for _, name := range names {
			known = known || string(c.Name) == name && list == nil && c.Kind() == jsonspan.Array
		}
		if known {
			list = c.Skip()
		} else {
			kit.FrameField(f, c)
		}
	}
	if c.Err != nil {
		return
	}
	kit.FrameSystem(fs, session, system)
	in := jsonspan.New(list)
	for in.Array(); in.More(); {
		if in.Kind() == jsonspan.Object {
			message(&in, fs, session)
		} else {
			in.Skip()
		}
	}
}

// vercelUIMessage reads a UIMessage. Version 4 has the words twice, in content and in parts; the
// parts are used.
func vercelUIMessage(c *jsonspan.Cursor, fs *model.Facts, session model.Key) {
	start := c.Pos
	f := fs.Add(model.Say)
	f.Session = session
	var role, content, parts, reasoning, calls, files []byte
	fields := kit.Fields{
		kit.Word("role", &role), kit.Raw("content", &content), kit.Raw("reasoning", &reasoning),
		kit.Raw("toolInvocations", &calls), kit.Time("createdAt", &f.Time),
		kit.Time("created_at", &f.Time), kit.Rows("parts", &parts),
		kit.Rows("experimental_attachments", &files), kit.Rows("attachments", &files),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			kit.Keep(f, "id", c.Skip())
		case "metadata":
			vercelMetadata(f, c.Skip())
		default:
			fields.ReadOrKeep(f, c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return
	}
	if role == nil {
		kit.FrameOther(fs, nil, bytes.TrimSpace(c.Buf[start:c.Pos]))
		return
	}
	kit.SetRole(f, role)
	in := jsonspan.New(parts)
	if in.Kind() == jsonspan.Array {
		for in.Array(); in.More(); {
			vercelUIPart(f, in.Skip())
		}
	}
	if len(f.Blocks) == 0 && !kit.IsEmpty(reasoning) {
		f.AddText(model.Reasoning, model.ValueText(reasoning))
	}
	if !vercelHas(f, model.Words) && (!kit.IsEmpty(content) || kit.IsEmpty(parts) && kit.IsEmpty(calls)) {
		kit.AddContent(f, content)
	}
	if !vercelHas(f, model.ToolCall) {
		in = jsonspan.New(calls)
		for in.Array(); in.More(); {
			VercelTool(f, nil, in.Skip())
		}
	}
	in = jsonspan.New(files)
	for in.Array(); in.More(); {
		vercelFile(f, in.Skip())
	}
	if f.Role == model.User {
		kit.SplitUser(fs)
	}
}

// vercelMetadata adds an application's metadata, which often include model and usage.
func vercelMetadata(f *model.Fact, v []byte) {
	kit.Keep(f, "metadata", v)
	if jsonspan.KindOf(v) != jsonspan.Object {
		return
	}
	if name := jsonspan.Get(v, "model"); kit.IsString(name) {
		f.Model = model.ValueText(name)
	}
	for _, name := range [...]string{"usage", "totalUsage"} {
		if u := kit.AnyUsage(jsonspan.Get(v, name)); u.Scope != model.NoUsage {
			f.Usage = u
			break
		}
	}
	if f.Time.Ms == 0 {
		f.Time = kit.MomentOf(jsonspan.Get(v, "createdAt"))
	}
}

func vercelHas(f *model.Fact, kind model.BlockKind) bool {
	for i := range f.Blocks {
		if f.Blocks[i].Kind == kind {
			return true
		}
	}
	return false
}

// vercelUIPart adds a part of a UIMessage.
func vercelUIPart(f *model.Fact, v []byte) {
	typ := jsonspan.GetString(v, "type")
	switch {
	case string(typ) == "text":
		f.AddText(model.Words, model.ValueText(jsonspan.Get(v, "text")))
		if string(jsonspan.GetString(v, "state")) == "streaming" {
			f.Flags |= model.Partial
		}
		kit.KeepRest(f, v, "type", "text", "state")
	case string(typ) == "reasoning":
		text := jsonspan.Get(v, "text")
		if text == nil {
			text = jsonspan.Get(v, "reasoning")
		}
		f.AddText(model.Reasoning, model.ValueText(text))
		// the details repeat the text
		kit.KeepRest(f, v, "type", "text", "state", "reasoning", "details", "signature")
	case string(typ) == "redacted-reasoning":
		f.Add(model.Reasoning).Name = model.EscapedText(typ)
	case string(typ) == "step-start":
	case string(typ) == "file" || string(typ) == "image" || string(typ) == "reasoning-file":
		vercelFile(f, v)
	case string(typ) == "tool-invocation" || string(typ) == "tool_invocation":
		for _, name := range [...]string{"toolInvocation", "tool_invocation"} {
			if in := jsonspan.Get(v, name); in != nil {
				VercelTool(f, nil, in)
				return
			}
		}
		VercelTool(f, nil, v)
	case string(typ) == "dynamic-tool":
		VercelTool(f, nil, v)
	case kit.HasPrefix(typ, "tool-") && (kit.HasKey(v, "state") || kit.HasKey(v, "toolCallId")):
		VercelTool(f, typ[len("tool-"):], v)
	default:
		kit.AddOther(f, typ, v)
	}
}

// vercelFile adds a file or image of any version.
func vercelFile(f *model.Fact, v []byte) {
	mime := kit.MediaType("file")
	var place []byte
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "mediaType", "mimeType", "contentType":
			if s := c.Skip(); kit.IsString(s) {
				mime = model.ValueText(s)
			}
		case "url", "data", "image":
			if x := c.Skip(); !kit.IsNull(x) && place == nil {
				place = x
			}
		case "filename", "name":
			kit.KeepNumbered(f, "filename", c.Skip())
		case "type":
			if s := c.String(); string(s) == "image" {
				mime = kit.MediaType("image")
			}
		case "providerOptions", "providerMetadata":
			name := string(c.Name)
			kit.KeepNumbered(f, name, c.Skip())
		default:
			c.Skip()
		}
	}
	// {type: url, url} of version 7, or bytes as an object
	if jsonspan.KindOf(place) == jsonspan.Object {
		for _, name := range [...]string{"url", "data", "reference", "text"} {
			if in := jsonspan.Get(place, name); kit.IsString(in) {
				place = in
				break
			}
		}
	}
	kit.AddMedia(f, model.Text{}, mime, place)
}

// vercelToolPart holds the fields of a tool part of any version.
type vercelToolPart struct {
	name, id, input, raw, output, fault, approval, preliminary []byte
	state                                                      []byte // without quotes
}

var vercelToolPartFields = kit.TableOf(func(t *vercelToolPart) kit.Fields {
	return kit.Fields{
		kit.Raw("toolName", &t.name), kit.Raw("tool_name", &t.name), kit.Raw("toolCallId", &t.id),
		kit.Raw("tool_call_id", &t.id), kit.Word("state", &t.state), kit.Raw("input", &t.input),
		kit.Raw("args", &t.input), kit.Raw("rawInput", &t.raw), kit.Raw("output", &t.output),
		kit.Raw("result", &t.output), kit.Raw("errorText", &t.fault),
		kit.Raw("preliminary", &t.preliminary),
	}
})

// VercelTool adds a call, and its result if the part has one.
func VercelTool(f *model.Fact, name, v []byte) {
	var t vercelToolPart
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		if vercelToolPartFields.Take(&c, &t) {
			continue
		}
		switch string(c.Name) {
		case "approval":
			t.approval = c.Skip()
			kit.KeepNumbered(f, "approval", t.approval)
		case "type", "step":
			c.Skip()
		default:
			name := string(c.Name)
			kit.KeepNumbered(f, name, c.Skip())
		}
	}
	b := f.Add(model.ToolCall)
	b.ID, b.Name, b.Text = model.ValueText(t.id), model.ValueText(t.name), model.ValueText(t.input)
	if t.name == nil && name != nil {
		b.Name = model.EscapedText(name)
	}
	if t.input == nil && t.raw != nil {
		b.Text = model.ValueText(t.raw)
	}
	t.result(f, b)
}

// AddCalls adds the answer of a model with only calls, a list as the SDK's spans record it. It returns false for any other value.
func AddCalls(fs *model.Facts, v []byte) bool {
	list := kit.Elements(v, kit.WholeList, math.MaxInt)
	for _, call := range list {
		if !kit.HasKey(call, "toolCallId") || !kit.HasKey(call, "toolName") || kit.HasKey(call, "role") {
			return false
		}
	}
	if len(list) == 0 {
		return false
	}
	f := fs.Add(model.Say)
	f.Role = model.Assistant
	for _, call := range list {
		VercelTool(f, nil, call)
	}
	return true
}

func (t *vercelToolPart) result(f *model.Fact, call *model.Block) {
	text, outcome := model.ValueText(t.output), model.Success
	switch string(t.state) {
	case "input-streaming", "partial-call":
		call.Outcome = model.Running
		f.Flags |= model.Partial
		return
	case "input-available", "call", "approval-requested":
		return
	case "approval-responded":
		if kit.IsTrue(jsonspan.Get(t.approval, "approved")) || kit.IsEmpty(t.approval) {
			return
		}
		text, outcome = model.ValueText(jsonspan.Get(t.approval, "reason")), model.Denied
	case "output-denied":
		text, outcome = model.ValueText(jsonspan.Get(t.approval, "reason")), model.Denied
	case "output-error":
		text = model.ValueText(t.fault)
		outcome = kit.FailureOf(text)
	default:
		if t.state == nil && t.output == nil && t.fault == nil {
			return
		}
		if t.fault != nil {
			text = model.ValueText(t.fault)
			outcome = kit.FailureOf(text)
		} else if kit.IsTrue(t.preliminary) {
			outcome = model.Running
		}
	}
	id, name := call.ID, call.Name
	r := f.Add(model.ToolResult)
	r.ID, r.Name, r.Text, r.Outcome = id, name, text, outcome
}
