package export

import (
	"strings"

	"turns/model"
	"turns/query"
)

// anthropic writes the body of a request to Anthropic's Messages API.
type anthropic struct{ *sheet }

func newAnthropic(s *sheet) dialect { return &anthropic{s} }

// anthropicMax is the limit of the answer, which a request must name.
const anthropicMax = 8192

func (d *anthropic) begin(system []string) {
	d.open('{')
	d.model("claude")
	d.int("max_tokens", anthropicMax)
	if len(system) > 0 {
		d.string("system", strings.Join(system, "\n\n"))
	}
	d.key("messages")
	d.open('[')
}

func (d *anthropic) end() {
	d.close(']')
	d.close('}')
	d.buf = append(d.buf, '\n')
}

func (d *anthropic) message(m *query.Wire) {
	d.item()
	d.string("role", m.Role.String())
	if text, ok := onlyWords(m); ok {
		d.string("content", text)
		d.close('}')
		return
	}
	d.key("content")
	d.open('[')
	for i := range m.Blocks {
		d.block(&m.Blocks[i])
	}
	d.close(']')
	d.close('}')
}

func (d *anthropic) block(b *query.WireBlock) {
	if d.recordedItem(b) {
		return
	}
	switch b.Kind {
	case model.Words:
		d.item()
		d.string("type", "text")
		d.string("text", b.Text)
		d.close('}')
	case model.ToolCall:
		d.item()
		d.string("type", "tool_use")
		d.string("id", b.ID)
		d.string("name", b.Name)
		d.value("input", b.Text)
		d.close('}')
	case model.ToolResult:
		d.result(b)
	case model.Media:
		d.source(b)
	}
}

func (d *anthropic) result(b *query.WireBlock) {
	d.item()
	d.string("type", "tool_result")
	d.string("tool_use_id", b.ID)
	text := flatten(b)
	switch {
	case len(b.Media) > 0:
		d.key("content")
		d.open('[')
		if strings.TrimSpace(text) != "" && !(b.JSON && text == b.Text) {
			d.item()
			d.string("type", "text")
			d.string("text", text)
			d.close('}')
		}
		for i := range b.Media {
			d.source(&b.Media[i])
		}
		d.close(']')
	case text != "":
		d.string("content", text)
	}
	if b.Outcome.Failed() {
		d.raw("is_error", "true")
	}
	d.close('}')
}

// source writes an image or a document, the media that this API takes.
func (d *anthropic) source(b *query.WireBlock) {
	mime, data, url := dataOf(b)
	typ := "image"
	switch {
	case mime == "application/pdf":
		typ = "document"
	case !isImage(mime) || data == "" && !strings.HasPrefix(url, "http"):
		d.media++
		return
	}
	d.item()
	d.string("type", typ)
	d.key("source")
	d.open('{')
	if data == "" {
		d.string("type", "url")
		d.string("url", url)
	} else {
		d.string("type", "base64")
		d.string("media_type", mime)
		d.string("data", data)
	}
	d.close('}')
	d.close('}')
}
