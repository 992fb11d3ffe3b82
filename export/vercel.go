package export

import (
	"encoding/json"
	"strings"

	"turns/model"
	"turns/query"
)

// vercel writes the ModelMessages of the Vercel AI SDK, version 5 and later.
type vercel struct{ *sheet }

func newVercel(s *sheet) dialect { return &vercel{s} }

func (d *vercel) begin([]string) { d.open('[') }

func (d *vercel) end() {
	d.close(']')
	d.buf = append(d.buf, '\n')
}

func (d *vercel) message(m *query.Wire) {
	d.item()
	defer d.close('}')
	role := m.Role
	if isSystem(m) {
		d.string("role", "system")
		d.string("content", wordsOf(m))
		d.countMedia(m)
		return
	}
	d.string("role", role.String())
	if text, ok := onlyWords(m); ok {
		d.string("content", text)
		return
	}
	d.key("content")
	d.open('[')
	for i := range m.Blocks {
		if b := &m.Blocks[i]; !d.recordedItem(b) {
			d.part(b)
		}
	}
	d.close(']')
}

func (d *vercel) part(b *query.WireBlock) {
	switch b.Kind {
	case model.Words, model.Reasoning:
		d.item()
		d.string("type", b.Kind.String())
		d.string("text", b.Text)
		d.close('}')
	case model.ToolCall:
		d.item()
		d.string("type", "tool-call")
		d.string("toolCallId", b.ID)
		d.string("toolName", b.Name)
		d.input(b)
		d.close('}')
	case model.ToolResult:
		d.item()
		d.string("type", "tool-result")
		d.string("toolCallId", b.ID)
		d.string("toolName", b.Name)
		d.output(b)
		d.close('}')
	case model.Media:
		mime, data, url := dataOf(b)
		if data == "" && url == "" {
			d.media++
			return
		}
		d.item()
		d.string("type", "file")
		d.string("mediaType", mimeOr(mime))
		d.string("data", orElse(data, url))
		d.close('}')
	}
}

func mimeOr(mime string) string {
	switch {
	case strings.Contains(mime, "/"):
		return mime
	case mime == "image" || mime == "audio" || mime == "video":
		return mime + "/*"
	}
	return "application/octet-stream"
}

// input is the arguments: any JSON value, and a string where they are none.
func (s *sheet) input(b *query.WireBlock) { s.value("input", b.Text) }

func (d *vercel) output(b *query.WireBlock) {
	d.key("output")
	d.open('{')
	defer d.close('}')
	text := flatten(b)
	if len(b.Media) > 0 && !b.Outcome.Failed() {
		d.string("type", "content")
		d.key("value")
		d.open('[')
		if text != "" && !(b.JSON && text == b.Text) {
			d.item()
			d.string("type", "text")
			d.string("text", text)
			d.close('}')
		}
		for i := range b.Media {
			if mime, data, _ := dataOf(&b.Media[i]); data != "" {
				d.item()
				d.string("type", "media")
				d.string("data", data)
				d.string("mediaType", mimeOr(mime))
				d.close('}')
			} else {
				d.media++
			}
		}
		d.close(']')
		return
	}
	d.media += len(b.Media)
	kind := "text"
	if b.Outcome.Failed() {
		kind = "error-text"
	}
	if b.JSON && text == b.Text && json.Valid([]byte(text)) {
		d.string("type", strings.Replace(kind, "text", "json", 1))
		d.value("value", text)
		return
	}
	d.string("type", kind)
	d.string("value", text)
}
