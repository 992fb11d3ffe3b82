package dialect

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"turns/model"
	"turns/query/human"
	"turns/query/provider"
)

// smithyCall is an entry of the list of calls of an AgentSmithy history.
type smithyCall struct {
	id, name, args, preview, time string
	full                          bool // the server has the full result
	index                         int64
}

// smithyPreview is the maximum number of characters of a result in the list of calls.
const smithyPreview = 200

func (c *smithyCall) write(s *sheet) {
	s.Item()
	s.String("tool_call_id", c.id)
	s.String("tool_name", c.name)
	s.value("args", cmp.Or(c.args, "{}"))
	s.String("result_preview", c.preview)
	s.Raw("has_full_result", map[bool]string{true: "true", false: "false"}[c.full])
	s.Optional("timestamp", c.time)
	s.Int("message_index", c.index)
	s.Close("}")
}

func newAgentSmithy(s *sheet) dialect {
	return &agentSmithy{
		sheet: s, recorded: map[string]smithyCall{}, listed: map[model.ID]bool{},
		indexed: map[string]model.ID{}, written: map[model.ID]int64{},
	}
}

// prepare reads the records of an AgentSmithy transcript about calls, outside its messages: the
// notes of a history, the stored results of a journal, and calls without a message. It notes the
// recorded positions of messages, which those calls refer to.
func (d *agentSmithy) prepare(ctx context.Context) error {
	snap := d.sel.Snap
	if snap.Format() != "agentsmithy" {
		return nil
	}
	for id := range model.ID(snap.Rows()) {
		h := snap.HeadRow(id)
		if !h.IsMessage() && h.Op != model.Note {
			continue
		}
		m, err := snap.Body(ctx, id)
		if err != nil {
			return err
		}
		if h.IsMessage() {
			d.listed[id] = !slices.ContainsFunc(m.Records, func(r model.RecordText) bool {
				return r.List != "tool_calls" && r.List != "result"
			})
			for _, kv := range m.Extra {
				if kv.Name == "index" {
					d.indexed[kv.Value] = id
				}
			}
		} else if m.Name == "result preview" || m.Name == "result" {
			d.note(m)
		}
	}
	return nil
}

// note stores the content of a note about a call. In a history the note has the preview. In a
// journal it has the summary or the error, and the row has the full result.
func (d *agentSmithy) note(m *model.Message) {
	c := smithyCall{time: stamp(m.Time), full: m.Name == "result"}
	var summary, fault string
	fields := m.Extra
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.ToolResult {
			c.id, c.preview, fields = b.ID, b.Text, b.Extra
		}
	}
	for _, kv := range fields {
		switch kv.Name {
		case "tool_call_id":
			c.id = kv.Value
		case "has_full_result":
			c.full = kv.Value == "true"
		case "summary":
			summary = kv.Value
		case "error":
			fault = kv.Value
		}
	}
	c.preview = cmp.Or(summary, fault, c.preview)
	d.recorded[c.id] = c
}

// enlist adds a call to the list. index is the position of its message: -1 for none, unless the
// list that has the call refers to one.
func (d *agentSmithy) enlist(m *provider.Wire, b *provider.WireBlock, index int64) {
	c := smithyCall{time: stamp(m.Time)}
	if r := b.Result; r != nil && isPreview(r) {
		c = previewOf(r)
		if at, _ := smithyField(r, "message_index"); index < 0 {
			if id, ok := d.indexed[at]; ok {
				index = d.written[id] - 1 // -1 if the message is not exported
			}
		}
	} else if r != nil {
		c.full, c.preview = true, human.CutText(strings.TrimSpace(r.Text), smithyPreview)
	}
	if was, ok := d.recorded[b.ID]; ok {
		c.time, c.full, c.preview = cmp.Or(was.time, c.time), was.full, cmp.Or(was.preview, c.preview)
	}
	c.id, c.name, c.args, c.index = b.ID, b.Name, b.Text, index
	d.calls = append(d.calls, c)
}

// isPreview reports whether a result is the preview in a history's list of calls.
func isPreview(r *provider.WireBlock) bool {
	_, ok := smithyField(r, "has_full_result")
	return ok
}

// previewOf returns the entry of a result.
func previewOf(r *provider.WireBlock) smithyCall {
	c := smithyCall{id: r.ID, name: r.Name, preview: r.Text, index: -1}
	full, _ := smithyField(r, "has_full_result")
	c.full = full == "true"
	c.time, _ = smithyField(r, "timestamp")
	return c
}

func smithyField(r *provider.WireBlock, name string) (value string, ok bool) {
	for _, kv := range r.Extra {
		if kv.Name == name {
			return kv.Value, kv.Value != "null"
		}
	}
	return "", false
}
