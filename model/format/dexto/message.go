package dexto

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// dextoFields holds the fields of an InternalMessage.
type dextoFields struct {
	role                                                          []byte // without quotes
	content, calls, call, callID, name, reasoning, usage          []byte
	output, success, approval, display, metadata, cost, compacted []byte

	plain kit.PlainFields
}

// dextoMessage reads an InternalMessage of either year.
func dextoMessage(c *jsonspan.Cursor, fs *model.Facts, session model.Key) {
	start := c.Pos
	f := fs.Add(model.Say)
	f.Session = session
	var m dextoFields
	for c.Object(); c.Key(); {
		m.field(c, f)
	}
	raw := bytes.TrimSpace(c.Buf[start:c.Pos])
	switch {
	case c.Err != nil:
		fs.Drop()
	case m.role == nil && m.content == nil:
		kit.FrameOther(fs, nil, raw)
	default:
		m.settle()
		m.emitMessage(fs)
	}
}

var dextoNames = kit.TableOf(func(m *dextoFields) kit.Fields {
	return kit.Fields{
		kit.Raw("role", &m.role), kit.Raw("content", &m.content), kit.Raw("toolCalls", &m.calls),
		kit.Raw("function_call", &m.call), kit.Raw("toolCallId", &m.callID), kit.Raw("name", &m.name),
		kit.Raw("reasoning", &m.reasoning), kit.Raw("tokenUsage", &m.usage), kit.Raw("estimatedCost", &m.cost),
		kit.Raw("success", &m.success),
	}
})

func (m *dextoFields) field(c *jsonspan.Cursor, f *model.Fact) {
	switch string(c.Name) {
	case "assistantOutput":
		m.output = c.Skip()
		kit.Keep(f, "assistantOutput", m.output)
	case "approvalStatus":
		m.approval = c.Skip()
		kit.Keep(f, "approvalStatus", m.approval)
	case "displayData":
		m.display = c.Skip()
		kit.Keep(f, "displayData", m.display)
	case "metadata":
		m.metadata = c.Skip()
		kit.Keep(f, "metadata", m.metadata)
	case "compactedAt":
		m.compacted = c.Skip()
		kit.Keep(f, "compactedAt", m.compacted)
	case "timestamp":
		f.Time = kit.ReadMoment(c)
	case "model":
		f.Model = model.ValueText(c.Skip())
	case "id":
		kit.Keep(f, "id", c.Skip())
	default:
		if !dextoNames.Take(c, m) && !m.plain.Take(c) {
			kit.KeepField(f, c)
		}
	}
}

// settle uses the fields in OpenAI's spelling where the format's own are empty.
func (m *dextoFields) settle() {
	for _, x := range [...]struct{ field, plain *[]byte }{
		{&m.calls, &m.plain.Calls}, {&m.callID, &m.plain.CallID}, {&m.reasoning, &m.plain.Reasoning},
	} {
		if kit.IsEmpty(*x.field) {
			*x.field = *x.plain
		}
	}
}

func (m *dextoFields) emitMessage(fs *model.Facts) {
	f := fs.Last()
	defer m.plain.AddFacts(fs)
	kit.SetRoleValue(f, m.role)
	if !kit.IsNull(m.compacted) {
		f.Flags |= model.Compacted
	}
	if f.Role == model.Tool {
		m.result(f)
		m.plain.ReadBack(f)
		return
	}
	if !kit.IsEmpty(m.reasoning) {
		f.AddText(model.Reasoning, model.ValueText(m.reasoning))
	}
	dextoContent(f, model.Text{}, m.content)
	kit.AddWholeCalls(f, m.calls)
	if kit.IsEmpty(m.calls) && !kit.IsEmpty(m.call) {
		kit.AddToolCalls(f, m.call)
	}
	kit.Keep(f, "name", m.name)
	m.end(f)
	f.Usage = kit.AnyUsage(m.usage)
	if c := jsonspan.New(m.cost); !kit.IsNull(m.cost) {
		if x, ok := c.Float(); ok {
			if f.Usage.Scope == model.NoUsage {
				f.Usage = kit.NoUsage(model.Each)
			}
			f.Usage.Cost, f.Usage.HasCost = x, true
		}
	}
	if whole := m.plain.ReadBack(f); !whole && f.Role == model.User {
		kit.SplitUser(fs)
	}
	m.summary(fs)
}

// end reads the outcome of the answer.
func (m *dextoFields) end(f *model.Fact) {
	switch string(jsonspan.GetString(m.output, "status")) {
	case "draft":
		f.Flags |= model.Partial
	case "complete":
		f.Stop = model.StopEnd
		if !kit.IsEmpty(m.calls) {
			f.Stop = model.StopTool
		}
	case "stopped":
		reason := "aborted"
		if string(jsonspan.GetString(m.output, "reason")) == "failed" {
			reason = "failed"
		}
		kit.SetStop(f, []byte(reason))
	}
}

