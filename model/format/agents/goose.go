package agents

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// GooseFormat reads the files of Goose: a database of sessions, or (until 2025) JSON lines that
// start with a description of the session.
func GooseFormat() *model.Format {
	return &model.Format{
		Name:   "goose",
		Resume: "goose session --resume --session-id ID",
		Title:  "Goose",
		Where:  []string{"~/.local/share/goose/sessions/sessions.db", "~/.local/share/goose/sessions/*.jsonl"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InTables, Score: 95, Reason: "tables sessions and messages with content_json",
				Is: kit.Signs{"messages: session_id, role, content_json", "sessions: id"}},
			kit.Clue{Score: 92, Reason: "a first line with working_dir and message_count, then messages",
				Is: kit.Signs{"+ working_dir & !role & message_count|total_tokens", "~ role:string"}},
			kit.Clue{Score: 88, Reason: "messages with toolRequest and toolResponse", Is: kit.Signs{
				"+ role:string & content[].type=toolRequest|toolResponse|toolConfirmationRequest|frontendToolRequest|redactedThinking",
				"~ role:string"}},
		),
		Unroll: &model.Unroll{Queries: gooseQueries, Brief: gooseBrief},
		Parse:  gooseParse,
	}
}

var gooseQueries = []model.Query{
	{Name: "session", SQL: `SELECT * FROM sessions ORDER BY rowid`, Needs: []string{"sessions.id", "messages.content_json"}},
	{Name: "message", SQL: `SELECT * FROM messages ORDER BY id`, Needs: []string{"messages.id", "messages.content_json"}},
}

// gooseBrief selects the first prompt, as the title of a session without a name.
var gooseBrief = []model.Query{
	gooseQueries[0],
	{
		Name: "message",
		SQL: `SELECT m.id, m.session_id, m.role, CASE WHEN m.id IS f.first THEN m.content_json END AS content_json
			FROM messages m LEFT JOIN (SELECT session_id, min(id) AS first FROM messages WHERE role = 'user' GROUP BY session_id) f
			ON f.session_id = m.session_id ORDER BY m.id`,
		Needs: gooseQueries[1].Needs,
	},
	{Name: "session", SQL: `SELECT id, updated_at AS created_at FROM sessions`, Needs: []string{"sessions.updated_at", "messages.content_json"}},
}

// gooseRow holds the raw values of a table row or a line.
type gooseRow struct {
	id, session, role, content, metadata, created []byte
	name, description, dir, config, parent, input []byte
	output, cost                                  []byte
	rest                                          kit.Kept
}

var gooseRowFields = kit.TableOf(func(r *gooseRow) kit.Fields {
	return kit.Fields{
		kit.Raw("id", &r.id), kit.Raw("session_id", &r.session), kit.Raw("role", &r.role),
		kit.Raw("content_json", &r.content), kit.Raw("content", &r.content),
		kit.Raw("metadata_json", &r.metadata), kit.Raw("metadata", &r.metadata),
		kit.Raw("name", &r.name), kit.Raw("description", &r.description),
		kit.Raw("working_dir", &r.dir), kit.Raw("model_config_json", &r.config),
		kit.Raw("parent_session_id", &r.parent), kit.Raw("accumulated_input_tokens", &r.input),
		kit.Raw("accumulated_output_tokens", &r.output), kit.Raw("accumulated_cost", &r.cost),
	}
})

func (r *gooseRow) read(c *jsonspan.Cursor, fs *model.Facts) {
	for c.Object(); c.Key(); {
		if gooseRowFields.Take(c, r) {
			continue
		}
		switch string(c.Name) {
		case "created_timestamp", "created", "created_at":
			if v := c.Skip(); r.created == nil {
				r.created = v
			}
		default:
			r.rest.Take(c, fs)
		}
	}
}

func gooseParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	var r gooseRow
	r.read(&c, fs)
	switch {
	case c.Err != nil:
		return c.Err
	case !kit.IsNull(r.role):
		r.emitMessage(fs)
	case rec.List == "session", r.dir != nil:
		r.emitSession(fs, rec.List != "")
	default:
		kit.Note(fs, "record").AddText(model.OtherBlock, model.ValueText(rec.Data))
	}
	return kit.Finish(&c, fs)
}

