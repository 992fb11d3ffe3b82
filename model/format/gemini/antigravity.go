package gemini

import (
	"bytes"
	"strconv"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// AntigravityFormat reads transcripts of Antigravity CLI: one step per line, not in the order
// of the steps. A tool's result is a separate step whose type is the tool. Calls have no ids: a
// result answers the oldest open call, of the same tool if the type names one.
func AntigravityFormat() *model.Format {
	return &model.Format{
		Name:  "antigravity",
		Title: "Antigravity CLI transcript",
		Where: []string{"~/.gemini/antigravity-cli/brain/*/.system_generated/logs/transcript.jsonl", "~/.gemini/antigravity/brain/*/.system_generated/logs/transcript.jsonl"},
		Detect: kit.Clues(
			kit.Clue{Score: 95, Reason: "steps with step_index, source and type", Is: kit.Signs{"step_index & source & type"}},
		),
		Parse: antigravityParse,
		Order: model.BySeq,
	}
}

type antigravityStep struct {
	source, kind, status, created  []byte
	content, thinking, calls, fail []byte
}

var antigravityStepFields = kit.TableOf(func(s *antigravityStep) kit.Fields {
	return kit.Fields{
		kit.Raw("content", &s.content), kit.Raw("thinking", &s.thinking), kit.Raw("tool_calls", &s.calls), kit.Raw("error", &s.fail),
	}
})

func antigravityParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	f := fs.Add(model.Say)
	var s antigravityStep
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "step_index":
			name, v := c.Name, c.Skip()
			if n, ok := jsonspan.ParseInt(v); ok {
				f.Seq = n + 1 // zero means no place
			}
			kit.KeepNamed(f, name, v)
		case "source":
			name, v := c.Name, c.Skip()
			s.source = kit.Inside(v)
			kit.KeepNamed(f, name, v)
		case "type":
			v := c.Skip()
			s.kind = kit.Inside(v)
			kit.Keep(f, "type", v)
		case "status":
			v := c.Skip()
			s.status = kit.Inside(v)
			kit.Keep(f, "status", v)
		case "created_at":
			s.created = c.Skip()
			f.Time = kit.MomentOf(s.created)
		case "model":
			f.Model = model.ValueText(c.Skip())
		default:
			antigravityStepFields.ReadOrKeep(&c, &s, f)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	if f.Seq > 0 { // a step that the user goes back to has its number, but not its time
		f.Key = model.HashNumber("step", f.Seq-1).With(s.created)
	}
	s.emit(fs)
	return kit.Finish(&c, fs)
}

func (s *antigravityStep) emit(fs *model.Facts) {
	f := fs.Last()
	switch string(s.kind) {
	case "USER_INPUT":
		s.emitUser(fs)
	case "PLANNER_RESPONSE":
		f.Role = model.Assistant
		s.setEnd(f)
		if !kit.IsEmpty(s.thinking) {
			f.AddText(model.Reasoning, model.ValueText(s.thinking))
		}
		if !kit.IsEmpty(s.content) {
			f.AddText(model.Words, model.ValueText(s.content))
		}
		s.addCalls(f)
	case "ERROR_MESSAGE":
		f.Role = model.System
		f.Flags |= model.APIError | model.Synthetic
		f.Outcome, f.Stop = model.Failure, model.StopError
		f.AddText(model.Words, model.ValueText(kit.Or(s.content, s.fail)))
	case "CHECKPOINT":
		f.Op, f.Key = model.Compact, 0
		f.AddText(model.Words, model.ValueText(s.content))
	case "EPHEMERAL_MESSAGE", "SYSTEM_MESSAGE":
		f.Role = model.System
		f.Flags |= model.Injected
		f.AddText(model.Words, model.ValueText(s.content))
	default:
		if string(s.source) == "MODEL" && !kit.IsNull(s.content) {
			s.emitResult(fs)
			return
		}
		if !kit.IsEmpty(s.content) {
			f.AddText(model.Words, model.ValueText(s.content))
		}
		kit.TurnToNote(f, s.kind, nil)
	}
}

// emitUser splits the request from the text that the program wrote around it.
func (s *antigravityStep) emitUser(fs *model.Facts) {
	f := fs.Last()
	f.Role = model.User
	text := model.ValueText(s.content)
	from, to := antigravityRequest(text)
	if to == 0 {
		f.AddText(model.Words, text)
		return
	}
	f.AddText(model.Words, text.Cut(from, to).TrimSpace())
	rest := text.Cut(to, text.Size())
	if i := bytes.IndexByte(rest.Raw(), '>'); i >= 0 { // after the closing tag
		rest = rest.Cut(i+1, rest.Size())
	}
	if rest.Blank() {
		return
	}
	g := *f
	h := fs.Add(model.Say)
	h.Role, h.Flags, h.Time, h.Seq = model.User, model.Injected, g.Time, g.Seq
	h.Key = g.Key.With([]byte("around"))
	h.AddText(model.Words, rest.TrimSpace())
}

