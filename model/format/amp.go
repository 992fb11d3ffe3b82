package format

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// ampFormat is a thread of Amp: a document with messages whose results name their
// call in camel case and hold a run.
func ampFormat() *model.Format {
	return &model.Format{
		Name:   "amp",
		Title:  "Amp thread",
		Where:  []string{"~/.local/share/amp/threads/T-*.json"},
		Detect: ampDetect,
		Lists:  func(model.Match) []string { return []string{"messages"} },
		Parse:  ampParse,
	}
}

func ampDetect(s *model.Sample) model.Match {
	doc := sampleDocument(s)
	if doc == nil || !hasKey(doc, "messages") {
		return model.Match{}
	}
	if bytes.HasPrefix(jsonspan.GetString(doc, "id"), []byte("T-")) && (hasKey(doc, "v") || hasKey(doc, "created")) {
		return model.Match{Score: 92, Reason: "a document with an id T-…, v, created and messages"}
	}
	for _, m := range elements(doc, "messages", 20) {
		if hasKey(m, "messageId") && jsonspan.GetString(m, "role") != nil && bytes.Contains(m, []byte(`"toolUseID"`)) {
			return model.Match{Score: 85, Reason: "messages with messageId and toolUseID"}
		}
	}
	return model.Match{}
}

func ampParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !startObject(&c, fs) {
		return finish(&c, fs)
	}
	if rec.List != "" {
		ampMessage(&c, fs)
		return finish(&c, fs)
	}
	var list []byte
	f := fs.Add(model.About)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			keep(f, "session", c.Skip())
		case "title":
			keep(f, "title", c.Skip())
		case "created":
			f.Time = readMoment(&c)
		case "messages":
			list = c.Skip()
		case "env":
			v := c.Skip()
			trees := jsonspan.New(jsonspan.Get(v, "initial", "trees"))
			if trees.Array(); trees.More() {
				if uri := jsonspan.Get(trees.Skip(), "uri"); isString(uri) {
					f.Keep("cwd", model.EscapedText(bytes.TrimPrefix(inside(uri), []byte("file://"))))
				}
			}
			keep(f, "env", v)
		default:
			keepField(f, &c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	m := jsonspan.New(list)
	for m.Array(); m.More(); {
		if startObject(&m, fs) {
			ampMessage(&m, fs)
		}
	}
	if m.Err != nil {
		return m.Err
	}
	return finish(&c, fs)
}

func ampMessage(c *jsonspan.Cursor, fs *model.Facts) {
	f := fs.Add(model.Say)
	var content, state []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			setRole(f, c.String())
		case "messageId":
			if v := c.Skip(); isString(v) {
				f.Key = hashValue(v)
			} else if n, ok := jsonspan.ParseInt(v); ok {
				f.Key = model.HashNumber("message", n)
			}
		case "content":
			content = c.Skip()
		case "usage":
			ampUsage(c.Skip(), f)
		case "state":
			state = c.Skip()
		case "meta":
			v := c.Skip()
			if f.Time.Ms == 0 {
				f.Time = momentOf(jsonspan.Get(v, "sentAt"))
			}
			keep(f, "meta", v)
		default:
			keepField(f, c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return
	}
	ampContent(f, content)
	switch string(jsonspan.GetString(state, "type")) {
	case "cancelled":
		setStop(f, []byte("cancelled"))
	case "streaming":
		f.Flags |= model.Partial
	case "complete":
		setStop(f, jsonspan.GetString(state, "stopReason"))
	}
	if f.Role == model.User {
		splitUserRecord(fs)
	}
}

func ampContent(f *model.Fact, content []byte) {
	if jsonspan.KindOf(content) != jsonspan.Array {
		addContent(f, content)
		return
	}
	c := jsonspan.New(content)
	for c.Array(); c.More(); {
		if string(lookAt(c, "type")) != "tool_result" {
			addNextBlock(f, &c)
			continue
		}
		if v := c.Skip(); hasKey(v, "toolUseID") {
			ampResult(f, v)
		} else {
			addBlock(f, v)
		}
	}
}

// ampResult adds a result: the run says how it ended.
func ampResult(f *model.Fact, v []byte) {
	var id, status, result, failure []byte
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "toolUseID":
			id = c.Skip()
		case "run":
			for c.Object(); c.Key(); {
				switch string(c.Name) {
				case "status":
					status = c.String()
				case "result":
					result = c.Skip()
				case "error":
					failure = c.Skip()
				default:
					c.Skip()
				}
			}
		default:
			c.Skip()
		}
	}
	b := f.Add(model.ToolResult)
	b.ID, b.Text = model.ValueText(id), ampText(result, failure)
	switch o, _ := outcomeOfStatus(status); {
	case string(status) == "in-progress":
		b.Outcome = model.Running
	case string(status) == "rejected-by-user":
		b.Outcome = model.Denied
	case o == model.Failure:
		b.Outcome = failureOf(b.Text)
	default:
		b.Outcome = o
	}
	if code, ok := jsonspan.ParseInt(jsonspan.Get(result, "exitCode")); ok && code != 0 && b.Outcome == model.Success {
		b.Outcome = model.Failure
	}
}

func ampText(result, failure []byte) model.Text {
	if !isEmpty(failure) {
		if m := jsonspan.Get(failure, "message"); isString(m) {
			return model.ValueText(m)
		}
		return model.ValueText(failure)
	}
	if out := jsonspan.Get(result, "output"); isString(out) {
		return model.ValueText(out)
	}
	return model.ValueText(result)
}

func ampUsage(v []byte, f *model.Fact) {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return
	}
	f.Usage = ampNumbers.read(v, model.Each)
	f.Model = model.ValueText(jsonspan.Get(v, "model"))
	if at := jsonspan.Get(v, "timestamp"); at != nil {
		f.Time = momentOf(at)
	}
}

var ampNumbers = usageNames{
	input: "inputTokens", output: "outputTokens", cacheRead: "cacheReadInputTokens", cacheWrite: "cacheCreationInputTokens",
}
