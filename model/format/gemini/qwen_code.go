package gemini

import (
	"cmp"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// QwenCodeFormat reads sessions of Qwen Code: the envelope of Claude Code around the messages
// of Gemini's API. A response may have several lines with one uuid; a rewind is a new branch of
// the tree.
func QwenCodeFormat() *model.Format {
	return &model.Format{
		Name:   "qwen-code",
		Resume: "qwen --resume ID",
		Deltas: true,
		Title:  "Qwen Code session",
		Where:  []string{"~/.qwen/projects/*/chats/*.jsonl", "~/.qwen/projects/*/chats/archive/*.jsonl"},
		Detect: kit.Clues(
			kit.Clue{Score: 93, Reason: "lines with uuid around messages with parts",
				Is: kit.Signs{"+ uuid & sessionId & message.parts", "~ uuid & sessionId & systemPayload"}},
		),
		Parse: qwenCodeParse,
		Order: model.Tree,
	}
}

// qwenCodeLine holds the raw values of a line; nil where absent.
type qwenCodeLine struct {
	kind, subtype          []byte
	usage, payload, result []byte
}

func qwenCodeParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	f := fs.Add(model.Say)
	var l qwenCodeLine
	l.read(&c, f)
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	l.emit(fs)
	return kit.Finish(&c, fs)
}

var qwenCodeLineFields = kit.TableOf(func(l *qwenCodeLine) kit.Fields {
	return kit.Fields{
		kit.Word("type", &l.kind), kit.Word("subtype", &l.subtype),
		kit.Raw("usageMetadata", &l.usage), kit.Raw("systemPayload", &l.payload),
		kit.Raw("toolCallResult", &l.result),
	}
})

func (l *qwenCodeLine) read(c *jsonspan.Cursor, f *model.Fact) {
	fields := kit.Fields{
		kit.Key("parentUuid", &f.Parent), kit.Time("timestamp", &f.Time), kit.Text("model", &f.Model),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "uuid":
			f.Key = kit.HashValue(c.Skip())
			f.Record = f.Key
		case "sessionId":
			kit.Keep(f, "session", c.Skip())
		case "cwd":
			kit.Keep(f, "cwd", c.Skip())
		case "version":
			kit.Keep(f, "version", c.Skip())
		case "gitBranch":
			kit.Keep(f, "branch", c.Skip())
		case "message":
			l.readMessage(c, f)
		default:
			if !fields.Take(c) {
				qwenCodeLineFields.ReadOrKeep(c, l, f)
			}
		}
	}
}

func (l *qwenCodeLine) readMessage(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "parts":
			kit.GeminiCLIReadParts(f, c)
		default:
			c.Skip()
		}
	}
}

func (l *qwenCodeLine) emit(fs *model.Facts) {
	f := fs.Last()
	switch string(l.kind) {
	case "user":
		f.Role = model.User
		switch string(l.subtype) {
		case "mid_turn_user_message":
			f.Flags |= model.Queued
		case "notification", "cron":
			f.Flags |= model.Injected
		}
		kit.ClaudeKeep(f, "subtype", l.subtype)
		kit.Keep(f, "payload", l.payload)
		kit.SplitUserRecord(fs)
	case "assistant":
		f.Role, f.Join = model.Assistant, model.Extend // fragments with one id continue each other
		f.Usage = kit.GeminiCLITokens(l.usage)
	case "tool_result":
		f.Role = model.Tool
		l.setOutcome(f)
	case "system":
		l.emitSystem(f)
	default:
		kit.Keep(f, "payload", l.payload)
		kit.TurnToNote(f, l.kind, nil)
	}
}

// setOutcome adds the program's own data about a result, beyond the text that it sent to the model.
func (l *qwenCodeLine) setOutcome(f *model.Fact) {
	if kit.IsNull(l.result) || len(f.Blocks) == 0 {
		return
	}
	b := &f.Blocks[0]
	c := jsonspan.New(l.result)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "status":
			o, known := kit.OutcomeOfStatus(c.String())
			switch {
			case !known:
			case o == model.Cancelled:
				b.Outcome = cmp.Or(kit.WordedOutcome(b.Text), o)
			default:
				b.Outcome = kit.OutcomeOfReport(o, b.Text)
			}
		case "durationMs":
			b.Took = kit.TookMs(c.Skip())
		case "errorType":
			kit.Keep(f, "errorType", c.Skip())
		default:
			c.Skip()
		}
	}
}

func (l *qwenCodeLine) emitSystem(f *model.Fact) {
	switch string(l.subtype) {
	case "chat_compression":
		f.Op = model.Compact
		f.Name = model.EscapedText(l.subtype)
		kit.Keep(f, "info", jsonspan.Get(l.payload, "info"))
		history := jsonspan.New(jsonspan.Get(l.payload, "compressedHistory"))
		if history.Array(); history.More() {
			kit.GeminiCLIParts(f, jsonspan.Get(history.Skip(), "parts"))
		}
		f.Key = 0
	case "custom_title":
		f.Op, f.Key = model.About, 0
		f.Name = model.EscapedText(l.subtype)
		kit.Keep(f, "title", jsonspan.Get(l.payload, "customTitle"))
	default:
		kind := kit.Or(l.subtype, l.kind)
		if !kit.IsEmpty(l.payload) {
			f.AddText(model.OtherBlock, model.ValueText(l.payload))
		}
		f.Target = kit.HashValue(jsonspan.Get(l.payload, "uiEvent", "call_id"))
		kit.TurnToNote(f, kind, nil)
	}
}