// antigravityRequest returns the offsets of the user's own words in a prompt; 0, 0 if they are not
// marked. < and > may be escaped.
func antigravityRequest(t model.Text) (from, to int) {
	raw := t.Raw()
	for _, tags := range [...][2]string{
		{"<USER_REQUEST>", "</USER_REQUEST>"}, {`\u003cUSER_REQUEST\u003e`, `\u003c/USER_REQUEST\u003e`},
	} {
		if !bytes.HasPrefix(raw, []byte(tags[0])) {
			continue
		}
		if end := bytes.Index(raw, []byte(tags[1])); end >= 0 {
			return len(tags[0]), end
		}
	}
	return 0, 0
}

func (s *antigravityStep) addCalls(f *model.Fact) {
	if kit.IsNull(s.calls) {
		return
	}
	c := jsonspan.New(s.calls)
	for c.Array(); c.More(); {
		b := f.Add(model.ToolCall)
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "name":
				b.Name = model.ValueText(c.Skip())
			case "args", "arguments":
				b.Text = model.ValueText(c.Skip())
			case "id":
				b.ID = model.ValueText(c.Skip())
			default:
				c.Skip()
			}
		}
	}
}

// emitResult adds the result of a tool. Some steps also contain the call, and are its only record.
func (s *antigravityStep) emitResult(fs *model.Facts) {
	f := fs.Last()
	var id model.Text
	if at := len(f.Blocks); !kit.IsEmpty(s.calls) {
		f.Role = model.Assistant
		s.addCalls(f)
		if len(f.Blocks) == at+1 { // with several calls, the answered one is unknown
			b := &f.Blocks[at]
			if b.ID.Blank() {
				b.ID = model.StringText("step " + strconv.FormatInt(f.Seq-1, 10))
			}
			id = b.ID
		}
		call := *f
		f = fs.Add(model.Say)
		f.Time, f.Seq, f.Key = call.Time, call.Seq, call.Key.With([]byte("result"))
	}
	f.Role = model.Tool
	b := f.Add(model.ToolResult)
	b.ID = id
	b.Name = antigravityTool(s.kind)
	b.Text = model.ValueText(s.content)
	b.Outcome = antigravityStatus(s.status)
	if b.Outcome == model.Failure || b.Outcome == model.Success && antigravityFailed(b.Text) {
		b.Outcome = kit.FailureOf(b.Text)
	}
	kit.Keep(f, "error", s.fail)
}

// antigravityTool returns the tool of a step; empty if the type of the step is not its name.
func antigravityTool(kind []byte) model.Text {
	switch string(kind) {
	case "RUN_COMMAND":
		return model.StringText("run_command")
	case "VIEW_FILE":
		return model.StringText("view_file")
	case "SEARCH_WEB":
		return model.StringText("search_web")
	case "INVOKE_SUBAGENT":
		return model.StringText("invoke_subagent")
	}
	return model.Text{}
}

// antigravityFailed reports whether the text of a finished step reports a failure of its tool.
func antigravityFailed(t model.Text) bool {
	text := kit.Head(t, kit.OutcomeWindow)
	return kit.Contains(text, "The command failed with exit code") || kit.Contains(text, "Encountered error in step execution")
}

// setEnd marks a response that did not end well.
func (s *antigravityStep) setEnd(f *model.Fact) {
	switch f.Outcome = antigravityStatus(s.status); f.Outcome {
	case model.Failure:
		f.Flags |= model.APIError
		f.Stop = model.StopError
	case model.Cancelled, model.Stopped:
		f.Flags |= model.Interrupted
		f.Outcome, f.Stop = model.Stopped, model.StopAborted
	case model.Running:
		f.Flags |= model.Partial
		f.Outcome = model.Unknown
	default:
		f.Outcome = model.Unknown
	}
}

func antigravityStatus(status []byte) model.Outcome {
	switch string(status) {
	case "DONE", "COMPLETED":
		return model.Success
	case "ERROR", "FAILED", "INVALID":
		return model.Failure
	case "CANCELED", "CANCELLED", "CLEARED":
		return model.Cancelled
	case "INTERRUPTED", "HALTED":
		return model.Stopped
	case "PENDING", "RUNNING", "WAITING", "QUEUED", "GENERATING":
		return model.Running
	}
	return model.Unknown
}
