package copilot

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

func (e *copilotEvent) failure() {
	f := e.fact(model.Say)
	f.Role = model.Assistant
	f.Flags |= model.APIError | model.Synthetic
	f.Outcome, f.Stop = model.Failure, model.StopError
	f.AddText(model.Words, model.ValueText(e.get("message")))
	kit.Keep(f, "error", e.get("errorType"))
	kit.Keep(f, "status", e.get("statusCode"))
	kit.KeepOthers(f, e.data, "message", "errorType", "statusCode")
}

func (e *copilotEvent) compaction() {
	if v := e.get("success"); v != nil && !kit.IsTrue(v) {
		e.note()
		return
	}
	f := e.fact(model.Compact)
	if v := e.get("summaryContent"); !kit.IsEmpty(v) {
		f.AddText(model.Words, model.ValueText(v))
	}
	kit.Keep(f, "tokens_before", e.get("preCompactionTokens"))
	kit.Keep(f, "messages_before", e.get("preCompactionMessagesLength"))
	kit.KeepOthers(f, e.data, "success", "summaryContent", "preCompactionTokens", "preCompactionMessagesLength")
}

// shutdown adds the tokens of the full process, summed over its models. Recorded input includes
// cache reads and writes, which copilotMetrics subtracts.
func (e *copilotEvent) shutdown() {
	f := e.fact(model.End)
	var metrics, details []byte
	f.Outcome = model.Success
	c := jsonspan.New(e.data)
	fields := kit.Fields{kit.Raw("modelMetrics", &metrics), kit.Raw("tokenDetails", &details)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "shutdownType":
			v := c.Skip()
			f.Name = model.ValueText(v)
			if o, ok := kit.OutcomeOfStatus(kit.Inside(v)); ok {
				f.Outcome = o
			}
		case "errorReason":
			kit.Keep(f, "reason", c.Skip())
		case "totalPremiumRequests":
			kit.Keep(f, "premium_requests", c.Skip())
		case "totalApiDurationMs":
			kit.Keep(f, "api_duration_ms", c.Skip())
		case "codeChanges":
			kit.Keep(f, "code_changes", c.Skip())
		default:
			fields.ReadOrKeep(f, &c)
		}
	}
	kit.Keep(f, "modelMetrics", metrics)
	if name := kit.OnlyKey(metrics); name != nil { // older responses do not name it
		f.Keep("model", model.EscapedText(name))
	}
	u := kit.NoUsage(model.Total)
	if !kit.IsEmpty(metrics) {
		copilotMetrics(metrics, &u)
	}
	if u.Input < 0 && !kit.IsEmpty(details) {
		copilotTokenDetails(details, &u)
	}
	if u.Input >= 0 || u.Output >= 0 {
		f.Usage = u
	}
}

func copilotMetrics(v []byte, u *model.Usage) {
	add := func(to *int64, c *jsonspan.Cursor) int64 {
		n, ok := c.Int()
		if !ok || n < 0 {
			return 0
		}
		*to = max(*to, 0) + n
		return n
	}
	c := jsonspan.New(v)
	for c.Object(); c.Key(); { // by model
		for c.Object(); c.Key(); {
			if string(c.Name) != "usage" {
				c.Skip()
				continue
			}
			var cached int64
			for c.Object(); c.Key(); {
				switch string(c.Name) {
				case "inputTokens":
					add(&u.Input, &c)
				case "outputTokens":
					add(&u.Output, &c)
				case "cacheReadTokens":
					cached += add(&u.CacheRead, &c)
				case "cacheWriteTokens":
					cached += add(&u.CacheWrite, &c)
				case "reasoningTokens":
					add(&u.Reasoning, &c)
				default:
					c.Skip()
				}
			}
			if u.Input > 0 {
				u.Input = max(0, u.Input-cached)
			}
		}
	}
}

// copilotTokenDetails reads the counts of a shutdown that has none by model; here the input
// excludes the cache.
func copilotTokenDetails(v []byte, u *model.Usage) {
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		to := new(int64)
		switch string(c.Name) {
		case "input":
			to = &u.Input
		case "output":
			to = &u.Output
		case "cache_read":
			to = &u.CacheRead
		case "cache_write":
			to = &u.CacheWrite
		}
		for c.Object(); c.Key(); {
			if string(c.Name) == "tokenCount" {
				kit.ReadCount(&c, to)
			} else {
				c.Skip()
			}
		}
	}
}

// permission records that a call waits for permission, or no longer does.
func (e *copilotEvent) permission() {
	e.note()
	f := e.fs.Last()
	if call := jsonspan.GetString(e.get("permissionRequest"), "toolCallId"); len(call) > 0 {
		f.Target = model.Hash(call)
	}
	switch {
	case f.Target == 0:
	case string(e.kind) == "permission.completed" || kit.IsTrue(e.get("resolvedByHook")):
		f.Outcome = model.Running
	default:
		f.Add(model.OtherBlock).Leave = true
	}
}

// note adds an event as a note: the call it reports on, and its text, if any.
func (e *copilotEvent) note() {
	started := string(e.kind) == "subagent.started"
	f := e.fact(model.Note)
	f.Name = model.EscapedText(e.kind)
	if len(e.kind) == 0 {
		f.Name = kit.ChatRecordName
	}
	if started || kit.HasPrefix(e.kind, "subagent.") {
		f.Thread, f.Flags = 0, f.Flags&^model.Sidechain
	}
	if jsonspan.KindOf(e.data) != jsonspan.Object {
		return
	}
	var call []byte
	c := jsonspan.New(e.data)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "toolCallId":
			call = c.ID()
			f.Target = model.Hash(call)
		case "parentToolCallId":
			e.side(f, c.ID())
		case "message", "content", "summary", "partialOutput", "progressMessage":
			if c.Kind() != jsonspan.String {
				kit.KeepField(f, &c)
				continue
			}
			kind := model.Words
			if string(e.kind) == "assistant.reasoning" {
				kind = model.Reasoning
			}
			f.AddText(kind, model.EscapedText(c.String()))
		case "agentName":
			kit.Keep(f, "agent_name", c.Skip())
		case "durationMs":
			if kit.HasPrefix(e.kind, "subagent.") {
				f.Add(model.OtherBlock).Took = kit.TookMs(c.Skip())
			} else {
				kit.KeepField(f, &c)
			}
		case "error":
			v := c.Skip()
			if !kit.IsEmpty(v) {
				f.Outcome = model.Failure
				kit.Keep(f, "error", v)
			}
		default:
			kit.KeepField(f, &c)
		}
	}
	switch string(e.kind) {
	case "model.call_failure":
		f.Flags |= model.APIError
		f.Outcome, f.Target = model.Failure, 0
	case "assistant.turn_start":
		f.Stop = model.StopTool // the previous response was not the last
	}
	if started && len(call) > 0 {
		child := e.fact(model.Child)
		child.Target, child.Thread = model.Hash(call), model.Hash(call)
		child.Flags |= model.Sidechain
	}
}
