package format

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// dextoFields is the fields of an InternalMessage.
type dextoFields struct {
	role                                                          []byte // inside
	content, calls, call, callID, name, reasoning, usage          []byte
	output, success, approval, display, metadata, cost, compacted []byte

	plain plainFields
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
		frameOther(fs, nil, raw)
	default:
		m.settle()
		m.say(fs)
	}
}

func (m *dextoFields) field(c *jsonspan.Cursor, f *model.Fact) {
	switch string(c.Name) {
	case "role":
		m.role = c.Skip()
	case "content":
		m.content = c.Skip()
	case "toolCalls":
		m.calls = c.Skip()
	case "function_call":
		m.call = c.Skip()
	case "toolCallId":
		m.callID = c.Skip()
	case "name":
		m.name = c.Skip()
	case "reasoning":
		m.reasoning = c.Skip()
	case "tokenUsage":
		m.usage = c.Skip()
	case "estimatedCost":
		m.cost = c.Skip()
	case "assistantOutput":
		m.output = c.Skip()
		keep(f, "assistantOutput", m.output)
	case "success":
		m.success = c.Skip()
	case "approvalStatus":
		m.approval = c.Skip()
		keep(f, "approvalStatus", m.approval)
	case "displayData":
		m.display = c.Skip()
		keep(f, "displayData", m.display)
	case "metadata":
		m.metadata = c.Skip()
		keep(f, "metadata", m.metadata)
	case "compactedAt":
		m.compacted = c.Skip()
		keep(f, "compactedAt", m.compacted)
	case "timestamp":
		f.Time = readMoment(c)
	case "model":
		f.Model = model.ValueText(c.Skip())
	case "id":
		keep(f, "id", c.Skip())
	default:
		if !m.plain.take(c) {
			keepField(f, c)
		}
	}
}

// settle takes the fields that OpenAI spells otherwise for those of the format.
func (m *dextoFields) settle() {
	for _, x := range [...]struct{ field, plain *[]byte }{
		{&m.calls, &m.plain.calls}, {&m.callID, &m.plain.callID}, {&m.reasoning, &m.plain.reasoning},
	} {
		if isEmpty(*x.field) {
			*x.field = *x.plain
		}
	}
}

func (m *dextoFields) say(fs *model.Facts) {
	f := fs.Last()
	setSaid(f, m.role)
	if !isNull(m.compacted) {
		f.Flags |= model.Compacted
	}
	if f.Role == model.Tool {
		m.result(f)
		return
	}
	if !isEmpty(m.reasoning) {
		f.AddText(model.Reasoning, model.ValueText(m.reasoning))
	}
	dextoContent(f, model.Text{}, m.content)
	addToolCalls(f, m.calls)
	if isEmpty(m.calls) && !isEmpty(m.call) {
		addToolCalls(f, m.call)
	}
	keep(f, "name", m.name)
	m.end(f)
	f.Usage = anyUsage(m.usage)
	if c := jsonspan.New(m.cost); !isNull(m.cost) {
		if x, ok := c.Float(); ok {
			if f.Usage.Scope == model.NoUsage {
				f.Usage = noUsage(model.Each)
			}
			f.Usage.Cost, f.Usage.HasCost = x, true
		}
	}
	if f.Role == model.User {
		splitUser(fs)
	}
	m.summary(fs)
}

// end reads how the answer ended.
func (m *dextoFields) end(f *model.Fact) {
	switch string(jsonspan.GetString(m.output, "status")) {
	case "draft":
		f.Flags |= model.Partial
	case "complete":
		f.Stop = model.StopEnd
		if !isEmpty(m.calls) {
			f.Stop = model.StopTool
		}
	case "stopped":
		reason := "aborted"
		if string(jsonspan.GetString(m.output, "reason")) == "failed" {
			reason = "failed"
		}
		setStop(f, []byte(reason))
	}
}

