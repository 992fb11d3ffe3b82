package dialect

import (
	"turns/export"
	"turns/model"
	query "turns/query/provider"
)

func vercelFunctionsSpec() spec {
	return spec{
		Format: export.Format{Name: "vercel-functions", Help: "messages with function_call and the role function, for clients older than tool_calls"},
		noIDs:  true,
		make:   func(s *sheet) dialect { return &vercelFunctions{sheet: s} },
	}
}

// vercelFunctions writes messages from before tool_calls: a message calls one function, and a
// message of the role function answers it. Parallel calls become sequential.
type vercelFunctions struct {
	*sheet
	calls []query.WireBlock // calls that are not written yet
	text  string            // text of their message
}

func (d *vercelFunctions) begin([]string) { d.Open('[') }

func (d *vercelFunctions) end() {
	d.call("")
	d.endLine("]")
}

func (d *vercelFunctions) message(m *query.Wire) {
	if m.Role == model.Tool {
		b := &m.Blocks[0]
		d.call(b.ID)
		d.Item()
		d.String("role", "function")
		d.String("name", b.Name)
		d.String("content", b.Text)
		d.Close("}")
		d.unmark(b)
		return
	}
	d.call("")
	if !m.Has(model.ToolCall) {
		d.writeText(m.Role, wordsOf(m))
		d.Close("}")
		return
	}
	d.text = wordsOf(m)
	for i := range m.Blocks {
		if m.Blocks[i].Kind == model.ToolCall {
			d.calls = append(d.calls, m.Blocks[i])
		}
	}
}

func (d *vercelFunctions) writeText(role model.Role, text string) {
	d.Item()
	if role == model.Developer {
		role = model.System
	}
	d.String("role", role.String())
	d.String("content", text)
}

// call writes the calls up to the one with an id, or all if none has it.
func (d *vercelFunctions) call(id string) {
	for len(d.calls) > 0 {
		b := d.calls[0]
		d.calls = d.calls[1:]
		d.writeText(model.Assistant, d.text)
		d.text = ""
		d.OpenObject("function_call")
		d.String("name", b.Name)
		d.String("arguments", b.Text)
		d.Close("}}")
		if b.ID == id && id != "" {
			return
		}
	}
}
