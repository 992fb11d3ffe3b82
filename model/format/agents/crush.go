package agents

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// CrushFormat reads the database of Crush: sessions and messages, whose parts are JSON in a column.
// A subagent's session is a thread of its parent.
func CrushFormat() *model.Format {
	return &model.Format{
		Name:  "crush",
		Title: "Crush",
		Where: []string{".crush/crush.db", "~/.local/share/crush/crush.db"},
		Detect: kit.Clues(kit.Clue{In: kit.InTables, Score: 95, Reason: "tables sessions and messages with parts",
			Is: kit.Signs{"sessions: parent_session_id, prompt_tokens", "messages: session_id, role, parts"}}),
		Unroll: &model.Unroll{Queries: crushQueries, Brief: crushBrief},
		Parse:  crushParse,
	}
}

const crushFamily = `WITH RECURSIVE family(id, root) AS (
	SELECT id, id FROM sessions WHERE parent_session_id IS NULL OR parent_session_id NOT IN (SELECT id FROM sessions)
	UNION ALL SELECT s.id, f.root FROM sessions s JOIN family f ON s.parent_session_id = f.id) `

var crushSessions = model.Query{
	Name:  "session",
	SQL:   crushFamily + `SELECT s.*, COALESCE(f.root, s.id) AS root FROM sessions s LEFT JOIN family f ON f.id = s.id ORDER BY s.rowid`,
	Needs: []string{"sessions.parent_session_id"},
}

// crushBrief omits even the time of a message, because it follows the large parts in its row.
var crushBrief = []model.Query{
	crushSessions,
	{
		Name: "message",
		SQL: crushFamily + `SELECT m.id, m.session_id, m.role, COALESCE(f.root, m.session_id) AS root
			FROM messages m LEFT JOIN family f ON f.id = m.session_id ORDER BY m.rowid`,
		Needs: []string{"sessions.parent_session_id", "messages.parts"},
	},
	{
		Name: "session",
		SQL: crushFamily + `SELECT COALESCE(f.root, s.id) AS id, max(s.updated_at) AS created_at, COALESCE(f.root, s.id) AS root
			FROM sessions s LEFT JOIN family f ON f.id = s.id GROUP BY 1`,
		Needs: []string{"sessions.parent_session_id", "sessions.updated_at"},
	},
}

// crushQueries select last which call started which session, because the calls must be known by
// then.
var crushQueries = []model.Query{
	crushSessions,
	{
		Name:  "message",
		SQL:   crushFamily + `SELECT m.*, COALESCE(f.root, m.session_id) AS root FROM messages m LEFT JOIN family f ON f.id = m.session_id ORDER BY m.rowid`,
		Needs: []string{"sessions.parent_session_id", "messages.parts"},
	},
	{
		Name:  "child",
		SQL:   crushFamily + `SELECT s.id, f.root FROM sessions s JOIN family f ON f.id = s.id WHERE f.root <> s.id ORDER BY s.rowid`,
		Needs: []string{"sessions.parent_session_id", "messages.parts"},
	},
}

// crushRow holds the columns of a row: strings without quotes, parts raw.
type crushRow struct {
	id, session, root, role        []byte
	parts, model, title, provider  []byte
	prompt, completion, cost, todo []byte
	summary                        []byte
	created                        model.Moment
}

var crushRowFields = kit.TableOf(func(r *crushRow) kit.Fields {
	return kit.Fields{
		kit.ID("id", &r.id), kit.ID("session_id", &r.session), kit.Word("root", &r.root),
		kit.Word("role", &r.role), kit.Raw("parts", &r.parts), kit.Raw("model", &r.model),
		kit.Raw("provider", &r.provider), kit.Raw("title", &r.title),
		kit.Time("created_at", &r.created), kit.Raw("prompt_tokens", &r.prompt),
		kit.Raw("completion_tokens", &r.completion), kit.Raw("cost", &r.cost),
		kit.Raw("todos", &r.todo), kit.Raw("is_summary_message", &r.summary),
	}
})

func (r *crushRow) read(c *jsonspan.Cursor) {
	crushRowFields.ReadAll(c, r)
}

func (r *crushRow) place(f *model.Fact, session []byte) {
	f.Session = model.Hash(r.root)
	f.Time = r.created
	if !bytes.Equal(r.root, session) {
		f.Thread = model.Hash(session)
		f.Flags |= model.Sidechain
	}
}

func crushParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	var r crushRow
	r.read(&c)
	if c.Err != nil {
		return c.Err
	}
	switch rec.List {
	case "session":
		r.emitSession(fs)
	case "child":
		if _, call, ok := bytes.Cut(r.id, []byte("$$")); ok {
			f := fs.Add(model.Child)
			r.place(f, r.id)
			f.Target = model.Hash(call)
		} else {
			r.place(kit.Note(fs, "session"), r.id)
		}
	default:
		r.emitMessage(fs)
	}
	return kit.Finish(&c, fs)
}

