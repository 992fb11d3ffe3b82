package dexto

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Format reads the internal messages of Saiki (2025) and Dexto (2026): lists of them, requests
// that a formatter built from them, and the store of sessions.
func Format() *model.Format {
	return &model.Format{
		Name:    "dexto",
		Highest: 88,
		Title:   "Dexto (Saiki) messages and store",
		Where:   []string{"~/.dexto/database/*.db", ".dexto/database/*.db"},
		Detect:  dextoDetect,
		Lists:   dextoKind.Lists,
		Unroll: &model.Unroll{Queries: []model.Query{
			{
				Name:  "session",
				SQL:   `SELECT key, value FROM kv_store WHERE key LIKE 'session:%' ORDER BY key`,
				Needs: []string{"kv_store.value"},
			},
			{
				Name: "message",
				SQL: `SELECT key || '#' || sequence AS id, key, value FROM list_store WHERE key LIKE 'messages:%'
					ORDER BY key, sequence`,
				Needs: []string{"list_store.value", "list_store.sequence"},
			},
			{
				Name:  "store",
				SQL:   `SELECT key, value FROM kv_store WHERE key NOT LIKE 'session:%' ORDER BY key`,
				Needs: []string{"kv_store.value"},
			},
		}},
		Parse: dextoParse,
	}
}

var dextoKind = &kit.FrameKind{
	Paths:  []string{kit.WholeList, "history", "messages", "session.history", "conversationHistory"},
	Marks:  []string{`"toolCalls"`, `"toolCallId"`, `"assistantOutput"`, `"ui-resource"`, `"mimeType"`, `"formatter"`},
	Judge:  dextoJudge,
	Score:  84,
	Reason: "toolCalls, toolCallId or assistantOutput, as InternalMessage has them",
}

func dextoDetect(s *model.Sample) model.Match {
	if s.Shape == model.Database {
		if kit.RowsHave(s, "list_store", "key", "value", "sequence") {
			return model.Match{Score: 88, Reason: "the tables list_store and kv_store"}
		}
		return model.Match{}
	}
	if kit.MostFit(s, dextoIsCase) {
		return model.Match{Score: 86, Reason: "histories of InternalMessages with what a formatter made of them"}
	}
	return dextoKind.Detect(s)
}

// dextoIsCase reports whether a line is a history with its formatted messages.
var dextoIsCase = kit.Meets("formatter & history")

var dextoJudge = kit.Judge(
	"- !role:string",
	"- parts",
	"+ assistantOutput|compactedAt|approvalStatus",
	"+ toolCalls:list & toolCalls[0].function",
	"+ role=tool & toolCallId & !toolName",
	"+ content[].type=resource|ui-resource",
	"+ content[](type=image|file & mimeType & image|data)",
	"- content[].type=tool-call|tool-result",
	"~ role",
)

func dextoParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case rec.List == "message" || rec.List == "session" || rec.List == "store":
		return dextoRow(rec.List, &c, fs)
	case kit.FrameRest(rec):
		kit.FrameHolder(&c, fs)
	case kit.StartObject(&c, fs):
		if kit.HasKey(rec.Data, "history") {
			dextoCase(&c, fs, kit.FrameOf(rec))
		} else {
			dextoMessage(&c, fs, 0)
		}
	}
	return kit.Finish(&c, fs)
}

// dextoCase reads a history on one line.
func dextoCase(c *jsonspan.Cursor, fs *model.Facts, session model.Key) {
	f := fs.Add(model.About)
	f.Session = session
	var history, system []byte
	fields := kit.Fields{
		kit.Raw("history", &history), kit.Raw("system", &system), kit.Raw("systemPrompt", &system),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "case", "name":
			kit.Keep(f, "title", c.Skip())
		default:
			fields.ReadOrKeep(f, c)
		}
	}
	if c.Err != nil {
		return
	}
	kit.FrameSystem(fs, session, system)
	in := jsonspan.New(history)
	for in.Array(); in.More(); {
		dextoMessage(&in, fs, session)
	}
}

// dextoRow reads a row of the store.
func dextoRow(list string, c *jsonspan.Cursor, fs *model.Facts) error {
	var id, key, value []byte
	kit.ReadFields(c, kit.Raw("id", &id), kit.Word("key", &key), kit.Rows("value", &value))
	if c.Err != nil {
		return c.Err
	}
	_, name, _ := bytes.Cut(key, []byte(":"))
	session := model.Hash(name)
	in := jsonspan.New(value)
	switch {
	case list == "message" && in.Kind() == jsonspan.Object:
		at := fs.Len()
		dextoMessage(&in, fs, session)
		if in.Err == nil {
			fs.At(at).Record = 0
			fs.Last().Key = kit.HashValue(id)
		}
	case list == "session" && in.Kind() == jsonspan.Object:
		f := fs.Add(model.About)
		f.Session = session
		f.Keep("session", model.EscapedText(name))
		title := jsonspan.Get(value, "title")
		kit.Keep(f, "title", title)
		for in.Object(); in.Key(); {
			switch string(in.Name) {
			case "title", "id":
				in.Skip()
			case "createdAt":
				f.Time = kit.ReadMoment(&in)
			default:
				name := in.Name
				kit.KeepNamed(f, name, in.Skip())
			}
		}
	default:
		f := kit.Note(fs, "store")
		f.Keep("key", model.EscapedText(key))
		f.AddText(model.OtherBlock, model.ValueText(value))
		return nil
	}
	return in.Err
}
