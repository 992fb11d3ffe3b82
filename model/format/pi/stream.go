package pi

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// StreamFormat reads the output of pi --mode json: events that repeat a message while it grows, and
// again at the end of the turn and of the session.
func StreamFormat() *model.Format {
	return &model.Format{
		Name:  "pi-stream",
		Title: "Pi --mode json",
		Detect: kit.Clues(
			kit.Clue{Score: 90, Reason: "events message_start, message_update, tool_execution_… of a run", Is: kit.Signs{
				"type=message_start|message_update|message_end & message.role",
				"type=tool_execution_start|tool_execution_update|tool_execution_end & toolCallId",
				"type=agent_start|agent_end|turn_start|turn_end"}},
		),
		Parse: piStreamParse,
	}
}

func piStreamParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	c.Kind()
	from := c.Pos
	f := fs.Add(model.Say)
	var kind, message, callID, result, failure, id []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			kind = c.String()
		case "message":
			message = c.Skip()
		case "toolCallId":
			callID = c.Skip()
		case "result", "partialResult":
			result = c.Skip()
		case "errorMessage":
			failure = c.Skip()
		case "id":
			id = c.Skip()
		case "cwd":
			kit.Keep(f, "cwd", c.Skip())
		case "timestamp":
			f.Time = kit.ReadMoment(&c)
		default:
			c.Skip()
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	switch string(kind) {
	case "message_end":
		piStreamMessage(fs, message)
	case "session":
		f.Op = model.About
		kit.Keep(f, "session", id)
	case "auto_compaction_end", "compaction_end":
		f.Op = model.Compact
		f.Name = model.EscapedText(kind)
		f.AddText(model.Words, model.ValueText(jsonspan.Get(result, "summary")))
	// they repeat message_end
	case "message_start", "message_update", "turn_end", "agent_end":
		kit.TurnToNote(f, kind, nil)
	default:
		f.Target = kit.HashValue(callID)
		if !kit.IsEmpty(failure) {
			f.AddText(model.Words, model.ValueText(failure))
			kit.KeepOthers(f, c.Buf[from:c.Pos], "type", "toolCallId", "errorMessage", "timestamp", "cwd")
		}
		kit.TurnToNote(f, kind, c.Buf[from:c.Pos])
	}
	return kit.Finish(&c, fs)
}

// piStreamMessage adds a message, which has no id.
func piStreamMessage(fs *model.Facts, v []byte) {
	var m piMessage
	c := jsonspan.New(v)
	m.read(&c, fs.Last())
	m.emit(fs)
}
