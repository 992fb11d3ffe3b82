package copilot

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// CLIFormat reads the event log of GitHub Copilot CLI and its SDK. Events may appear twice, for
// example after a resume; their ids identify them. The events of a subagent are in the same log,
// marked with the call that started it.
func CLIFormat() *model.Format {
	return &model.Format{
		Name:    "copilot-cli",
		Resume:  "copilot --resume ID",
		Title:   "GitHub Copilot CLI",
		Where:   []string{"~/.copilot/session-state/*/events.jsonl", "~/.copilot/session-state/*.jsonl"},
		Detect:  copilotCLIDetect,
		Parse:   copilotCLIParse,
		Repeats: true,
		Agent: func(s *model.Session) string { // the extension of VS Code writes the same events
			if s.Field("vscodeVersion") != "" {
				return vscodeTitle
			}
			return ""
		},
	}
}

func copilotCLIDetect(s *model.Sample) model.Match {
	if kit.MostFit(s, func(line []byte) bool {
		var e copilotEvent
		c := jsonspan.New(line)
		e.read(&c)
		return copilotKind(e.kind) && jsonspan.KindOf(e.data) == jsonspan.Object && e.id != nil
	}) {
		return model.Match{Score: 92, Reason: "events such as session.start and assistant.message with data, id and parentId"}
	}
	return model.Match{}
}

var copilotKinds = []string{
	"session.", "user.", "assistant.", "tool.", "system.", "subagent.", "hook.", "permission.", "model.", "skill.", "command.",
	"external_tool.", "elicitation.", "mcp.", "exit_plan_mode.", "pending_messages.", "capabilities.",
}

func copilotKind(kind []byte) bool {
	return slices.ContainsFunc(copilotKinds, func(prefix string) bool { return kit.HasPrefix(kind, prefix) }) || string(kind) == "abort"
}

// copilotEvent is the envelope of an event: strings without quotes, data raw.
type copilotEvent struct {
	fs                  *model.Facts
	kind, data          []byte
	id, parentID, agent []byte
	time                model.Moment
}

func (e *copilotEvent) read(c *jsonspan.Cursor) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			e.kind = c.String()
		case "data":
			e.data = c.Skip()
		case "id":
			e.id = c.ID()
		case "parentId":
			e.parentID = c.ID()
		case "agentId":
			e.agent = c.ID()
		case "timestamp":
			e.time = kit.ReadMoment(c)
		default:
			c.Skip()
		}
	}
}

func copilotCLIParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	e := copilotEvent{fs: fs}
	e.read(&c)
	if c.Err != nil {
		return c.Err
	}
	if jsonspan.KindOf(e.data) == jsonspan.Object {
		e.emit()
	} else {
		e.note()
	}
	return kit.Finish(&c, fs)
}

// fact adds a fact of the event.
func (e *copilotEvent) fact(op model.Op) *model.Fact {
	f := e.fs.Add(op)
	f.Time = e.time
	f.Record = model.Hash(e.id)
	e.side(f, e.agent)
	return f
}

// side puts a fact into the thread of the subagent that a call started.
func (e *copilotEvent) side(f *model.Fact, call []byte) {
	if len(call) > 0 {
		f.Thread = model.Hash(call)
		f.Flags |= model.Sidechain
	}
}

func (e *copilotEvent) get(name string) []byte { return jsonspan.Get(e.data, name) }

func (e *copilotEvent) emit() {
	switch string(e.kind) {
	case "user.message":
		e.user()
	case "assistant.message":
		e.assistant()
	case "system.message":
		f := e.fact(model.Say)
		f.Role = model.System
		if role, ok := model.ParseRole(string(kit.Inside(e.get("role")))); ok {
			f.Role = role
		}
		f.AddText(model.Words, model.ValueText(e.get("content")))
	case "tool.execution_complete":
		e.result()
	case "tool.user_requested":
		f := e.fact(model.Say)
		f.Role = model.User
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = model.ValueText(e.get("toolCallId")), model.ValueText(e.get("toolName")), model.ValueText(e.get("arguments"))
	case "session.start", "session.resume":
		e.about()
	case "session.model_change", "session.auto_mode_resolved":
		e.modelChange()
	case "session.title_changed":
		kit.Keep(e.fact(model.About), "title", e.get("title"))
	case "session.error":
		e.failure()
	case "permission.requested", "permission.completed":
		e.permission()
	case "session.compaction_complete":
		e.compaction()
	case "session.snapshot_rewind":
		f := e.fact(model.Rewind)
		f.Target = kit.HashValue(e.get("upToEventId"))
	case "session.shutdown":
		e.shutdown()
	case "abort":
		f := e.fact(model.End)
		f.Outcome, f.Stop, f.Name = model.Stopped, model.StopAborted, model.ValueText(e.get("reason"))
	default:
		e.note()
	}
}

