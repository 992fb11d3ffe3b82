package openhands

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// The events of the OpenHands SDK (version 1).

// sdk reads an event by its kind.
func (e *openHandsRead) sdk(session model.Key, fs *model.Facts) {
	switch string(e.kind) {
	case "SystemPromptEvent":
		f := fs.Add(model.Say)
		f.Role, f.Session, f.Time = model.System, session, e.time
		kit.AddContent(f, jsonspan.Get(e.raw, "system_prompt"))
		if v := jsonspan.Get(e.raw, "dynamic_context"); !kit.IsEmpty(v) {
			kit.AddContent(f, v)
		}
		kit.Keep(f, "tools", jsonspan.Get(e.raw, "tools"))
	case "MessageEvent":
		e.sdkMessage(session, fs)
	case "ActionEvent":
		e.sdkAction(session, fs)
	case "ObservationEvent", "AgentErrorEvent", "UserRejectObservation":
		e.sdkObservation(session, fs)
	case "Condensation", "CondensationSummaryEvent":
		e.condensed(e.raw, session, fs)
	case "ConversationStateUpdateEvent":
		e.sdkState(session, fs)
	case "ConversationErrorEvent":
		f := fs.Add(model.Say)
		f.Role, f.Session, f.Time = model.Assistant, session, e.time
		f.Flags, f.Outcome, f.Stop = model.APIError, model.Failure, model.StopError
		kit.AddContent(f, jsonspan.Get(e.raw, "detail"))
		kit.Keep(f, "code", jsonspan.Get(e.raw, "code"))
	case "PauseEvent", "InterruptEvent":
		e.note(fs, session, string(e.kind)).Outcome = model.Stopped
	default:
		e.note(fs, session, string(e.kind))
	}
}

func (e *openHandsRead) sdkMessage(session model.Key, fs *model.Facts) {
	// the text that skills added to the message
	if extended := jsonspan.Get(e.raw, "extended_content"); !kit.IsEmpty(extended) {
		f := fs.Add(model.Say)
		f.Role, f.Session, f.Time, f.Flags = model.User, session, e.time, model.Injected
		kit.AddContent(f, extended)
	}
	f := fs.Add(model.Say)
	f.Session, f.Time = session, e.time
	m := jsonspan.Get(e.raw, "llm_message")
	kit.SetRole(f, jsonspan.GetString(m, "role"))
	if f.Role == model.NoRole {
		f.Role = model.User
		if string(e.source) == "agent" {
			f.Role = model.Assistant
		}
	}
	if id := jsonspan.GetString(e.raw, "llm_response_id"); len(id) > 0 {
		f.Key = session.With(id)
	}
	e.sdkReasoning(f, m)
	kit.AddContent(f, jsonspan.Get(m, "content"))
	kit.Keep(f, "activated_skills", jsonspan.Get(e.raw, "activated_skills"))
	if sender := jsonspan.Get(e.raw, "sender"); !kit.IsEmpty(sender) {
		kit.Keep(f, "sender", sender)
	}
}

// sdkReasoning adds thinking only once, because it is recorded both as a text and as blocks.
func (e *openHandsRead) sdkReasoning(f *model.Fact, v []byte) {
	if text := jsonspan.Get(v, "reasoning_content"); !kit.IsEmpty(text) {
		b := f.Add(model.Reasoning)
		b.Text, b.Key = model.ValueText(text), openHandsKey(text)
		return
	}
	if blocks := jsonspan.Get(v, "thinking_blocks"); !kit.IsEmpty(blocks) {
		kit.AddContent(f, blocks)
	}
}

func openHandsKey(v []byte) model.Key { return model.HashString("reasoning").With(v) }

func (e *openHandsRead) sdkAction(session model.Key, fs *model.Facts) {
	f := fs.Add(model.Say)
	f.Role, f.Session, f.Time = model.Assistant, session, e.time
	if id := jsonspan.GetString(e.raw, "llm_response_id"); len(id) > 0 {
		f.Key = session.With(id)
	}
	e.sdkReasoning(f, e.raw)
	reasoned := len(f.Blocks) > 0
	if thought := jsonspan.Get(e.raw, "thought"); !kit.IsEmpty(thought) {
		kit.AddContent(f, thought)
	}
	if reasoned { // some models repeat their thinking in their words
		blocks := f.Blocks[:0]
		for i := range f.Blocks {
			if !openHandsThinks(&f.Blocks[i]) {
				blocks = append(blocks, f.Blocks[i])
			}
		}
		f.Blocks = blocks
	}
	b := f.Add(model.ToolCall)
	b.ID = model.ValueText(jsonspan.Get(e.raw, "tool_call_id"))
	b.Name = model.ValueText(jsonspan.Get(e.raw, "tool_name"))
	b.Text = model.ValueText(jsonspan.Get(e.raw, "tool_call", "arguments"))
	if b.Text.IsNull() {
		if args := jsonspan.Get(e.raw, "tool_call", "function", "arguments"); args != nil {
			b.Text = model.ValueText(args)
		} else {
			b.Text = model.ValueText(e.action)
		}
	}
	kit.Keep(f, "security_risk", jsonspan.Get(e.raw, "security_risk"))
	kit.Keep(f, "summary", jsonspan.Get(e.raw, "summary"))
	kit.Keep(f, "critic_result", jsonspan.Get(e.raw, "critic_result"))
}

