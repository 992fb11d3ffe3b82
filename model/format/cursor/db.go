package cursor

import (
	"bytes"
	"encoding/hex"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// cursorQueries select the composers of the editor's database with their bubbles in the composer's
// order, and the JSON blobs of a store. The bubble query sorts only the keys, because the values
// may be gigabytes.
var cursorQueries = []model.Query{
	{
		Name:  "composer",
		SQL:   `SELECT key, value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key`,
		Needs: []string{"cursorDiskKV.value"},
	},
	{
		Name: "bubble",
		SQL: `WITH head AS (SELECT substr(c.key, 14) AS composer, json_extract(h.value, '$.bubbleId') AS bubble, min(h.key) AS n
				FROM ` + cursorHeads + ` WHERE c.key >= 'composerData:' AND c.key < 'composerData;' GROUP BY 1, 2),
			bubble AS (SELECT b.key AS id, substr(b.key, 10, instr(substr(b.key, 10), ':') - 1) AS composer, b.rowid AS nr,
				CASE WHEN json_valid(CAST(b.value AS TEXT)) THEN json_extract(CAST(b.value AS TEXT), '$.createdAt') END AS at
				FROM cursorDiskKV b WHERE b.key >= 'bubbleId:' AND b.key < 'bubbleId;'),
			sorted AS MATERIALIZED (SELECT bubble.id FROM bubble LEFT JOIN head ON head.composer = bubble.composer
				AND head.bubble = substr(bubble.id, 11 + length(bubble.composer))
				ORDER BY bubble.composer, bubble.at, head.n, bubble.nr)
			SELECT v.key, v.value FROM sorted CROSS JOIN cursorDiskKV v ON v.key = sorted.id`,
		Needs: []string{"cursorDiskKV.value"},
	},
	{
		Name:  "meta",
		SQL:   `SELECT key, value FROM meta ORDER BY key`,
		Needs: []string{"blobs.data", "meta.value"},
	},
	{
		Name:  "blob",
		SQL:   cursorRoot + `SELECT r.n || ':' || b.id AS key, b.data AS value FROM refs r JOIN blobs b ON b.id = r.id ORDER BY r.n`,
		Needs: []string{"blobs.data", "meta.value"},
	},
	{ // for older stores, which name no root
		Name:  "blob",
		SQL:   cursorRoot + `SELECT id AS key, data AS value FROM blobs WHERE substr(data, 1, 1) IN ('{', x'7b') AND NOT EXISTS (SELECT 1 FROM root) ORDER BY rowid`,
		Needs: []string{"blobs.data", "meta.value"},
	},
	{
		Name: "rest",
		SQL: cursorRoot + `SELECT 'blobs' AS key, count(*) AS value FROM blobs WHERE id NOT IN (SELECT id FROM refs)
			AND NOT (substr(data, 1, 1) IN ('{', x'7b') AND NOT EXISTS (SELECT 1 FROM root)) HAVING count(*) > 0`,
		Needs: []string{"blobs.data", "meta.value"},
	},
}

// cursorRoot selects the messages of a chat in their order. The root is a protocol buffer that
// begins with the ids of its messages, 32 bytes each, as the field 1. Messages replaced by an
// edited prompt are still in the store, but no root names them.
const cursorRoot = `WITH RECURSIVE
	root AS MATERIALIZED (SELECT b.data FROM blobs b JOIN meta m ON m.key = '0'
		WHERE b.id = json_extract(CASE WHEN json_valid(CAST(unhex(m.value) AS TEXT)) THEN CAST(unhex(m.value) AS TEXT) ELSE '{}' END, '$.latestRootBlobId')
			AND hex(substr(b.data, 1, 2)) = '0A20'),
	refs(n, id) AS (
		SELECT 0, lower(hex(substr(data, 3, 32))) FROM root
		UNION ALL
		SELECT n + 1, lower(hex(substr(data, 34 * (n + 1) + 3, 32))) FROM refs, root WHERE hex(substr(data, 34 * (n + 1) + 1, 2)) = '0A20') `

// cursorHeads selects the bubbles that a composer lists.
const cursorHeads = `cursorDiskKV c, json_each(CASE WHEN json_valid(CAST(c.value AS TEXT)) THEN CAST(c.value AS TEXT) ELSE '{}' END, '$.fullConversationHeadersOnly') h`

// cursorBrief selects the fields of composers that the session list shows, and the bubbles that
// they list. It reads only the user's first bubble, as the title of a composer without a name, and
// all of a store, which is small.
var cursorBrief = append([]model.Query{
	{
		Name: "composer",
		SQL: `SELECT key, CASE WHEN json_valid(text) THEN json_object('name', json_extract(text, '$.name'), 'createdAt', json_extract(text, '$.createdAt'),
				'workspaceIdentifier', json_extract(text, '$.workspaceIdentifier'), 'modelConfig', json_extract(text, '$.modelConfig'),
				'conversation', json_extract(text, '$.conversation')) END AS value
			FROM (SELECT key, CAST(value AS TEXT) AS text FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key)`,
		Needs: []string{"cursorDiskKV.value"},
	},
	{
		Name: "bubble",
		SQL: `SELECT b.key, COALESCE(v.value, b.value) AS value FROM
				(SELECT 'bubbleId:' || substr(c.key, 14) || ':' || json_extract(h.value, '$.bubbleId') AS key, json_object('type', json_extract(h.value, '$.type')) AS value,
				c.key AS composer, h.key AS n, min(h.key) FILTER (WHERE json_extract(h.value, '$.type') = 1) OVER (PARTITION BY c.key) AS first
				FROM ` + cursorHeads + ` WHERE c.key >= 'composerData:' AND c.key < 'composerData;') b
			LEFT JOIN cursorDiskKV v ON v.key = CASE WHEN b.n = b.first THEN b.key END ORDER BY b.composer, b.n`,
		Needs: []string{"cursorDiskKV.value"},
	},
	{
		Name: "composer",
		SQL: `SELECT key, json_object('createdAt', json_extract(text, '$.lastUpdatedAt')) AS value
			FROM (SELECT key, CAST(value AS TEXT) AS text FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;')
			WHERE json_valid(text) AND json_extract(text, '$.lastUpdatedAt') IS NOT NULL`,
		Needs: []string{"cursorDiskKV.value"},
	},
}, cursorQueries[2:]...)

func cursorRow(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	var key, value []byte
	kit.ReadFields(&c, kit.Word("key", &key), kit.Raw("value", &value))
	if c.Err != nil {
		return c.Err
	}
	if !kit.IsNull(value) {
		switch rec.List {
		case "composer":
			cursorComposer(fs, key, kit.RowsJSON(value))
		case "bubble":
			cursorBubble(fs.Add(model.Say), cursorComposerOf(key), kit.RowsJSON(value), model.Hash(key))
		case "meta":
			cursorMeta(fs, kit.Inside(value))
		case "blob":
			cursorBlob(fs, key, kit.RowsJSON(value))
		case "rest":
			kit.Note(fs, "blobs other than JSON").Keep("blobs", model.ValueText(value))
		}
	}
	if fs.Len() == 0 {
		f := kit.Note(fs, "empty")
		f.Session = model.Hash(cursorComposerOf(key))
	}
	return kit.Finish(&c, fs)
}

// cursorComposerOf returns the id of the composer in the key of a row.
func cursorComposerOf(key []byte) []byte {
	_, id, _ := bytes.Cut(key, []byte(":"))
	id, _, _ = bytes.Cut(id, []byte(":"))
	return id
}

// cursorComposer adds the facts of a conversation. Older composers contain their bubbles.
func cursorComposer(fs *model.Facts, key, v []byte) {
	id := cursorComposerOf(key)
	f := fs.Add(model.About)
	f.Session = model.Hash(id)
	f.Keep("session", model.EscapedText(id))
	var bubbles []byte
	c := jsonspan.New(v)
	fields := kit.Fields{kit.Time("createdAt", &f.Time), kit.Raw("conversation", &bubbles)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "name":
			kit.Keep(f, "title", c.Skip())
		case "workspaceIdentifier":
			w := c.Skip()
			cwd := jsonspan.Get(w, "uri", "fsPath")
			if cwd == nil {
				cwd = jsonspan.Get(w, "uri", "path")
			}
			kit.Keep(f, "cwd", cwd)
		case "modelConfig":
			if name := jsonspan.Get(c.Skip(), "modelName"); string(kit.Inside(name)) != "default" {
				kit.Keep(f, "model", name)
			}
		case "unifiedMode", "status":
			name := "mode"
			if string(c.Name) == "status" {
				name = "status"
			}
			kit.Keep(f, name, c.Skip())
		default:
			fields.Read(&c)
		}
	}
	for b := range jsonspan.List(bubbles) {
		cursorBubble(fs.Add(model.Say), id, b, model.Hash(id).Join(kit.HashValue(jsonspan.Get(b, "bubbleId"))))
	}
}

