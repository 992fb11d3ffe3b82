package export

import (
	"fmt"

	"turns/model"
	"turns/query"
)

// vercelUI writes the UIMessages of the Vercel AI SDK, version 5 and later.
type vercelUI struct{ *sheet }

func newVercelUI(s *sheet) dialect { return &vercelUI{s} }

func (d *vercelUI) begin([]string) { d.open('[') }

func (d *vercelUI) end() {
	d.close(']')
	d.buf = append(d.buf, '\n')
}

func (d *vercelUI) message(m *query.Wire) {
	d.item()
	d.string("id", ownID(m))
	role := m.Role
	if role == model.Developer {
		role = model.System
	}
	d.string("role", role.String())
	d.key("parts")
	d.open('[')
	if role == model.Assistant {
		d.step()
	}
	called := false
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if called && b.Kind != model.ToolCall {
			d.step()
			called = false
		}
		called = called || b.Kind == model.ToolCall
		d.part(b)
	}
	d.close(']')
	d.close('}')
}

// step begins a response of the model.
func (d *vercelUI) step() {
	d.item()
	d.string("type", "step-start")
	d.close('}')
}

func (d *vercelUI) part(b *query.WireBlock) {
	switch b.Kind {
	case model.Words, model.Reasoning:
		d.item()
		d.string("type", b.Kind.String())
		d.string("text", b.Text)
		d.string("state", "done")
		d.close('}')
	case model.ToolCall:
		d.call(b)
	case model.Media:
		mime, data, url := dataOf(b)
		if data == "" && url == "" {
			d.media++
			return
		}
		d.item()
		d.string("type", "file")
		d.string("mediaType", mimeOr(mime))
		d.string("url", orElse(url, fmt.Sprintf("data:%s;base64,%s", mimeOr(mime), data)))
		d.close('}')
	}
}

func (d *vercelUI) call(b *query.WireBlock) {
	d.item()
	d.string("type", "tool-"+b.Name)
	d.string("toolCallId", b.ID)
	r := b.Result
	switch {
	case r == nil:
		d.string("state", "input-available")
		d.input(b)
	case r.Outcome.Failed():
		d.string("state", "output-error")
		d.input(b)
		d.string("errorText", flatten(r))
	default:
		d.string("state", "output-available")
		d.input(b)
		if text := flatten(r); r.JSON && text == r.Text {
			d.value("output", text)
		} else {
			d.string("output", text)
		}
	}
	if r != nil {
		d.media += len(r.Media)
	}
	d.close('}')
}