// emitSession adds a session. Its tokens are those of the last request only; its cost is the total.
func (r *crushRow) emitSession(fs *model.Facts) {
	if !bytes.Equal(r.root, r.id) {
		f := kit.Note(fs, "session")
		r.place(f, r.id)
		f.AddText(model.Words, model.ValueText(r.title))
		return
	}
	f := fs.Add(model.About)
	r.place(f, r.id)
	f.Keep("session", model.EscapedText(r.id))
	kit.Keep(f, "title", r.title)
	kit.Keep(f, "last_prompt_tokens", r.prompt)
	kit.Keep(f, "last_completion_tokens", r.completion)
	kit.Keep(f, "todos", r.todo)
	c := jsonspan.New(r.cost)
	if cost, ok := c.Float(); ok && cost > 0 {
		m := fs.Add(model.Meter)
		r.place(m, r.id)
		m.Usage = kit.NoUsage(model.Total)
		m.Usage.Cost, m.Usage.HasCost = cost, true
	}
}

func (r *crushRow) emitMessage(fs *model.Facts) {
	if kit.IsTrue(r.summary) || string(r.summary) == "1" {
		r.place(fs.Add(model.Compact), r.session)
	}
	f := fs.Add(model.Say)
	r.place(f, r.session)
	f.Key = model.Hash(r.id)
	f.Join = model.Replace
	kit.SetRole(f, r.role)
	if !kit.IsEmpty(r.model) {
		f.Model = model.ValueText(r.model)
	}
	if f.Role == model.Assistant {
		kit.Keep(f, "provider", r.provider)
	}
	if kit.IsTrue(r.summary) || string(r.summary) == "1" {
		f.Flags |= model.Recap
	}
	parts := kit.RowsJSON(r.parts)
	for v := range jsonspan.List(parts) {
		crushPart(f, v)
	}
}

func crushPart(f *model.Fact, v []byte) {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return
	}
	var kind, data []byte
	kit.ReadObject(v, kit.Word("type", &kind), kit.Raw("data", &data))
	switch string(kind) {
	case "text":
		f.AddText(model.Words, model.ValueText(jsonspan.Get(data, "text")))
	case "reasoning":
		if t := jsonspan.Get(data, "thinking"); !kit.IsEmpty(t) {
			f.AddText(model.Reasoning, model.ValueText(t))
		}
	case "tool_call", "tool_result":
		crushTool(f, string(kind) == "tool_call", data)
	case "finish":
		crushFinish(f, data)
	case "binary":
		kit.AddMedia(f, model.Text{}, model.ValueText(jsonspan.Get(data, "MIMEType")), jsonspan.Get(data, "Data"))
		kit.Keep(f, "path", jsonspan.Get(data, "Path"))
	case "image_url":
		kit.AddMedia(f, model.Text{}, kit.MediaType("image"), jsonspan.Get(data, "url"))
	default:
		kit.AddOther(f, kind, data)
	}
}

func crushTool(f *model.Fact, call bool, data []byte) {
	var id, name, text, failed, finished, metadata []byte
	c := jsonspan.New(data)
	fields := kit.Fields{
		kit.Raw("id", &id), kit.Raw("tool_call_id", &id), kit.Raw("input", &text), kit.Raw("content", &text),
		kit.Raw("is_error", &failed), kit.Raw("finished", &finished), kit.Raw("metadata", &metadata),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "name":
			if v := c.Skip(); !kit.IsEmpty(v) {
				name = v
			}
		default:
			fields.Read(&c)
		}
	}
	kit.KeepOf(f, "metadata", kit.Inside(id), metadata)
	if call {
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = model.ValueText(id), model.ValueText(name), model.ValueText(text)
		if string(finished) == "false" {
			f.Flags |= model.Partial
		}
		return
	}
	outcome := model.Success
	if kit.IsTrue(failed) {
		outcome = model.Failure
	}
	kit.AddResult(f, model.ValueText(id), model.ValueText(name), text, outcome)
}

// crushFinish records why a response ended. It ignores the finish of messages from tools and users,
// which has no meaning.
func crushFinish(f *model.Fact, data []byte) {
	reason := jsonspan.GetString(data, "reason")
	if f.Role != model.Assistant {
		return
	}
	kit.SetStop(f, reason)
	message := jsonspan.Get(data, "message")
	switch {
	case string(reason) == "permission_denied":
		f.Flags |= model.Interrupted
		f.Outcome, f.Stop = model.Denied, model.StopAborted
	case f.Stop == model.StopError && !kit.IsEmpty(message):
		f.AddText(model.Words, model.ValueText(message))
		kit.Keep(f, "details", jsonspan.Get(data, "details"))
		return
	}
	kit.Keep(f, "finish", message)
}
