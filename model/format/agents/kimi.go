package agents

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// KimiFormat reads the wire log of Kimi Code: operations on the context. The user's messages are
// one kind of them, and the events of the loop (text of the model, calls, results) another.
func KimiFormat() *model.Format {
	return &model.Format{
		Name:   "kimi",
		Resume: "kimi --session ID",
		Title:  "Kimi Code session",
		Where:  []string{"~/.kimi-code/sessions/*/*/agents/*/wire.jsonl"},
		Detect: kit.Clues(
			kit.Clue{Score: 93, Reason: "operations such as context.append_message and context.append_loop_event", Is: kit.Signs{
				"+ type=metadata & protocol_version",
				"+ type=context.append_message|context.append_loop_event|context.apply_compaction|token_counting.measured|token_counting.turn_recorded",
				"~ type=config.update|tools.set_active_tools|turn.prompt|turn.steer|turn.cancel|turn.ended|llm.request|llm.tools_snapshot|usage.record",
				"~ type=permission.record_approval_result|permission.set_mode|profile.bind|full_compaction.begin|full_compaction.complete",
				"~ type=plan_mode.enter|plan_mode.exit|plugin.session_start|runtime.set_binding"}},
		),
		Parse: kimiParse,
	}
}

// kimiOp holds the raw values of an operation; nil where absent.
type kimiOp struct {
	kind, message, usage, scope, agent   []byte
	cwd, model, prompt, summary, context []byte
	callID, result, input                []byte
	event                                kimiEvent
}

func kimiParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	f := fs.Add(model.Say)
	var o kimiOp
	o.read(&c, f)
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	o.emit(fs)
	if len(o.agent) > 0 && string(o.agent) != "main" {
		for i := range fs.Len() {
			f := fs.At(i)
			f.Thread = model.Hash(o.agent)
			f.Flags |= model.Sidechain
		}
	}
	return kit.Finish(&c, fs)
}

var kimiOpFields = kit.TableOf(func(o *kimiOp) kit.Fields {
	return kit.Fields{
		kit.Word("type", &o.kind), kit.Raw("message", &o.message), kit.Raw("usage", &o.usage),
		kit.Word("usageScope", &o.scope), kit.ID("agentId", &o.agent), kit.Raw("cwd", &o.cwd),
		kit.Raw("systemPrompt", &o.prompt), kit.Raw("summary", &o.summary),
		kit.Raw("contextSummary", &o.context), kit.Raw("toolCallId", &o.callID),
		kit.Raw("result", &o.result), kit.Raw("input", &o.input),
	}
})

func (o *kimiOp) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "time", "created_at":
			f.Time = kit.ReadMoment(c)
		case "event":
			o.event.read(c, f)
		case "model":
			if v := c.Skip(); o.model == nil {
				o.model = v
			}
		case "modelAlias":
			v := c.Skip()
			if kit.Keep(f, "modelAlias", v); o.model == nil {
				o.model = v
			}
		default:
			kimiOpFields.ReadOrKeep(c, o, f)
		}
	}
}

func (o *kimiOp) emit(fs *model.Facts) {
	f := fs.Last()
	switch string(o.kind) {
	case "context.append_message":
		o.emitMessage(fs)
	case "context.append_loop_event":
		o.event.emit(fs)
	case "context.apply_compaction":
		f.Op = model.Compact
		text := o.context
		if kit.IsEmpty(text) {
			text = o.summary
		} else {
			kit.Keep(f, "summary", o.summary)
		}
		f.AddText(model.Words, model.ValueText(text))
	case "context.clear":
		f.Op = model.Reset
	case "metadata", "config.update", "profile.bind":
		f.Op = model.About
		f.Name = model.EscapedText(o.kind)
		kit.Keep(f, "cwd", o.cwd)
		kit.Keep(f, "model", o.model)
		o.emitPrompt(fs)
	case "usage.record":
		kit.Keep(f, "model", o.model)
		kit.TurnToNote(f, o.kind, nil)
		// the usage of turns repeats that of their steps
		if len(o.scope) > 0 && string(o.scope) != "turn" {
			fs.Add(model.Meter).Usage = kimiUsage(o.usage)
		}
	case "permission.record_approval_result":
		f.Target = kit.HashValue(o.callID)
		switch string(jsonspan.GetString(o.result, "decision")) {
		case "rejected", "denied":
			f.Outcome = model.Denied
		}
		kit.Keep(f, "result", o.result)
		kit.TurnToNote(f, o.kind, nil)
	case "turn.cancel":
		f.Flags |= model.Interrupted
		kit.TurnToNote(f, o.kind, nil)
	case "turn.prompt", "turn.steer": // the message itself is appended by another operation
		kit.AddContent(f, o.input)
		kit.TurnToNote(f, o.kind, nil)
	default:
		kit.Keep(f, "model", o.model)
		kit.TurnToNote(f, o.kind, nil)
	}
}

