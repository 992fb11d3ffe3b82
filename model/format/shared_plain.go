package format

import (
	"turns/model"
	"turns/model/jsonspan"
)

// plainFields is what OpenAI's messages have beside role, content and name. The JSON
// export writes every message with these, and beside them the fields by which a
// framework's own format is told: such formats read both.
type plainFields struct {
	calls, callID, reasoning, isError []byte
}

// take reads the field that the cursor has come to, if it is one of them.
func (p *plainFields) take(c *jsonspan.Cursor) bool {
	switch string(c.Name) {
	case "tool_calls":
		p.calls = c.Skip()
	case "tool_call_id":
		p.callID = c.Skip()
	case "reasoning_content":
		p.reasoning = c.Skip()
	case "is_error":
		p.isError = c.Skip()
	default:
		return false
	}
	return true
}

// answers makes a tool message its result; false where it names no call.
func (p *plainFields) answers(f *model.Fact, name, content []byte) bool {
	if f.Role != model.Tool || isEmpty(p.callID) {
		return false
	}
	b := blockFields{callID: p.callID, name: name, content: content, isError: p.isError}
	addResultBlock(f, &b)
	return true
}

// addReasoning adds what stands before the content.
func (p *plainFields) addReasoning(f *model.Fact) {
	if !isEmpty(p.reasoning) {
		f.AddText(model.Reasoning, model.ValueText(p.reasoning))
	}
}
