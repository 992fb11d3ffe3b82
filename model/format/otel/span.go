package otel

import (
	"bytes"
	"math"
	"time"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/format/vercel"
	"turns/model/jsonspan"
)

// otelSpan adds the content of a span: of a chat its conversation and its answer, of a tool its
// call and its result. Any other span is folded.
func otelSpan(c *jsonspan.Cursor, fs *model.Facts) {
	if !kit.StartObject(c, fs) {
		return
	}
	s := otelSpanFields{otelAttributes: otelAttributes{fs: fs, inTokens: -1, outTokens: -1, cacheRead: -1, cacheWrite: -1, reasonings: -1}}
	s.read(c)
	if c.Err != nil {
		return
	}
	session := kit.HashValue(s.conversation)
	if session == 0 {
		session = kit.HashValue(s.trace)
	}
	if len(kit.Inside(s.parent)) == 0 {
		s.parent = nil // a root; some exporters write ""
	}
	s.settle()
	if s.body != nil && kit.HasPrefix(s.name, "gen_ai.") {
		s.event(s.name, otelPlainOf(s.body))
	}
	first := fs.Len()
	switch {
	case s.emitAgent(fs, session):
	case s.tool != nil && (string(s.op) == "execute_tool" || string(s.op) == "ai.toolCall" || s.callID != nil):
		s.emitTool(fs, session)
	case s.input != nil || s.output != nil || s.hasOld() && s.body == nil:
		s.emitChat(fs, session)
	case s.hasOld():
		s.emitRecord(fs, session)
	case s.answers(): // there may be no other record of the request
		s.emitAnswer(fs, session)
	default:
		f := fs.Add(model.Note)
		if string(s.op) == "invoke_agent" {
			f.Op = model.Child
		}
		f.Name, f.Time = model.EscapedText(s.name), s.start
		if s.conversation != nil || len(s.vendor.kind) > 0 { // other spans may belong to no session
			f.Session = session
		}
		s.describe(f)
		// its messages are log records
		if f.Usage = s.usage(); f.Usage.Scope != model.NoUsage {
			f.Session = session
		}
		if s.text != nil {
			f.AddText(model.Words, model.ValueText(s.text))
		}
		if s.body != nil {
			if len(s.name) == 0 {
				f.Name = model.StringText("log")
			}
			f.AddText(model.Words, model.ValueText(otelPlainOf(s.body)))
		}
		if s.failed {
			f.Outcome = model.Failure
		}
	}
	s.link(fs, first, session)
}

// link records the span's position in its trace, and the end of an agent if the span is all of its
// work.
func (s *otelSpanFields) link(fs *model.Facts, from int, session model.Key) {
	key := s.key(session)
	if key == 0 {
		return
	}
	for i := from; i < fs.Len(); i++ {
		f := fs.At(i)
		if f.Span = key; s.parent != nil {
			f.Above = session.Join(kit.HashValue(s.trace)).Join(kit.HashValue(s.parent))
		}
		if f.Op == model.Child {
			f.Session, f.Model = session, model.ValueText(s.agent)
		}
	}
	if s.parent != nil || s.end.Ms == 0 || s.isRequest() {
		return
	}
	f := fs.Add(model.End)
	f.Session, f.Time, f.Name = session, s.end, model.EscapedText(s.name)
	f.Outcome, f.Stop = model.Success, model.StopEnd
	if s.failed {
		f.Outcome, f.Stop = model.Failure, model.StopError
	}
}

// describe adds the fields of the span that have no place in a fact.
func (s *otelSpanFields) describe(f *model.Fact) {
	s.rest.Give(f)
	kit.Keep(f, "agent", s.agent)
	kit.Keep(f, "error.type", s.fault)
	kit.Keep(f, "status message", s.message)
	kit.Keep(f, "trace_id", s.trace)
	kit.Keep(f, "span_id", s.span)
	kit.Keep(f, "parent_span_id", s.parent)
	if s.conversation != nil {
		kit.Keep(f, "session", s.conversation)
	}
	f.Model = model.ValueText(s.answered)
	if s.answered == nil {
		f.Model = model.ValueText(s.model)
	}
}

// key identifies a span that may be sent again; zero if it has no id.
func (s *otelSpanFields) key(session model.Key) model.Key {
	if s.span == nil {
		return 0
	}
	return session.Join(kit.HashValue(s.trace)).Join(kit.HashValue(s.span))
}

func (s *otelSpanFields) took() time.Duration {
	if s.start.Ms == 0 || s.end.Ms < s.start.Ms {
		return 0
	}
	return time.Duration(s.end.Ms-s.start.Ms) * time.Millisecond
}