// emitPrompt adds the system prompt, once for each wording.
func (o *kimiOp) emitPrompt(fs *model.Facts) {
	if kit.IsEmpty(o.prompt) {
		return
	}
	at := fs.Last().Time
	f := fs.Add(model.Say)
	f.Role, f.Time = model.System, at
	f.Key, f.Join = kit.HashValue(o.prompt).With([]byte("system")), model.Replace
	f.AddText(model.Words, model.ValueText(o.prompt))
}

func (o *kimiOp) emitMessage(fs *model.Facts) {
	f := fs.Last()
	var content, calls, callID []byte
	c := jsonspan.New(o.message)
	fields := kit.Fields{
		kit.Raw("content", &content), kit.Raw("toolCalls", &calls), kit.Raw("toolCallId", &callID),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			kit.SetRole(f, c.String())
		case "origin":
			v := c.Skip()
			switch string(jsonspan.GetString(v, "kind")) {
			case "user", "":
			case "system_trigger": // it is the task of a subagent
				if string(jsonspan.GetString(v, "name")) != "subagent" {
					f.Flags |= model.Injected
				}
			default:
				f.Flags |= model.Injected
			}
			kit.Keep(f, "origin", v)
		default:
			fields.ReadOrKeep(f, &c)
		}
	}
	if f.Role == model.Tool {
		kit.AddResult(f, model.ValueText(callID), model.Text{}, content, model.Unknown)
		return
	}
	kit.AddContent(f, content)
	if !kit.IsEmpty(calls) {
		kit.AddToolCalls(f, calls)
	}
	if f.Role == model.User && f.Flags&model.Injected == 0 {
		kit.SplitUserRecord(fs)
	}
}

// kimiEvent is an event of the loop.
type kimiEvent struct {
	kind, id, step, callID, name, args, part, result, usage, stop, display []byte
}

var kimiEventFields = kit.TableOf(func(e *kimiEvent) kit.Fields {
	return kit.Fields{
		kit.Word("type", &e.kind), kit.Raw("uuid", &e.id), kit.Raw("stepUuid", &e.step),
		kit.Raw("toolCallId", &e.callID), kit.Raw("name", &e.name), kit.Raw("args", &e.args),
		kit.Raw("part", &e.part), kit.Raw("result", &e.result), kit.Raw("usage", &e.usage),
		kit.Word("finishReason", &e.stop), kit.Raw("display", &e.display),
	}
})

func (e *kimiEvent) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		kimiEventFields.ReadOrKeep(c, e, f)
	}
}

// emit adds an event. All events of a step form one message.
func (e *kimiEvent) emit(fs *model.Facts) {
	f := fs.Last()
	switch string(e.kind) {
	case "content.part":
		f.Role, f.Key = model.Assistant, kit.HashValue(e.step)
		kit.AddBlock(f, e.part)
		if n := len(f.Blocks); n > 0 {
			f.Blocks[n-1].Key = kit.HashValue(e.id)
			if text := jsonspan.Get(e.part, "think"); text != nil {
				f.Blocks[n-1] = model.Block{Kind: model.Reasoning, Key: kit.HashValue(e.id), Text: model.ValueText(text)}
			}
		}
	case "tool.call":
		f.Role, f.Key = model.Assistant, kit.HashValue(e.step)
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = model.ValueText(e.callID), model.ValueText(e.name), model.ValueText(e.args)
		b.Key = kit.HashValue(e.callID)
		kit.KeepOf(f, "display", kit.Inside(e.callID), e.display)
	case "tool.result":
		e.emitResult(fs)
	case "step.end":
		f.Role, f.Key = model.Assistant, kit.HashValue(e.id)
		f.Usage = kimiUsage(e.usage)
		if e.stop != nil {
			kit.SetStop(f, e.stop)
		}
	default:
		kit.TurnToNote(f, e.kind, nil)
	}
}

func (e *kimiEvent) emitResult(fs *model.Facts) {
	f := fs.Last()
	f.Role = model.Tool
	var output []byte
	outcome := model.Success
	c := jsonspan.New(e.result)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "output":
			output = c.Skip()
		case "isError":
			if c.Bool() {
				outcome = model.Failure
			}
		default:
			kit.KeepField(f, &c)
		}
	}
	output = kit.Or(output, e.result)
	kit.AddResult(f, model.ValueText(e.callID), model.Text{}, output, outcome)
	const agent = "agent_id: "
	text := f.Blocks[0].Text
	if text.HasPrefix(agent) {
		line := kit.Head(text, 100)
		end := len(line) - len(kit.NextLine(text.Encoding(), line)) - 2
		if text.Encoding() == model.JSONString && end > len(agent) {
			child := fs.Add(model.Child)
			child.Target, child.Elsewhere = kit.HashValue(e.callID), text.Cut(len(agent), end)
		}
	}
}

// kimiUsage reads a usage record; its numbers do not overlap.
func kimiUsage(v []byte) model.Usage { return kimiNumbers.Read(v, model.Each) }

var kimiNumbers = kit.UsageNames{Input: "inputOther", Output: "output", CacheRead: "inputCacheRead", CacheWrite: "inputCacheCreation"}
