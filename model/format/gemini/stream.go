package gemini

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// StreamFormat reads the output of gemini --output-format stream-json: events of one session.
// The text of a response arrives in pieces.
func StreamFormat() *model.Format {
	return &model.Format{
		Name:   "gemini-stream",
		Deltas: true,
		Title:  "Gemini CLI stream-json",
		Detect: kit.Clues(
			kit.Clue{Score: 90, Reason: "events init, message, tool_use with tool_id, result with stats", Is: kit.Signs{
				"+ type=init & session_id & timestamp", "+ type=tool_use|tool_result & tool_id", "+ type=message & delta", "+ type=result & stats",
				"~ type=message & role:string & timestamp", "~ type=error"}},
		),
		Parse: geminiStreamParse,
	}
}

// geminiStreamEvent holds the raw values of an event; nil where absent.
type geminiStreamEvent struct {
	kind, role, content                            []byte
	tool, id, parameters                           []byte
	status, output, failure, stats, model, session []byte
	message, severity                              []byte
	delta                                          bool
}

func geminiStreamParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	c.Kind()
	from := c.Pos
	f := fs.Add(model.Say)
	var e geminiStreamEvent
	e.read(&c, f)
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	e.emit(fs, c.Buf[from:c.Pos])
	return kit.Finish(&c, fs)
}

func (e *geminiStreamEvent) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			e.kind = c.String()
		case "timestamp":
			f.Time = kit.ReadMoment(c)
		case "role":
			e.role = c.String()
		case "content":
			e.content = c.Skip()
		case "delta":
			e.delta = c.Bool()
		case "tool_name":
			e.tool = c.Skip()
		case "tool_id":
			e.id = c.Skip()
		case "parameters":
			e.parameters = c.Skip()
		case "status":
			e.status = c.String()
		case "output":
			e.output = c.Skip()
		case "error":
			e.failure = c.Skip()
		case "stats":
			e.stats = c.Skip()
		case "model":
			e.model = c.Skip()
		case "session_id":
			e.session = c.Skip()
		case "message":
			e.message = c.Skip()
		case "severity":
			e.severity = c.String()
		default:
			kit.KeepField(f, c)
		}
	}
}

func (e *geminiStreamEvent) emit(fs *model.Facts, raw []byte) {
	f := fs.Last()
	switch string(e.kind) {
	case "init":
		f.Op = model.About
		f.Name = model.EscapedText(e.kind)
		kit.Keep(f, "session", e.session)
		kit.Keep(f, "model", e.model)
	case "message":
		kit.SetRole(f, e.role)
		if e.delta {
			f.Join = model.Extend
		}
		kit.GeminiCLIParts(f, e.content)
		if f.Role == model.User {
			kit.SplitUserRecord(fs)
		}
	case "tool_use":
		f.Role, f.Join = model.Assistant, model.Extend // it belongs to the preceding words
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = model.ValueText(e.id), model.ValueText(e.tool), model.ValueText(e.parameters)
		b.Key = kit.HashValue(e.id)
	case "tool_result":
		e.emitResult(f)
	case "error":
		e.emitError(f)
	case "result":
		e.emitEnd(fs)
	default:
		kit.TurnToNote(f, e.kind, raw)
	}
}

func (e *geminiStreamEvent) emitResult(f *model.Fact) {
	f.Role = model.Tool
	b := f.Add(model.ToolResult)
	b.ID, b.Text = model.ValueText(e.id), model.ValueText(e.output)
	if text := geminiStreamMessage(e.failure); !text.Absent() {
		if kit.IsEmpty(e.output) {
			b.Text = text
		} else {
			kit.Keep(f, "error", e.failure)
		}
	}
	o, _ := kit.OutcomeOfStatus(e.status)
	if o == model.Unknown && !kit.IsEmpty(e.failure) {
		o = model.Failure
	}
	b.Outcome = kit.OutcomeOfReport(o, b.Text)
}

// geminiStreamMessage returns the message of an error, which is an object or a string.
func geminiStreamMessage(v []byte) model.Text {
	if jsonspan.KindOf(v) == jsonspan.Object {
		if m := jsonspan.Get(v, "message"); kit.IsString(m) {
			return model.ValueText(m)
		}
	}
	return model.ValueText(v)
}

func (e *geminiStreamEvent) emitError(f *model.Fact) {
	text := kit.Or(e.message, e.failure)
	if string(e.severity) == "warning" {
		f.AddText(model.Words, geminiStreamMessage(text))
		kit.TurnToNote(f, e.severity, nil)
		return
	}
	f.Role = model.Assistant
	f.Flags |= model.APIError | model.Synthetic
	f.Outcome, f.Stop = model.Failure, model.StopError
	f.AddText(model.Words, geminiStreamMessage(text))
}

func (e *geminiStreamEvent) emitEnd(fs *model.Facts) {
	f := fs.Last()
	f.Op, f.Name = model.End, model.EscapedText(e.kind)
	f.Outcome, _ = kit.OutcomeOfStatus(e.status)
	if !kit.IsEmpty(e.failure) {
		f.AddText(model.Words, geminiStreamMessage(e.failure))
		if f.Outcome == model.Unknown {
			f.Outcome = model.Failure
		}
	}
	kit.Keep(f, "stats", e.stats)
	if u := geminiStreamStats(e.stats); u.Scope != model.NoUsage {
		fs.Add(model.Meter).Usage = u
	}
}

// geminiStreamStats reads the usage of a session. Its output excludes the thoughts; the total
// includes them.
func geminiStreamStats(v []byte) model.Usage {
	u, total := kit.NoUsage(model.Each), int64(-1)
	kit.ReadObject(v, kit.Count("input_tokens", &u.Input), kit.Count("output_tokens", &u.Output),
		kit.Count("cached", &u.CacheRead), kit.Count("total_tokens", &total))
	if u.Input < 0 || u.Output < 0 {
		return model.Usage{}
	}
	if thoughts := total - u.Input - u.Output; thoughts >= 0 {
		u.Reasoning = thoughts
		u.Output += thoughts
	}
	u.Input = max(0, u.Input-max(u.CacheRead, 0))
	return u
}
