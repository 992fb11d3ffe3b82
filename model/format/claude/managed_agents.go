package claude

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// ManagedAgentsFormat reads the events of a session of Anthropic's Managed Agents: one per line, in
// pairs with the SDK method that returned them, or as pages of the API.
func ManagedAgentsFormat() *model.Format {
	return &model.Format{
		Name:    "managed-agents",
		Highest: 90,
		Title:   "Anthropic Managed Agents events",
		Detect:  managedKind.Detect,
		Lists:   managedKind.Lists,
		Parse:   managedParse,
	}
}

var managedKind = &kit.FrameKind{
	Paths:  []string{kit.WholeList, "data", "events"},
	Marks:  []string{`"agent.`, `"user.message"`, `"session.status_`, `"span.model_request_`},
	Judge:  managedJudge,
	Score:  90,
	Reason: "events agent.*, user.*, session.* and span.* of a session",
}

func managedJudge(v []byte) int {
	if pair := kit.Elements(v, kit.WholeList, 2); len(pair) == 2 && jsonspan.IsTuple(v) {
		v = pair[1]
	}
	return managedVote(v)
}

var managedVote = kit.Judge(
	"~ type=session & agent",
	"~ events & !dialog_id",
	"- data|parentId", // other formats use these event names with separate data
	"+ type=agent.*|session.*|span.* & processed_at|id",
	"+ type=user.* & content|processed_at|tool_use_id",
)

func managedParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case kit.FrameRest(rec):
		kit.FrameHolder(&c, fs)
	case c.Kind() == jsonspan.Array:
		managedPair(&c, fs)
	case kit.StartObject(&c, fs):
		managedEvent(&c, fs)
	}
	return kit.Finish(&c, fs)
}

// managedPair reads an SDK method with its parameter or result. A sent event also comes back as an
// event, and is folded here.
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
		kit.Note(fs, "empty")
	}
}

// managedFields holds the fields of an event.
type managedFields struct {
	typ                                                      []byte // without quotes
	id, content, name, input, callID, failed, result, deny   []byte
	server, usage, sum, stop, failure, agent, title, request []byte
	permission, description                                  []byte
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
			f.Time = kit.ReadMoment(c)
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
		case "model_usage":
			e.usage = c.Skip()
		case "usage": // of the session or its thread so far
			e.sum = c.Skip()
		case "model_request_start_id":
			e.request = c.Skip()
		case "stop_reason":
			e.stop = c.Skip()
		case "evaluated_permission":
			e.permission = c.Skip()
			kit.Keep(f, "evaluated_permission", e.permission)
		case "error":
			e.failure = c.Skip()
		case "agent":
			e.agent = c.Skip()
		case "title":
			e.title = c.Skip()
		case "description":
			e.description = c.Skip()
		default:
			kit.KeepField(f, c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return
	}
	kit.Keep(f, "id", e.id)
	f.Record = kit.HashValue(e.id)
	e.emitMessage(fs, bytes.TrimSpace(c.Buf[start:c.Pos]))
}

