package chats

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/format/pydantic"
	"turns/model/jsonspan"
)

// NikitaFormat reads the conversations of nikita: rows with the roles user and nikita, over
// text or voice, separately or within the row of their conversation. PydanticAI messages within
// such a row stay PydanticAI messages.
func NikitaFormat() *model.Format {
	return &model.Format{
		Name:    "nikita",
		Highest: 90,
		Title:   "nikita conversations",
		Detect:  nikitaDetect,
		Lists:   nikitaLists,
		Parse:   nikitaParse,
	}
}

var nikitaKind = &kit.FrameKind{
	Paths:  []string{kit.WholeList, "messages", "transcript", "history", "conversation.messages", "conversations"},
	Marks:  []string{`"nikita"`, `"time_in_call_secs"`, `"chapter_at_time"`, `"is_boss_fight"`, `"score_delta"`},
	Judge:  nikitaJudge,
	Score:  90,
	Reason: "the roles user and nikita, or columns of nikita's conversations",
}

func nikitaDetect(s *model.Sample) model.Match {
	m := nikitaKind.Detect(s)
	doc := kit.SampleDocument(s)
	switch {
	case m.Score > 0 || doc == nil:
	case nikitaIsRow(doc):
		m = model.Match{Score: nikitaKind.Score, Reason: "a row of nikita's conversations", Variant: nikitaWhole}
	case nikitaAreDays(doc):
		m = model.Match{Score: nikitaKind.Score, Reason: "rows of nikita's daily summaries", Variant: nikitaDays}
	}
	return m
}

// nikitaWhole is the variant of a document that is a row of a conversation without a list.
const nikitaWhole = 100

// nikitaDays is the variant of a document with the table of daily summaries, which contains no
// conversation.
const nikitaDays = 101

// nikitaAreDays reports whether a list contains only daily summaries.
func nikitaAreDays(doc []byte) bool {
	if jsonspan.KindOf(doc) != jsonspan.Array {
		return false
	}
	rows := kit.Elements(doc, kit.WholeList, kit.SampleLimit)
	return !slices.ContainsFunc(rows, func(v []byte) bool { return !kit.HasKey(v, "summary_text") || !kit.HasKey(v, "date") }) && len(rows) > 0
}

func nikitaLists(m model.Match) []string {
	if m.Variant == nikitaDays {
		return nil
	}
	return nikitaKind.Lists(m)
}

// nikitaIsRow reports whether an object is a row of the table of conversations.
var nikitaIsRow = kit.Meets(nikitaRow)

const nikitaRow = "messages|transcript_raw & chapter_at_time|is_boss_fight|score_delta"

var nikitaJudge = kit.Judge(
	nikitaRow,
	"+ role=nikita",
	"+ role=agent & time_in_call_secs",
	"~ role=agent|user|assistant|system|unknown",
	"~ kind=request|response",
)

func nikitaParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case rec.Variant == nikitaDays:
		fs.Add(model.About).Keep("daily_summaries", model.ValueText(c.Skip()))
	case c.Kind() == jsonspan.Array && kit.FrameRest(rec):
		c.Skip()
		fs.Add(model.About)
	case kit.StartObject(&c, fs):
		nikitaObject(&c, fs, kit.FrameRest(rec))
	}
	return kit.Finish(&c, fs)
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
			kit.KeepField(f, c)
		}
	}
	raw := bytes.TrimSpace(c.Buf[start:c.Pos])
	switch {
	case c.Err != nil:
		fs.Drop()
	case role != nil:
		kit.Keep(f, "id", id)
		nikitaMessage(f, role, content, time, call)
	case kind == nil && content != nil && messages == nil && voice == nil:
		kit.Keep(f, "id", id)
		nikitaMessage(f, nil, content, time, call)
	case kind != nil:
		fs.Drop()
		in := jsonspan.New(raw)
		pydantic.PydanticMessage(&in, fs, 0)
	default:
		f.Op, f.Time = model.About, kit.MomentOf(time)
		if !rest {
			f.Session = kit.HashValue(id)
		}
		session := f.Session
		kit.Keep(f, "session", id)
		nikitaMessages(fs, session, messages)
		if !kit.IsEmpty(voice) && kit.IsEmpty(messages) && !rest {
			g := fs.Add(model.Say)
			g.Role, g.Session = model.System, session
			g.AddText(model.Words, model.ValueText(voice))
		} else if !kit.IsEmpty(voice) {
			g := kit.Note(fs, "transcript_raw")
			g.Session = session
			g.AddText(model.Words, model.ValueText(voice))
		}
	}
}

// nikitaMessages adds the messages in the row of a conversation.
func nikitaMessages(fs *model.Facts, session model.Key, v []byte) {
	v = kit.RowsJSON(v)
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

// nikitaMessage fills the message. The time of a voice message is a number of seconds into the
// call, so it is stored as a field.
func nikitaMessage(f *model.Fact, role, content, time, call []byte) {
	switch name := kit.Inside(role); string(name) {
	case "nikita", "agent":
		f.Role = model.Assistant
		f.Keep("role", model.EscapedText(name))
	default:
		kit.SetRoleValue(f, role)
	}
	if kit.IsString(time) {
		f.Time = kit.MomentOf(time)
	} else {
		kit.Keep(f, "seconds into the call", time)
	}
	kit.Keep(f, "seconds into the call", call)
	kit.AddContent(f, content)
	if kit.IsNull(content) {
		f.AddText(model.Words, model.NullText())
	}
}
