package otel

import (
	"bytes"
	"strconv"
	"time"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Claude Code and Codex export no spans with messages. They log a record for each event: a prompt,
// a request with its tokens, a call with its result (code.claude.com/docs/en/monitoring-usage,
// developers.openai.com/codex/config-advanced).

// agentLog holds the attributes of such records.
type agentLog struct {
	prompt, kind, request, took, sequence        []byte
	success, tool, call, args, result            []byte
	input, output, cached, written, reason, cost []byte
	fault                                        []byte
}

// agentMarks lists the texts that identify records of these logs.
var agentMarks = [...]string{`"claude_code.`, `"codex.`}

var agentLogFields = kit.TableOf(func(l *agentLog) kit.Fields {
	return kit.Fields{
		kit.Raw("prompt", &l.prompt), kit.Raw("event.kind", &l.kind), kit.Raw("event.sequence", &l.sequence),
		kit.Raw("request_id", &l.request), kit.Raw("duration_ms", &l.took), kit.Raw("success", &l.success), kit.Raw("tool_name", &l.tool),
		kit.Raw("call_id", &l.call), kit.Raw("tool_use_id", &l.call), kit.Raw("arguments", &l.args), kit.Raw("tool_input", &l.args),
		kit.Raw("output", &l.result), kit.Raw("tool_output", &l.result), kit.Raw("error", &l.fault), kit.Raw("error.message", &l.fault),
		kit.Raw("input_tokens", &l.input), kit.Raw("input_token_count", &l.input), kit.Raw("output_tokens", &l.output),
		kit.Raw("output_token_count", &l.output), kit.Raw("cache_read_tokens", &l.cached), kit.Raw("cached_token_count", &l.cached),
		kit.Raw("cache_creation_tokens", &l.written), kit.Raw("reasoning_token_count", &l.reason), kit.Raw("cost_usd", &l.cost),
	}
})

func (l *agentLog) set(key, value []byte) {
	if string(key) != "tool_parameters" {
		agentLogFields.Set(key, value, l)
	} else if l.args == nil {
		l.args = value
	}
}

// agentEvent returns the event of an agent's log record, or "" for another record.
func (s *otelSpanFields) agentEvent() string {
	for _, agent := range [...]string{"claude_code.", "codex."} {
		if event, ok := bytes.CutPrefix(s.name, []byte(agent)); ok {
			return string(event)
		}
		if s.body == nil {
			continue
		}
		if event, ok := bytes.CutPrefix(kit.Inside(otelPlainOf(s.body)), []byte(agent)); ok {
			return string(event)
		}
	}
	return ""
}

// emitAgent adds the content of an agent's log record. It returns false if the record is not part
// of the conversation.
func (s *otelSpanFields) emitAgent(fs *model.Facts, session model.Key) bool {
	l, event := &s.log, s.agentEvent()
	if event == "sse_event" && string(kit.Inside(l.kind)) == "response.completed" {
		event = "api_request"
	}
	role := model.Assistant
	switch event {
	case "user_prompt":
		role = model.User
	case "api_request":
		if l.input == nil && l.output == nil { // a request that has only been sent
			return false
		}
	case "tool_result", "api_error":
	default:
		return false
	}
	f := fs.Add(model.Say)
	f.Role, f.Session, f.Time, f.Join = role, session, s.start, model.Replace
	f.Key = session.Join(model.HashNumber(event, s.start.Ms)).With(l.sequence).With(l.call).With(l.request).With(l.prompt).With(l.tool).With(l.input).With(l.output)
	kit.ClaudeKeep(f, "name", s.name)
	switch event {
	case "user_prompt":
		if !kit.IsEmpty(l.prompt) {
			f.AddText(model.Words, model.ValueText(l.prompt))
		}
		return true
	case "tool_result":
		l.emitCall(f)
		return true
	case "api_error":
		f.Flags |= model.APIError
		f.Outcome, f.Stop = model.Failure, model.StopError
		if !kit.IsEmpty(l.fault) {
			f.AddText(model.Words, model.ValueText(l.fault))
		}
	}
	f.Model = model.ValueText(s.model)
	if f.Usage = l.usage(); f.Usage.Scope != model.NoUsage {
		f.Usage.Key = f.Key
	}
	return true
}

// emitCall adds a call with its result.
func (l *agentLog) emitCall(f *model.Fact) {
	b := f.Add(model.ToolCall)
	b.ID, b.Name, b.Text = model.ValueText(l.call), model.ValueText(l.tool), model.ValueText(l.args)
	text := model.ValueText(l.result)
	if kit.IsEmpty(l.result) {
		text = model.ValueText(l.fault)
	}
	outcome := kit.OutcomeOfText(text)
	switch string(bare(l.success)) {
	case "true":
		outcome = model.Success
	case "false":
		outcome = kit.FailureOf(text)
	}
	ms, _ := jsonspan.ParseInt(l.took)
	r := f.Add(model.ToolResult)
	r.ID, r.Name, r.Text, r.Outcome, r.Took = model.ValueText(l.call), model.ValueText(l.tool), text, outcome, time.Duration(ms)*time.Millisecond
}

// usage returns the tokens of a request. The input of Codex includes cached tokens, that of Claude
// Code does not.
func (l *agentLog) usage() model.Usage {
	u := kit.NoUsage(model.Each)
	for _, x := range [...]struct {
		value []byte
		to    *int64
	}{{l.input, &u.Input}, {l.output, &u.Output}, {l.cached, &u.CacheRead}, {l.written, &u.CacheWrite}, {l.reason, &u.Reasoning}} {
		if n, ok := jsonspan.ParseInt(x.value); ok {
			*x.to = n
		}
	}
	if u.Input < 0 && u.Output < 0 {
		return model.Usage{}
	}
	if l.written == nil {
		kit.ExcludeCache(&u)
	}
	cost, err := strconv.ParseFloat(string(bare(l.cost)), 64)
	u.Cost, u.HasCost = cost, err == nil
	return u
}

// bare returns the content of a string or any other value unchanged: these logs have numbers and
// booleans in both forms.
func bare(v []byte) []byte {
	if s := kit.Inside(v); s != nil {
		return s
	}
	return v
}
