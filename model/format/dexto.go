package format

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// dextoFormat is the internal messages of Saiki (2025) and Dexto (2026): lists of
// them, what a formatter made of them, and the store of sessions.
func dextoFormat() *model.Format {
	return &model.Format{
		Name:   "dexto",
		Title:  "Dexto (Saiki) messages and store",
		Where:  []string{"~/.dexto/database/*.db", ".dexto/database/*.db"},
		Detect: dextoDetect,
		Lists:  dextoKind.lists,
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

var dextoKind = &frameKind{
	paths:  []string{wholeList, "history", "messages", "session.history", "conversationHistory"},
	marks:  []string{`"toolCalls"`, `"toolCallId"`, `"assistantOutput"`, `"ui-resource"`, `"mimeType"`, `"formatter"`},
	judge:  dextoJudge,
	score:  84,
	reason: "toolCalls, toolCallId or assistantOutput, as InternalMessage has them",
}

func dextoDetect(s *model.Sample) model.Match {
	if s.Shape == model.Database {
		if rowsHave(s, "list_store", "key", "value", "sequence") {
			return model.Match{Score: 88, Reason: "the tables list_store and kv_store"}
		}
		return model.Match{}
	}
	if mostFit(s, dextoIsCase) {
		return model.Match{Score: 86, Reason: "histories of InternalMessages with what a formatter made of them"}
	}
	return dextoKind.detect(s)
}

// dextoIsCase reports whether a line is a history beside its formatted messages.
func dextoIsCase(v []byte) bool { return hasKey(v, "formatter") && hasKey(v, "history") }

func dextoJudge(v []byte) int {
	role := jsonspan.GetString(v, "role")
	if role == nil || hasKey(v, "parts") {
		return -1
	}
	if hasKey(v, "assistantOutput") || hasKey(v, "compactedAt") || hasKey(v, "approvalStatus") {
		return 1
	}
	if calls := elements(v, "toolCalls", 1); len(calls) == 1 && hasKey(calls[0], "function") {
		return 1
	}
	if string(role) == "tool" && hasKey(v, "toolCallId") && !hasKey(v, "toolName") {
		return 1
	}
	for _, part := range elements(v, "content", 20) {
		switch string(jsonspan.GetString(part, "type")) {
		case "ui-resource", "resource":
			return 1
		case "image", "file":
			if hasKey(part, "mimeType") && (hasKey(part, "image") || hasKey(part, "data")) {
				return 1
			}
		case "tool-call", "tool-result":
			return -1
		}
	}
	return 0
}

func dextoParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case rec.List == rowsRemoved:
		rowsRetract(&c, fs, "message")
	case rec.List == "message" || rec.List == "session" || rec.List == "store":
		return dextoRow(rec.List, &c, fs)
	case frameRest(rec):
		frameHolder(&c, fs)
	case startObject(&c, fs):
		if hasKey(rec.Data, "history") {
			dextoCase(&c, fs, frameOf(rec))
		} else {
			dextoMessage(&c, fs, 0)
		}
	}
	return finish(&c, fs)
}

// dextoCase reads a history on its line.
func dextoCase(c *jsonspan.Cursor, fs *model.Facts, session model.Key) {
	f := fs.Add(model.About)
	f.Session = session
	var history, system []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "history":
			history = c.Skip()
		case "system", "systemPrompt":
			system = c.Skip()
		case "case", "name":
			keep(f, "title", c.Skip())
		default:
			keepField(f, c)
		}
	}
	if c.Err != nil {
		return
	}
	frameSystem(fs, session, system)
	in := jsonspan.New(history)
	for in.Array(); in.More(); {
		dextoMessage(&in, fs, session)
	}
}

// dextoRow reads a row of the store.
func dextoRow(list string, c *jsonspan.Cursor, fs *model.Facts) error {
	var id, key, value []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			id = c.Skip()
		case "key":
			key = c.String()
		case "value":
			value = rowsJSON(c.Skip())
		default:
			c.Skip()
		}
	}
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
			fs.Last().Key = hashValue(id)
		}
	case list == "session" && in.Kind() == jsonspan.Object:
		f := fs.Add(model.About)
		f.Session = session
		f.Keep("session", model.EscapedText(name))
		title := jsonspan.Get(value, "title")
		keep(f, "title", title)
		for in.Object(); in.Key(); {
			switch string(in.Name) {
			case "title", "id":
				in.Skip()
			case "createdAt":
				f.Time = readMoment(&in)
			default:
				name := in.Name
				keepNamed(f, name, in.Skip())
			}
		}
	default:
		f := note(fs, "store")
		f.Keep("key", model.EscapedText(key))
		f.AddText(model.OtherBlock, model.ValueText(value))
		return nil
	}
	return in.Err
}