func (e *copilotEvent) about() {
	f := e.fact(model.About)
	c := jsonspan.New(e.data)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "sessionId":
			kit.Keep(f, "session", c.Skip())
		case "copilotVersion":
			kit.Keep(f, "version", c.Skip())
		case "producer":
			kit.Keep(f, "agent", c.Skip())
		case "selectedModel":
			if v := c.Skip(); string(kit.Inside(v)) != "auto" {
				f.Model = model.ValueText(v)
			}
		case "context":
			for c.Object(); c.Key(); {
				switch string(c.Name) {
				case "cwd":
					kit.Keep(f, "cwd", c.Skip())
				case "branch":
					kit.Keep(f, "branch", c.Skip())
				default:
					kit.KeepField(f, &c)
				}
			}
		default:
			kit.KeepField(f, &c)
		}
	}
}

// modelChange sets the model that answers from now on; "auto" is not a model.
func (e *copilotEvent) modelChange() {
	name := e.get("newModel")
	if name == nil {
		name = e.get("chosenModel")
	}
	if kit.IsEmpty(name) || string(kit.Inside(name)) == "auto" {
		e.note()
		return
	}
	f := e.fact(model.About)
	f.Model, f.Name = model.ValueText(name), model.EscapedText(e.kind)
	kit.KeepOthers(f, e.data, "newModel", "chosenModel")
}

// user adds a prompt with the words as typed; the text sent to the model also has the date and
// reminders. If nothing was typed (the autopilot continues by itself), the text sent is the
// message.
func (e *copilotEvent) user() {
	f := e.fact(model.Say)
	f.Role = model.User
	f.Parent = model.Hash(e.parentID)
	var content, sent, attachments []byte
	c := jsonspan.New(e.data)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "content":
			content = c.Skip()
		case "transformedContent":
			sent = c.Skip()
		case "attachments":
			attachments = c.Skip()
		case "source":
			if v := c.Skip(); !kit.IsEmpty(v) && string(kit.Inside(v)) != "user" {
				f.Flags |= model.Injected
				kit.Keep(f, "injected_by", v)
			}
		case "isAutopilotContinuation":
			if c.Bool() {
				f.Flags |= model.Injected
			}
		case "parentToolCallId":
			e.side(f, c.ID())
		case "agentMode":
			kit.Keep(f, "mode", c.Skip())
		case "interactionId":
			f.Interaction = model.Hash(c.ID())
		default:
			kit.KeepField(f, &c)
		}
	}
	if kit.IsEmpty(content) && !kit.IsEmpty(sent) {
		content, sent = sent, nil
	}
	f.AddText(model.Words, model.ValueText(content))
	if !bytes.Equal(content, sent) {
		kit.Keep(f, "sent", sent)
	}
	if !kit.IsEmpty(attachments) {
		copilotAttachments(f, attachments)
	}
}

func copilotAttachments(f *model.Fact, list []byte) {
	for v := range jsonspan.List(list) {
		if jsonspan.KindOf(v) != jsonspan.Object {
			continue
		}
		b := kit.ReadBlockFields(v)
		if b.Data != nil {
			kit.AddMedia(f, model.Text{}, model.ValueText(b.Mime), b.Data)
			continue
		}
		m := f.Add(model.Media)
		m.Name = model.EscapedText(b.Typ)
		m.Text = model.ValueText(v)
		for _, name := range [...]string{"path", "filePath", "url", "displayName"} {
			if p := jsonspan.Get(v, name); !kit.IsEmpty(p) {
				m.Text = model.ValueText(p)
				break
			}
		}
	}
}

func (e *copilotEvent) assistant() {
	f := e.fact(model.Say)
	f.Role = model.Assistant
	var content, opaque, reasoning, requests []byte
	c := jsonspan.New(e.data)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "messageId":
			f.Key = model.Hash(c.ID())
		case "content":
			content = c.Skip()
		case "reasoningText":
			reasoning = c.Skip()
		case "reasoningOpaque":
			opaque = c.Skip()
		case "toolRequests":
			requests = c.Skip()
		case "model":
			f.Model = model.ValueText(c.Skip())
		case "outputTokens":
			if n, ok := c.Int(); ok {
				f.Usage = kit.NoUsage(model.Each)
				f.Usage.Output = n
			}
		case "parentToolCallId":
			e.side(f, c.ID())
		case "interactionId":
			f.Interaction = model.Hash(c.ID())
		case "encryptedContent": // unreadable
			c.Skip()
		default:
			kit.KeepField(f, &c)
		}
	}
	switch {
	case !kit.IsEmpty(reasoning):
		f.AddText(model.Reasoning, model.ValueText(reasoning))
	case !kit.IsEmpty(opaque):
		f.Add(model.Reasoning)
	}
	if !kit.IsEmpty(content) || kit.IsEmpty(requests) && !kit.IsNull(content) {
		f.AddText(model.Words, model.ValueText(content))
	}
	if !kit.IsEmpty(requests) {
		copilotRequests(f, requests)
	}
}