// cursorBubble reads a bubble: a message, thought or call. A call contains its result.
func cursorBubble(f *model.Fact, composer, v []byte, key model.Key) {
	f.Session, f.Key, f.Role = model.Hash(composer), key, model.Other
	var text, thinking, tool, failure []byte
	c := jsonspan.New(v)
	fields := kit.Fields{
		kit.Raw("text", &text), kit.Raw("thinking", &thinking), kit.Raw("toolFormerData", &tool),
		kit.Time("createdAt", &f.Time), kit.Raw("errorDetails", &failure),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			switch n, _ := c.Int(); n {
			case 1:
				f.Role = model.User
			case 2:
				f.Role = model.Assistant
			}
		case "modelInfo":
			f.Model = model.ValueText(jsonspan.Get(c.Skip(), "modelName"))
		case "tokenCount":
			cursorUsage(f, c.Skip())
		default:
			fields.Read(&c)
		}
	}
	if jsonspan.KindOf(thinking) == jsonspan.Object {
		thinking = jsonspan.Get(thinking, "text")
	}
	if !kit.IsEmpty(thinking) {
		f.AddText(model.Reasoning, model.ValueText(thinking))
	}
	if !kit.IsEmpty(text) || kit.IsEmpty(tool) && kit.IsEmpty(thinking) && !kit.IsNull(text) {
		f.AddText(model.Words, model.ValueText(text))
	}
	if !kit.IsEmpty(tool) {
		cursorTool(f, tool)
	}
	if !kit.IsEmpty(failure) {
		f.Flags |= model.APIError
		f.Outcome, f.Stop = model.Failure, model.StopError
		kit.Keep(f, "error", failure)
	}
}

