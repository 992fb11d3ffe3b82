package export

import (
	"turns/model"
	query "turns/query/provider"
)

func vercelFunctionsSpec() spec {
	return spec{
		Format: Format{Name: "vercel-functions", Help: "messages with function_call and the role function, as clients before tool_calls take them"},
		noIDs:  true,
		make:   func(s *sheet) dialect { return &vercelFunctions{sheet: s} },
	}
}

// vercelFunctions writes messages of before tool_calls: a message calls one function,
// and a message of the role function answers it. Parallel calls become one after
// another.
type vercelFunctions struct {
	*sheet
	calls []query.WireBlock // that were not written yet
	text  string            // what the message with them says
}

func (d *vercelFunctions) begin([]string) { d.open('[') }

func (d *vercelFunctions) end() {
	d.call("")
	d.close(']')
	d.buf = append(d.buf, '\n')
}

func (d *vercelFunctions) message(m *query.Wire) {
	if m.Role == model.Tool {
		b := &m.Blocks[0]
		d.call(b.ID)
		d.item()
		d.string("role", "function")
		d.string("name", b.Name)
		d.string("content", b.Text)
		d.close('}')
		if b.Outcome.Failed() && !b.Made {
			d.unmarked++
		}
		return
	}
	d.call("")
	if !has(m, model.ToolCall) {
		d.said(m.Role, wordsOf(m))
		d.close('}')
		return
	}
	d.text = wordsOf(m)
	for i := range m.Blocks {
		if m.Blocks[i].Kind == model.ToolCall {
			d.calls = append(d.calls, m.Blocks[i])
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

// call writes the calls up to the one with an id, all where it is none of them.
func (d *vercelFunctions) call(id string) {
	for len(d.calls) > 0 {
		b := d.calls[0]
		d.calls = d.calls[1:]
		d.said(model.Assistant, d.text)
		d.text = ""
		d.key("function_call")
		d.open('{')
		d.string("name", b.Name)
		d.string("arguments", b.Text)
		d.close('}')
		d.close('}')
		if b.ID == id && id != "" {
			return
		}
	}
}
