package agentc

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

func agentCContent(f *model.Fact, v []byte) {
	if jsonspan.KindOf(v) != jsonspan.Array {
		kit.AddContent(f, v)
		return
	}
	for item := range jsonspan.List(v) {
		if jsonspan.KindOf(item) == jsonspan.Object {
			agentCBlock(f, item)
		} else {
			kit.AddBlock(f, item)
		}
	}
}

// agentCFields holds the fields of a block.
type agentCFields struct {
	typ, status                                    []byte // without quotes
	text, thought, name, id, params, result, fault []byte
	took                                           []byte
	redacted                                       bool
	extra                                          []model.Field
}

// agentCBlock adds a block, and preserves the fields that the work log adds to it.
func agentCBlock(f *model.Fact, v []byte) {
	var b agentCFields
	at := len(f.Blocks)
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch name := string(c.Name); name {
		case "type":
			b.typ = c.String()
		case "text":
			b.text = c.Skip()
		case "thought":
			b.thought = c.Skip()
		case "redacted":
			v := c.Skip()
			b.redacted = kit.IsTrue(v)
			b.keep(name, v)
		case "tool_name":
			b.name = c.Skip()
		case "tool_id":
			b.id = c.Skip()
		case "parameters":
			b.params = c.Skip()
		case "result":
			b.result = c.Skip()
		case "outcome_status":
			v := c.Skip()
			b.status = kit.Inside(v)
			b.keep(name, v)
		case "execution_time":
			b.took = c.Skip()
			b.keep(name, b.took)
		case "error_details":
			b.fault = c.Skip()
			b.keep(name, b.fault)
		default:
			b.keep(name, c.Skip())
		}
	}
	if !b.add(f) { // a vendor-specific block
		kit.AddBlock(f, v)
	} else if len(f.Blocks) > at {
		f.Blocks[at].Extra = b.extra
	}
}

// keep preserves a field beyond the block's content. It skips empty fields and a redacted that is
// false.
func (b *agentCFields) keep(name string, v []byte) {
	if !kit.IsEmpty(v) && (name != "redacted" || kit.IsTrue(v)) {
		b.extra = append(b.extra, model.Field{Name: name, Value: model.ValueText(v)})
	}
}

func (b *agentCFields) add(f *model.Fact) bool {
	switch string(b.typ) {
	case "text":
		f.AddText(model.Words, model.ValueText(b.text))
	case "thinking":
		if b.thought == nil && !b.redacted {
			return false
		}
		r := f.Add(model.Reasoning)
		if b.redacted {
			r.Name = kit.AgentCRedacted
			b.keep("thought", b.thought)
		} else {
			r.Text = model.ValueText(b.thought)
		}
	case "tool_use":
		if b.id == nil && b.name == nil {
			return false
		}
		r := f.Add(model.ToolCall)
		r.ID, r.Name, r.Text = model.ValueText(b.id), model.ValueText(b.name), model.ValueText(agentCParameters(b.params))
	case "tool_result":
		if b.id == nil && b.name == nil {
			return false
		}
		b.addResult(f)
	default:
		return false
	}
	return true
}

func (b *agentCFields) addResult(f *model.Fact) {
	content := b.result
	if kit.IsNull(content) && !kit.IsEmpty(b.fault) {
		content = b.fault
	}
	outcome, _ := kit.OutcomeOfStatus(b.status)
	at := len(f.Blocks)
	kit.AddResult(f, model.ValueText(b.id), model.ValueText(b.name), content, outcome)
	f.Blocks[at].Took = kit.TookSeconds(b.took)
}

// agentCParameters unwraps arguments that Agent C could not parse.
func agentCParameters(v []byte) []byte {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return v
	}
	c := jsonspan.New(v)
	if c.Object(); c.Key() && (string(c.Name) == "raw_arguments" || string(c.Name) == "INVALID_JSON") {
		if raw := c.Skip(); !c.Key() { // it has no other field
			return raw
		}
	}
	return v
}

// agentCEntry turns an entry of the work log into the call that it reports, with its result.
func agentCEntry(f *model.Fact, v []byte) {
	var id, name, params, details, summary, status, took []byte
	f.Role = model.Assistant
	f.Flags |= model.Synthetic
	extra := f.Extra[:0]
	c := jsonspan.New(v)
	fields := kit.Fields{
		kit.Raw("entry_id", &id), kit.Raw("tool_name", &name), kit.Raw("key_parameters", &params),
		kit.Raw("outcome_details", &details), kit.Raw("action_summary", &summary), kit.Word("outcome_status", &status),
		kit.Raw("execution_time_ms", &took), kit.Time("timestamp", &f.Time),
	}
	for c.Object(); c.Key(); {
		if !fields.Take(&c) {
			name := string(c.Name)
			if v := c.Skip(); !kit.IsEmpty(v) {
				extra = append(extra, model.Field{Name: name, Value: model.ValueText(v)})
			}
		}
	}
	f.Extra = extra
	f.Keep("id", model.ValueText(id))
	if !kit.IsEmpty(summary) {
		f.AddText(model.Words, model.ValueText(summary))
	}
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Text = model.ValueText(id), model.ValueText(name), model.ValueText(params)
	result := f.Add(model.ToolResult)
	result.ID, result.Name, result.Text = model.ValueText(id), model.ValueText(name), model.ValueText(details)
	result.Outcome, _ = kit.OutcomeOfStatus(status)
	result.Took = kit.TookMs(took)
}
