package evals

import (
	"bytes"
	"time"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// inspectRun holds the state while a sample is read.
type inspectRun struct {
	fs       *model.Facts
	session  model.Key
	id       []byte // raw
	epoch    []byte
	attached map[model.Key][]byte // by the name after attachment://
	moments  map[model.Key]inspectMoment
	events   []inspectEvent
	requests []inspectRequest
	first    model.Moment
	last     model.Moment
}

// inspectEvent is an event that is not in the messages.
type inspectEvent struct {
	at      model.Moment
	kind, v []byte
}

// inspectMoment holds what the events record about a message or a call, by its id.
type inspectMoment struct {
	at    model.Moment
	took  time.Duration
	usage model.Usage
}

// inspectParts holds the raw values of a sample that are used once all of it was read.
type inspectParts struct {
	messages, pool, usage, output, scores, score, failure, limit, target []byte
}

// inspectSample reads a sample: a conversation and its scores.
func inspectSample(c *jsonspan.Cursor, fs *model.Facts) {
	run := inspectRun{fs: fs}
	at := fs.Len()
	about, rest := kit.EvalHead(fs, 0, "sample")
	p := run.read(c, rest)
	if c.Err != nil {
		return
	}
	run.session = kit.HashValue(run.id).Join(kit.HashValue(run.epoch))
	run.about(about)
	rest.Session = run.session
	kit.EvalHeadDone(fs, at)
	if kit.IsEmpty(p.messages) {
		p.messages = p.pool
	}
	first := fs.Len()
	list := jsonspan.New(p.messages)
	for list.Array(); list.More(); {
		before, from := list, fs.Len()
		run.message(&list)
		if one, ok := kit.ReadAgain(&list, before, fs, from); ok {
			run.message(&one)
		}
	}
	run.emitAnswers(first, p.messages, p.pool)
	run.notes()
	u := inspectUsage(p.usage)
	if u.Input < 0 && u.Output < 0 {
		u = inspectModelUsage(jsonspan.Get(p.output, "usage"))
	}
	kit.EvalTotal(fs, run.session, u)
	run.scored(&p)
}

var inspectPartsFields = kit.TableOf(func(p *inspectParts) kit.Fields {
	return kit.Fields{
		kit.Raw("messages", &p.messages), kit.Raw("message_pool", &p.pool),
		kit.Raw("model_usage", &p.usage), kit.Raw("output", &p.output),
		kit.Raw("scores", &p.scores), kit.Raw("error", &p.failure), kit.Raw("limit", &p.limit),
	}
})

// read collects the fields of a sample; rest receives the unknown ones.
func (r *inspectRun) read(c *jsonspan.Cursor, rest *model.Fact) (p inspectParts) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			r.id = c.Skip()
		case "epoch":
			r.epoch = c.Skip()
		case "events":
			r.readEvents(c)
		case "transcript": // of 2024: {events, content}
			v := c.Skip()
			events := jsonspan.New(jsonspan.Get(v, "events"))
			r.readEvents(&events)
			r.attach(jsonspan.Get(v, "content"))
		case "attachments":
			r.attach(c.Skip())
		case "events_data":
			if v := jsonspan.Get(c.Skip(), "messages"); p.pool == nil {
				p.pool = v
			}
		case "target":
			p.target = c.Skip()
			kit.Keep(rest, "target", p.target)
		case "score": // of 2024: a single one
			p.score = c.Skip()
		case "input": // the messages begin with it
			c.Skip()
		default:
			inspectPartsFields.ReadOrKeep(c, &p, rest)
		}
	}
	return p
}

// scored adds the outcome of the sample with its first score; the other scores become fields.
func (r *inspectRun) scored(p *inspectParts) {
	if kit.IsEmpty(p.scores) && !kit.IsEmpty(p.score) {
		r.end(nil, p.score, p)
		return
	}
	s := jsonspan.New(p.scores)
	n := 0
	for s.Object(); s.Key(); n++ {
		name := s.Name
		if v := s.Skip(); n == 0 {
			r.end(name, v, p)
		}
	}
	switch n {
	case 0:
		r.end(nil, nil, p)
	case 1:
	default:
		kit.Keep(r.fs.Last(), "scores", p.scores)
	}
}

