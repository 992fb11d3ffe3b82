package gemini

import (
	"bytes"
	"cmp"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// CLIFormat reads sessions of Gemini CLI: until version 0.39 a JSON document, since 0.40 a log
// of events. The log repeats messages as they grow, replaces the list of messages and removes
// messages.
func CLIFormat() *model.Format {
	return &model.Format{
		Name:   "gemini-cli",
		Resume: "gemini --resume ID",
		Title:  "Gemini CLI session",
		Where:  []string{"~/.gemini/tmp/*/chats/session-*.json", "~/.gemini/tmp/*/chats/session-*.jsonl"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InDocument, Score: 92, Reason: "a document with messages of type gemini", Is: kit.Signs{"messages[].type=gemini"}},
			kit.Clue{In: kit.InDocument, Score: 92, Reason: "a document with projectHash, sessionId and messages",
				Is: kit.Signs{"messages:list & projectHash & sessionId"}},
			kit.Clue{Score: 95, Reason: "an event log with projectHash, $set or $rewindTo",
				Is: kit.Signs{"+ $set|$rewindTo", "+ projectHash & sessionId", "~ id & type=user|gemini|info|error|warning"}},
		),
		Lists: func(model.Match) []string { return []string{"messages"} },
		Parse: geminiCLIParse,
	}
}

// geminiCLIRecord holds the raw values of a message, or of a line about the session; nil where
// absent.
type geminiCLIRecord struct {
	set, rewind, list                   []byte
	session, kind, title, start, update []byte
	id, content, display                []byte
	thoughts, tokens, model, calls      []byte
	time                                model.Moment
	isMessage                           bool
	err                                 error // error of a nested list
}

func geminiCLIParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	f := fs.Add(model.Say)
	var r geminiCLIRecord
	r.read(&c, f)
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	if r.emit(fs); r.err != nil {
		return r.err
	}
	return kit.Finish(&c, fs)
}

var geminiCLIRecordFields = kit.TableOf(func(r *geminiCLIRecord) kit.Fields {
	return kit.Fields{
		kit.Raw("id", &r.id), kit.Time("timestamp", &r.time), kit.Raw("content", &r.content),
		kit.Raw("displayContent", &r.display), kit.Raw("thoughts", &r.thoughts),
		kit.Raw("tokens", &r.tokens), kit.Raw("model", &r.model), kit.Raw("toolCalls", &r.calls),
		kit.Raw("$set", &r.set), kit.Raw("$rewindTo", &r.rewind), kit.Raw("messages", &r.list),
		kit.Raw("sessionId", &r.session), kit.Raw("summary", &r.title),
		kit.Raw("startTime", &r.start), kit.Raw("lastUpdated", &r.update),
	}
})

func (r *geminiCLIRecord) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			r.kind = c.String()
			r.isMessage = true
		default:
			geminiCLIRecordFields.ReadOrKeep(c, r, f)
		}
	}
}

var (
	geminiCLISet      = model.StringText("$set")
	geminiCLIRewindTo = model.StringText("$rewindTo")
)

// emit fills the last fact with the content of the line.
func (r *geminiCLIRecord) emit(fs *model.Facts) {
	f := fs.Last()
	switch {
	case r.rewind != nil:
		f.Op, f.Name = model.Rewind, geminiCLIRewindTo
		f.Target = kit.HashValue(r.rewind)
	case r.set != nil:
		var set geminiCLIRecord
		c := jsonspan.New(r.set)
		set.read(&c, f)
		f.Op, f.Name = model.About, geminiCLISet
		set.emitSession(fs, true)
		r.err = set.err
	case !r.isMessage && r.session == nil && r.list == nil && len(f.Extra) > 0:
		kit.TurnToNote(f, []byte(f.Extra[0].Name), nil) // an unknown operation
	case !r.isMessage:
		f.Op = model.About
		r.emitSession(fs, false)
	default:
		r.emitMessage(fs)
	}
}

