package dialect

import (
	"cmp"
	"strings"

	"turns/export"
	"turns/model"
	"turns/query/provider"
)

func agentSmithySpec() spec {
	return spec{
		Format: export.Format{Name: "agentsmithy", Help: "an AgentSmithy dialog history: messages and tool_calls"},
		make:   newAgentSmithy,
	}
}

func agentSmithyEventsSpec() spec {
	return spec{
		Format: export.Format{Name: "agentsmithy-events", Help: "an AgentSmithy dialog history of events (no results)"},
		make:   func(s *sheet) dialect { return &agentSmithyEvents{sheet: s, first: -1} },
	}
}

// agentSmithy writes the dialog history response of AgentSmithy: messages, including reasoning, and
// the calls again in a separate list.
type agentSmithy struct {
	*sheet
	index, reasoning int64
	calls            []smithyCall
	recorded         map[string]smithyCall // by id: the call in the transcript's list of calls
	listed           map[model.ID]bool     // messages made only from that list
	indexed          map[string]model.ID   // messages by their recorded index
	written          map[model.ID]int64    // number of messages up to each exported one
}

func (d *agentSmithy) begin([]string) {
	d.Open('{')
	d.String("dialog_id", cmp.Or(d.session("session"), "unknown"))
	d.OpenList("messages")
}

func (d *agentSmithy) end() {
	d.Close("]")
	d.OpenList("tool_calls")
	for i := range d.calls {
		d.calls[i].write(d.sheet)
	}
	d.Close("]")
	d.Int("total_messages", d.index)
	d.Int("total_reasoning", d.reasoning)
	d.Int("total_tool_calls", int64(len(d.calls)))
	if d.index > 0 {
		d.Int("first_idx", 0)
		d.Int("last_idx", d.index-1)
	}
	d.endLine("}")
}

// begun begins a message, with its position.
func (d *agentSmithy) begun(typ, content string, time int64) {
	d.typed(typ)
	d.String("content", content)
	d.Int("index", d.index)
	d.index++
	d.time(time)
}

func (d *agentSmithy) message(m *provider.Wire) {
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.Reasoning && !b.Null {
			d.reasoning++
			d.begun("reasoning", b.Text, m.Time)
			d.written[m.ID] = d.index
			d.Int("reasoning_id", d.reasoning)
			d.Optional("model_name", m.Model)
			d.Close("}")
		}
	}
	typ := map[model.Role]string{model.System: "system", model.Developer: "system", model.Assistant: "ai", model.Tool: "tool"}[m.Role]
	switch words := wordsOf(m); {
	case d.listed[m.ID]:
		for i := range m.Blocks {
			if b := &m.Blocks[i]; b.Kind == model.ToolCall {
				d.enlist(m, b, -1)
			}
		}
	case words != "" || m.Has(model.ToolCall):
		d.begun(cmp.Or(typ, "human"), words, m.Time)
		d.written[m.ID] = d.index
		d.called(m)
		d.Close("}")
	}
	d.results(m)
}

// results writes the results of a message: full ones as messages of tools. Previews are only in the
// list of calls.
func (d *agentSmithy) results(m *provider.Wire) {
	for i := range m.Blocks {
		r := &m.Blocks[i]
		if r.Kind == model.ToolCall {
			r = r.Result
		}
		if r == nil || r.Kind != model.ToolResult {
			continue
		}
		if isPreview(r) {
			if r == &m.Blocks[i] {
				d.calls = append(d.calls, previewOf(r))
			}
			continue
		}
		d.begun("tool", r.Text, m.Time)
		d.String("tool_call_id", r.ID)
		d.String("name", r.Name)
		d.Close("}")
		if r.Outcome.Failed() {
			d.unmarked++
		}
	}
}

// called writes the calls of a message, and adds them to the list.
func (d *agentSmithy) called(m *provider.Wire) {
	if !m.Has(model.ToolCall) {
		return
	}
	d.listCalls(m, func(b *provider.WireBlock) {
		d.String("id", b.ID)
		d.String("name", b.Name)
		d.value("args", b.Text)
		d.enlist(m, b, d.index-1)
	})
}

// agentSmithyEvents writes the dialog history response of the current AgentSmithy: events, which
// have no place for results of tools.
type agentSmithyEvents struct {
	*sheet
	events, idx int64
	first, last int64
}

func (d *agentSmithyEvents) begin([]string) {
	d.Open('{')
	d.String("dialog_id", cmp.Or(d.session("session"), "unknown"))
	d.OpenList("events")
}

func (d *agentSmithyEvents) end() {
	d.Close("]")
	d.Int("total_events", d.events)
	d.Raw("has_more", "false")
	if d.first >= 0 {
		d.Int("first_idx", d.first)
		d.Int("last_idx", d.last)
	}
	d.endLine("}")
}

func (d *agentSmithyEvents) message(m *provider.Wire) {
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.Reasoning && !b.Null {
			d.event("reasoning")
			d.String("content", b.Text)
			d.modelName(m)
			d.Close("}")
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
		d.Int("idx", d.idx)
		if d.first < 0 {
			d.first = d.idx
		}
		d.last = d.idx
		d.idx++
		d.String("content", words)
		d.modelName(m)
		d.Close("}")
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind == model.ToolResult || b.Kind == model.ToolCall && b.Result != nil {
			d.results++
		}
		if b.Kind == model.ToolCall {
			d.event("tool_call")
			d.String("id", b.ID)
			d.String("name", b.Name)
			d.value("args", b.Text)
			d.Close("}")
		}
	}
}

func (d *agentSmithyEvents) event(typ string) {
	d.events++
	d.typed(typ)
}

func (d *agentSmithyEvents) modelName(m *provider.Wire) {
	if m.Model != "" && m.Role == model.Assistant {
		d.String("model_name", m.Model)
	}
}
