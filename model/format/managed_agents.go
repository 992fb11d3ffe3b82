package format

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// managedAgentsFormat is the events of a session of Anthropic's Managed Agents, on
// lines of their own, in pairs with the method of the SDK that gave them, or as the
// pages of the API.
func managedAgentsFormat() *model.Format {
	return &model.Format{
		Name:   "managed-agents",
		Title:  "Anthropic Managed Agents events",
		Detect: managedDetect,
		Lists:  managedKind.lists,
		Parse:  managedParse,
	}
}

var managedKind = &frameKind{
	paths:  []string{wholeList, "data", "events"},
	marks:  []string{`"agent.`, `"user.message"`, `"session.status_`, `"span.model_request_`},
	judge:  managedJudge,
	score:  90,
	reason: "events agent.*, user.*, session.* and span.* of a session",
}

func managedDetect(s *model.Sample) model.Match {
	return managedKind.detect(s)
}

func managedJudge(v []byte) int {
	if pair := elements(v, wholeList, 2); len(pair) == 2 && isString(pair[0]) {
		v = pair[1]
	}
	typ := jsonspan.GetString(v, "type")
	switch {
	case string(typ) == "session" && hasKey(v, "agent"), hasKey(v, "events") && !hasKey(v, "dialog_id"):
		return 0
	case hasKey(v, "data") || hasKey(v, "parentId"):
		return -1 // others name their events so, with the data apart
	case (hasPrefix(typ, "agent.") || hasPrefix(typ, "session.") || hasPrefix(typ, "span.")) && (hasKey(v, "processed_at") || hasKey(v, "id")):
		return 1
	case hasPrefix(typ, "user.") && (hasKey(v, "content") || hasKey(v, "processed_at") || hasKey(v, "tool_use_id")):
		return 1
	}
	return -1
}

func managedParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case frameRest(rec):
		frameHolder(&c, fs)
	case c.Kind() == jsonspan.Array:
		managedPair(&c, fs)
	case startObject(&c, fs):
		managedEvent(&c, fs)
	}
	return finish(&c, fs)
}

// managedPair reads the method of the SDK with what it was given or gave. What is
// sent comes back as an event, and is folded here.
func managedPair(c *jsonspan.Cursor, fs *model.Facts) {
	var method []byte
	for i := 0; ; i++ {
		if i == 0 {
			c.Array()
		}
		if !c.More() {
			break
		}
		switch {
		case i == 0 && c.Kind() == jsonspan.String:
			method = c.String()
		case c.Kind() == jsonspan.Object:
			managedEvent(c, fs)
		default:
			v := c.Skip()
			f := fs.Add(model.Note)
			f.Name = model.EscapedText(method)
			f.AddText(model.OtherBlock, model.ValueText(v))
		}
	}
	if fs.Len() == 0 && c.Err == nil {
		note(fs, "empty")
	}
}

// managedFields is the fields of an event.
type managedFields struct {
	typ                                                    []byte // inside
	id, content, name, input, callID, failed, result, deny []byte
	server, usage, stop, failure, agent, title, request    []byte
}

func managedEvent(c *jsonspan.Cursor, fs *model.Facts) {
	start := c.Pos
	f := fs.Add(model.Say)
	var e managedFields
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			e.typ = c.String()
		case "id":
			e.id = c.Skip()
		case "processed_at", "created_at":
			f.Time = readMoment(c)
		case "content":
			e.content = c.Skip()
		case "name", "tool_name":
			e.name = c.Skip()
		case "input":
			e.input = c.Skip()
		case "tool_use_id", "mcp_tool_use_id", "custom_tool_use_id":
			e.callID = c.Skip()
		case "is_error":
			e.failed = c.Skip()
		case "result":
			e.result = c.Skip()
		case "deny_message":
			e.deny = c.Skip()
		case "mcp_server_name":
			e.server = c.Skip()
		case "model_usage", "usage":
			e.usage = c.Skip()
		case "model_request_start_id":
			e.request = c.Skip()
		case "stop_reason":
			e.stop = c.Skip()
		case "error":
			e.failure = c.Skip()
		case "agent":
			e.agent = c.Skip()
		case "title":
			e.title = c.Skip()
		default:
			keepField(f, c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return
	}
	keep(f, "id", e.id)
	f.Record = hashValue(e.id)
	e.say(fs, bytes.TrimSpace(c.Buf[start:c.Pos]))
}

