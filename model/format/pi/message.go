package pi

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// piMessage holds the raw values of a message, in a session or in an event; nil if absent.
type piMessage struct {
	entry                               []byte // id of the entry, if any
	role, content, usage, stop, failure []byte
	callID, tool, isError               []byte
	command, output, exit, cancelled    []byte
	summary, time, display              []byte
	sections                            []byte
}

var piMessageNames = kit.TableOf(func(m *piMessage) kit.Fields {
	return kit.Fields{
		kit.Word("role", &m.role), kit.Raw("content", &m.content), kit.Raw("usage", &m.usage), kit.Word("stopReason", &m.stop),
		kit.Raw("errorMessage", &m.failure), kit.Raw("toolCallId", &m.callID), kit.Raw("toolName", &m.tool),
		kit.Raw("isError", &m.isError), kit.Raw("command", &m.command), kit.Raw("output", &m.output),
		kit.Raw("exitCode", &m.exit), kit.Raw("cancelled", &m.cancelled), kit.Raw("summary", &m.summary),
		kit.Raw("display", &m.display), kit.Raw("sections", &m.sections), kit.Raw("timestamp", &m.time),
	}
})

func (m *piMessage) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "model":
			f.Model = model.ValueText(c.Skip())
		default:
			piMessageNames.ReadOrKeep(c, m, f)
		}
	}
}

// emit completes the last fact with the message.
func (m *piMessage) emit(fs *model.Facts) {
	f := fs.Last()
	if f.Time.Ms == 0 {
		f.Time = kit.MomentOf(m.time)
	}
	switch string(m.role) {
	case "user":
		f.Role = model.User
		kit.AddContent(f, m.content)
		kit.SplitUserRecord(fs)
	case "assistant":
		m.emitAssistant(f)
	case "toolResult":
		f.Role = model.Tool
		outcome := model.Success
		if kit.IsTrue(m.isError) {
			outcome = model.Failure
		}
		kit.AddResult(f, model.ValueText(m.callID), model.ValueText(m.tool), m.content, outcome)
	case "bashExecution":
		m.emitBash(f)
	case "branchSummary", "compactionSummary":
		f.Role = model.User
		f.Flags |= model.Injected
		if string(m.role) == "compactionSummary" {
			f.Flags |= model.Recap
		}
		f.AddText(model.Words, model.ValueText(m.summary))
	case "custom", "hookMessage":
		f.Role = model.User
		f.Flags |= model.Injected
		if string(m.display) == "false" {
			f.Flags |= model.Hidden
		}
		kit.AddContent(f, m.content)
	case "system":
		f.Role = model.System
		kit.AddContent(f, m.content)
		if !kit.IsEmpty(m.sections) {
			f.AddText(model.OtherBlock, model.ValueText(m.sections))
			f.Blocks[len(f.Blocks)-1].Name = piSections
		}
	default:
		kit.SetRole(f, m.role)
		kit.AddContent(f, m.content)
	}
}

var (
	piSections = model.StringText("sections")
	piBash     = model.StringText("bash")
)

func (m *piMessage) emitAssistant(f *model.Fact) {
	f.Role = model.Assistant
	kit.AddContent(f, m.content)
	f.Usage = piUsage(m.usage)
	if m.stop != nil {
		kit.SetStop(f, m.stop)
	}
	if kit.IsEmpty(m.failure) {
		return
	}
	if f.Stop == model.StopError {
		f.AddText(model.Words, model.ValueText(m.failure))
		return
	}
	kit.Keep(f, "errorMessage", m.failure)
}

// emitBash adds a command that the user ran, as a call and its result.
func (m *piMessage) emitBash(f *model.Fact) {
	f.Role = model.User
	id := kit.Or(m.entry, m.time)
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Text = model.ValueText(id), piBash, model.ValueText(m.command)
	call.Key = kit.HashValue(id)
	r := f.Add(model.ToolResult)
	r.ID, r.Name, r.Text = model.ValueText(id), piBash, model.ValueText(m.output)
	r.Key = call.Key.With([]byte("output"))
	r.Outcome = model.Success
	if n, ok := jsonspan.ParseInt(m.exit); ok && n != 0 {
		r.Outcome = model.Failure
	}
	if kit.IsTrue(m.cancelled) {
		r.Outcome = model.Stopped
	}
	kit.Keep(f, "exitCode", m.exit)
}

// piUsage reads a usage record: its numbers do not overlap.
func piUsage(v []byte) model.Usage {
	u := piNumbers.Read(v, model.Each)
	if u.Reasoning < 0 && bytes.Contains(v, []byte("reasoningTokens")) {
		if n, ok := jsonspan.ParseInt(jsonspan.Get(v, "reasoningTokens")); ok {
			u.Reasoning = n
		}
	}
	if cost := jsonspan.Get(v, "cost", "total"); cost != nil && u.Scope != model.NoUsage {
		c := jsonspan.New(cost)
		u.Cost, u.HasCost = c.Float()
	}
	return u
}

var piNumbers = kit.UsageNames{Input: "input", Output: "output", CacheRead: "cacheRead", CacheWrite: "cacheWrite", Reasoning: "reasoning"}
