package kiro

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Format reads sessions of Kiro CLI: one line for each prompt, answer and set of results or, since
// version 3, for each message and action.
func Format() *model.Format {
	return &model.Format{
		Name:   "kiro",
		Deltas: true,
		Title:  "Kiro CLI session",
		Where:  []string{"~/.kiro/sessions/cli/*.jsonl", "~/.kiro/sessions/*/sess_*", "~/.local/share/kiro-cli/data.sqlite3", "~/.local/share/amazon-q/data.sqlite3"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InTables, Score: 85, Reason: "a table conversations_v2 with key, conversation_id and value",
				Is: kit.Signs{"conversations_v2: key, conversation_id, value"}},
			kit.Clue{In: kit.InTables, Score: 50, Reason: "a table conversations with key and value", Is: kit.Signs{"conversations: key, value"}},
			kit.Clue{In: kit.InFiles, Score: 91, Variant: kiroV3, Reason: "files session.json and messages.jsonl", Is: kit.Signs{kiroSession, kiroMessages}},
			kit.Clue{Score: 93, Reason: "lines with version v1, kind and data",
				Is: kit.Signs{"+ kind=Prompt|AssistantMessage|ToolResults & data & version:string", "~ kind & data & version:string"}},
			kit.Clue{Score: 90, Variant: kiroV3, Reason: "lines whose payload is of the type user, assistant, tool_call, usage_summary, …",
				Is: kit.Signs{"+ payload.type=user|assistant|usage_summary & !type",
					"~ payload.type=tool_call|tool_result|session_metadata|turn_start|turn_end & !type"}},
		),
		Unroll: &model.Unroll{Queries: kiroQueries, Brief: kiroBrief, Together: true, Members: kiroMembers},
		Parse:  kiroParse,
	}
}

type kiroLine struct {
	kind, summary []byte
}

func kiroParse(rec model.Record, fs *model.Facts) error {
	switch {
	case rec.List == kiroSession:
		return kiroParseSession(rec, fs)
	case rec.Variant == kiroV3:
		return kiroParseV3(rec, fs)
	case rec.List != "":
		return kiroParseRow(rec, fs)
	}
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
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
			kit.KeepField(f, &c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	l.emit(fs)
	return kit.Finish(&c, fs)
}

func (l *kiroLine) readData(c *jsonspan.Cursor, f *model.Fact) {
	switch string(c.Name) {
	case "message_id":
		f.Key = kit.HashValue(c.Skip())
	case "content":
		l.readContent(c, f)
	case "summary":
		l.summary = c.Skip()
	case "results": // repeats the content for the program
		c.Skip()
	case "meta":
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "timestamp":
				f.Time = kit.ReadMoment(c)
			default:
				kit.KeepField(f, c)
			}
		}
	default:
		kit.KeepField(f, c)
	}
}

func (l *kiroLine) emit(fs *model.Facts) {
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
		return
	default:
		kit.Keep(f, "summary", l.summary)
		kit.TurnToNote(f, l.kind, nil)
		return
	}
	if f.Role != model.Assistant {
		f.Role = model.User
		kit.SplitUserRecord(fs)
	}
}

// readContent reads the blocks of a message into the fact.
func (l *kiroLine) readContent(c *jsonspan.Cursor, f *model.Fact) {
	if c.Kind() != jsonspan.Array {
		kit.AddContent(f, c.Skip())
		return
	}
	answer := string(l.kind) == "AssistantMessage"
	for c.Array(); c.More(); {
		c.Kind()
		from := c.Pos
		var kind, late []byte
		known := false
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "kind":
				kind = c.String()
			case "data":
				if kind == nil {
					late = c.Skip()
					continue
				}
				known = kiroBlock(f, c, kind, answer)
			default:
				c.Skip()
			}
		}
		if late != nil {
			data := jsonspan.New(late)
			known = kiroBlock(f, &data, kind, answer)
		}
		if !known && c.Err == nil {
			kit.AddOther(f, kind, c.Buf[from:c.Pos])
		}
	}
}

// kiroBlock reads the data of a block. It returns false for an unknown kind.
func kiroBlock(f *model.Fact, c *jsonspan.Cursor, kind []byte, answer bool) bool {
	switch string(kind) {
	case "text":
		if v := c.Skip(); !answer || len(v) > 2 { // answers that only call have an empty text
			f.AddText(model.Words, model.ValueText(v))
		}
	case "thinking", "reasoning":
		v := c.Skip()
		if t := jsonspan.Get(v, "text"); t != nil {
			v = t
		}
		f.AddText(model.Reasoning, model.ValueText(v))
	case "toolUse":
		b := kit.ReadCall(f, c)
		b.Key = b.ID.Hash()
	case "toolResult":
		kiroResult(f, c)
	case "image":
		kit.AddSource(f, model.Text{}, kit.MediaType("image"), c.Skip())
	default:
		c.Skip()
		return false
	}
	return true
}

func kiroResult(f *model.Fact, c *jsonspan.Cursor) {
	b := f.Add(model.ToolResult)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "toolUseId":
			b.ID = model.ValueText(c.Skip())
		case "content":
			b.Text = kiroSole(c)
		case "status":
			b.Outcome, _ = kit.OutcomeOfStatus(c.String())
		default:
			c.Skip()
		}
	}
	switch b.Outcome {
	case model.Failure:
		b.Outcome = kit.FailureOf(b.Text)
	case model.Success: // Kiro records any command that ran as a success, whatever its exit code
		if code, ok := jsonspan.ParseInt(kiroExit(b.Text)); ok && code != 0 {
			b.Outcome = model.Failure
		}
	}
}

// kiroExit returns the exit status in the result of a command.
func kiroExit(t model.Text) []byte {
	if t.Encoding() != model.JSONValue || !kit.Contains(kit.Head(t, 4096), `"exit_status"`) && t.Size() < 4096 {
		return nil
	}
	v := jsonspan.GetString(t.Raw(), "exit_status")
	const before = "exit status: "
	if len(v) > len(before) && kit.HasPrefix(v, before) {
		return v[len(before):]
	}
	return v
}

// kiroSole reads a list of contents. It returns the text or value of the only element, or the list
// itself if it has several.
func kiroSole(c *jsonspan.Cursor) model.Text {
	c.Kind()
	from, n := c.Pos, 0
	var data []byte
	for c.Array(); c.More(); n++ {
		for c.Object(); c.Key(); {
			if string(c.Name) == "data" {
				data = c.Skip()
			} else {
				c.Skip()
			}
		}
	}
	if n == 1 && data != nil {
		return model.ValueText(data)
	}
	return model.ValueText(c.Buf[from:c.Pos])
}
