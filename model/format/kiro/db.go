package kiro

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Kiro CLI (and Amazon Q before it) used this database until its sessions became files: a row for
// each folder or conversation, all of it as JSON in one column. The queries split its history into
// entries of a prompt and its answer.

const kiroHistory = `json_each(CASE WHEN json_valid(c.value) THEN c.value ELSE '{}' END, '$.history') h`

var kiroQueries = []model.Query{
	{Name: "session", SQL: `SELECT conversation_id AS id, key AS cwd, created_at, updated_at,
		CASE WHEN json_valid(value) THEN json_extract(value, '$.model_info.model_id') END AS model
		FROM conversations_v2 ORDER BY created_at, rowid`, Needs: []string{"conversations_v2.conversation_id", "conversations_v2.value"}},
	{Name: "entry", SQL: `SELECT c.conversation_id || '/' || h.key AS id, c.conversation_id AS session, h.value AS entry
		FROM conversations_v2 c, ` + kiroHistory + ` ORDER BY c.created_at, c.rowid, h.key`,
		Needs: []string{"conversations_v2.conversation_id", "conversations_v2.value"}},
	{Name: "entry", SQL: `SELECT c.key || '/' || h.key AS id, c.key AS session, h.value AS entry
		FROM conversations c, ` + kiroHistory + ` ORDER BY c.rowid, h.key`, Needs: []string{"conversations.key", "conversations.value"}},
}

// kiroBrief selects the first prompt of each conversation, as none has a title. The other messages
// are not counted, because all are in one value.
var kiroBrief = []model.Query{
	{Name: "session", SQL: `SELECT conversation_id AS id, key AS cwd, created_at FROM conversations_v2 ORDER BY created_at, rowid`,
		Needs: []string{"conversations_v2.conversation_id", "conversations_v2.value"}},
	{Name: "entry", SQL: `SELECT conversation_id || '/0' AS id, conversation_id AS session,
		CASE WHEN json_valid(value) THEN json_extract(value, '$.history[0]') END AS entry
		FROM conversations_v2 ORDER BY created_at, rowid`, Needs: []string{"conversations_v2.conversation_id", "conversations_v2.value"}},
	{Name: "entry", SQL: `SELECT key || '/0' AS id, key AS session, CASE WHEN json_valid(value) THEN json_extract(value, '$.history[0]') END AS entry
		FROM conversations ORDER BY rowid`, Needs: []string{"conversations.key", "conversations.value"}},
	{Name: "session", SQL: `SELECT conversation_id AS id, updated_at AS created_at FROM conversations_v2`,
		Needs: []string{"conversations_v2.updated_at", "conversations_v2.value"}},
}