// emitSession reads the data about the session and the messages in the line. If set is true, they
// replace all earlier messages.
func (r *geminiCLIRecord) emitSession(fs *model.Facts, set bool) {
	f := fs.Last()
	kit.Keep(f, "session", r.session)
	kit.Keep(f, "title", r.title)
	if f.Time = kit.MomentOf(r.start); f.Time.Ms == 0 {
		f.Time = kit.MomentOf(r.update)
	}
	if r.list == nil {
		return
	}
	if set {
		f.Op = model.Reset
	}
	c := jsonspan.New(r.list)
	for c.Array(); c.More(); {
		if !kit.StartObject(&c, fs) {
			continue
		}
		f := fs.Add(model.Say)
		var m geminiCLIRecord
		m.read(&c, f)
		m.emitMessage(fs)
	}
	r.err = c.Err
}

func (r *geminiCLIRecord) emitMessage(fs *model.Facts) {
	f := fs.Last()
	f.Key, f.Join, f.Time = kit.HashValue(r.id), model.Replace, r.time
	kit.Keep(f, "displayContent", r.display)
	switch string(r.kind) {
	case "user":
		f.Role = model.User
		kit.GeminiCLIParts(f, r.content)
		at := fs.Len() - 1
		kit.SplitUserRecord(fs)
		geminiCLIEchoes(fs.At(at))
	case "gemini":
		f.Role = model.Assistant
		f.Model = model.ValueText(r.model)
		r.addThoughts(f)
		kit.GeminiCLIParts(f, r.content)
		f.Usage = kit.GeminiCLITokens(r.tokens)
		at := fs.Len() - 1
		r.addCalls(fs)
		f = fs.At(at)
		if f.Echo = geminiCLIResults(f); f.Echo != 0 {
			f.N = geminiCLIModel
		}
	case "error":
		f.Role = model.Assistant
		f.Flags |= model.APIError | model.Synthetic
		f.Outcome, f.Stop = model.Failure, model.StopError
		kit.GeminiCLIParts(f, r.content)
	default:
		kit.GeminiCLIParts(f, r.content)
		kit.TurnToNote(f, r.kind, nil)
	}
}

// The two messages that contain the results of calls: the model's message with its calls, and the
// message that was sent to the model.
const (
	geminiCLIModel = 1 + iota
	geminiCLIUser
)

// geminiCLIResults returns the key of a message's results; 0 if there are none.
func geminiCLIResults(f *model.Fact) (key model.Key) {
	for i := range f.Blocks {
		if b := &f.Blocks[i]; b.Kind == model.ToolResult {
			key = key.Join(b.ID.Hash()).With(b.Text.Raw())
		}
	}
	return key
}

// geminiCLIEchoes marks a message that consists only of results. They also appear with their calls,
// so they count once.
func geminiCLIEchoes(f *model.Fact) {
	for i := range f.Blocks {
		if f.Blocks[i].Kind != model.ToolResult || f.Blocks[i].ID.Empty() {
			return
		}
	}
	if f.Echo = geminiCLIResults(f); f.Echo == 0 {
		return
	}
	f.Join, f.N = model.Union, geminiCLIUser
	for i := range f.Blocks {
		b := &f.Blocks[i]
		b.Key = b.ID.Hash().With([]byte("output"))
	}
}

func (r *geminiCLIRecord) addThoughts(f *model.Fact) {
	if kit.IsNull(r.thoughts) {
		return
	}
	c := jsonspan.New(r.thoughts)
	for c.Array(); c.More(); {
		b := f.Add(model.Reasoning)
		kit.ReadFields(&c,
			kit.Text("subject", &b.Name), kit.Text("description", &b.Text),
			kit.Text("text", &b.Text),
		)
		if b.Text.IsNull() {
			b.Text = b.Name
		}
	}
}

