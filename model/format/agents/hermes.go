package agents

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// The variants of hermes.
const (
	hermesDocument = iota // a session with its messages
	HermesLines           // messages, perhaps after a description of the session
	hermesRows            // the state database
)

// HermesFormat reads the files of Hermes Agent: sessions of messages like those of OpenAI, in
// documents, in JSON lines or in a database, with the calls as JSON in a column. Most of its times
// name no zone.
func HermesFormat() *model.Format {
	return &model.Format{
		Name:   "hermes",
		Resume: "hermes --resume ID",
		Title:  "Hermes Agent",
		Where:  []string{"~/.hermes/state.db", "~/.hermes/sessions/*.json*"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InTables, Score: 92, Variant: hermesRows, Reason: "tables sessions and messages with tool_call_id",
				Is: kit.Signs{"messages: session_id, role, tool_call_id, tool_calls", "sessions: id"}},
			kit.Clue{In: kit.InDocument, Score: 90, Variant: hermesDocument, Reason: "messages with session_id, platform and session_start", Is: kit.Signs{
				"messages:list & session_id & platform & session_start|message_count", "messages:list & session_start & message_count & session_id|platform"}},
			kit.Clue{Score: 88, Variant: HermesLines, Reason: "messages after a record with the role session_meta",
				Is: kit.Signs{"+ role=session_meta", "~ role:string & !message_id"}},
			kit.Clue{Score: 84, Variant: HermesLines, Reason: "messages with tool_name, finish_reason and tool_calls in a string",
				Is: kit.Signs{"+ role:string & !message_id & tool_name & finish_reason & tool_calls:string"}},
		),
		Lists: func(m model.Match) []string {
			if m.Variant == hermesDocument {
				return []string{"messages"}
			}
			return nil
		},
		Unroll: &model.Unroll{Queries: hermesQueries, Brief: hermesBrief},
		Parse:  hermesParse,
	}
}

// hermesQueries select last how the sessions ended.
var hermesQueries = []model.Query{
	{Name: "session", SQL: `SELECT * FROM sessions ORDER BY rowid`, Needs: []string{"sessions.id", "messages.tool_call_id"}},
	{Name: "message", SQL: `SELECT * FROM messages ORDER BY id`, Needs: []string{"messages.id", "messages.tool_call_id"}},
	{
		Name:  "end",
		SQL:   `SELECT id, ended_at, end_reason FROM sessions WHERE ended_at IS NOT NULL ORDER BY rowid`,
		Needs: []string{"sessions.ended_at", "sessions.end_reason", "messages.tool_call_id"},
	},
}

// hermesBrief selects the first prompt, as the title of a session without one, and the time of the
// last message.
var hermesBrief = []model.Query{
	hermesQueries[0],
	{
		Name: "message",
		SQL: `SELECT m.id, m.session_id, m.role, CASE WHEN m.id IS f.first THEN m.content END AS content
			FROM messages m LEFT JOIN (SELECT session_id, min(id) AS first FROM messages WHERE role = 'user' GROUP BY session_id) f
			ON f.session_id = m.session_id ORDER BY m.id`,
		Needs: hermesQueries[1].Needs,
	},
	{
		Name: "session",
		SQL: `SELECT session_id AS id, timestamp AS started_at FROM messages
			WHERE id IN (SELECT max(id) FROM messages GROUP BY session_id)`,
		Needs: []string{"messages.timestamp", "messages.tool_call_id"},
	},
	hermesQueries[2],
}

func hermesParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case c.Kind() != jsonspan.Object:
		kit.Note(fs, "record").AddText(model.OtherBlock, model.ValueText(c.Skip()))
	case rec.List == "end":
		hermesEnd(&c, fs)
	case rec.List == "session", rec.List == "" && rec.Variant == hermesDocument:
		hermesAbout(&c, fs, rec.List == "session")
	default:
		hermesMessage(&c, fs, rec.Variant == hermesRows)
	}
	return kit.Finish(&c, fs)
}

