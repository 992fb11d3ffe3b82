package codex

import (
	"time"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// emitEvent adds an event of the screen. Texts that are also response items carry an echo; the rest
// becomes notes.
func (l *codexLine) emitEvent() {
	switch string(l.item) {
	case "user_message":
		f := l.addMessage(model.User)
		codexText(f, model.Words, l.get("message"))
		for _, name := range []string{"images", "local_images"} {
			for v := range jsonspan.List(l.get(name)) {
				codexImage(f, v)
			}
		}
		codexWrapped(f)
		l.keepOthers(f, "message", "images", "local_images")
		f.Echo, f.N = codexEcho(f), codexEventLane
	case "agent_message":
		f := l.addMessage(model.Assistant)
		codexText(f, model.Words, l.get("message"))
		kit.Keep(f, "phase", l.get("phase"))
		l.keepOthers(f, "message", "phase")
		f.Echo, f.N = codexEcho(f), codexEventLane
	case "token_count":
		l.emitTokens()
	case "item_completed":
		l.emitCompleted()
	case "task_complete", "turn_complete":
		f := l.fact(model.End, l.item)
		f.Outcome, f.Stop = model.Success, model.StopEnd // of the turn
		l.keepOthers(f, "last_agent_message")
	case "turn_aborted":
		f := l.fact(model.End, l.item)
		f.Outcome, f.Stop = model.Stopped, model.StopAborted
		f.Name = model.ValueText(l.get("reason"))
		l.keepOthers(f, "reason")
	case "thread_rolled_back":
		f := l.fact(model.Rewind, l.item)
		f.N, _ = jsonspan.ParseInt(l.get("num_turns"))
		l.keepOthers(f, "num_turns")
	case "thread_name_updated":
		f := l.fact(model.About, l.item)
		kit.Keep(f, "title", l.get("thread_name"))
		l.keepOthers(f, "thread_name")
	case "error":
		l.emitError()
	default:
		l.emitActivity()
	}
}

// emitTokens adds the running total. Its input includes cached tokens, its output reasoning tokens.
func (l *codexLine) emitTokens() {
	info := l.get("info")
	total := jsonspan.Get(info, "total_token_usage")
	if kit.IsEmpty(total) {
		l.note(l.item) // rate limits only
		return
	}
	f := l.fact(model.Meter, l.item)
	codexUsage(total, &f.Usage)
	f.Usage.Scope = model.Counter
	// a fork repeats its parent's total, which is then not counted again
	f.Usage.Key = model.Hash(total)
	kit.Keep(f, "window", jsonspan.Get(info, "model_context_window"))
	kit.Keep(f, "last_token_usage", jsonspan.Get(info, "last_token_usage"))
	kit.Keep(f, "rate_limits", l.get("rate_limits"))
}

// codexUsage reads a usage record and subtracts the cached tokens from its input.
func codexUsage(v []byte, u *model.Usage) {
	*u = model.Usage{Input: -1, CacheRead: -1, CacheWrite: -1, Output: -1, Reasoning: -1}
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "input_tokens":
			kit.ClaudeNumber(&c, &u.Input)
		case "cached_input_tokens":
			kit.ClaudeNumber(&c, &u.CacheRead)
		case "cache_write_input_tokens":
			kit.ClaudeNumber(&c, &u.CacheWrite)
		case "output_tokens":
			kit.ClaudeNumber(&c, &u.Output)
		case "reasoning_output_tokens":
			kit.ClaudeNumber(&c, &u.Reasoning)
		default:
			c.Skip()
		}
	}
	if u.Input >= 0 {
		u.Input = max(0, u.Input-max(0, u.CacheRead)-max(0, u.CacheWrite))
	}
}

