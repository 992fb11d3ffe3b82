package dialect

import (
	"cmp"
	"strings"

	"turns/export"
	"turns/export/shape"
	"turns/model"
	"turns/query/provider"
)

// shareGPT writes training data: an array of conversations, each a list of from and value, with
// calls and results in the notation of Hermes-style models.
type shareGPT struct {
	*sheet
	talk bool
	in   uint32
}

func shareGPTSpec() spec {
	return spec{
		Format:        export.Format{Name: "sharegpt", Help: "ShareGPT training data, one conversation per session"},
		noIDs:         true,
		make:          func(s *sheet) dialect { return &shareGPT{sheet: s} },
		endsWithModel: true,
	}
}

func (d *shareGPT) begin([]string) { d.Open('[') }

func (d *shareGPT) end() {
	d.closeTalk()
	d.endLine("]")
}

func (d *shareGPT) closeTalk() {
	if d.talk {
		d.talk = false
		d.Close("]}")
	}
}

func (d *shareGPT) message(m *provider.Wire) {
	if m.Session != d.in {
		d.closeTalk()
	}
	if d.in = m.Session; !d.talk {
		d.talk = true
		d.Item()
		d.Optional("id", d.sel.Snap.Sessions()[m.Session].Field("session"))
		d.OpenList("conversations")
	}
	from := map[model.Role]string{model.System: "system", model.Developer: "system", model.Assistant: "gpt", model.Tool: "tool"}[m.Role]
	d.Item()
	d.String("from", cmp.Or(from, "human"))
	var parts []string
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; b.Kind {
		case model.Words:
			parts = append(parts, b.Text)
		case model.ToolCall:
			parts = append(parts, d.call(b))
		case model.ToolResult:
			parts = append(parts, "<tool_response>\n"+b.Text+"\n</tool_response>")
			d.unmark(b)
		}
	}
	d.String("value", strings.Join(parts, "\n"))
	d.Close("}")
}

func (d *shareGPT) call(b *provider.WireBlock) string {
	o := shape.Object{Buf: []byte("<tool_call>\n"), Spaced: true}
	o.Open('{')
	o.String("name", b.Name)
	o.Key("arguments")
	o.Value([]byte(b.Text))
	return string(o.Close("}")) + "\n</tool_call>"
}