func hermesEnd(c *jsonspan.Cursor, fs *model.Facts) {
	f := fs.Add(model.End)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			f.Session = kit.HashValue(c.Skip())
		case "ended_at":
			f.Time = kit.ReadMoment(c)
		case "end_reason":
			v := c.Skip()
			f.Name = model.ValueText(v)
			f.Outcome, _ = kit.OutcomeOfStatus(kit.Inside(v))
		default:
			kit.KeepField(f, c)
		}
	}
}

var hermesAboutNames = kit.Names{
	"model": "model", "title": "title", "cwd": "cwd", "platform": "platform",
	"source": "platform", "parent_session_id": "parent",
}

// hermesAbout adds the data about a session, and its tokens.
func hermesAbout(c *jsonspan.Cursor, fs *model.Facts, many bool) {
	f := fs.Add(model.About)
	u := kit.NoUsage(model.Total)
	var prompt []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id", "session_id":
			v := c.Skip()
			kit.Keep(f, "session", v)
			if many {
				f.Session = kit.HashValue(v)
			}
		case "session_start", "started_at":
			f.Time = kit.ReadMoment(c)
		case "system_prompt":
			prompt = c.Skip()
		case "input_tokens":
			kit.ReadCount(c, &u.Input)
		case "output_tokens":
			kit.ReadCount(c, &u.Output)
		case "cache_read_tokens":
			kit.ReadCount(c, &u.CacheRead)
		case "cache_write_tokens":
			kit.ReadCount(c, &u.CacheWrite)
		case "reasoning_tokens":
			kit.ReadCount(c, &u.Reasoning)
		case "estimated_cost_usd", "actual_cost_usd":
			if x, ok := c.Float(); ok && x > 0 {
				u.Cost, u.HasCost = x, true
			}
		default:
			hermesAboutNames.Keep(f, c)
		}
	}
	session, began := f.Session, f.Time
	if u.Input > 0 || u.Output > 0 {
		m := fs.Add(model.Meter)
		m.Session, m.Usage = session, u
	}
	if !kit.IsEmpty(prompt) {
		s := fs.Add(model.Say)
		s.Role, s.Session, s.Time = model.System, session, began
		s.AddText(model.Words, model.ValueText(prompt))
	}
}

// hermesMessage adds a message. Rows contain empty strings for absent values, and their calls as a
// string.
func hermesMessage(c *jsonspan.Cursor, fs *model.Facts, row bool) {
	f := fs.Add(model.Say)
	r := kit.ChatRecord{}
	var id, session, timed, reason, tokens []byte
	fields := kit.Fields{
		kit.Raw("id", &id), kit.Raw("session_id", &session), kit.Raw("timestamp", &timed), kit.Raw("finish_reason", &reason),
		kit.Raw("token_count", &tokens),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "_ts":
			if v := c.Skip(); timed == nil {
				timed = v
			}
		case "_model":
			r.Model = c.Skip()
		case "_cwd":
			kit.Keep(f, "cwd", c.Skip())
		case "tool_calls":
			r.ToolCalls = c.Skip()
		default:
			if !fields.Take(c) {
				name := c.Name
				if !r.ReadMessage(c) {
					v := c.Skip()
					if !kit.IsEmpty(v) && row && jsonspan.KindOf(v) == jsonspan.String && !hermesWanted(name) {
						continue
					}
					r.Extra(f, name, v)
				}
			}
		}
	}
	if c.Err != nil {
		fs.Drop()
		return
	}
	r.Time = timed
	if string(kit.Inside(r.Role)) == "session_meta" || r.Role == nil {
		hermesMeta(f, &r)
		return
	}
	hermesTidy(&r)
	hermesStop(&r, reason)
	p := kit.ChatParser{Fs: fs}
	p.Message(&r)
	last := fs.Last()
	if last.Role == model.User || last.Role == model.System {
		last.Model = model.Text{}
	}
	kit.Keep(last, "tokens", tokens)
	for i := range fs.Len() {
		g := fs.At(i)
		hermesSkill(g)
		if row {
			g.Session = kit.HashValue(session)
			if g.Key = kit.HashValue(id); i > 0 {
				g.Key = g.Key.With([]byte{byte(i)})
			}
			g.Join = model.Replace
		}
		hermesOutcome(g)
	}
}