func (e *managedFields) emitMessage(fs *model.Facts, raw []byte) {
	f := fs.Last()
	switch typ := string(e.typ); typ {
	case "user.message", "user.interrupt":
		f.Role = model.User
		kit.AddContent(f, e.content)
		if typ == "user.interrupt" && kit.IsEmpty(e.content) {
			kit.TurnToNote(f, e.typ, raw)
			return
		}
		kit.SplitUser(fs)
	case "user.define_outcome": // the task, with a rubric that a grader reads
		f.Role = model.User
		f.AddText(model.Words, model.ValueText(e.description))
	case "agent.message":
		f.Role = model.Assistant
		kit.AddContent(f, e.content)
	case "agent.thinking":
		f.Role = model.Assistant
		if kit.IsEmpty(e.content) {
			f.Add(model.Reasoning)
			return
		}
		b := kit.BlockFields{Reasoning: e.content}
		kit.AddReasoning(f, &b)
	case "agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use":
		f.Role = model.Assistant
		kit.Keep(f, "mcp_server_name", e.server)
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = model.ValueText(e.id), model.ValueText(e.name), model.ValueText(e.input)
		b.Leave = string(kit.Inside(e.permission)) == "ask"
	case "agent.tool_result", "agent.mcp_tool_result", "user.custom_tool_result", "user.tool_result":
		f.Role = model.Tool
		outcome := model.Unknown
		if kit.IsTrue(e.failed) {
			outcome = model.Failure
		} else if len(e.failed) == 5 { // false
			outcome = model.Success
		}
		at := len(f.Blocks)
		kit.AddResult(f, model.ValueText(e.callID), model.Text{}, e.content, outcome)
		if f.Blocks[at].Outcome == model.Failure && kit.Contains(kit.Head(f.Blocks[at].Text, 200), "has been rejected") {
			f.Blocks[at].Outcome = model.Denied
		}
	case "session":
		f.Op, f.Record = model.About, 0
		kit.Keep(f, "session", e.id)
		kit.Keep(f, "title", e.title)
		kit.Keep(f, "agent", jsonspan.Get(e.agent, "name"))
		kit.Keep(f, "model", jsonspan.Get(e.agent, "model", "id"))
		e.summed(f)
		if system := jsonspan.Get(e.agent, "system"); !kit.IsEmpty(system) {
			g := fs.Add(model.Say)
			g.Role = model.System
			g.AddText(model.Words, model.ValueText(system))
		}
	case "session.error":
		f.Role = model.Assistant
		f.Flags |= model.APIError
		f.Outcome, f.Stop = model.Failure, model.StopError
		text := jsonspan.Get(e.failure, "message")
		if !kit.IsString(text) {
			text = e.failure
		}
		f.AddText(model.Words, model.ValueText(text))
	case "agent.thread_context_compacted", "session.context_compacted":
		f.Op = model.Compact
		kit.AddContent(f, e.content)
	default:
		e.note(f, raw)
	}
}

// summed reads the usage of a full session, which grows with each event: the API's
// BetaManagedAgentsSessionUsage. It ignores the zeros of a new session.
func (e *managedFields) summed(f *model.Fact) {
	u := kit.UsageOf(e.sum)
	if u.Scope == model.NoUsage || u.Input <= 0 && u.Output <= 0 && u.CacheRead <= 0 && u.CacheWrite <= 0 {
		return
	}
	u.Scope = model.Total
	f.Usage = u
}

// note folds an event that is not a message: a confirmation is linked to its call, the end of a
// request has its usage, an idle session has a reason.
func (e *managedFields) note(f *model.Fact, raw []byte) {
	kept := len(f.Extra)
	kit.Keep(f, "stop_reason", e.stop)
	kit.Keep(f, "deny_message", e.deny)
	kit.Keep(f, "description", e.description)
	kit.Keep(f, "result", e.result)
	if bytes.HasPrefix(e.typ, []byte("span.")) { // of a request, or of the grader of an outcome
		f.Usage = kit.UsageOf(kit.Or(e.usage, e.sum))
		if f.Usage.Scope != model.NoUsage {
			f.Usage.Key = kit.HashValue(kit.Or(e.request, e.id))
		}
	} else {
		e.summed(f)
	}
	f.Stop = kit.StopOf(jsonspan.GetString(e.stop, "type"))
	if string(e.typ) == "user.tool_confirmation" {
		f.Target = kit.HashValue(e.callID)
		if string(kit.Inside(e.result)) == "deny" {
			f.Outcome = model.Denied
		}
	}
	if kept == len(f.Extra) && f.Usage.Scope == model.NoUsage {
		f.AddText(model.OtherBlock, model.ValueText(raw))
	}
	kit.TurnToNote(f, e.typ, nil)
}
