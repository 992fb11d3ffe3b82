package opencode

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// openEvent holds the raw values of a line in a stream, which may itself be a part. Its type and
// role are without quotes.
type openEvent struct {
	openPart
	role                            []byte
	session, part, failure, payload []byte
	properties, stamp, cwd, named   []byte
}

var openEventFields = kit.TableOf(func(e *openEvent) kit.Fields {
	return kit.Fields{
		kit.Raw("sessionID", &e.session), kit.Raw("part", &e.part), kit.Raw("error", &e.failure),
		kit.Raw("payload", &e.payload), kit.Raw("properties", &e.properties),
		kit.Raw("timestamp", &e.stamp), kit.Raw("_ts", &e.stamp), kit.Word("_role", &e.role),
		kit.Raw("_cwd", &e.cwd), kit.Raw("_model", &e.named),
	}
})

func (e *openEvent) read(c *jsonspan.Cursor) {
	from := c.Pos
	for c.Object(); c.Key(); {
		if !openEventFields.Take(c, e) {
			openPartFields.Read(c, &e.openPart)
		}
	}
	e.v = c.Buf[from:c.Pos]
}

// event reads a line: an event of opencode run, an event of the server, or a bare part.
func (p *openParser) event(c *jsonspan.Cursor) {
	var e openEvent
	e.read(c)
	if c.Err != nil {
		return
	}
	if jsonspan.KindOf(e.payload) == jsonspan.Object && e.properties == nil {
		in := jsonspan.New(e.payload)
		e.read(&in)
	}
	p.time = kit.MomentOf(e.stamp)
	switch {
	case e.role != nil:
		p.alone(&e)
	case jsonspan.KindOf(e.properties) == jsonspan.Object:
		p.served(&e)
	case jsonspan.KindOf(e.part) == jsonspan.Object:
		p.ran(&e)
	case string(e.kind) == "error":
		p.role = openAssistant
		f := p.addToMessage(nil)
		openFailure(f, e.failure)
	default:
		f := kit.Note(p.fs, "record")
		if len(e.kind) > 0 {
			f.Name = model.EscapedText(e.kind)
		}
	}
}

var openAssistant = []byte("assistant")

// ran reads an event of opencode run. It writes no messages, so the tokens are those of the steps.
func (p *openParser) ran(e *openEvent) {
	r := readOpenPart(e.part)
	p.role = openAssistant
	f := p.addToMessage(r.messageID)
	kit.Keep(f, "session", e.session)
	p.step(f, &r)
	p.addPart(f, &r, kit.HashValue(r.id))
}

// step adds the usage of a finished step.
func (p *openParser) step(f *model.Fact, r *openPart) {
	if string(r.kind) != "step-finish" {
		return
	}
	f.Usage = openUsage(r.tokens, r.cost)
	f.Usage.Key = kit.HashValue(r.id)
	if kit.IsString(r.reason) {
		kit.SetStop(f, kit.Inside(r.reason))
	}
}

// served reads an event of the server. It repeats parts as they grow; the tokens are in the
// messages.
func (p *openParser) served(e *openEvent) {
	switch string(e.kind) {
	case "message.updated":
		p.message(jsonspan.Get(e.properties, "info"), nil)
	case "message.part.updated":
		part := jsonspan.Get(e.properties, "part")
		p.id = jsonspan.GetString(part, "sessionID")
		p.part(part, nil, nil)
	case "message.part.delta":
		p.delta(e)
	case "message.removed":
		f := p.fs.Add(model.Retract)
		f.Session = kit.HashValue(jsonspan.Get(e.properties, "sessionID"))
		f.Target = kit.HashValue(jsonspan.Get(e.properties, "messageID"))
	case "session.created", "session.updated":
		info := jsonspan.Get(e.properties, "info")
		p.id = jsonspan.GetString(info, "id")
		p.session(info)
	default:
		f := p.fs.Add(model.Note)
		f.Name, f.Time = model.EscapedText(e.kind), p.time
		f.Session = kit.HashValue(jsonspan.Get(e.properties, "sessionID"))
		if string(e.kind) == "session.error" {
			f.Flags |= model.APIError
			f.Outcome = model.Failure
			kit.Keep(f, "error", jsonspan.Get(e.properties, "error", "name"))
		}
	}
}

// delta extends the text of a part.
func (p *openParser) delta(e *openEvent) {
	var message, part, text []byte
	c := jsonspan.New(e.properties)
	kind := model.Words
	fields := kit.Fields{kit.ID("messageID", &message), kit.Raw("partID", &part), kit.Raw("delta", &text)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "sessionID":
			p.id = c.ID()
		case "field":
			if string(c.String()) == "reasoning" {
				kind = model.Reasoning
			}
		default:
			fields.Read(&c)
		}
	}
	f := p.addToMessage(message)
	f.Join = model.Extend
	b := f.Add(kind)
	b.Key, b.Text = kit.HashValue(part), model.ValueText(text)
}

// alone reads a bare part, without the id of its message. A step-start begins an assistant's
// message, and the following parts extend it.
func (p *openParser) alone(e *openEvent) {
	r := &e.openPart
	p.role = e.role
	f := p.addToMessage(nil)
	if f.Role == model.Assistant && string(r.kind) != "step-start" {
		f.Join = model.Extend
	}
	if !kit.IsEmpty(e.named) && f.Role == model.Assistant {
		f.Model = model.ValueText(e.named)
	}
	kit.Keep(f, "cwd", e.cwd)
	p.step(f, r)
	p.addPart(f, r, 0)
}