// hermesTidy changes the fields of a message to the form of the API: a row of the database has
// empty ones, and calls as the text of JSON.
func hermesTidy(r *kit.ChatRecord) {
	if kit.IsEmpty(r.ToolCalls) {
		r.ToolCalls = nil
	} else if kit.IsString(r.ToolCalls) {
		r.ToolCalls = kit.RowsJSON(r.ToolCalls)
	}
	for _, field := range [...]*[]byte{&r.ToolCallID, &r.Name, &r.Reasoning, &r.ReasoningContent, &r.ReasoningDT} {
		if kit.IsEmpty(*field) {
			*field = nil
		}
	}
	if kit.IsString(r.ReasoningDT) {
		r.ReasoningDT = nil // repeats the reasoning
	}
	if r.ToolCalls != nil && kit.IsEmpty(r.Content) {
		r.Content = nil
	}
}

// hermesSkill splits a prompt from the text of the skill that it called.
func hermesSkill(f *model.Fact) {
	const open, asked = "[IMPORTANT: The user has invoked the ", "The user has provided the following instruction alongside the skill invocation: "
	if f.Role != model.User || len(f.Blocks) != 1 || !f.Blocks[0].Text.HasPrefix(open) {
		return
	}
	text := f.Blocks[0].Text
	at := bytes.LastIndex(text.Raw(), []byte(asked))
	if at < 0 {
		return
	}
	b := &f.Blocks[0]
	b.Kind, b.Name, b.Text = model.OtherBlock, model.StringText("skill"), text.Cut(0, at).TrimSpace()
	f.AddText(model.Words, text.Cut(at+len(asked), text.Size()).TrimSpace())
}

// hermesWanted reports whether a text column is preserved. The others repeat the message, or
// contain data that a provider needs back.
func hermesWanted(name []byte) bool {
	switch string(name) {
	case "display_kind", "platform_message_id", "observed", "active":
		return true
	}
	return false
}

// hermesStop sets why the model stopped. For a tool, the reason is the outcome of the call.
func hermesStop(r *kit.ChatRecord, reason []byte) {
	switch {
	case kit.IsEmpty(reason):
	case string(kit.Inside(r.Role)) == "tool":
		r.Status = reason
	default:
		r.Stop = reason
	}
}

// hermesMeta reads the record that describes the session.
func hermesMeta(f *model.Fact, r *kit.ChatRecord) {
	f.Op, f.Name = model.Note, hermesMetaName
	f.Time = kit.MomentOf(r.Time)
	kit.Keep(f, "model", r.Model)
}

var hermesMetaName = model.StringText("session_meta")

// hermesOutcome sets the outcome of tools from their results, which are JSON.
func hermesOutcome(f *model.Fact) {
	for i := range f.Blocks {
		b := &f.Blocks[i]
		if b.Kind == model.ToolResult && !b.Outcome.Failed() && hermesFailed(b.Text) {
			b.Outcome = kit.FailureOf(b.Text)
		}
	}
}

var hermesFailures = []string{`{"success": false`, `{"success":false`, `{\"success\": false`, `{\"success\":false`, `{\"error\": \"`, `{"error": "`, `{\"error\":\"`, `{"error":"`}

func hermesFailed(t model.Text) bool {
	raw := t.Raw()
	for _, prefix := range hermesFailures {
		if kit.HasPrefix(raw, prefix) {
			return true
		}
	}
	const window = 120
	for _, part := range [...][]byte{raw[:min(len(raw), window)], raw[max(0, len(raw)-window):]} {
		_, after, ok := bytes.Cut(part, []byte(`exit_code`))
		if !ok {
			continue
		}
		if code, ok := kit.LeadingInt(bytes.TrimLeft(after, `\": `)); ok && code != 0 {
			return true
		}
	}
	return false
}