// emitTool adds a tool call and, once it has ended, its result. Messages may contain both, too.
func (s *otelSpanFields) emitTool(fs *model.Facts, session model.Key) {
	at := fs.Len()
	f := s.substitute(fs, session, model.Assistant)
	s.describe(f)
	f.Model, f.Flags = model.Text{}, f.Flags|model.Synthetic
	b := f.Add(model.ToolCall)
	b.ID, b.Name, b.Text = model.ValueText(s.callID), model.ValueText(s.tool), model.ValueText(s.args)
	if s.parent != nil {
		b.Within = session.Join(kit.HashValue(s.trace)).Join(kit.HashValue(s.parent))
	}
	switch string(s.nesting) {
	case "script":
		b.Nesting = model.Script
	case "poll":
		b.Nesting = model.Poll
	case "text":
		b.Nesting = model.OfText
	}
	otelTimed(fs, at, s.start, s.startIn)
	if b.Nesting == model.OfText {
		_, b.Outcome = s.toolResult()
		return
	}
	if s.end.Ms == 0 && s.result == nil && !s.failed {
		return
	}
	if at = fs.Len(); f.Join == model.StandIn {
		f = s.substitute(fs, session, model.Tool)
		s.describe(f)
		f.Model = model.Text{}
	}
	text, outcome := s.toolResult()
	r := f.Add(model.ToolResult)
	r.ID, r.Name, r.Text, r.Outcome, r.Took = model.ValueText(s.callID), model.ValueText(s.tool), text, outcome, s.took()
	otelTimed(fs, at, s.end, s.endIn)
}

// substitute returns a fact that messages with the same content replace. A span without an id is a
// message.
func (s *otelSpanFields) substitute(fs *model.Facts, session model.Key, role model.Role) *model.Fact {
	f := fs.Add(model.Say)
	f.Role, f.Session, f.Name = role, session, model.EscapedText(s.name)
	if f.Key = s.key(session); f.Key != 0 {
		f.Join = model.StandIn
	}
	return f
}

// toolResult returns the result of a tool and its outcome.
func (s *otelSpanFields) toolResult() (model.Text, model.Outcome) {
	text := model.ValueText(s.result)
	if s.outcome != nil {
		outcome := model.Unknown
		_ = outcome.UnmarshalText(s.outcome)
		return text, outcome
	}
	if !s.failed && s.fault == nil {
		outcome := kit.OutcomeOfText(text)
		if outcome == model.Unknown {
			outcome = model.Success
		}
		return text, outcome
	}
	if kit.IsEmpty(s.result) {
		text = model.ValueText(kit.Or(s.message, s.fault))
	}
	outcome := kit.FailureOf(text)
	if fault := bytes.ToLower(kit.Inside(s.fault)); outcome == model.Failure {
		switch {
		case bytes.Contains(fault, []byte("timeout")):
			outcome = model.TimedOut
		case bytes.Contains(fault, []byte("abort")), bytes.Contains(fault, []byte("cancel")):
			outcome = model.Cancelled
		}
	}
	return text, outcome
}

// emitAnswer adds an empty answer of a model for a span without its text.
func (s *otelSpanFields) emitAnswer(fs *model.Facts, session model.Key) {
	at := fs.Len()
	f := s.substitute(fs, session, model.Assistant)
	s.ending(f)
	otelTimed(fs, at, s.end, s.endIn)
}

// answers reports whether the span is a request that a model answers with a message.
func (s *otelSpanFields) answers() bool {
	switch string(s.op) {
	case "embeddings", "rerank", "rank", "image_generation", "generate_image", "moderation":
		return false
	}
	return s.usage().Scope != model.NoUsage && !bytes.HasPrefix(s.op, []byte("ai.embed"))
}

// emitChat adds the messages sent to the model and its answer.
func (s *otelSpanFields) emitChat(fs *model.Facts, session model.Key) {
	at := fs.Len()
	if !kit.IsEmpty(s.system) {
		f := fs.Add(model.Say)
		f.Role = model.System
		otelParts(f, s.system)
		otelKnown(fs, fs.Len()-1, session, 0)
	}
	n := 0
	places := kit.Elements(s.places, kit.WholeList, math.MaxInt)
	in := jsonspan.New(s.input)
	for in.Array(); in.More(); {
		n++
		first := fs.Len()
		otelMessage(&in, fs)
		otelKnown(fs, first, session, n)
		if n <= len(places) {
			otelPlaced(fs, first, session, places[n-1])
		}
	}
	n = s.emitOld(fs, session, n, false)
	if len(places) == 0 {
		otelTimed(fs, at, s.start, s.startIn)
	}
	first := fs.Len()
	if in = jsonspan.New(s.output); in.Kind() == jsonspan.Array {
		for in.Array(); in.More(); {
			otelMessage(&in, fs)
		}
	} else {
		s.emitVercel(fs)
	}
	s.emitOld(fs, session, n, true)
	if first == fs.Len() && (s.failed || s.inTokens >= 0 || fs.Len() == at) {
		fs.Add(model.Say).Role = model.Assistant
	}
	otelKnown(fs, first, session, n+1)
	within := s.endIn
	if s.end.Ms == s.start.Ms { // after the message it answers, before what was asked meanwhile
		within = s.startIn
	}
	otelTimed(fs, first, s.end, within)
	for i := first; i < fs.Len(); i++ {
		if f := fs.At(i); len(f.Blocks) == 0 { // identified by its content
			f.Key = s.key(session)
		}
	}
	if s.place != nil {
		otelPlaced(fs, first, session, s.place)
	}
	if first < fs.Len() {
		s.ending(fs.Last())
	}
}

