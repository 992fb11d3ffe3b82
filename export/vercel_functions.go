package export

import (
	"turns/model"
	"turns/query/provider"
)

func vercelFunctionsSpec() spec {
	return spec{
		Format: Format{Name: "vercel-functions", Help: "messages with function_call and the role function, as clients before tool_calls take them"},
		noIDs:  true,
		make:   func(s *sheet) dialect { return &vercelFunctions{s} },
	}
}

// vercelFunctions writes messages of before tool_calls: a message calls one function,
// and a message of the role function answers it.
type vercelFunctions struct{ *sheet }

func (d *vercelFunctions) begin([]string) { d.open('[') }

func (d *vercelFunctions) end() {
	d.close(']')
	d.buf = append(d.buf, '\n')
}

func (d *vercelFunctions) message(m *provider.Wire) {
	if !has(m, model.ToolCall) {
		d.said(m.Role, wordsOf(m))
		d.close('}')
		return
	}
	words := has(m, model.Words)
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind != model.ToolCall {
			continue
		}
		text := ""
		if words {
			text, words = wordsOf(m), false
		}
		d.call(b, text)
		if b.Result != nil {
			d.result(b.Result)
		}
	}
}

func (d *vercelFunctions) said(role model.Role, text string) {
	d.item()
	if role == model.Developer {
		role = model.System
	}
	d.string("role", role.String())
	d.string("content", text)
}

func (d *vercelFunctions) call(b *provider.WireBlock, text string) {
	d.said(model.Assistant, text)
	d.key("function_call")
	d.open('{')
	d.string("name", b.Name)
	d.string("arguments", b.Text)
	d.close('}')
	d.close('}')
}

func (d *vercelFunctions) result(b *provider.WireBlock) {
	d.item()
	d.string("role", "function")
	d.string("name", b.Name)
	d.string("content", b.Text)
	d.close('}')
	if b.Outcome.Failed() && !b.Made {
		d.unmarked++
	}
}