func (e *managedFields) say(fs *model.Facts, raw []byte) {
	f := fs.Last()
	switch typ := string(e.typ); typ {
	case "user.message", "user.interrupt":
		f.Role = model.User
		addContent(f, e.content)
		if typ == "user.interrupt" && isEmpty(e.content) {
			turnToNote(f, e.typ, raw)
			return
		}
		splitUser(fs)
	case "agent.message":
		f.Role = model.Assistant
		addContent(f, e.content)
	case "agent.thinking":
		f.Role = model.Assistant
		if isEmpty(e.content) {
			f.Add(model.Reasoning)
			return
		}
		b := blockFields{reasoning: e.content}
		addReasoning(f, &b)
	case "agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use":
		f.Role = model.Assistant
		keep(f, "mcp_server_name", e.server)
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = model.ValueText(e.id), model.ValueText(e.name), model.ValueText(e.input)
	case "agent.tool_result", "agent.mcp_tool_result", "user.custom_tool_result", "user.tool_result":
		f.Role = model.Tool
		outcome := model.Unknown
		if isTrue(e.failed) {
			outcome = model.Failure
		} else if len(e.failed) == 5 { // false
			outcome = model.Success
		}
		at := len(f.Blocks)
		addResult(f, model.ValueText(e.callID), model.Text{}, e.content, outcome)
		if f.Blocks[at].Outcome == model.Failure && contains(head(f.Blocks[at].Text, 200), "has been rejected") {
			f.Blocks[at].Outcome = model.Denied
		}
	case "session":
		f.Op, f.Record = model.About, 0
		keep(f, "session", e.id)
		keep(f, "title", e.title)
		keep(f, "agent", jsonspan.Get(e.agent, "name"))
		keep(f, "model", jsonspan.Get(e.agent, "model", "id"))
		if system := jsonspan.Get(e.agent, "system"); !isEmpty(system) {
			g := fs.Add(model.Say)
			g.Role = model.System
			g.AddText(model.Words, model.ValueText(system))
		}
	case "session.error":
		f.Role = model.Assistant
		f.Flags |= model.APIError
		f.Outcome, f.Stop = model.Failure, model.StopError
		text := jsonspan.Get(e.failure, "message")
		if !isString(text) {
			text = e.failure
		}
		f.AddText(model.Words, model.ValueText(text))
	case "agent.thread_context_compacted", "session.context_compacted":
		f.Op = model.Compact
		addContent(f, e.content)
	default:
		e.note(f, raw)
	}
}

// note folds what is no message: a confirmation is tied to its call, the end of a
// request brings its usage, an idle session says why.
func (e *managedFields) note(f *model.Fact, raw []byte) {
	kept := len(f.Extra)
	keep(f, "stop_reason", e.stop)
	keep(f, "deny_message", e.deny)
	keep(f, "result", e.result)
	if !isEmpty(e.usage) {
		f.Usage = usageOf(e.usage)
		if f.Usage.Scope != model.NoUsage {
			f.Usage.Key = hashValue(e.request)
		}
	}
	f.Stop = stopOf(jsonspan.GetString(e.stop, "type"))
	if string(e.typ) == "user.tool_confirmation" {
		f.Target = hashValue(e.callID)
		if string(inside(e.result)) == "deny" {
			f.Outcome = model.Denied
		}
	}
	if kept == len(f.Extra) && f.Usage.Scope == model.NoUsage {
		f.AddText(model.OtherBlock, model.ValueText(raw))
	}
	turnToNote(f, e.typ, nil)
}
