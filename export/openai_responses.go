package export

import (
	"turns/model"
	"turns/query"
)

// responses writes the body of a request to OpenAI's Responses API: items, one
// for each thing that was said or done.
type responses struct{ *sheet }

func newResponses(s *sheet) dialect { return &responses{s} }

func (d *responses) begin([]string) {
	d.open('{')
	d.model("gpt", "o1", "o3", "o4", "chatgpt", "codex")
	d.key("input")
	d.open('[')
}

func (d *responses) end() {
	d.close(']')
	d.close('}')
	d.buf = append(d.buf, '\n')
}

func (d *responses) message(m *query.Wire) {
	for from := 0; from < len(m.Blocks); {
		to := from
		for to < len(m.Blocks) && (m.Blocks[to].Kind == model.Words || m.Blocks[to].Kind == model.Media) {
			to++
		}
		if to > from {
			d.said(m, m.Blocks[from:to])
			from = to
			continue
		}
		d.done(&m.Blocks[from])
		from++
	}
}

func (d *responses) said(m *query.Wire, blocks []query.WireBlock) {
	d.item()
	d.string("type", "message")
	d.string("role", m.Role.String())
	d.key("content")
	d.open('[')
	for i := range blocks {
		b := &blocks[i]
		if b.Kind == model.Media {
			d.part(m, b)
			continue
		}
		d.item()
		if m.Role == model.Assistant {
			d.string("type", "output_text")
		} else {
			d.string("type", "input_text")
		}
		d.string("text", b.Text)
		d.close('}')
	}
	d.close(']')
	d.close('}')
}

func (d *responses) part(m *query.Wire, b *query.WireBlock) {
	mime, data, url := dataOf(b)
	if m.Role == model.Assistant || data == "" && url == "" {
		d.media++
		return
	}
	d.item()
	switch {
	case isImage(mime):
		d.string("type", "input_image")
		d.string("detail", "auto")
		d.string("image_url", orElse(url, "data:"+mime+";base64,"+data))
	case data == "":
		d.string("type", "input_file")
		d.string("file_url", url)
	default:
		d.string("type", "input_file")
		d.string("filename", "file")
		d.string("file_data", "data:"+mime+";base64,"+data)
	}
	d.close('}')
}

func isImage(mime string) bool { return len(mime) >= 5 && mime[:5] == "image" }

func (d *responses) done(b *query.WireBlock) {
	if d.recordedItem(b) {
		return
	}
	d.item()
	switch b.Kind {
	case model.ToolCall:
		d.string("type", "function_call")
		d.string("call_id", b.ID)
		d.string("name", b.Name)
		d.string("arguments", b.Text)
	case model.ToolResult:
		d.string("type", "function_call_output")
		d.string("call_id", b.ID)
		d.string("output", flatten(b))
		d.media += len(b.Media)
		if b.Outcome.Failed() && !b.Made {
			d.unmarked++
		}
	}
	d.close('}')
}
