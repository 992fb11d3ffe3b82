package opencode

import (
	"bytes"
	"time"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// openState is the state of a tool's part.
type openState struct {
	status                   []byte
	input, output, err, time []byte
	exit, session            []byte // of the metadata
	attachments              []byte
	title, metadata          []byte
}

var openStateFields = kit.TableOf(func(s *openState) kit.Fields {
	return kit.Fields{
		kit.Word("status", &s.status), kit.Raw("input", &s.input), kit.Raw("output", &s.output),
		kit.Raw("error", &s.err), kit.Raw("title", &s.title), kit.Raw("time", &s.time),
		kit.Raw("attachments", &s.attachments),
	}
})

func (s *openState) read(v []byte) {
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "metadata":
			s.metadata = c.Skip()
			s.exit, s.session = jsonspan.Get(s.metadata, "exit"), jsonspan.Get(s.metadata, "sessionId")
		default:
			openStateFields.Read(&c, s)
		}
	}
}

// tool adds a call and, if it has ended, its result.
func (p *openParser) tool(f *model.Fact, r *openPart, key model.Key) {
	var s openState
	s.read(r.state)
	id, name := model.ValueText(r.callID), model.ValueText(r.tool)
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Text, call.Key = id, name, model.ValueText(s.input), key
	s.keep(f, kit.Inside(r.callID))
	outcome, _ := kit.OutcomeOfStatus(s.status)
	if outcome == model.Running {
		call.Outcome = outcome
		return
	}
	o := f.Add(model.ToolResult)
	o.ID, o.Name, o.Took = id, name, openTook(s.time)
	if key != 0 {
		o.Key = key.With(openResult)
	}
	o.Text = model.ValueText(s.output)
	if s.output == nil {
		o.Text = model.ValueText(s.err)
	}
	exit, failed := jsonspan.ParseInt(s.exit)
	switch {
	case outcome == model.Failure && o.Text.HasPrefix("Tool execution aborted"):
		outcome = model.Stopped
	case outcome == model.Failure:
		outcome = kit.FailureOf(o.Text)
	case name.Is("invalid"), failed && exit != 0:
		outcome = model.Failure
	}
	o.Outcome = outcome
	for v := range jsonspan.List(s.attachments) {
		a := readOpenPart(v)
		kit.AddMedia(f, id, model.ValueText(a.mime), a.url)
	}
	if agent := s.session; kit.IsString(agent) && name.Is("task") {
		session := f.Session
		child := p.fs.Add(model.Child)
		child.Target, child.Session = model.Hash(id.Raw()), session
		if p.variant == openRows {
			child.Thread, child.Flags = kit.HashValue(agent), model.Sidechain
		} else {
			child.Elsewhere = model.ValueText(agent)
		}
	}
}

// keep adds the fields of the state other than arguments and result. It skips an output that the
// metadata repeats.
func (s *openState) keep(f *model.Fact, call []byte) {
	kit.KeepOf(f, "title", call, s.title)
	c := jsonspan.New(s.metadata)
	for c.Object(); c.Key(); {
		name, v := string(c.Name), c.Skip()
		if name != "output" || !bytes.Equal(v, s.output) {
			kit.KeepOf(f, name, call, v)
		}
	}
}

var openResult = []byte("result")

func openTook(v []byte) time.Duration { return openSpan(v, "start", "end") }

// openSpan returns the time between two fields of an object; 0 if one of them is not known.
func openSpan(v []byte, from, to string) time.Duration {
	start, ok1 := jsonspan.ParseInt(jsonspan.Get(v, from))
	end, ok2 := jsonspan.ParseInt(jsonspan.Get(v, to))
	if !ok1 || !ok2 || end <= start {
		return 0
	}
	return time.Duration(min(end-start, 1<<40)) * time.Millisecond
}