func copilotRequests(f *model.Fact, list []byte) {
	c := jsonspan.New(list)
	for c.Array(); c.More(); {
		kit.ReadCall(f, &c)
	}
}

// result adds a tool result. A shell command that failed is a success for the tool; its exit code
// is at the end of the text.
func (e *copilotEvent) result() {
	f := e.fact(model.Say)
	f.Role = model.Tool
	b := model.Block{Kind: model.ToolResult}
	var result, failure []byte
	c := jsonspan.New(e.data)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "toolCallId":
			b.ID = model.ValueText(c.Skip())
		case "toolName":
			b.Name = model.ValueText(c.Skip())
		case "success":
			b.Outcome = model.Failure
			if c.Bool() {
				b.Outcome = model.Success
			}
		case "result":
			result = c.Skip()
		case "error":
			failure = c.Skip()
		case "parentToolCallId":
			e.side(f, c.ID())
		case "toolTelemetry":
			v := c.Skip()
			b.Took = kit.TookMs(jsonspan.Get(v, "metrics", "durationMs"))
			kit.Keep(f, "toolTelemetry", v)
		case "isUserRequested":
			if c.Bool() {
				f.Flags |= model.Synthetic
			}
		case "interactionId":
			f.Interaction = model.Hash(c.ID())
		default:
			kit.KeepField(f, &c)
		}
	}
	var contents, media []byte
	b.Text, contents, media = copilotResultText(f, result, failure)
	switch {
	case b.Outcome == model.Failure:
		b.Outcome = kit.FailureOf(b.Text)
		if o, ok := kit.OutcomeOfStatus(kit.Inside(jsonspan.Get(failure, "code"))); ok && o.Failed() {
			b.Outcome = o
		}
	case copilotExit(b.Text) != 0:
		b.Outcome = model.Failure
	}
	f.Blocks = append(f.Blocks, b)
	for _, list := range [...][]byte{contents, media} {
		if jsonspan.KindOf(list) == jsonspan.Array {
			copilotMedia(f, b.ID, list)
		}
	}
}

// copilotResultText returns the text that the model received. The text that the user saw is stored
// if it differs.
func copilotResultText(f *model.Fact, result, failure []byte) (text model.Text, contents, media []byte) {
	var content, detailed []byte
	if kit.IsString(result) {
		content = result
	} else if !kit.IsNull(result) {
		kit.ReadObject(result, kit.Raw("content", &content), kit.Raw("detailedContent", &detailed),
			kit.Raw("contents", &contents), kit.Raw("binaryResultsForLlm", &media))
	}
	if kit.IsEmpty(content) && !kit.IsEmpty(detailed) {
		content = detailed
	}
	if !bytes.Equal(content, detailed) {
		kit.Keep(f, "detailedContent", detailed)
	}
	if kit.IsEmpty(content) && !kit.IsEmpty(failure) {
		content = failure
		if m := jsonspan.Get(failure, "message"); kit.IsString(m) {
			content = m
		}
	}
	return model.ValueText(content), contents, media
}

// copilotMedia adds the images and sounds of a list of contents; its texts are those of the result.
func copilotMedia(f *model.Fact, id model.Text, list []byte) {
	for v := range jsonspan.List(list) {
		if jsonspan.KindOf(v) != jsonspan.Object {
			continue
		}
		if b := kit.ReadBlockFields(v); b.Data != nil {
			kit.AddMedia(f, id, model.ValueText(b.Mime), b.Data)
		}
	}
}

// copilotExit returns N of "completed with exit code N>" at the end of a text, or zero.
func copilotExit(t model.Text) int {
	raw := t.Raw()
	raw = raw[max(0, len(raw)-100):]
	const phrase = "exit code "
	i := bytes.LastIndex(raw, []byte(phrase))
	if i < 0 || !bytes.HasSuffix(raw, []byte(">")) {
		return 0
	}
	code, _ := kit.LeadingInt(raw[i+len(phrase):])
	return code
}
