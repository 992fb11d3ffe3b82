package described

import (
	"bytes"
	"strings"

	"turns/model"
)

// callOf adds a call recorded in the message itself.
func (o *object) callOf(role model.Role) {
	if o.rule.Tool == "" && o.rule.Arguments == "" {
		return
	}
	if role == model.Tool || o.first(partTool) == nil && o.first(partArguments) == nil {
		return
	}
	o.call(o.fs.At(o.fact))
}

// resultOf adds a result recorded in an assistant's message whose calls have separate rules.
func (o *object) resultOf(f *model.Fact) bool {
	if f.Role != model.Assistant || o.rule.Tool != "" || o.rule.Result == "" {
		return false
	}
	v := o.first(partResult)
	if v == nil {
		v = o.first(partError)
	}
	if v != nil {
		o.kit.Result(f, o.text(partID), model.Text{}, v, o.outcome())
	}
	return v != nil
}

func (o *object) text(part int) model.Text {
	if v := o.first(part); v != nil {
		return model.ValueText(v)
	}
	return model.Text{}
}

func (o *object) call(f *model.Fact) {
	b := f.Add(model.ToolCall)
	b.ID, b.Name, b.Text = o.text(partID), o.text(partTool), o.text(partArguments)
	if o.rule.Aside && o.rule.Key == o.rule.ID { // the message is the call, and may be repeated
		b.Key = b.ID.Hash()
	}
	if o.rule.kindly {
		b.Name = model.StringText(ToolOfKind(b.Name.String()))
	}
	if o.rule.Result != "" && o.first(partResult) != nil {
		o.result(f)
	}
}

// result adds a result to a fact. In a tool's message it is the text.
func (o *object) result(f *model.Fact) {
	v := o.first(partResult)
	if v == nil {
		v = o.first(partText)
	}
	if v == nil {
		v = o.first(partError)
	}
	from := len(f.Blocks)
	o.kit.Result(f, o.text(partID), o.text(partTool), v, o.outcome())
	for i := range f.Blocks[from:] {
		b := &f.Blocks[from+i]
		b.Again = o.rule.Again && b.Kind == model.ToolResult
	}
}

func (o *object) failed() bool { return o.outcome().Failed() }

// outcome returns the outcome of the error: a flag, a status, an exit code or a message.
func (o *object) outcome() model.Outcome {
	v := o.first(partError)
	if fixed, ok := strings.CutPrefix(o.rule.Error, "="); ok {
		outcome, _ := o.kit.Outcome([]byte(fixed))
		return outcome
	}
	switch {
	case len(v) == 0 || v[0] == 'n':
		return model.Unknown
	case v[0] == 't' && !o.rule.asserts:
		return model.Failure
	case v[0] == 'f' && o.rule.asserts:
		return model.Failure
	case v[0] == 't', v[0] == 'f', string(v) == "0", len(v) == 2:
		return model.Success
	case v[0] == '"':
		if outcome, ok := o.kit.Outcome(bytes.ToLower(v[1 : len(v)-1])); ok {
			return outcome
		}
	}
	return model.Failure
}

// isEmpty reports whether a value is null, "", [] or {}.
func isEmpty(v []byte) bool {
	switch string(v) {
	case "null", `""`, "[]", "{}":
		return true
	}
	return false
}
