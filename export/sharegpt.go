package export

import (
	"cmp"
	"strings"

	"turns/model"
	"turns/query/provider"
)

// shareGPT writes training data: an array of conversations, each a list of from
// and value, with calls and results as Hermes-style models are taught them.
type shareGPT struct {
	*sheet
	talk bool
	in   uint32
}

func shareGPTSpec() spec {
	return spec{
		Format:        Format{Name: "sharegpt", Help: "ShareGPT training data, a conversation for each session"},
		noIDs:         true,
		make:          func(s *sheet) dialect { return &shareGPT{sheet: s} },
		endsWithModel: true,
	}
}

func (d *shareGPT) begin([]string) { d.open('[') }

func (d *shareGPT) end() {
	d.closeTalk()
	d.close(']')
	d.buf = append(d.buf, '\n')
}

func (d *shareGPT) closeTalk() {
	if d.talk {
		d.talk = false
		d.close(']')
		d.close('}')
	}
}

func (d *shareGPT) message(m *provider.Wire) {
	if m.Session != d.in {
		d.closeTalk()
	}
	if d.in = m.Session; !d.talk {
		d.talk = true
		d.item()
		if id := d.sel.Snap.Sessions()[m.Session].Field("session"); id != "" {
			d.string("id", id)
		}
		d.key("conversations")
		d.open('[')
	}
	from := map[model.Role]string{model.System: "system", model.Developer: "system", model.Assistant: "gpt", model.Tool: "tool"}[m.Role]
	d.item()
	d.string("from", cmp.Or(from, "human"))
	var parts []string
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; b.Kind {
		case model.Words:
			parts = append(parts, b.Text)
		case model.ToolCall:
			parts = append(parts, d.call(b))
		case model.ToolResult:
			parts = append(parts, d.response(b))
			if b.Outcome.Failed() && !b.Made {
				d.unmarked++
			}
		}
	}
	d.string("value", strings.Join(parts, "\n"))
	d.close('}')
}

func (d *shareGPT) call(b *provider.WireBlock) string {
	o := object{buf: []byte("<tool_call>\n"), spaced: true}
	o.open('{')
	o.string("name", b.Name)
	o.key("arguments")
	if out, ok := (layout{}).appendValue(o.buf, []byte(b.Text), 0); ok {
		o.buf = out
	} else {
		o.buf = model.AppendQuoted(o.buf, []byte(b.Text))
	}
	return string(o.close('}')) + "\n</tool_call>"
}

func (d *shareGPT) response(b *provider.WireBlock) string {
	return "<tool_response>\n" + b.Text + "\n</tool_response>"
}