// openHandsThinks reports whether a text consists only of an element think; it removes the element
// from a text that continues.
func openHandsThinks(b *model.Block) bool {
	if b.Kind != model.Words || !b.Text.HasPrefix("<think>") {
		return false
	}
	i := bytes.Index(b.Text.Raw(), []byte("</think>"))
	if i < 0 {
		return false
	}
	b.Text = b.Text.Cut(i+len("</think>"), b.Text.Size()).TrimSpace()
	return b.Text.Empty()
}

func (e *openHandsRead) sdkObservation(session model.Key, fs *model.Facts) {
	f := fs.Add(model.Say)
	f.Role, f.Session, f.Time = model.Tool, session, e.time
	id := model.ValueText(jsonspan.Get(e.raw, "tool_call_id"))
	name := model.ValueText(jsonspan.Get(e.raw, "tool_name"))
	switch string(e.kind) {
	case "AgentErrorEvent":
		kit.AddResult(f, id, name, jsonspan.Get(e.raw, "error"), model.Failure)
		return
	case "UserRejectObservation":
		kit.AddResult(f, id, name, jsonspan.Get(e.raw, "rejection_reason"), model.Denied)
		return
	}
	o := e.observation
	outcome := model.Success
	if code, ok := jsonspan.ParseInt(jsonspan.Get(o, "exit_code")); ok && code > 0 {
		outcome = model.Failure
	}
	if kit.IsTrue(jsonspan.Get(o, "is_error")) {
		outcome = model.Failure
	}
	if kit.IsTrue(jsonspan.Get(o, "timeout")) {
		outcome = model.TimedOut
	}
	content := jsonspan.Get(o, "content")
	for _, other := range [...]string{"output", "error", "message"} {
		if kit.IsEmpty(content) {
			content = jsonspan.Get(o, other)
		}
	}
	if kit.IsEmpty(content) {
		content = o
	}
	kit.AddResult(f, id, name, content, outcome)
	c := jsonspan.New(o)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "content", "is_error", "kind", "output":
			c.Skip()
		default:
			kit.KeepField(f, &c)
		}
	}
}

// sdkState reads changes of the conversation: counters of each model's usage, its state, or
// occasionally the full state.
func (e *openHandsRead) sdkState(session model.Key, fs *model.Facts) {
	key, value := string(jsonspan.GetString(e.raw, "key")), jsonspan.Get(e.raw, "value")
	f := e.note(fs, session, string(e.kind))
	if key != "" {
		f.Name = model.StringText(key)
	}
	switch key {
	case "stats":
		f.Usage = openHandsStats(value)
	case "full_state":
		f.Usage = openHandsStats(jsonspan.Get(value, "stats"))
		kit.Keep(f, "model", jsonspan.Get(value, "agent", "llm", "model"))
		kit.Keep(f, "cwd", jsonspan.Get(value, "workspace", "working_dir"))
		kit.Keep(f, "session", jsonspan.Get(value, "id"))
	case "title":
		kit.Keep(f, "title", value)
	case "execution_status", "agent_status":
		outcome := model.Success
		switch string(kit.Inside(value)) {
		case "finished":
		case "error", "stuck":
			outcome = model.Failure
		case "paused", "deleting":
			outcome = model.Stopped
		default:
			return
		}
		end := fs.Add(model.End)
		end.Session, end.Time, end.Outcome, end.Name = session, e.time, outcome, model.ValueText(value)
	}
}

// openHandsStats adds up the counters of usage_to_metrics, one for each use of a model.
func openHandsStats(v []byte) model.Usage {
	uses := jsonspan.Get(v, "usage_to_metrics")
	if kit.IsEmpty(uses) {
		return model.Usage{}
	}
	sum := kit.NoUsage(model.Counter)
	c := jsonspan.New(uses)
	for c.Object(); c.Key(); {
		u := openHandsUsage(c.Skip())
		if u.Scope == model.NoUsage {
			continue
		}
		for _, n := range [...]struct {
			to *int64
			n  int64
		}{{&sum.Input, u.Input}, {&sum.Output, u.Output}, {&sum.CacheRead, u.CacheRead}, {&sum.CacheWrite, u.CacheWrite}, {&sum.Reasoning, u.Reasoning}} {
			if n.n >= 0 {
				*n.to = max(*n.to, 0) + n.n
			}
		}
		sum.Cost, sum.HasCost = sum.Cost+u.Cost, sum.HasCost || u.HasCost
	}
	return sum
}
