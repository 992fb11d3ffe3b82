package format

import (
	"turns/model"
	"turns/model/jsonspan"
)

// piStreamFormat is what pi --mode json prints: events that say a message again
// and again as it grows, and once more at the end of the turn and of the run.
func piStreamFormat() *model.Format {
	return &model.Format{
		Name:   "pi-stream",
		Title:  "Pi --mode json",
		Detect: piStreamDetect,
		Parse:  piStreamParse,
	}
}

func piStreamDetect(s *model.Sample) model.Match {
	return mostLines(s, 90, "events message_start, message_update, tool_execution_… of a run", func(line []byte) bool {
		switch string(jsonspan.GetString(line, "type")) {
		case "message_start", "message_update", "message_end":
			return jsonspan.Get(line, "message", "role") != nil
		case "tool_execution_start", "tool_execution_update", "tool_execution_end":
			return hasKey(line, "toolCallId")
		case "agent_start", "agent_end", "turn_start", "turn_end":
			return true
		}
		return false
	})
}

func piStreamParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !startObject(&c, fs) {
		return finish(&c, fs)
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
			keep(f, "cwd", c.Skip())
		case "timestamp":
			f.Time = readMoment(&c)
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
		keep(f, "session", id)
	case "auto_compaction_end", "compaction_end":
		f.Op = model.Compact
		f.Name = model.EscapedText(kind)
		f.AddText(model.Words, model.ValueText(jsonspan.Get(result, "summary")))
	case "message_start", "message_update", "turn_end", "agent_end": // they say what message_end says
		turnToNote(f, kind, nil)
	default:
		f.Target = hashValue(callID)
		if !isEmpty(failure) {
			f.AddText(model.Words, model.ValueText(failure))
			keepOthers(f, c.Buf[from:c.Pos], "type", "toolCallId", "errorMessage", "timestamp", "cwd")
		}
		turnToNote(f, kind, c.Buf[from:c.Pos])
	}
	return finish(&c, fs)
}

// piStreamMessage says a message, which has no id.
func piStreamMessage(fs *model.Facts, v []byte) {
	var m piMessage
	c := jsonspan.New(v)
	m.read(&c, fs.Last())
	m.tell(fs)
}