// about gives the session the name of its member in an archive.
func (r *inspectRun) about(f *model.Fact) {
	f.Session, f.Time = r.session, r.first
	id := model.ValueText(r.id).String()
	title, name := "sample "+id, id
	if epoch := string(r.epoch); epoch != "" {
		name += "_epoch_" + epoch
		if epoch != "1" {
			title += ", epoch " + epoch
		}
	}
	f.Keep("title", model.StringText(title))
	f.Keep("session", model.StringText(name))
	f.Keep("task_id", model.StringText(id))
	kit.Keep(f, "trial", r.epoch)
}

func (r *inspectRun) attach(v []byte) {
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		if r.attached == nil {
			r.attached = make(map[model.Key][]byte)
		}
		name := model.Hash(c.Name)
		r.attached[name] = c.Skip()
	}
}

// resolve returns the value of an attachment for its name, and any other value unchanged.
func (r *inspectRun) resolve(v []byte) []byte {
	s := kit.Inside(v)
	for _, scheme := range [...]string{"attachment://", "tc://"} {
		if kit.HasPrefix(s, scheme) {
			if data, ok := r.attached[model.Hash(s[len(scheme):])]; ok {
				return data
			}
		}
	}
	return v
}

// readEvents collects the times of answers and the durations of calls, which messages do not have.
func (r *inspectRun) readEvents(c *jsonspan.Cursor) {
	for c.Array(); c.More(); {
		before := *c
		r.event(c)
		if one, ok := kit.ReadAgain(c, before, r.fs, r.fs.Len()); ok {
			r.event(&one)
		}
	}
}

func (r *inspectRun) event(c *jsonspan.Cursor) {
	c.Kind() // skip white space
	from := c.Pos
	var kind, id, input, refs, output []byte
	var begun, done model.Moment
	kit.ReadFields(c,
		kit.Word("event", &kind), kit.Time("timestamp", &begun), kit.Time("completed", &done), kit.ID("id", &id),
		kit.Raw("input", &input), kit.Raw("input_refs", &refs), kit.Raw("output", &output),
	)
	if r.first.Ms == 0 {
		r.first = begun
	}
	if r.last = begun; done.Ms > begun.Ms {
		r.last = done
	}
	m := inspectMoment{at: done}
	if done.Ms == 0 {
		m.at = begun
	} else {
		m.took = time.Duration(done.Ms-begun.Ms) * time.Millisecond
	}
	switch string(kind) {
	case "model":
		id = kit.EvalString(kit.EvalFirst(kit.EvalAt(output, "choices")), "message.id")
		m.usage = inspectModelUsage(jsonspan.Get(output, "usage"))
		r.requests = append(r.requests, inspectRequest{input, refs, output, m})
	case "tool":
	case "span_begin", "span_end", "step", "state", "store", "sample_init", "score", "subtask":
		return
	default:
		if c.Err == nil {
			r.events = append(r.events, inspectEvent{at: begun, kind: kind, v: c.Buf[from:c.Pos]})
		}
		return
	}
	if id == nil || c.Err != nil {
		return
	}
	if r.moments == nil {
		r.moments = make(map[model.Key]inspectMoment)
	}
	r.moments[model.Hash(id)] = m
}

// notes adds the events that are not in the messages.
func (r *inspectRun) notes() {
	for i := range r.events {
		e := &r.events[i]
		f := r.fs.Add(model.Note)
		f.Session, f.Time = r.session, e.at
		kit.TurnToNote(f, e.kind, e.v)
	}
}

// message adds a message of the sample.
func (r *inspectRun) message(c *jsonspan.Cursor) {
	f := r.fs.Add(model.Say)
	f.Session = r.session
	var id, content, calls, callID, function, failure []byte
	fields := kit.Fields{
		kit.ID("id", &id), kit.Raw("tool_calls", &calls), kit.Raw("tool_call_id", &callID), kit.Raw("function", &function),
		kit.Raw("error", &failure), kit.Text("model", &f.Model),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			kit.SetRole(f, c.String())
		case "content":
			content = r.resolve(c.Skip())
		case "source":
			if v := c.Skip(); string(v) != `"generate"` && string(v) != `"input"` {
				kit.Keep(f, "origin", v)
			}
		default:
			fields.ReadOrKeep(f, c)
		}
	}
	if id != nil {
		f.Key = r.session.With(id)
		m := r.moments[model.Hash(id)]
		f.Time, f.Usage = m.at, m.usage
	}
	if f.Role == model.Tool {
		r.result(f, callID, function, content, failure)
		return
	}
	r.content(f, content)
	list := jsonspan.New(calls)
	for list.Array(); list.More(); {
		r.call(f, &list)
	}
	if f.Role == model.User {
		f.Key = 0
		kit.SplitUser(r.fs)
	}
}

