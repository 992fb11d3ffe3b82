package agents

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// ZedFormat reads the database of Zed's agent: each thread is one row, with all its messages as
// compressed data.
func ZedFormat() *model.Format {
	return &model.Format{
		Name:  "zed",
		Title: "Zed agent threads",
		Where: []string{"~/.local/share/zed/threads/threads.db", "~/Library/Application Support/Zed/threads/threads.db"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InTables, Score: 93, Reason: "a table threads with summary, data_type and data",
				Is: kit.Signs{"threads: id, summary, updated_at, data_type, data"}},
		),
		Unroll: &model.Unroll{Queries: []model.Query{
			{Name: "thread", SQL: `SELECT id, summary, updated_at, data FROM threads ORDER BY rowid`, Needs: []string{"threads.summary", "threads.data"}},
		}, Brief: []model.Query{
			{Name: "thread", SQL: `SELECT id, summary, updated_at FROM threads ORDER BY rowid`, Needs: []string{"threads.summary", "threads.data"}},
		}},
		Parse: zedParse,
	}
}

// zedThread is a row, with the fields that its messages share.
type zedThread struct {
	fs      *model.Facts
	session model.Key
	model   model.Text
	n       int64
}

func zedParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	t := zedThread{fs: fs}
	f := fs.Add(model.About)
	var data []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			id := c.Skip()
			t.session = kit.HashValue(id)
			f.Session = t.session
			kit.Keep(f, "session", id)
		case "summary":
			kit.Keep(f, "title", c.Skip())
		case "updated_at":
			f.Time = kit.ReadMoment(&c)
		case "data":
			data = kit.RowsJSON(c.Skip())
		default:
			c.Skip()
		}
	}
	if c.Err != nil {
		return c.Err
	}
	if jsonspan.KindOf(data) == jsonspan.Object {
		t.emit(f, data)
	}
	return kit.Finish(&c, fs)
}

func (t *zedThread) emit(f *model.Fact, data []byte) {
	var messages, usage []byte
	c := jsonspan.New(data)
	fields := kit.Fields{kit.Raw("cumulative_token_usage", &usage), kit.Raw("messages", &messages)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "model":
			t.model = model.ValueText(jsonspan.Get(c.Skip(), "model"))
		case "version":
			kit.Keep(f, "format_version", c.Skip())
		default:
			fields.Read(&c)
		}
	}
	f.Model = t.model
	if at := f.Time; at.Ms != 0 {
		// no message has a time; only the thread has one
		saved := kit.Note(t.fs, "saved")
		saved.Session, saved.Time = t.session, at
	}
	if u := kit.UsageOf(usage); u.Scope != model.NoUsage {
		m := t.fs.Add(model.Meter)
		m.Session, m.Usage = t.session, u
		m.Usage.Scope = model.Total
	}
	for v := range jsonspan.List(messages) {
		t.message(v)
	}
}

func (t *zedThread) addMessage(role model.Role) *model.Fact {
	f := t.fs.Add(model.Say)
	t.n++
	f.Session, f.Role = t.session, role
	f.Key = t.session.Join(model.HashNumber("message", t.n))
	f.Join = model.Replace
	if role == model.Assistant {
		f.Model = t.model
	}
	return f
}

// message reads a message: an object under the name of the speaker or, in older threads, one with a
// role.
func (t *zedThread) message(v []byte) {
	if kit.IsString(v) { // "Resume"
		f := kit.Note(t.fs, "record")
		f.Name, f.Session = model.ValueText(v), t.session
		return
	}
	for _, speaker := range [...]struct {
		name string
		role model.Role
	}{{"User", model.User}, {"Agent", model.Assistant}} {
		if m := jsonspan.Get(v, speaker.name); m != nil {
			f := t.addMessage(speaker.role)
			t.content(f, jsonspan.Get(m, "content"))
			t.results(f, jsonspan.Get(m, "tool_results"))
			return
		}
	}
	role, _ := model.ParseRole(string(jsonspan.GetString(v, "role")))
	f := t.addMessage(role)
	kit.AddContent(f, jsonspan.Get(v, "segments"))
	kit.AddToolCalls(f, jsonspan.Get(v, "tool_uses"))
	t.results(f, jsonspan.Get(v, "tool_results"))
	kit.Keep(f, "context", jsonspan.Get(v, "context"))
}

// content adds blocks, each an object whose only key is its kind.
func (t *zedThread) content(f *model.Fact, list []byte) {
	if jsonspan.KindOf(list) != jsonspan.Array {
		return
	}
	c := jsonspan.New(list)
	for c.Array(); c.More(); {
		for c.Object(); c.Key(); {
			kind := c.Name
			v := c.Skip()
			switch string(kind) {
			case "Text":
				f.AddText(model.Words, model.ValueText(v))
			case "Thinking":
				f.AddText(model.Reasoning, model.ValueText(jsonspan.Get(v, "text")))
			case "RedactedThinking":
				f.Add(model.Reasoning)
			case "ToolUse":
				b := f.Add(model.ToolCall)
				b.ID, b.Name = model.ValueText(jsonspan.Get(v, "id")), model.ValueText(jsonspan.Get(v, "name"))
				b.Text = model.ValueText(jsonspan.Get(v, "input"))
			case "Image":
				kit.AddMedia(f, model.Text{}, kit.MediaType("image"), jsonspan.Get(v, "source"))
			default:
				kit.AddOther(f, kind, v)
			}
		}
	}
}

// results adds the results of a message's calls: a list, or an object by id.
func (t *zedThread) results(f *model.Fact, v []byte) {
	c := jsonspan.New(v)
	switch jsonspan.KindOf(v) {
	case jsonspan.Object:
		for c.Object(); c.Key(); {
			zedResult(f, c.Skip())
		}
	case jsonspan.Array:
		for c.Array(); c.More(); {
			zedResult(f, c.Skip())
		}
	}
}

func zedResult(f *model.Fact, v []byte) {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return
	}
	content := jsonspan.Get(v, "content")
	if text := jsonspan.Get(content, "Text"); jsonspan.KindOf(content) == jsonspan.Object && text != nil {
		content = text
	}
	outcome := model.Success
	if kit.IsTrue(jsonspan.Get(v, "is_error")) {
		outcome = model.Failure
	}
	kit.AddResult(f, model.ValueText(jsonspan.Get(v, "tool_use_id")), model.ValueText(jsonspan.Get(v, "tool_name")), content, outcome)
}