// summary puts a Compact before the last fact if that is a summary: the model sees it and the
// messages after those that it counts.
func (m *dextoFields) summary(fs *model.Facts) {
	if kit.IsEmpty(m.metadata) || !kit.IsTrue(jsonspan.Get(m.metadata, "isSummary")) && !kit.IsTrue(jsonspan.Get(m.metadata, "isSessionSummary")) {
		return
	}
	copied := *fs.Last()
	copied.Blocks, copied.Extra = append([]model.Block(nil), copied.Blocks...), append([]model.Field(nil), copied.Extra...)
	copied.Flags |= model.Recap
	fs.Drop()
	f := fs.Add(model.Compact)
	f.Session, f.Time = copied.Session, copied.Time
	count := jsonspan.Get(m.metadata, "originalMessageCount")
	if n, ok := kit.Digits(count); ok {
		f.N = -n
	}
	kit.Keep(f, "originalMessageCount", count)
	f = fs.Add(model.Say)
	blocks, extra := append(f.Blocks, copied.Blocks...), append(f.Extra, copied.Extra...)
	*f = copied
	f.Blocks, f.Extra = blocks, extra
}

// result turns the message into the answer to a call.
func (m *dextoFields) result(f *model.Fact) {
	outcome := model.Unknown
	switch {
	case string(kit.Inside(m.approval)) == "rejected":
		outcome = model.Denied
	case string(kit.Inside(m.approval)) == "pending":
		outcome = model.Running
	case kit.IsTrue(m.plain.IsError):
		outcome = model.Failure
	case kit.IsTrue(m.success):
		outcome = model.Success
	case len(m.success) == 5: // false
		outcome = model.Failure
	}
	var took []byte
	if !kit.IsEmpty(m.display) {
		took = jsonspan.Get(m.display, "duration")
		if code, ok := jsonspan.ParseInt(jsonspan.Get(m.display, "exitCode")); ok && code != 0 && outcome <= model.Success && m.success == nil {
			outcome = model.Failure
		}
	}
	id := model.ValueText(m.callID)
	list := jsonspan.KindOf(m.content) == jsonspan.Array
	text := model.ValueText(m.content)
	if list {
		text, _ = kit.SoleText(m.content)
	}
	switch outcome {
	case model.Failure:
		outcome = kit.FailureOf(text)
	case model.Unknown:
		outcome = kit.OutcomeOfText(text)
	}
	b := f.Add(model.ToolResult)
	b.ID, b.Name, b.Text, b.Outcome, b.Took = id, model.ValueText(m.name), text, outcome, kit.TookMs(took)
	if list {
		for v := range jsonspan.List(m.content) {
			if string(jsonspan.GetString(v, "type")) != "text" {
				dextoPart(f, id, v)
			}
		}
	}
}

// dextoContent adds content: a string, or parts.
func dextoContent(f *model.Fact, id model.Text, v []byte) {
	if jsonspan.KindOf(v) != jsonspan.Array {
		kit.AddContent(f, v)
		return
	}
	for part := range jsonspan.List(v) {
		dextoPart(f, id, part)
	}
}

// dextoPart adds a part of content. Data may be a reference to a blob elsewhere.
func dextoPart(f *model.Fact, id model.Text, v []byte) {
	var typ, text, data, mime, uri []byte
	var extra []model.Field
	at := len(f.Blocks)
	c := jsonspan.New(v)
	fields := kit.Fields{
		kit.Word("type", &typ), kit.Raw("text", &text), kit.Raw("image", &data), kit.Raw("data", &data),
		kit.Raw("content", &data), kit.Raw("blob", &data), kit.Raw("mimeType", &mime), kit.Raw("uri", &uri),
	}
	for c.Object(); c.Key(); {
		if !fields.Take(&c) {
			name := string(c.Name)
			if name == "name" { // of a file
				name = "filename"
			}
			if v := c.Skip(); !kit.IsEmpty(v) {
				extra = append(extra, model.Field{Name: name, Value: model.ValueText(v)})
			}
		}
	}
	if uri != nil { // a reference to a blob has no type
		extra = append(extra, model.Field{Name: "uri", Value: model.ValueText(uri)}, model.Field{Name: "mimeType", Value: model.ValueText(mime)})
	}
	if typ := string(typ); kit.HasKey(v, typ) && jsonspan.KindOf(jsonspan.Get(v, typ)) == jsonspan.Object {
		kit.AddBlock(f, v) // in OpenAI's form: {"type": "file", "file": {…}}
		return
	}
	switch string(typ) {
	case "text":
		f.AddText(model.Words, model.ValueText(text))
	case "image", "file", "resource", "ui-resource":
		b := kit.BlockFields{Typ: typ, Mime: mime}
		if kit.IsNull(data) {
			data = uri
		}
		kit.AddMedia(f, id, kit.MediaTypeOf(&b), data)
		if s := kit.Inside(data); bytes.HasPrefix(s, []byte("@blob:")) || bytes.HasPrefix(s, []byte("blob:")) {
			f.Blocks[len(f.Blocks)-1].Elsewhere = model.EscapedText(s)
		}
	default:
		kit.AddBlock(f, v)
		return
	}
	if len(f.Blocks) > at {
		f.Blocks[at].Extra = extra
	}
}