// emitRecord adds the message of a log record. Each request logs the conversation again without
// numbers, so messages with the same content are the same.
func (s *otelSpanFields) emitRecord(fs *model.Facts, session model.Key) {
	first := fs.Len()
	s.emitOld(fs, session, 0, false)
	s.emitOld(fs, session, 0, true)
	otelKnown(fs, first, session, 0)
	otelTimed(fs, first, s.start, s.startIn)
	fs.At(first).By = session // a log contains the messages sent
	if f := fs.Last(); f.Role == model.Assistant {
		s.describe(f)
		if reason := s.reason(); reason != nil && f.Stop == model.StopUnknown {
			kit.SetStop(f, reason)
		}
	}
}

// emitVercel adds the answer as stored by Vercel's SDK.
func (s *otelSpanFields) emitVercel(fs *model.Facts) {
	if s.text == nil && s.calls == nil && s.object == nil {
		return
	}
	f := fs.Add(model.Say)
	f.Role = model.Assistant
	for _, v := range [...][]byte{s.text, s.object} {
		if !kit.IsEmpty(v) {
			f.AddText(model.Words, model.ValueText(v))
		}
	}
	for v := range jsonspan.List(s.calls) {
		vercel.VercelTool(f, nil, v)
	}
}

// ending adds the span's details to its answer.
func (s *otelSpanFields) ending(f *model.Fact) {
	s.describe(f)
	kit.ClaudeKeep(f, "name", s.name)
	kit.Keep(f, "id", s.id)
	if reason := s.reason(); reason != nil && f.Stop == model.StopUnknown {
		kit.SetStop(f, reason)
	}
	if s.failed {
		f.Flags |= model.APIError
		f.Outcome, f.Stop = model.Failure, model.StopError
		if len(f.Blocks) == 0 && kit.IsString(s.message) {
			f.AddText(model.Words, model.ValueText(s.message))
		}
	}
	f.Usage = s.usage()
}

// usage returns the tokens of a request, or the zero Usage if there are none.
func (s *otelSpanFields) usage() model.Usage {
	if !s.isRequest() || s.inTokens < 0 && s.outTokens < 0 {
		return model.Usage{}
	}
	u := kit.NoUsage(model.Each)
	u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning = s.inTokens, s.outTokens, s.cacheRead, s.cacheWrite, s.reasonings
	kit.ExcludeCache(&u)
	u.Cost, u.HasCost, u.HourCache = s.cost, s.cost > 0, s.hourCache
	if u.Key = kit.HashValue(s.id); u.Key == 0 {
		u.Key = kit.HashValue(s.span)
	}
	return u
}

func (s *otelSpanFields) reason() []byte {
	if list := kit.Elements(s.finish, kit.WholeList, 1); len(list) > 0 {
		if v := jsonspan.GetString(list[0], "stringValue"); v != nil {
			return v
		}
		return kit.Inside(list[0])
	}
	return kit.Inside(s.finish)
}

// isRequest reports whether the span is a request to a model, not an agent with several requests
// and the sum of their usage.
func (s *otelSpanFields) isRequest() bool {
	switch string(s.op) {
	case "invoke_agent", "create_agent", "invoke_workflow":
		return false
	}
	return !bytes.HasPrefix(s.op, []byte("ai.")) || bytes.HasSuffix(s.op, []byte(".doGenerate")) || bytes.HasSuffix(s.op, []byte(".doStream"))
}

// otelKnown sets the keys by which messages are recognized when a later span repeats them: their
// session, speaker and content, and their number except for the assistant.
func otelKnown(fs *model.Facts, from int, session model.Key, n int) {
	for i := from; i < fs.Len(); i++ {
		f := fs.At(i)
		f.Session, f.Seq = session, int64(n)+1
		if f.Op == model.Say {
			kit.Know(f, session, n)
		}
	}
}

