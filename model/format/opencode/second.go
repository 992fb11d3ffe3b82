package opencode

import (
	"slices"
	"strings"
	"time"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// The lists of OpenCode 2 (packages/schema/src/session-message.ts): a row for each message, with
// all of its parts. A subagent's session is an ordinary session. The tables of version 1 stay in
// the same database: turns reads a session in both from the second.
const (
	secondMessage = "session_message"
	secondRevert  = "revert"
)

// unmoved marks the place in queries of version 1 where [eachGeneration] inserts a condition.
const unmoved = "/* unmoved */"

// eachGeneration returns the queries of version 1 for a database that still has that version, and
// for one with the tables of version 2: without the sessions that moved there.
func eachGeneration(queries ...model.Query) (both []model.Query) {
	for _, q := range queries {
		q.Lacks = []string{"session_v2"}
		both = append(both, q)
	}
	for _, q := range queries {
		q.SQL = strings.Replace(q.SQL, unmoved, "WHERE f.root IS NULL OR f.root NOT IN (SELECT id FROM session_v2)", 1)
		q.Needs = append(slices.Clone(q.Needs), "session_v2.id")
		both = append(both, q)
	}
	return both
}

var secondSessions = model.Query{
	Name: "session",
	SQL: `SELECT id, title, directory, version, agent, model, parent_id, fork_session_id, slug, time_created
		FROM session_v2 ORDER BY time_created, id`,
	Needs: []string{"session_v2.directory", "session_v2.fork_session_id", "session_v2.time_created"},
}

// secondQueries order messages by their number, because their ids do not show the order.
var secondQueries = []model.Query{
	secondSessions,
	{
		Name: secondMessage,
		SQL: `SELECT m.id, m.session_id, m.type, m.seq, m.time_created, m.data FROM session_message m
			JOIN session_v2 s ON s.id = m.session_id ORDER BY s.time_created, s.id, m.seq`,
		Needs: []string{"session_v2.id", "session_message.seq", "session_message.data"},
	},
	{
		Name:  secondRevert,
		SQL:   `SELECT id, id AS session_id, revert AS data FROM session_v2 WHERE revert IS NOT NULL`,
		Needs: []string{"session_v2.revert"},
	},
}

var secondBrief = []model.Query{
	secondSessions,
	{
		Name: secondMessage,
		SQL: `SELECT m.id, m.session_id, m.type, m.seq, m.time_created, NULL AS data FROM session_message m
			JOIN session_v2 s ON s.id = m.session_id ORDER BY s.time_created, s.id, m.seq`,
		Needs: []string{"session_v2.id", "session_message.seq"},
	},
}

// secondRow reads a row of a list of version 2.
func (p *openParser) secondRow(c *jsonspan.Cursor, list string) {
	var id, kind, data []byte
	fields := kit.Fields{kit.ID("id", &id), kit.Word("type", &kind), kit.Rows("data", &data)}
	for c.Object(); c.Key(); {
		if !fields.Take(c) {
			openParserFields.Read(c, p)
		}
	}
	if c.Err != nil {
		return
	}
	if list == secondRevert {
		f := p.fs.Add(model.Rewind)
		p.place(f)
		f.Target = kit.HashValue(kit.Or(jsonspan.Get(data, "messageID"), jsonspan.Get(data, "message")))
		return
	}
	m := secondRecord{openParser: p, id: id, kind: kind, data: data}
	m.emit()
}

// secondRecord is the row of a message. OpenCode rewrites it in place while it grows.
type secondRecord struct {
	*openParser
	id, kind, data []byte
}

func (m *secondRecord) get(name string) []byte { return jsonspan.Get(m.data, name) }

// addMessage begins the message, and replaces that of an earlier version of its row.
func (m *secondRecord) addMessage(role model.Role) *model.Fact {
	f := m.fs.Add(model.Say)
	f.Key, f.Time, f.Role, f.Join = model.Hash(m.id), m.time, role, model.Replace
	m.place(f)
	return f
}

func (m *secondRecord) emit() {
	switch string(m.kind) {
	case "user":
		f := m.addMessage(model.User)
		f.AddText(model.Words, model.ValueText(m.get("text")))
		for v := range jsonspan.List(m.get("files")) {
			kit.AddMedia(f, model.Text{}, model.ValueText(jsonspan.Get(v, "mime")), jsonspan.Get(v, "uri"))
		}
	case "assistant":
		m.assistant()
	case "synthetic", "system", "skill":
		f := m.addMessage(model.System)
		f.Name = model.EscapedText(m.kind)
		f.Flags |= model.Injected
		f.AddText(model.Words, model.ValueText(m.get("text")))
		kit.Keep(f, "skill", m.get("name"))
	case "compaction":
		if string(jsonspan.GetString(m.data, "status")) != "completed" {
			m.note()
			return
		}
		f := m.fs.Add(model.Compact)
		m.place(f)
		f.Key, f.Time = model.Hash(m.id), m.time
		f.AddText(model.Words, model.ValueText(m.get("summary")))
		kit.Keep(f, "reason", m.get("reason"))
	default:
		m.note()
	}
}

// note adds a record other than a message: a shell command of the user, a switch of agent or model.
func (m *secondRecord) note() {
	f := m.fs.Add(model.Note)
	f.Name, f.Time = model.EscapedText(m.kind), m.time
	m.place(f)
	command := kit.Or(jsonspan.Get(m.data, "shell", "command"), m.get("command"))
	if string(m.kind) != "shell" || kit.IsEmpty(command) {
		f.AddText(model.OtherBlock, model.ValueText(m.data))
		return
	}
	f.AddText(model.Words, model.ValueText(command))
	output := kit.Or(jsonspan.Get(m.data, "output", "output"), m.get("output"))
	if kit.IsString(output) {
		f.AddText(model.Words, model.ValueText(output))
	}
	kit.Keep(f, "exit", jsonspan.Get(m.data, "shell", "exit"))
}

func (m *secondRecord) assistant() {
	f := m.addMessage(model.Assistant)
	at := m.fs.Len() - 1
	f.Model = openModel(m.get("model"))
	f.Usage = openUsage(m.get("tokens"), m.get("cost"))
	kit.Keep(f, "mode", m.get("agent"))
	if finish := m.get("finish"); !kit.IsEmpty(finish) {
		kit.SetStop(f, kit.Inside(finish))
	}
	for v := range jsonspan.List(m.get("content")) {
		m.part(at, v)
	}
	if failure := m.get("error"); !kit.IsEmpty(failure) {
		openFailure(m.fs.At(at), failure)
	}
}

func (m *secondRecord) part(at int, v []byte) {
	f := m.fs.At(at)
	switch kind := jsonspan.GetString(v, "type"); string(kind) {
	case "text":
		f.AddText(model.Words, model.ValueText(jsonspan.Get(v, "text")))
	case "reasoning":
		f.AddText(model.Reasoning, model.ValueText(jsonspan.Get(v, "text")))
	case "tool":
		m.tool(f, v)
	default:
		kit.AddOther(f, kind, v)
	}
}

// tool adds a call and, if it has ended, its result, with the calls that a script made.
func (m *secondRecord) tool(f *model.Fact, v []byte) {
	id, name, state := jsonspan.Get(v, "id"), jsonspan.Get(v, "name"), jsonspan.Get(v, "state")
	details := kit.Or(jsonspan.Get(state, "structured"), jsonspan.Get(state, "metadata"))
	outcome, _ := kit.OutcomeOfStatus(jsonspan.GetString(state, "status"))
	script := model.ValueText(id).Hash()
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Text, call.Key = model.ValueText(id), model.ValueText(name), model.ValueText(jsonspan.Get(state, "input")), kit.HashValue(id)
	inner := jsonspan.Get(details, "toolCalls")
	if jsonspan.KindOf(inner) == jsonspan.Array && len(inner) > 2 {
		call.Nesting = model.Script
	}
	if outcome == model.Running {
		call.Outcome = outcome
	} else {
		m.result(f, id, name, state, details, outcome, openSpan(jsonspan.Get(v, "time"), "ran", "completed"))
	}
	n := 0
	for v := range jsonspan.List(inner) {
		n++
		nested := f.Add(model.ToolCall)
		nested.Key = kit.HashValue(id).Join(model.Key(n))
		nested.Name, nested.Text = model.ValueText(jsonspan.Get(v, "tool")), model.ValueText(jsonspan.Get(v, "input"))
		nested.Within = script
		nested.Outcome, _ = kit.OutcomeOfStatus(jsonspan.GetString(v, "status"))
	}
}

func (m *secondRecord) result(f *model.Fact, id, name, state, details []byte, outcome model.Outcome, took time.Duration) {
	text := kit.Or(jsonspan.Get(state, "error", "message"), jsonspan.Get(state, "error"))
	if outcome == model.Failure {
		outcome = kit.FailureOf(model.ValueText(text))
	} else {
		text = jsonspan.Get(state, "content")
	}
	if exit, ok := jsonspan.ParseInt(jsonspan.Get(details, "exit")); ok && exit != 0 || kit.IsTrue(jsonspan.Get(details, "error")) {
		outcome = model.Failure
	}
	kit.AddResult(f, model.ValueText(id), model.ValueText(name), text, outcome)
	r := &f.Blocks[len(f.Blocks)-1]
	r.Took, r.Key = took, kit.HashValue(id).With(openResult)
	kit.KeepOf(f, "files", kit.Inside(id), jsonspan.Get(details, "files"))
	kit.KeepOf(f, "session", kit.Inside(id), jsonspan.Get(details, "sessionID"))
}