// emitSession adds a session. If the database has many, each has a key.
func (r *gooseRow) emitSession(fs *model.Facts, many bool) {
	f := fs.Add(model.About)
	f.Time = kit.MomentOf(r.created)
	if many {
		f.Session = kit.HashValue(r.id)
		kit.Keep(f, "session", r.id)
	}
	title := r.name
	if kit.IsEmpty(title) {
		title = r.description
	}
	r.rest.Give(f)
	kit.Keep(f, "title", title)
	kit.Keep(f, "cwd", r.dir)
	kit.Keep(f, "parent", r.parent)
	if !kit.IsEmpty(r.config) {
		kit.Keep(f, "model", jsonspan.Get(kit.RowsJSON(r.config), "model_name"))
	}
	u := kit.NoUsage(model.Total)
	if n, ok := jsonspan.ParseInt(r.input); ok {
		u.Input = n
	}
	if n, ok := jsonspan.ParseInt(r.output); ok {
		u.Output = n
	}
	if !kit.IsNull(r.cost) {
		c := jsonspan.New(r.cost)
		u.Cost, u.HasCost = c.Float()
	}
	if u.Input >= 0 || u.Output >= 0 || u.HasCost {
		m := fs.Add(model.Meter)
		m.Session, m.Usage = f.Session, u
		if many {
			m.Session = kit.HashValue(r.id)
		}
	}
}

func (r *gooseRow) emitMessage(fs *model.Facts) {
	f := fs.Add(model.Say)
	f.Session, f.Key, f.Time = kit.HashValue(r.session), kit.HashValue(r.id), kit.MomentOf(r.created)
	if f.Key != 0 {
		f.Join = model.Replace
	}
	r.rest.Give(f)
	kit.SetRole(f, kit.Inside(r.role))
	if metadata := kit.RowsJSON(r.metadata); jsonspan.KindOf(metadata) == jsonspan.Object {
		if string(jsonspan.Get(metadata, "userVisible")) == "false" {
			f.Flags |= model.Hidden
		}
		if string(jsonspan.Get(metadata, "agentVisible")) == "false" {
			f.Flags |= model.Compacted
		}
	}
	content := kit.RowsJSON(r.content)
	switch jsonspan.KindOf(content) {
	case jsonspan.Array:
		for v := range jsonspan.List(content) {
			gooseBlock(f, v)
		}
	default:
		kit.AddContent(f, r.content)
	}
	if f.Role == model.User {
		join, key := f.Join, f.Key
		kit.SplitUser(fs)
		for i := range fs.Len() {
			if g := fs.At(i); g.Op == model.Say && key != 0 {
				g.Join = join
			}
		}
	}
}

func gooseBlock(f *model.Fact, v []byte) {
	if jsonspan.KindOf(v) != jsonspan.Object {
		kit.AddBlock(f, v)
		return
	}
	switch kind := jsonspan.GetString(v, "type"); string(kind) {
	case "toolRequest", "frontendToolRequest":
		gooseRequest(f, v)
	case "toolResponse":
		gooseResponse(f, v)
	case "toolConfirmationRequest":
		kit.AddOther(f, kind, v)
	case "redactedThinking":
		f.Add(model.Reasoning)
	case "contextLengthExceeded", "summarizationRequested", "systemNotification":
		b := f.Add(model.OtherBlock)
		b.Name, b.Text = model.EscapedText(kind), model.ValueText(jsonspan.Get(v, "msg"))
	default:
		kit.AddBlock(f, v)
	}
}

// gooseRequest adds a call. A call that the model wrote badly has an error instead and will not
// run.
func gooseRequest(f *model.Fact, v []byte) {
	id, call := jsonspan.Get(v, "id"), jsonspan.Get(v, "toolCall")
	if call == nil {
		call = jsonspan.Get(v, "tool_call")
	}
	value := jsonspan.Get(call, "value")
	if value == nil && kit.HasKey(call, "name") {
		value = call
	}
	b := f.Add(model.ToolCall)
	b.ID = model.ValueText(id)
	b.Name, b.Text = model.ValueText(jsonspan.Get(value, "name")), model.ValueText(jsonspan.Get(value, "arguments"))
	if status := jsonspan.GetString(call, "status"); status != nil && string(status) != "success" {
		b.Outcome = model.Failure
		if b.Text.Absent() {
			b.Text = model.ValueText(jsonspan.Get(call, "error"))
		}
	}
}

func gooseResponse(f *model.Fact, v []byte) {
	id, result := model.ValueText(jsonspan.Get(v, "id")), jsonspan.Get(v, "toolResult")
	if result == nil {
		result = jsonspan.Get(v, "tool_result")
	}
	outcome, content := model.Success, jsonspan.Get(result, "value")
	if status := jsonspan.GetString(result, "status"); status != nil && string(status) != "success" {
		outcome, content = model.Failure, jsonspan.Get(result, "error")
	}
	if jsonspan.KindOf(content) == jsonspan.Object {
		if kit.IsTrue(jsonspan.Get(content, "isError")) || kit.IsTrue(jsonspan.Get(content, "is_error")) {
			outcome = model.Failure
		}
		if list := jsonspan.Get(content, "content"); jsonspan.KindOf(list) == jsonspan.Array {
			content = list
		}
	}
	kit.AddResult(f, id, model.Text{}, content, outcome)
}