func cursorUsage(f *model.Fact, v []byte) {
	if u := cursorNumbers.Read(v, model.Each); u.Input > 0 || u.Output > 0 {
		f.Usage = u
	}
}

var cursorNumbers = kit.UsageNames{Input: "inputTokens", Output: "outputTokens"}

func cursorTool(f *model.Fact, v []byte) {
	var id, name, params, raw, result, status, decision, failure []byte
	c := jsonspan.New(v)
	fields := kit.Fields{
		kit.Raw("toolCallId", &id), kit.Raw("name", &name), kit.Raw("params", &params),
		kit.Raw("rawArgs", &raw), kit.Raw("result", &result), kit.Raw("status", &status),
		kit.Raw("userDecision", &decision), kit.Raw("error", &failure),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "tool":
			if v := c.Skip(); name == nil {
				name = v
			}
		default:
			fields.Read(&c)
		}
	}
	if kit.IsEmpty(raw) {
		raw = params
	}
	b := f.Add(model.ToolCall)
	b.ID, b.Name, b.Text = model.ValueText(id), model.ValueText(name), model.ValueText(raw)
	outcome, _ := kit.OutcomeOfStatus(kit.Inside(status))
	if o, ok := kit.OutcomeOfStatus(kit.Inside(decision)); ok && o == model.Denied {
		outcome = o
	}
	if string(kit.Inside(status)) == "loading" || outcome == model.Running {
		b.Outcome = model.Running
		return
	}
	if kit.IsNull(result) && kit.IsNull(failure) && !outcome.Failed() {
		return
	}
	if kit.IsEmpty(result) {
		result = failure
	}
	text := model.ValueText(result)
	if outcome == model.Failure {
		outcome = kit.FailureOf(text)
	}
	r := f.Add(model.ToolResult)
	r.ID, r.Name, r.Text, r.Outcome = model.ValueText(id), model.ValueText(name), text, outcome
}

var cursorMetaNames = kit.Names{
	"agentId": "session", "name": "title", "lastUsedModel": "model", "mode": "mode",
}

// cursorMeta reads the description of a store's conversation: JSON in hexadecimal.
func cursorMeta(fs *model.Facts, text []byte) {
	v := make([]byte, hex.DecodedLen(len(text)))
	if n, err := hex.Decode(v, text); err != nil || jsonspan.KindOf(v[:n]) != jsonspan.Object {
		return
	}
	f := fs.Add(model.About)
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "createdAt":
			f.Time = kit.ReadMoment(&c)
		default:
			cursorMetaNames.KeepOnly(f, &c)
		}
	}
}

// cursorBlob reads a blob that is JSON: a message, with content blocks as the Vercel AI SDK writes
// them.
func cursorBlob(fs *model.Facts, key, v []byte) {
	f := fs.Add(model.Say)
	f.Key = model.Hash(key)
	var content []byte
	role := false
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			kit.SetRole(f, c.String())
			role = f.Role != model.NoRole
		case "content":
			content = c.Skip()
		default:
			c.Skip()
		}
	}
	if !role {
		f.Op, f.Key, f.Name = model.Note, 0, kit.RecordName
		f.AddText(model.OtherBlock, model.PlainText(v))
		return
	}
	if jsonspan.KindOf(content) != jsonspan.Array {
		kit.AddContent(f, content)
	} else {
		for v := range jsonspan.List(content) {
			cursorBlobBlock(f, v)
		}
	}
	if f.Role == model.User {
		cursorUser(fs)
	}
}

func cursorBlobBlock(f *model.Fact, v []byte) {
	if jsonspan.KindOf(v) != jsonspan.Object {
		kit.AddBlock(f, v)
		return
	}
	b := kit.ReadBlockFields(v)
	switch string(b.Typ) {
	case "tool-call":
		call := f.Add(model.ToolCall)
		call.ID, call.Name, call.Text = model.ValueText(b.CallID), model.ValueText(b.Name), model.ValueText(b.Input)
	case "tool-result":
		result := b.Output
		if jsonspan.KindOf(b.Content) == jsonspan.Array {
			result = b.Content
		}
		outcome := model.Unknown
		if kit.IsTrue(b.IsError) {
			outcome = model.Failure
		}
		kit.AddResult(f, model.ValueText(b.CallID), model.ValueText(b.Name), result, outcome)
	default:
		kit.AddBlock(f, v)
	}
}
