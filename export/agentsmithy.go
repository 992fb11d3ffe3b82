package export

import (
	"strings"

	"turns/model"
	"turns/query"
)

// agentSmithy writes the dialog history response of the current AgentSmithy:
// events, in which results of tools have no place.
type agentSmithy struct {
	*sheet
	events, idx int64
	first, last int64
}

func newAgentSmithy(s *sheet) dialect { return &agentSmithy{sheet: s, first: -1} }

func (d *agentSmithy) begin([]string) {
	d.open('{')
	d.string("dialog_id", orElse(d.session("session"), "unknown"))
	d.key("events")
	d.open('[')
}

func (d *agentSmithy) end() {
	d.close(']')
	d.int("total_events", d.events)
	d.raw("has_more", "false")
	if d.first >= 0 {
		d.int("first_idx", d.first)
		d.int("last_idx", d.last)
	}
	d.close('}')
	d.buf = append(d.buf, '\n')
}

func (d *agentSmithy) message(m *query.Wire) {
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.Reasoning && !b.Null {
			d.event("reasoning")
			d.string("content", b.Text)
			d.modelName(m)
			d.close('}')
		}
	}
	switch words := wordsOf(m); {
	case isSystem(m) || m.Role == model.Tool:
		if words != "" {
			d.systems++
		}
	case strings.TrimSpace(words) != "":
		if m.Role == model.User {
			d.event("user")
		} else {
			d.event("chat")
		}
		d.int("idx", d.idx)
		if d.first < 0 {
			d.first = d.idx
		}
		d.last = d.idx
		d.idx++
		d.string("content", words)
		d.modelName(m)
		d.close('}')
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind == model.ToolResult || b.Kind == model.ToolCall && b.Result != nil {
			d.results++
		}
		if b.Kind == model.ToolCall {
			d.event("tool_call")
			d.string("id", b.ID)
			d.string("name", b.Name)
			d.value("args", b.Text)
			d.close('}')
		}
	}
}

func (d *agentSmithy) event(typ string) {
	d.events++
	d.item()
	d.string("type", typ)
}

func (d *agentSmithy) modelName(m *query.Wire) {
	if m.Model != "" && m.Role == model.Assistant {
		d.string("model_name", m.Model)
	}
}