func kiroParseRow(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	f := fs.Add(model.About)
	var id, session, entry []byte
	fields := kit.Fields{
		kit.Raw("id", &id), kit.Raw("session", &session), kit.Raw("entry", &entry),
		kit.Time("created_at", &f.Time),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "cwd":
			kit.Keep(f, "cwd", c.Skip())
		case "model":
			kit.Keep(f, "model", c.Skip())
		default:
			fields.ReadOrKeep(f, &c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	if rec.List == "session" {
		kit.Keep(f, "session", id)
		f.Session = kit.HashValue(id)
		return kit.Finish(&c, fs)
	}
	fs.Drop()
	e := kiroEntry{key: kit.HashValue(id), session: kit.HashValue(session)}
	if err := e.emit(fs, model.ValueText(entry).Append(nil)); err != nil {
		return err
	}
	return kit.Finish(&c, fs)
}

// kiroEntry is a prompt, or the results of calls, with the answer to it.
type kiroEntry struct {
	key, session    model.Key
	user, assistant []byte
	meta            []byte
}

func (e *kiroEntry) emit(fs *model.Facts, raw []byte) error {
	c := jsonspan.New(raw)
	kit.ReadFields(&c,
		kit.Raw("user", &e.user), kit.Raw("assistant", &e.assistant),
		kit.Raw("request_metadata", &e.meta),
	)
	if c.Err != nil {
		return c.Err
	}
	e.emitUser(fs)
	e.emitAssistant(fs)
	return nil
}

func (e *kiroEntry) emitUser(fs *model.Facts) {
	f := fs.Add(model.Say)
	f.Role, f.Session, f.Key, f.Join = model.User, e.session, e.key.With([]byte("user")), model.Replace
	var content, images []byte
	c := jsonspan.New(e.user)
	fields := kit.Fields{
		kit.Time("timestamp", &f.Time), kit.Raw("content", &content), kit.Raw("images", &images),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "additional_context":
			kit.Keep(f, "additional_context", c.Skip())
		default:
			fields.Read(&c)
		}
	}
	cancelled := false
	c = jsonspan.New(content)
	for c.Object(); c.Key(); { // the only key is the kind
		cancelled = string(c.Name) == "CancelledToolUses"
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "prompt":
				if v := c.Skip(); !kit.IsNull(v) {
					f.AddText(model.Words, model.ValueText(v))
				}
			case "tool_use_results":
				for c.Array(); c.More(); {
					kiroRowResult(f, &c, cancelled)
				}
			default:
				c.Skip()
			}
		}
	}
	if !kit.IsEmpty(images) {
		kit.AddMedia(f, model.Text{}, kit.MediaType("image"), images)
	}
	kit.SplitUserRecord(fs)
}

func kiroRowResult(f *model.Fact, c *jsonspan.Cursor, cancelled bool) {
	b := f.Add(model.ToolResult)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "tool_use_id":
			b.ID = model.ValueText(c.Skip())
		case "content":
			b.Text = kiroRowText(c.Skip())
		case "status":
			b.Outcome = model.Success
			if string(c.String()) == "Error" {
				b.Outcome = model.Failure
			}
		default:
			c.Skip()
		}
	}
	switch {
	case cancelled:
		b.Outcome = model.Denied
	case b.Outcome == model.Failure:
		b.Outcome = kit.FailureOf(b.Text)
	default:
		if code, ok := jsonspan.ParseInt(kiroExit(b.Text)); ok && code != 0 {
			b.Outcome = model.Failure
		}
	}
}

// kiroRowText returns the text or value of the only element of a list of {"Text":…} and {"Json":…};
// the list itself if it has several.
func kiroRowText(v []byte) model.Text {
	var data []byte
	n := 0
	c := jsonspan.New(v)
	for c.Array(); c.More(); n++ {
		for c.Object(); c.Key(); {
			data = c.Skip()
		}
	}
	if n == 1 && data != nil {
		return model.ValueText(data)
	}
	return model.ValueText(v)
}

func (e *kiroEntry) emitAssistant(fs *model.Facts) {
	if kit.IsNull(e.assistant) {
		return
	}
	f := fs.Add(model.Say)
	f.Role, f.Session, f.Key, f.Join = model.Assistant, e.session, e.key.With([]byte("assistant")), model.Replace
	if ms := jsonspan.Get(e.meta, "request_start_timestamp_ms"); ms != nil {
		f.Time = kit.MomentOf(ms)
	}
	f.Model = model.ValueText(jsonspan.Get(e.meta, "model_id"))
	kit.Keep(f, "request_id", jsonspan.Get(e.meta, "request_id"))
	c := jsonspan.New(e.assistant)
	for c.Object(); c.Key(); { // Response or ToolUse
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "content":
				if v := c.Skip(); !kit.IsEmpty(v) {
					f.AddText(model.Words, model.ValueText(v))
				}
			case "reasoning", "reasoning_content":
				if v := c.Skip(); !kit.IsEmpty(v) {
					f.AddText(model.Reasoning, model.ValueText(v))
				}
			case "tool_uses":
				kit.AddToolCalls(f, c.Skip())
			default:
				c.Skip()
			}
		}
	}
}
