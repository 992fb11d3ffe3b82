package format

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// nikitaFormat is the conversations of nikita: rows with the roles user and
// nikita, over text or voice, alone or within the row of their conversation. True
// PydanticAI messages within such a row are read as what they are.
func nikitaFormat() *model.Format {
	return &model.Format{
		Name:   "nikita",
		Title:  "nikita conversations",
		Detect: nikitaDetect,
		Lists:  nikitaLists,
		Parse:  nikitaParse,
	}
}

var nikitaKind = &frameKind{
	paths:  []string{wholeList, "messages", "transcript", "history", "conversation.messages", "conversations"},
	marks:  []string{`"nikita"`, `"time_in_call_secs"`, `"chapter_at_time"`, `"is_boss_fight"`, `"score_delta"`},
	judge:  nikitaJudge,
	score:  90,
	reason: "the roles user and nikita, or columns of nikita's conversations",
}

func nikitaDetect(s *model.Sample) model.Match {
	m := nikitaKind.detect(s)
	if doc := sampleDocument(s); m.Score == 0 && doc != nil && nikitaIsRow(doc) {
		m = model.Match{Score: nikitaKind.score, Reason: "a row of nikita's conversations", Variant: nikitaWhole}
	}
	return m
}

// nikitaWhole is the variant of a document that is a row of a conversation without
// a list of its own.
const nikitaWhole = 100

func nikitaLists(m model.Match) []string { return nikitaKind.lists(m) }

func nikitaJudge(v []byte) int {
	if nikitaIsRow(v) {
		return 1
	}
	switch string(jsonspan.GetString(v, "role")) {
	case "nikita":
		return 1
	case "agent":
		if hasKey(v, "time_in_call_secs") {
			return 1
		}
		return 0
	case "user", "assistant", "system", "unknown":
		return 0
	}
	switch string(jsonspan.GetString(v, "kind")) {
	case "request", "response":
		return 0
	}
	return -1
}

// nikitaIsRow reports whether an object is a row of the table of conversations.
func nikitaIsRow(v []byte) bool {
	return jsonspan.KindOf(v) == jsonspan.Object && (hasKey(v, "messages") || hasKey(v, "transcript_raw")) &&
		(hasKey(v, "chapter_at_time") || hasKey(v, "is_boss_fight") || hasKey(v, "score_delta"))
}

func nikitaParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case c.Kind() == jsonspan.Array && frameRest(rec):
		c.Skip()
		fs.Add(model.About)
	case startObject(&c, fs):
		nikitaObject(&c, fs, frameRest(rec))
	}
	return finish(&c, fs)
}

// nikitaObject reads a message, or the row of a conversation.
func nikitaObject(c *jsonspan.Cursor, fs *model.Facts, rest bool) {
	start := c.Pos
	f := fs.Add(model.Say)
	var role, content, time, call, messages, voice, id, kind []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			role = c.Skip()
		case "content", "message":
			if v := c.Skip(); content == nil {
				content = v
			}
		case "timestamp", "created_at", "started_at":
			if v := c.Skip(); time == nil {
				time = v
			}
		case "time_in_call_secs":
			call = c.Skip()
		case "messages", "transcript":
			messages = c.Skip()
		case "transcript_raw":
			voice = c.Skip()
		case "id":
			id = c.Skip()
		case "kind":
			kind = c.Skip()
			f.Keep("kind", model.ValueText(kind))
		default:
			keepField(f, c)
		}
	}
	raw := bytes.TrimSpace(c.Buf[start:c.Pos])
	switch {
	case c.Err != nil:
		fs.Drop()
	case role != nil:
		keep(f, "id", id)
		nikitaSay(f, role, content, time, call)
	case kind == nil && content != nil && messages == nil && voice == nil:
		keep(f, "id", id)
		nikitaSay(f, nil, content, time, call)
	case kind != nil:
		fs.Drop()
		in := jsonspan.New(raw)
		pydanticMessage(&in, fs, 0)
	default:
		f.Op, f.Time = model.About, momentOf(time)
		if !rest {
			f.Session = hashValue(id)
		}
		session := f.Session
		keep(f, "session", id)
		nikitaMessages(fs, session, messages)
		if !isEmpty(voice) && isEmpty(messages) && !rest {
			g := fs.Add(model.Say)
			g.Role, g.Session = model.System, session
			g.AddText(model.Words, model.ValueText(voice))
		} else if !isEmpty(voice) {
			g := note(fs, "transcript_raw")
			g.Session = session
			g.AddText(model.Words, model.ValueText(voice))
		}
	}
}

// nikitaMessages says the messages of a conversation on its line.
func nikitaMessages(fs *model.Facts, session model.Key, v []byte) {
	v = rowsJSON(v)
	if jsonspan.KindOf(v) != jsonspan.Array {
		return
	}
	in := jsonspan.New(v)
	for in.Array(); in.More(); {
		if in.Kind() != jsonspan.Object {
			in.Skip()
			continue
		}
		at := fs.Len()
		nikitaObject(&in, fs, true)
		for i := at; i < fs.Len(); i++ {
			fs.At(i).Session = session
		}
	}
}

// nikitaSay makes the message. The time of a voice message is a number of seconds
// into the call, which is no moment.
func nikitaSay(f *model.Fact, role, content, time, call []byte) {
	switch name := inside(role); string(name) {
	case "nikita", "agent":
		f.Role = model.Assistant
		f.Keep("role", model.EscapedText(name))
	default:
		setSaid(f, role)
	}
	if isString(time) {
		f.Time = momentOf(time)
	} else {
		keep(f, "seconds into the call", time)
	}
	keep(f, "seconds into the call", call)
	addContent(f, content)
	if isNull(content) {
		f.AddText(model.Words, model.NullText())
	}
}