func (r *inspectRun) call(f *model.Fact, c *jsonspan.Cursor) {
	b := f.Add(model.ToolCall)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			b.ID = model.ValueText(c.Skip())
		case "function":
			b.Name = model.ValueText(c.Skip())
		case "arguments":
			b.Text = model.ValueText(r.resolve(c.Skip()))
		case "parse_error":
			kit.Keep(f, "parse error", c.Skip())
		default:
			c.Skip()
		}
	}
}

// result adds a tool result. Its error is separate from its content.
func (r *inspectRun) result(f *model.Fact, id, function, content, failure []byte) {
	outcome := model.Success
	if !kit.IsNull(failure) {
		switch string(jsonspan.GetString(failure, "type")) {
		case "approval":
			outcome = model.Denied
		case "timeout":
			outcome = model.TimedOut
		default:
			outcome = model.Failure
		}
		if text := jsonspan.Get(failure, "message"); kit.IsEmpty(content) && !kit.IsEmpty(text) {
			content = text
		}
		kit.Keep(f, "error", failure)
	}
	b := f.Add(model.ToolResult)
	b.ID, b.Name, b.Outcome = model.ValueText(id), model.ValueText(function), outcome
	if m, ok := r.moments[model.Hash(kit.Inside(id))]; ok {
		f.Time, b.Took = m.at, m.took
	}
	b.Text = model.ValueText(content)
	if jsonspan.KindOf(content) != jsonspan.Array {
		return
	}
	b.Text, _ = kit.SoleText(content)
	if v := r.resolve(inspectQuoted(b.Text)); !kit.IsEmpty(v) {
		b.Text = model.ValueText(v)
	}
	at := len(f.Blocks)
	r.content(f, content)
	media := f.Blocks[at:at]
	for _, m := range f.Blocks[at:] {
		if m.Kind == model.Media {
			m.ID = model.ValueText(id)
			media = append(media, m)
		}
	}
	f.Blocks = f.Blocks[:at+len(media)]
}

// inspectQuoted returns the raw JSON string of a text that is an attachment, nil for other texts.
func inspectQuoted(t model.Text) []byte {
	raw := t.Raw()
	if t.Encoding() != model.JSONString || !kit.HasPrefix(raw, "attachment://") {
		return nil
	}
	return append(append([]byte{'"'}, raw...), '"')
}

// content adds the content of a message with its attachments resolved.
func (r *inspectRun) content(f *model.Fact, v []byte) {
	if jsonspan.KindOf(v) != jsonspan.Array {
		kit.AddContent(f, v)
		return
	}
	for part := range jsonspan.List(v) {
		r.block(f, part)
	}
}

func (r *inspectRun) block(f *model.Fact, v []byte) {
	switch kind := jsonspan.GetString(v, "type"); string(kind) {
	case "text":
		f.AddText(model.Words, model.ValueText(r.resolve(jsonspan.Get(v, "text"))))
		if string(jsonspan.Get(v, "refusal")) == "true" {
			f.Flags |= model.Refused
		}
	case "reasoning":
		text := jsonspan.Get(v, "summary")
		if !kit.IsTrue(jsonspan.Get(v, "redacted")) || kit.IsEmpty(text) {
			text = jsonspan.Get(v, "reasoning")
		}
		f.AddText(model.Reasoning, model.ValueText(r.resolve(text)))
	case "image", "audio", "video", "document":
		mime := kit.MediaType(string(kind))
		if string(kind) == "document" {
			mime = kit.MediaType("file")
		}
		for _, name := range [...]string{"mime_type", "format"} {
			if m := jsonspan.Get(v, name); kit.IsString(m) && !kit.IsEmpty(m) {
				mime = model.ValueText(m)
				break
			}
		}
		kit.AddMedia(f, model.Text{}, mime, r.resolve(jsonspan.Get(v, string(kind))))
		kit.Keep(f, "filename", jsonspan.Get(v, "filename"))
	case "tool_use": // a tool of the provider: call and result in one
		r.serverTool(f, v)
	default:
		kit.AddBlock(f, v)
	}
}

