package cline

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// clineShown is a message as the user saw it: raw values, nil where absent.
type clineShown struct {
	kind, say, ask        []byte
	text, images, partial []byte
	reasoning, info       []byte

	first bool // the first entry of the task
}

// shortestSeen is the shortest beginning of a list of two entries.
const shortestSeen = `[{"ts":1000000000000,"type":"say","say":""},`

var clineShownFields = kit.TableOf(func(s *clineShown) kit.Fields {
	return kit.Fields{
		kit.Word("type", &s.kind), kit.Word("say", &s.say), kit.Word("ask", &s.ask),
		kit.Raw("text", &s.text), kit.Raw("reasoning", &s.reasoning), kit.Raw("images", &s.images),
		kit.Raw("partial", &s.partial), kit.Raw("modelInfo", &s.info),
	}
})

// clineSeen reads an entry of ui_messages.json into the last fact. Commands and their output, tools
// and their results are separate entries without ids: an output answers the command before it.
func clineSeen(c *jsonspan.Cursor, first bool, fs *model.Facts) {
	f := fs.Last()
	s := clineShown{first: first}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "ts":
			v := c.Skip()
			f.Time = kit.MomentOf(v)
		default:
			clineShownFields.ReadOrKeep(c, &s, f)
		}
	}
	if c.Err == nil {
		s.emit(fs)
	}
}

func (s *clineShown) emit(fs *model.Facts) {
	f := fs.Last()
	if kit.IsTrue(s.partial) {
		f.Flags |= model.Partial
	}
	if s.say != nil {
		s.emitMessage(fs)
	} else {
		s.emitAsk(f)
	}
	if f.Role == model.Assistant && f.Op == model.Say {
		f.Model = clineModel(s.info)
		f.Aside = f.Flags&model.APIError == 0 // a response has an entry for each of its parts
	} else {
		kit.Keep(f, "modelInfo", s.info)
	}
	f = fs.Last()
	if kit.IsNull(s.images) {
		return
	}
	for v := range jsonspan.List(s.images) {
		kit.AddMedia(f, model.Text{}, kit.MediaType("image"), v)
	}
}

func (s *clineShown) words(f *model.Fact) {
	if !kit.IsNull(s.text) {
		f.AddText(model.Words, model.ValueText(s.text))
	}
}

// answer adds words of the model. Streaming leaves entries without any, and so does the end of a
// task.
func (s *clineShown) answer(f *model.Fact, kind []byte) {
	if kit.IsEmpty(s.text) {
		kit.TurnToNote(f, kind, nil)
		return
	}
	f.Role = model.Assistant
	s.words(f)
}

func (s *clineShown) emitMessage(fs *model.Facts) {
	f := fs.Last()
	switch string(s.say) {
	case "task", "user_feedback", "user_feedback_diff":
		f.Role = model.User
		s.words(f)
	case "text", "completion_result":
		if s.first { // the task
			f.Role = model.User
			s.words(f)
			return
		}
		s.answer(f, s.say)
	case "reasoning":
		f.Role = model.Assistant
		text := s.text
		if kit.IsEmpty(text) {
			text = s.reasoning
		}
		f.AddText(model.Reasoning, model.ValueText(text))
	case "command", "tool", "use_mcp_server", "browser_action", "browser_action_launch", "load_mcp_documentation", "generate_explanation":
		s.call(f, s.say)
	case "command_output":
		s.output(f)
	case "mcp_server_response", "browser_action_result":
		f.Role = model.Tool
		kit.AddResult(f, model.Text{}, model.Text{}, s.text, model.Unknown)
	case "error", "api_req_failed", "diff_error":
		f.Role = model.Assistant
		f.Flags |= model.APIError | model.Synthetic
		f.Outcome = model.Failure
		s.words(f)
	case "api_req_started":
		s.request(fs)
	default:
		s.words(f)
		kit.TurnToNote(f, s.say, nil)
	}
}

func (s *clineShown) emitAsk(f *model.Fact) {
	switch string(s.ask) {
	case "followup", "plan_mode_respond", "completion_result":
		for _, field := range [...]string{"question", "response"} {
			if words := s.inText(field); kit.IsString(words) {
				kit.Keep(f, field, s.text) // with the answers to choose from
				s.text = words
			}
		}
		s.answer(f, s.ask)
		kit.Keep(f, "ask", []byte("true"))
	case "command", "tool", "use_mcp_server", "browser_action_launch":
		s.call(f, s.ask)
	case "command_output":
		if kit.IsEmpty(s.text) { // the command runs
			kit.TurnToNote(f, s.ask, nil)
			return
		}
		s.output(f)
	case "api_req_failed":
		f.Role = model.Assistant
		f.Flags |= model.APIError | model.Synthetic
		f.Outcome = model.Failure
		s.words(f)
	default:
		s.words(f)
		kit.TurnToNote(f, s.ask, nil)
	}
}

// inText returns a field of an entry whose text is JSON.
func (s *clineShown) inText(field string) []byte {
	return jsonspan.Get(model.ValueText(s.text).Append(nil), field)
}

// call adds a call. The text of the entry is its arguments or its command.
func (s *clineShown) call(f *model.Fact, name []byte) {
	f.Role = model.Assistant
	b := f.Add(model.ToolCall)
	b.Name, b.Text = model.EscapedText(name), model.ValueText(s.text)
	for _, field := range [...]string{"tool", "toolName"} { // of "tool" and "use_mcp_server"
		if tool := s.inText(field); kit.IsString(tool) {
			b.Name = model.ValueText(tool)
		}
	}
	switch string(name) {
	case "command", "use_mcp_server", "browser_action", "browser_action_launch":
	default: // the result has no separate entry, and its text is not recorded
		r := f.Add(model.ToolResult)
		r.Outcome, r.Text = model.Success, model.NullText()
	}
}

// output adds some lines of the output of a command, which may have several entries: each asks the
// user, or says, how the command goes on.
func (s *clineShown) output(f *model.Fact) {
	f.Role, f.Join = model.Tool, model.Extend
	kit.AddResult(f, model.Text{}, model.Text{}, s.text, model.Unknown)
	f.Blocks[len(f.Blocks)-1].Key = model.HashString("output")
}

// request adds the usage of a request, whose response follows; its numbers are JSON in a string.
func (s *clineShown) request(fs *model.Facts) {
	f := fs.Last()
	u := clineUINumbers.Read(model.ValueText(s.text).Append(nil), model.Each)
	if v := s.inText("cancelReason"); !kit.IsEmpty(v) {
		f.Flags |= model.Interrupted
		kit.Keep(f, "cancelReason", v)
	}
	f.AddText(model.OtherBlock, model.ValueText(s.text))
	kit.TurnToNote(f, s.say, nil)
	f.Aside = true
	if u.Input >= 0 || u.Output >= 0 {
		m := fs.Add(model.Meter)
		m.Usage = u
	}
}

var clineUINumbers = kit.UsageNames{Input: "tokensIn", Output: "tokensOut", CacheRead: "cacheReads", CacheWrite: "cacheWrites", Cost: "cost"}