// addCalls adds the tool calls of a response; call and result are one object.
func (r *geminiCLIRecord) addCalls(fs *model.Facts) {
	if kit.IsNull(r.calls) {
		return
	}
	at := fs.Len() - 1
	c := jsonspan.New(r.calls)
	for c.Array(); c.More(); {
		var t geminiCLICall
		t.read(&c, fs)
		fs.At(at).Stop = model.StopTool // the text precedes the calls
		t.add(fs.At(at))
		if agent := kit.Inside(t.agent); len(agent) > 0 {
			child := fs.Add(model.Child)
			child.Target, child.Elsewhere = kit.HashValue(t.id), model.EscapedText(agent)
		}
	}
}

type geminiCLICall struct {
	id, name, args, status, result, display, agent []byte
	rest                                           kit.Kept
}

var geminiCLICallFields = kit.TableOf(func(t *geminiCLICall) kit.Fields {
	return kit.Fields{
		kit.Raw("id", &t.id), kit.Raw("name", &t.name), kit.Raw("args", &t.args),
		kit.Word("status", &t.status), kit.Raw("result", &t.result),
		kit.Raw("resultDisplay", &t.display), kit.Raw("agentId", &t.agent),
	}
})

func (t *geminiCLICall) read(c *jsonspan.Cursor, fs *model.Facts) {
	for c.Object(); c.Key(); {
		if geminiCLICallFields.Take(c, t) {
			continue
		}
		switch string(c.Name) {
		case "renderOutputAsMarkdown", "timestamp":
			c.Skip()
		default:
			t.rest.Take(c, fs)
		}
	}
}

func (t *geminiCLICall) add(f *model.Fact) {
	id, name := model.ValueText(t.id), model.ValueText(t.name)
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Text = id, name, model.ValueText(t.args)
	if !kit.IsEmpty(t.id) { // two calls without an id are not the same
		call.Key = kit.HashValue(t.id)
	}
	t.rest.Give(f)
	outcome, known := kit.OutcomeOfStatus(t.status)
	switch string(t.status) {
	case "validating", "scheduled", "executing", "awaiting_approval":
		outcome, known = model.Running, true
		call.Leave = string(t.status) == "awaiting_approval"
	}
	if outcome == model.Running {
		call.Outcome = outcome
		return
	}
	if kit.IsNull(t.result) && kit.IsNull(t.display) && !known {
		return
	}
	b := f.Add(model.ToolResult)
	b.ID, b.Name, b.Text = id, name, geminiCLIResult(t.result)
	if call.Key != 0 {
		b.Key = call.Key.With([]byte("output"))
	}
	if b.Text.IsNull() {
		b.Text = model.ValueText(t.display)
	} else if !kit.IsEmpty(t.display) && !bytes.Equal(b.Text.Raw(), model.ValueText(t.display).Raw()) {
		kit.Keep(f, "resultDisplay", t.display)
	}
	if jsonspan.KindOf(t.display) == jsonspan.Object {
		f.KeepFile(model.FileText{Kind: model.FileObject, Call: id, Text: model.ValueText(t.display)})
	}
	b.Outcome = kit.OutcomeOfReport(outcome, b.Text)
	if outcome == model.Cancelled {
		b.Outcome = cmp.Or(kit.WordedOutcome(b.Text), outcome)
	}
}

// geminiCLIResult returns the text of the only function response in a list; the list as recorded if
// it has several.
func geminiCLIResult(v []byte) model.Text {
	if jsonspan.KindOf(v) != jsonspan.Array {
		return model.ValueText(v)
	}
	var text model.Text
	n := 0
	c := jsonspan.New(v)
	for c.Array(); c.More(); n++ {
		for c.Object(); c.Key(); {
			if string(c.Name) != "functionResponse" {
				c.Skip()
				continue
			}
			for c.Object(); c.Key(); {
				if string(c.Name) == "response" {
					text, _ = kit.GeminiCLIResponse(&c)
				} else {
					c.Skip()
				}
			}
		}
	}
	if n == 1 && !text.Absent() {
		return text
	}
	return model.ValueText(v)
}