// otelTimed sets the time of numbered messages. Those of the same millisecond are ordered by their
// microseconds, because many spans begin and end within a millisecond.
func otelTimed(fs *model.Facts, from int, at model.Moment, within int64) {
	for i := from; i < fs.Len(); i++ {
		f := fs.At(i)
		f.Time, f.Seq = at, within<<10|min(f.Seq, 1<<10-1)
	}
}

// otelPlaced sets the position and time of messages from a span that turns exported: [position,
// Unix ms], followed by 1 for words of a program. Their keys contain the position.
func otelPlaced(fs *model.Facts, from int, session model.Key, v []byte) {
	pair := kit.Elements(v, kit.WholeList, 3)
	if len(pair) < 2 {
		return
	}
	at, _ := jsonspan.ParseInt(pair[0])
	ms, _ := jsonspan.ParseInt(pair[1])
	for i := from; i < fs.Len(); i++ {
		f := fs.At(i)
		if f.Time = (model.Moment{}); ms > 0 {
			f.Time = kit.MomentOfMs(ms)
		}
		if len(pair) == 3 {
			f.Flags |= model.Injected
		}
		if at >= 0 {
			part := "part"
			if f.Role == model.Tool { // a model's message may hold results of its provider's tools
				part = "result"
			}
			f.Seq = at + 1
			f.Key = session.Join(model.HashNumber("place", at)).Join(model.HashNumber(part, int64(i-from)))
		}
	}
}

// AddMessages adds messages with parts. It returns false if the value is not a list of them.
func AddMessages(fs *model.Facts, v []byte) bool {
	first := kit.Elements(v, kit.WholeList, 1)
	if len(first) == 0 || !kit.HasKey(first[0], "parts") || !kit.HasKey(first[0], "role") {
		return false
	}
	c := jsonspan.New(v)
	for c.Array(); c.More(); {
		c.Kind()
		otelMessage(&c, fs)
	}
	return true
}

// otelMessage reads a message with parts, or one in the form of Vercel's SDK.
func otelMessage(c *jsonspan.Cursor, fs *model.Facts) {
	start := c.Pos
	f := fs.Add(model.Say)
	var role, parts, content []byte
	fields := kit.Fields{
		kit.Word("role", &role), kit.Raw("parts", &parts), kit.Raw("content", &content),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "finish_reason":
			if s := c.String(); s != nil {
				kit.SetStop(f, s)
			}
		default:
			fields.ReadOrKeep(f, c)
		}
	}
	if c.Err != nil || parts == nil && content != nil {
		fs.Drop()
		if c.Err == nil {
			in := jsonspan.New(bytes.TrimLeft(c.Buf[start:c.Pos], " \t\r\n,"))
			vercel.VercelModelMessage(&in, fs, 0)
		}
		return
	}
	kit.SetRole(f, role)
	otelParts(f, parts)
	if f.Role == model.User {
		kit.SplitUser(fs)
	}
}

// otelParts adds the parts of a message; texts are in their content field.
func otelParts(f *model.Fact, v []byte) {
	if kit.IsString(v) {
		f.AddText(model.Words, model.ValueText(v))
		return
	}
	for part := range jsonspan.List(v) {
		otelPart(f, part)
	}
}

func otelPart(f *model.Fact, v []byte) {
	b := kit.ReadBlockFields(v)
	text := kit.Or(b.Content, b.Text)
	switch string(b.Typ) {
	case "text":
		f.AddText(model.Words, model.ValueText(text))
	case "thinking", "reasoning":
		f.AddText(model.Reasoning, model.ValueText(text))
	case "tool_call":
		kit.AddCallBlock(f, &b)
	case "tool_call_response":
		id := kit.Or(b.Id, b.CallID)
		result := jsonspan.Get(v, "response")
		result = kit.Or(result, b.Output)
		outcome := model.Unknown
		switch string(b.IsError) {
		case "true":
			outcome = model.Failure
		case "false":
			outcome = model.Success
		}
		at := len(f.Blocks)
		kit.AddResult(f, model.ValueText(id), model.ValueText(b.Name), result, outcome)
		if name := jsonspan.GetString(v, "outcome"); name != nil {
			_ = f.Blocks[at].Outcome.UnmarshalText(name)
		}
	case "uri", "blob", "file":
		place := jsonspan.Get(v, "uri")
		for _, x := range [...][]byte{text, b.Data, jsonspan.Get(v, "file_id")} {
			place = kit.Or(place, x)
		}
		kit.AddMedia(f, model.Text{}, kit.MediaTypeOf(&b), place)
	default:
		kit.AddBlock(f, v)
	}
}
