package agents

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// DshFormat is a session of DeepSeek's dsh: a log of events. What a response was
// streamed as is recorded and, when it has ended, the whole of it.
func DshFormat() *model.Format {
	return &model.Format{
		Name:   "dsh",
		Title:  "DeepSeek dsh session",
		Detect: dshDetect,
		Parse:  dshParse,
	}
}

func dshDetect(s *model.Sample) model.Match {
	marks := 0
	m := kit.MostLines(s, 92, "events such as user/message and assistant/message with seq and data", func(line []byte) bool {
		switch string(jsonspan.GetString(line, "type")) {
		case "session":
			return kit.HasKey(line, "createdAt") && kit.HasKey(line, "cwd")
		case "user/message", "assistant/message", "tool/call", "tool/result":
			marks++
			return kit.HasKey(line, "data")
		case "turn/start", "turn/end", "step/start", "step/end", "assistant/chunk", "request/header", "request/context", "session/title",
			"agent/inbox/spliced":
			return kit.HasKey(line, "seq") && kit.HasKey(line, "data")
		case "reasoning-chunks", "tool-call-chunks", "text-chunks":
			return kit.HasKey(line, "seq0")
		}
		return false
	})
	if marks == 0 {
		return model.Match{}
	}
	return m
}

func dshParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	f := fs.Add(model.Say)
	var e dshEvent
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			e.kind = c.String()
		case "data":
			e.read(&c, f)
		case "time", "time0", "createdAt":
			f.Time = kit.ReadMoment(&c)
		case "id":
			kit.Keep(f, "session", c.Skip())
		case "cwd":
			kit.Keep(f, "cwd", c.Skip())
		case "version":
			kit.Keep(f, "format version", c.Skip())
		case "seq", "seq0", "sourceEventSeqs":
			c.Skip()
		default:
			kit.KeepField(f, &c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	e.tell(fs)
	return kit.Finish(&c, fs)
}

// dshEvent is what the data of an event may hold, and the message in it: raw
// values, nil where absent.
type dshEvent struct {
	kind, role, content, source, id      []byte
	usage, title, header, callID, reason []byte
}

func (e *dshEvent) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "message":
			e.read(c, f)
		case "role":
			e.role = c.String()
		case "content":
			e.content = c.Skip()
		case "source":
			e.source = c.Skip()
		case "id":
			e.id = c.Skip()
		case "usage":
			e.usage = c.Skip()
		case "title":
			e.title = c.Skip()
		case "header":
			e.header = c.Skip()
		case "callId":
			e.callID = c.Skip()
		case "reason":
			e.reason = c.Skip()
		default:
			c.Skip()
		}
	}
}

func (e *dshEvent) tell(fs *model.Facts) {
	f := fs.Last()
	switch string(e.kind) {
	case "session":
		f.Op = model.About
		f.Name = model.EscapedText(e.kind)
	case "session/title":
		f.Op = model.About
		f.Name = model.EscapedText(e.kind)
		kit.Keep(f, "title", e.title)
	case "user/message", "assistant/message", "tool/result":
		e.tellMessage(fs)
	case "request/header":
		e.tellHeader(fs)
	case "tool/call":
		f.Target = kit.HashValue(e.callID)
		kit.TurnToNote(f, e.kind, nil)
	case "turn/end":
		reason := jsonspan.GetString(e.reason, "kind")
		kit.ClaudeKeep(f, "reason", reason)
		switch string(reason) {
		case "aborted", "interrupted", "cancelled":
			f.Flags |= model.Interrupted
		case "error", "failed":
			f.Flags |= model.APIError
		}
		kit.TurnToNote(f, e.kind, nil)
	default:
		kit.TurnToNote(f, e.kind, nil)
	}
}

// tellHeader says what a request was sent with: the model and the system prompt.
func (e *dshEvent) tellHeader(fs *model.Facts) {
	f := fs.Last()
	f.Op = model.About
	f.Name = model.EscapedText(e.kind)
	kit.Keep(f, "model", jsonspan.Get(e.header, "config", "model"))
	at := f.Time
	if system := jsonspan.Get(e.header, "system"); !kit.IsEmpty(system) {
		s := fs.Add(model.Say)
		s.Role, s.Time = model.System, at
		s.Key, s.Join = model.Hash(system).With([]byte("system")), model.Replace
		kit.AddContent(s, system)
	}
}

func (e *dshEvent) tellMessage(fs *model.Facts) {
	f := fs.Last()
	kit.SetRole(f, e.role)
	f.Key = kit.HashValue(e.id)
	switch string(jsonspan.GetString(e.source, "kind")) {
	case "plugin", "system":
		f.Flags |= model.Injected
		kit.Keep(f, "plugin", jsonspan.Get(e.source, "plugin"))
	case "model":
		f.Model = model.ValueText(jsonspan.Get(e.source, "model"))
	}
	kit.AddContent(f, e.content)
	if e.usage != nil {
		f.Usage = dshUsage(e.usage)
	}
	if f.Role == model.User && f.Flags&model.Injected == 0 {
		kit.SplitUserRecord(fs)
	}
}

// dshUsage reads a usage record: the input is what the cache did not hold, the
// reasoning is part of the output.
func dshUsage(v []byte) model.Usage { return dshNames.Read(v, model.Each) }

var dshNames = kit.UsageNames{
	Input: "inputTokens", Output: "outputTokens", CacheRead: "cacheReadTokens", CacheWrite: "cacheWriteTokens", Reasoning: "reasoningTokens",
}
