package agents

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// AmpFormat reads a thread of Amp: a document with messages. Results name their call in camel case
// and contain a run.
func AmpFormat() *model.Format {
	return &model.Format{
		Name:   "amp",
		Resume: "amp threads continue ID",
		Title:  "Amp thread",
		Where:  []string{"~/.local/share/amp/threads/T-*.json"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InDocument, Score: 92, Reason: "a document with an id T-…, v, created and messages",
				Is: kit.Signs{"messages & id=T-* & v|created"}},
			kit.Clue{In: kit.InDocument, Score: 85, Reason: "messages with messageId and toolUseID",
				Is: kit.Signs{"messages[](messageId & role:string & content[].toolUseID)"}},
		),
		Lists: func(model.Match) []string { return []string{"messages"} },
		Parse: ampParse,
	}
}

func ampParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	if rec.List != "" {
		ampMessage(&c, fs)
		return kit.Finish(&c, fs)
	}
	var list []byte
	f := fs.Add(model.About)
	fields := kit.Fields{kit.Time("created", &f.Time), kit.Raw("messages", &list)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			kit.Keep(f, "session", c.Skip())
		case "title":
			kit.Keep(f, "title", c.Skip())
		case "env":
			v := c.Skip()
			trees := jsonspan.New(jsonspan.Get(v, "initial", "trees"))
			if trees.Array(); trees.More() {
				if uri := jsonspan.Get(trees.Skip(), "uri"); kit.IsString(uri) {
					f.Keep("cwd", model.EscapedText(bytes.TrimPrefix(kit.Inside(uri), []byte("file://"))))
				}
			}
			kit.Keep(f, "env", v)
		default:
			fields.ReadOrKeep(f, &c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	m := jsonspan.New(list)
	for m.Array(); m.More(); {
		if kit.StartObject(&m, fs) {
			ampMessage(&m, fs)
		}
	}
	if m.Err != nil {
		return m.Err
	}
	return kit.Finish(&c, fs)
}

func ampMessage(c *jsonspan.Cursor, fs *model.Facts) {
	f := fs.Add(model.Say)
	var content, state []byte
	fields := kit.Fields{kit.Raw("content", &content), kit.Raw("state", &state)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			kit.SetRole(f, c.String())
		case "messageId":
			if v := c.Skip(); kit.IsString(v) {
				f.Key = kit.HashValue(v)
			} else if n, ok := jsonspan.ParseInt(v); ok {
				f.Key = model.HashNumber("message", n)
			}
		case "usage":
			ampUsage(c.Skip(), f)
		case "meta":
			v := c.Skip()
			if f.Time.Ms == 0 {
				f.Time = kit.MomentOf(jsonspan.Get(v, "sentAt"))
			}
			kit.Keep(f, "meta", v)
		default:
			fields.ReadOrKeep(f, c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return
	}
	ampContent(f, content)
	switch string(jsonspan.GetString(state, "type")) {
	case "cancelled":
		kit.SetStop(f, []byte("cancelled"))
	case "streaming":
		f.Flags |= model.Partial
	case "complete":
		kit.SetStop(f, jsonspan.GetString(state, "stopReason"))
	}
	if f.Role == model.User {
		kit.SplitUserRecord(fs)
	}
}

func ampContent(f *model.Fact, content []byte) {
	if jsonspan.KindOf(content) != jsonspan.Array {
		kit.AddContent(f, content)
		return
	}
	c := jsonspan.New(content)
	for c.Array(); c.More(); {
		if string(kit.LookAt(c, "type")) != "tool_result" {
			kit.AddNextBlock(f, &c)
			continue
		}
		if v := c.Skip(); kit.HasKey(v, "toolUseID") {
			ampResult(f, v)
		} else {
			kit.AddBlock(f, v)
		}
	}
}

// ampResult adds a result with the outcome of its run.
func ampResult(f *model.Fact, v []byte) {
	var id, status, result, failure []byte
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "toolUseID":
			id = c.Skip()
		case "run":
			kit.ReadFields(&c,
				kit.Word("status", &status), kit.Raw("result", &result),
				kit.Raw("error", &failure),
			)
		default:
			c.Skip()
		}
	}
	b := f.Add(model.ToolResult)
	b.ID, b.Text = model.ValueText(id), ampText(result, failure)
	switch o, _ := kit.OutcomeOfStatus(status); {
	case string(status) == "in-progress":
		b.Outcome = model.Running
	case string(status) == "rejected-by-user":
		b.Outcome = model.Denied
	case o == model.Failure:
		b.Outcome = kit.FailureOf(b.Text)
	default:
		b.Outcome = o
	}
	if code, ok := jsonspan.ParseInt(jsonspan.Get(result, "exitCode")); ok && code != 0 && b.Outcome == model.Success {
		b.Outcome = model.Failure
	}
}

func ampText(result, failure []byte) model.Text {
	if !kit.IsEmpty(failure) {
		if m := jsonspan.Get(failure, "message"); kit.IsString(m) {
			return model.ValueText(m)
		}
		return model.ValueText(failure)
	}
	if out := jsonspan.Get(result, "output"); kit.IsString(out) {
		return model.ValueText(out)
	}
	return model.ValueText(result)
}

func ampUsage(v []byte, f *model.Fact) {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return
	}
	f.Usage = ampNumbers.Read(v, model.Each)
	f.Model = model.ValueText(jsonspan.Get(v, "model"))
	if at := jsonspan.Get(v, "timestamp"); at != nil {
		f.Time = kit.MomentOf(at)
	}
}

var ampNumbers = kit.UsageNames{
	Input: "inputTokens", Output: "outputTokens", CacheRead: "cacheReadInputTokens", CacheWrite: "cacheCreationInputTokens",
}