// emitCompleted adds an item of the paginated history.
func (l *codexLine) emitCompleted() {
	item := l.get("item")
	kind := jsonspan.GetString(item, "type")
	switch string(kind) {
	case "UserMessage":
		f := l.addMessage(model.User)
		codexContent(f, jsonspan.Get(item, "content"))
		codexWrapped(f)
		l.keepCompleted(f, item)
		f.Echo, f.N = codexEcho(f), codexEventLane
	case "AgentMessage":
		f := l.addMessage(model.Assistant)
		codexContent(f, jsonspan.Get(item, "content"))
		kit.Keep(f, "phase", jsonspan.Get(item, "phase"))
		l.keepCompleted(f, item)
		f.Echo, f.N = codexEcho(f), codexEventLane
	default:
		if l.emitNested(item, kind) {
			return
		}
		f := l.note(kind)
		switch string(kind) {
		case "CollabAgentToolCall", "WebSearch": // run by a server or Codex for a call
			f.Target = model.Hash(jsonspan.GetString(item, "id"))
			f.Outcome, _ = kit.OutcomeOfStatus(jsonspan.GetString(item, "status"))
		case "SubAgentActivity":
			l.emitSubagent(f, item)
		}
	}
}

// emitSubagent adds the transcript of the subagent that a call has started.
func (l *codexLine) emitSubagent(f *model.Fact, item []byte) {
	var id, kind, agent []byte
	kit.ReadObject(item, kit.Word("id", &id), kit.Word("kind", &kind), kit.Word("agent_thread_id", &agent), kit.Word("agentThreadId", &agent))
	if f.Target = model.Hash(id); string(kind) == "started" && len(id) > 0 && len(agent) > 0 {
		g := l.fact(model.Child, l.item)
		g.Target, g.Elsewhere = model.Hash(id), model.EscapedText(agent)
	}
}

// keepCompleted adds the fields of an item other than its text.
func (l *codexLine) keepCompleted(f *model.Fact, item []byte) {
	c := jsonspan.New(item)
	for c.Object(); c.Key(); {
		name, v := c.Name, c.Skip()
		switch string(name) {
		case "type", "content", "phase":
		default:
			l.keepPart(f, name, v)
		}
	}
	l.keepOthers(f, "item")
}

// emitError adds a failed request, which also ends the turn.
func (l *codexLine) emitError() {
	f := l.addMessage(model.Assistant)
	f.Join = model.Union
	f.Flags |= model.APIError | model.Synthetic
	f.Outcome = model.Failure
	f.Stop = model.StopError
	f.AddText(model.Words, model.ValueText(l.get("message")))
	l.keepOthers(f, "message")
}

// emitActivity adds the other events as notes. They may report on a call, its outcome or the
// subagent that it started.
func (l *codexLine) emitActivity() {
	f := l.note(l.item)
	switch string(l.item) {
	case "task_started", "turn_started":
		kit.Keep(f, "window", l.get("model_context_window"))
		if n, turn := l.turn(); turn != 0 {
			g := l.fact(model.About, l.item)
			g.N, g.Record = n, turn
		}
		return
	case "stream_error":
		f.Flags |= model.APIError
		f.Outcome = model.Failure
		return
	}
	if f.Target == 0 {
		f.Target = model.Hash(l.str("event_id"))
	}
	if f.Target != 0 {
		l.emitEnded(f)
	}
	agent := l.str("new_thread_id")
	if agent == nil {
		agent = l.str("agent_thread_id")
	}
	if len(agent) > 0 && f.Target != 0 {
		target := f.Target
		g := l.fact(model.Child, l.item)
		g.Target = target
		g.Elsewhere = model.EscapedText(agent)
	}
}

// emitEnded reads the outcome of the call that a note reports on.
func (l *codexLine) emitEnded(f *model.Fact) {
	f.Outcome, _ = kit.OutcomeOfStatus(l.str("status"))
	if code, ok := jsonspan.ParseInt(l.get("exit_code")); ok {
		f.Outcome = kit.OutcomeOfExit(int(code))
	}
	switch success := l.get("success"); {
	case kit.IsTrue(success):
		f.Outcome = model.Success
	case len(success) > 0 && success[0] == 'f':
		f.Outcome = model.Failure
	}
	if jsonspan.Get(l.get("result"), "Err") != nil {
		f.Outcome = model.Failure
	}
	if d := l.get("duration"); d != nil {
		secs, _ := jsonspan.ParseInt(jsonspan.Get(d, "secs"))
		nanos, _ := jsonspan.ParseInt(jsonspan.Get(d, "nanos"))
		f.Blocks[0].Took = time.Duration(secs)*time.Second + time.Duration(nanos)
	}
}
