package agents

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// DroidFormat is a session of Factory Droid: entries like Pi's around messages of
// the Anthropic API.
func DroidFormat() *model.Format {
	return &model.Format{
		Name:   "factory-droid",
		Resume: "droid --resume ID",
		Title:  "Factory Droid session",
		Where:  []string{"~/.factory/sessions/*/*.jsonl", "~/.factory/sessions/*.jsonl"},
		Detect: droidDetect,
		Parse:  droidParse,
		Order:  model.Tree,
	}
}

func droidDetect(s *model.Sample) model.Match {
	start := false
	m := kit.MostLines(s, 92, "entries of type message after a session_start", func(line []byte) bool {
		switch string(jsonspan.GetString(line, "type")) {
		case "session_start":
			start = start || kit.HasKey(line, "id")
			return true
		case "message":
			return jsonspan.Get(line, "message", "role") != nil
		case "todo_state", "compaction_state":
			return true
		}
		return false
	})
	if !start {
		return model.Match{}
	}
	return m
}

type droidEntry struct {
	kind, id, title, sessionTitle []byte
	role, content, usage, summary []byte
	stop                          []byte
}

func droidParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	f := fs.Add(model.Say)
	var e droidEntry
	e.read(&c, f)
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	e.tell(fs)
	return kit.Finish(&c, fs)
}

func (e *droidEntry) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			e.kind = c.String()
		case "id":
			e.id = c.Skip()
		case "parentId":
			f.Parent = kit.HashValue(c.Skip())
		case "timestamp":
			f.Time = kit.ReadMoment(c)
		case "message":
			for c.Object(); c.Key(); {
				e.readMessage(c, f)
			}
		case "title":
			e.title = c.Skip()
		case "sessionTitle":
			e.sessionTitle = c.Skip()
		case "cwd":
			kit.Keep(f, "cwd", c.Skip())
		case "version":
			kit.Keep(f, "version", c.Skip())
		case "summaryText", "summary":
			e.summary = c.Skip()
		default:
			kit.KeepField(f, c)
		}
	}
}

func (e *droidEntry) readMessage(c *jsonspan.Cursor, f *model.Fact) {
	switch string(c.Name) {
	case "role":
		e.role = c.String()
	case "content":
		e.content = c.Skip()
	case "usage":
		e.usage = c.Skip()
	case "model":
		f.Model = model.ValueText(c.Skip())
	case "stop_reason", "stopReason":
		e.stop = c.String()
	default:
		kit.KeepField(f, c)
	}
}

func (e *droidEntry) tell(fs *model.Facts) {
	f := fs.Last()
	f.Record = kit.HashValue(e.id)
	switch string(e.kind) {
	case "session_start":
		f.Op = model.About
		f.Name = model.EscapedText(e.kind)
		kit.Keep(f, "session", e.id)
		kit.Keep(f, "title", e.title)
		kit.Keep(f, "title", e.sessionTitle)
	case "message":
		f.Key = f.Record
		e.tellMessage(fs)
	case "compaction_state":
		f.Op = model.Compact
		f.Name = model.EscapedText(e.kind)
		f.AddText(model.Words, model.ValueText(e.summary))
	default:
		if !kit.IsEmpty(e.summary) {
			f.AddText(model.Words, model.ValueText(e.summary))
		}
		kit.TurnToNote(f, e.kind, nil)
	}
}

func (e *droidEntry) tellMessage(fs *model.Facts) {
	f := fs.Last()
	kit.SetRole(f, e.role)
	f.Usage = kit.UsageOf(e.usage)
	if e.stop != nil {
		kit.SetStop(f, e.stop)
	}
	kit.AddContent(f, e.content)
	if f.Role == model.User {
		kit.SplitUserRecord(fs)
	}
}