func (r *inspectRun) serverTool(f *model.Fact, v []byte) {
	id, name := model.ValueText(jsonspan.Get(v, "id")), model.ValueText(jsonspan.Get(v, "name"))
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Text = id, name, model.ValueText(r.resolve(jsonspan.Get(v, "arguments")))
	text, outcome := jsonspan.Get(v, "result"), model.Success
	if failure := jsonspan.Get(v, "error"); !kit.IsEmpty(failure) {
		text, outcome = failure, model.Failure
	}
	res := f.Add(model.ToolResult)
	res.ID, res.Name, res.Outcome, res.Text = id, name, outcome, model.ValueText(r.resolve(text))
}

// end adds the outcome of the sample: its error or its first score, and the limit that stopped it,
// if any.
func (r *inspectRun) end(scorer, score []byte, p *inspectParts) {
	f := r.fs.Add(model.End)
	f.Session, f.Time, f.Outcome = r.session, r.last, model.Success
	var reason bytes.Buffer
	if kind := jsonspan.GetString(p.limit, "type"); kind != nil {
		reason.WriteString("limit: " + string(kind))
		f.Outcome = model.Failure
		if string(kind) == "time" || string(kind) == "working" {
			f.Outcome = model.TimedOut
		}
	}
	if value := jsonspan.Get(score, "value"); !kit.IsNull(value) {
		if reason.Len() > 0 {
			reason.WriteString(", ")
		}
		if scorer != nil {
			reason.WriteString(model.EscapedText(scorer).String() + ": ")
		}
		inspectWhy(&reason, score, p.target)
		if f.Score, f.HasScore = inspectScore(value); f.HasScore {
			f.Outcome = kit.EvalOutcome(f.Score)
		}
	}
	if text := jsonspan.Get(p.failure, "message"); !kit.IsEmpty(text) {
		reason.Reset()
		reason.WriteString("error: " + model.ValueText(text).String())
		f.Outcome = model.Failure
		f.AddText(model.Words, model.ValueText(p.failure))
	}
	if reason.Len() > 0 {
		f.Name = kit.EvalReason(reason.String())
	}
}

// inspectValues maps the letters of scorers to words.
var inspectValues = map[string]string{`"C"`: "correct", `"I"`: "incorrect", `"P"`: "partly correct", `"N"`: "no answer"}

// inspectTargetMost limits the bytes of a target, an answer and an explanation in a reason.
const inspectTargetMost = 120

// inspectWhy appends a score in words and the scorer's explanation. For wrong answers it adds the
// expected and the actual answer.
func inspectWhy(to *bytes.Buffer, score, target []byte) {
	value := jsonspan.Get(score, "value")
	word, known := inspectValues[string(value)]
	if !known {
		word = model.ValueText(value).String()
	}
	to.WriteString(word)
	if string(value) == `"C"` {
		return
	}
	quote := func(what string, v []byte) {
		if text := model.ValueText(v).TrimSpace().String(); text != "" && text != "[]" && !kit.IsNull(v) {
			to.WriteString(what + model.CutWords(text, inspectTargetMost))
		}
	}
	quote(", expected ", target)
	answer, why := jsonspan.Get(score, "answer"), jsonspan.Get(score, "explanation")
	quote(", answered ", answer)
	if !bytes.Equal(answer, why) {
		quote(": ", why)
	}
}

// inspectScore returns a score's value as a number. Scorers write letters for correct, incorrect,
// partly correct and no answer.
func inspectScore(v []byte) (x float64, ok bool) {
	switch string(v) {
	case `"C"`, "true":
		return 1, true
	case `"I"`, `"N"`, "false":
		return 0, true
	case `"P"`:
		return 0.5, true
	}
	if jsonspan.KindOf(v) != jsonspan.Number {
		return 0, false
	}
	return kit.EvalFloat(v)
}
