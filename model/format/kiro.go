package format

import (
	"turns/model"
	"turns/model/jsonspan"
)

// kiroFormat is a session of Kiro CLI: a line for each prompt, answer and set of
// results.
func kiroFormat() *model.Format {
	return &model.Format{
		Name:   "kiro",
		Title:  "Kiro CLI session",
		Where:  []string{"~/.kiro/sessions/cli/*.jsonl"},
		Detect: kiroDetect,
		Parse:  kiroParse,
	}
}

func kiroDetect(s *model.Sample) model.Match {
	known := 0
	m := cliMost(s, 93, "lines with version v1, kind and data", func(line []byte) bool {
		switch string(jsonspan.GetString(line, "kind")) {
		case "Prompt", "AssistantMessage", "ToolResults":
			known++
		}
		return hasKey(line, "kind") && hasKey(line, "data") && jsonspan.GetString(line, "version") != nil
	})
	if known == 0 {
		return model.Match{}
	}
	return m
}

type kiroLine struct {
	kind, content, summary, results []byte
}

func kiroParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !cliStart(&c, fs) {
		return finish(&c, fs)
	}
	f := fs.Add(model.Say)
	var l kiroLine
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "kind":
			l.kind = c.String()
		case "data":
			for c.Object(); c.Key(); {
				l.readData(&c, f)
			}
		case "version":
			c.Skip()
		default:
			name := c.Name
			cliKeep(f, name, c.Skip())
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	l.tell(fs)
	return finish(&c, fs)
}

func (l *kiroLine) readData(c *jsonspan.Cursor, f *model.Fact) {
	switch string(c.Name) {
	case "message_id":
		f.Key = hashValue(c.Skip())
	case "content":
		l.content = c.Skip()
	case "summary":
		l.summary = c.Skip()
	case "results": // says the same as the content, for the program
		c.Skip()
	case "meta":
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "timestamp":
				f.Time = readMoment(c)
			default:
				name := c.Name
				cliKeep(f, name, c.Skip())
			}
		}
	default:
		name := c.Name
		cliKeep(f, name, c.Skip())
	}
}

func (l *kiroLine) tell(fs *model.Facts) {
	f := fs.Last()
	switch string(l.kind) {
	case "Prompt":
		f.Role = model.User
	case "AssistantMessage":
		f.Role = model.Assistant
	case "ToolResults":
		f.Role = model.Tool
	case "Compaction", "Summary":
		f.Op, f.Key = model.Compact, 0
		f.AddText(model.Words, model.ValueText(l.summary))
		l.add(f)
		return
	default:
		l.add(f)
		keep(f, "summary", l.summary)
		cliNote(f, l.kind, nil)
		return
	}
	l.add(f)
	if f.Role != model.Assistant {
		f.Role = model.User
		cliSplitUser(fs)
	}
}

func (l *kiroLine) add(f *model.Fact) {
	if jsonspan.KindOf(l.content) != jsonspan.Array {
		addContent(f, l.content)
		return
	}
	c := jsonspan.New(l.content)
	for c.Array(); c.More(); {
		item := c.Skip()
		var kind, data []byte
		fields := jsonspan.New(item)
		for fields.Object(); fields.Key(); {
			switch string(fields.Name) {
			case "kind":
				kind = fields.String()
			case "data":
				data = fields.Skip()
			default:
				fields.Skip()
			}
		}
		kiroBlock(f, kind, data, item)
	}
}

func kiroBlock(f *model.Fact, kind, data, item []byte) {
	switch string(kind) {
	case "text":
		if f.Role != model.Assistant || len(data) > 2 { // answers that only call have an empty text
			f.AddText(model.Words, model.ValueText(data))
		}
	case "thinking", "reasoning":
		text := data
		if t := jsonspan.Get(data, "text"); t != nil {
			text = t
		}
		f.AddText(model.Reasoning, model.ValueText(text))
	case "toolUse":
		b := f.Add(model.ToolCall)
		c := jsonspan.New(data)
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "toolUseId":
				b.ID = model.ValueText(c.Skip())
			case "name":
				b.Name = model.ValueText(c.Skip())
			case "input":
				b.Text = model.ValueText(c.Skip())
			default:
				c.Skip()
			}
		}
		b.Key = b.ID.Hash()
	case "toolResult":
		kiroResult(f, data)
	case "image":
		addSource(f, model.Text{}, mediaTypes["image"], data)
	default:
		b := f.Add(model.OtherBlock)
		b.Name, b.Text = model.EscapedText(kind), model.ValueText(item)
	}
}

func kiroResult(f *model.Fact, v []byte) {
	b := f.Add(model.ToolResult)
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "toolUseId":
			b.ID = model.ValueText(c.Skip())
		case "content":
			b.Text = kiroSole(c.Skip())
		case "status":
			b.Outcome, _ = outcomeOfStatus(c.String())
		default:
			c.Skip()
		}
	}
	switch b.Outcome {
	case model.Failure:
		b.Outcome = failureOf(b.Text)
	case model.Success: // a command that ran is a success whatever it returned
		if code, ok := jsonspan.ParseInt(kiroExit(b.Text)); ok && code != 0 {
			b.Outcome = model.Failure
		}
	}
}

// kiroExit is the exit status in the result of a command.
func kiroExit(t model.Text) []byte {
	if t.Encoding() != model.JSONValue || !contains(head(t, 4096), `"exit_status"`) && t.Size() < 4096 {
		return nil
	}
	v := jsonspan.GetString(t.Raw(), "exit_status")
	const before = "exit status: "
	if len(v) > len(before) && hasPrefix(v, before) {
		return v[len(before):]
	}
	return v
}

// kiroSole is the text or value of a list of contents that holds one.
func kiroSole(v []byte) model.Text {
	var data []byte
	n := 0
	c := jsonspan.New(v)
	for c.Array(); c.More(); n++ {
		data = jsonspan.Get(c.Skip(), "data")
	}
	if n == 1 && data != nil {
		return model.ValueText(data)
	}
	return model.ValueText(v)
}