// summary puts a Compact before the last fact if it is the summary of what was
// said before: the model sees it, and what came after the messages that it counts.
func (m *dextoFields) summary(fs *model.Facts) {
	if isEmpty(m.metadata) || !isTrue(jsonspan.Get(m.metadata, "isSummary")) && !isTrue(jsonspan.Get(m.metadata, "isSessionSummary")) {
		return
	}
	said := *fs.Last()
	said.Blocks, said.Extra = append([]model.Block(nil), said.Blocks...), append([]model.Field(nil), said.Extra...)
	said.Flags |= model.Recap
	fs.Drop()
	f := fs.Add(model.Compact)
	f.Session, f.Time = said.Session, said.Time
	count := jsonspan.Get(m.metadata, "originalMessageCount")
	if n, ok := digits(count); ok {
		f.N = -n
	}
	keep(f, "originalMessageCount", count)
	f = fs.Add(model.Say)
	blocks, extra := append(f.Blocks, said.Blocks...), append(f.Extra, said.Extra...)
	*f = said
	f.Blocks, f.Extra = blocks, extra
}

// result makes the message the answer to a call.
func (m *dextoFields) result(f *model.Fact) {
	outcome := model.Unknown
	switch {
	case string(inside(m.approval)) == "rejected":
		outcome = model.Denied
	case string(inside(m.approval)) == "pending":
		outcome = model.Running
	case isTrue(m.plain.isError):
		outcome = model.Failure
	case isTrue(m.success):
		outcome = model.Success
	case len(m.success) == 5: // false
		outcome = model.Failure
	}
	var took []byte
	if !isEmpty(m.display) {
		took = jsonspan.Get(m.display, "duration")
		if code, ok := jsonspan.ParseInt(jsonspan.Get(m.display, "exitCode")); ok && code != 0 && outcome <= model.Success && m.success == nil {
			outcome = model.Failure
		}
	}
	id := model.ValueText(m.callID)
	list := jsonspan.KindOf(m.content) == jsonspan.Array
	text := model.ValueText(m.content)
	if list {
		text, _ = soleText(m.content)
	}
	switch outcome {
	case model.Failure:
		outcome = failureOf(text)
	case model.Unknown:
		outcome = outcomeOfText(text)
	}
	b := f.Add(model.ToolResult)
	b.ID, b.Name, b.Text, b.Outcome, b.Took = id, model.ValueText(m.name), text, outcome, tookMs(took)
	if list {
		c := jsonspan.New(m.content)
		for c.Array(); c.More(); {
			if v := c.Skip(); string(jsonspan.GetString(v, "type")) != "text" {
				dextoPart(f, id, v)
			}
		}
	}
}

// dextoContent adds content: a string, or parts.
func dextoContent(f *model.Fact, id model.Text, v []byte) {
	if jsonspan.KindOf(v) != jsonspan.Array {
		addContent(f, v)
		return
	}
	c := jsonspan.New(v)
	for c.Array(); c.More(); {
		dextoPart(f, id, c.Skip())
	}
}

// dextoPart adds a part of content. Data may be a reference to a blob elsewhere.
func dextoPart(f *model.Fact, id model.Text, v []byte) {
	var typ, text, data, mime, uri []byte
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			typ = c.String()
		case "text":
			text = c.Skip()
		case "image", "data", "content", "blob":
			data = c.Skip()
		case "mimeType":
			mime = c.Skip()
		case "uri":
			uri = c.Skip()
		case "filename":
			keepNumbered(f, "filename", c.Skip())
		case "name":
			keepNumbered(f, "filename", c.Skip())
		default:
			c.Skip()
		}
	}
	switch string(typ) {
	case "text":
		f.AddText(model.Words, model.ValueText(text))
	case "image", "file", "resource", "ui-resource":
		b := blockFields{typ: typ, mime: mime}
		if isNull(data) {
			data = uri
		}
		addMedia(f, id, mediaTypeOf(&b), data)
		if s := inside(data); bytes.HasPrefix(s, []byte("@blob:")) || bytes.HasPrefix(s, []byte("blob:")) {
			f.Blocks[len(f.Blocks)-1].Elsewhere = model.EscapedText(s)
		}
	default:
		addBlock(f, v)
	}
}
