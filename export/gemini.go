package export

import (
	"encoding/json"
	"strings"

	"turns/model"
	"turns/query"
)

// gemini writes the body of a generateContent request.
type gemini struct{ *sheet }

func newGemini(s *sheet) dialect { return &gemini{s} }

func (d *gemini) begin(system []string) {
	d.open('{')
	if len(system) > 0 {
		d.key("systemInstruction")
		d.open('{')
		d.key("parts")
		d.open('[')
		for _, text := range system {
			d.text(text)
		}
		d.close(']')
		d.close('}')
	}
	d.key("contents")
	d.open('[')
}

func (d *gemini) end() {
	d.close(']')
	d.close('}')
	d.buf = append(d.buf, '\n')
}

func (d *gemini) text(text string) {
	d.item()
	d.string("text", text)
	d.close('}')
}

func (d *gemini) message(m *query.Wire) {
	d.item()
	if m.Role == model.Assistant {
		d.string("role", "model")
	} else {
		d.string("role", "user")
	}
	d.key("parts")
	d.open('[')
	for i := range m.Blocks {
		if b := &m.Blocks[i]; !d.recordedItem(b) {
			d.part(b)
		}
	}
	d.close(']')
	d.close('}')
}

func (d *gemini) part(b *query.WireBlock) {
	switch b.Kind {
	case model.Words:
		d.text(b.Text)
	case model.Reasoning:
		d.item()
		d.string("text", b.Text)
		d.raw("thought", "true")
		d.close('}')
	case model.ToolCall:
		d.item()
		d.key("functionCall")
		d.open('{')
		d.id(b)
		d.string("name", b.Name)
		d.value("args", b.Text)
		d.close('}')
		d.close('}')
	case model.ToolResult:
		d.item()
		d.key("functionResponse")
		d.open('{')
		d.id(b)
		d.string("name", b.Name)
		d.response(b)
		d.close('}')
		d.close('}')
		for i := range b.Media {
			d.inline(&b.Media[i])
		}
	case model.Media:
		d.inline(b)
	}
}

// id writes a recorded id; the API needs none.
func (d *gemini) id(b *query.WireBlock) {
	if !b.MadeID {
		d.string("id", b.ID)
	}
}

// response is an object: that of the tool, or one with its output or its error.
func (d *gemini) response(b *query.WireBlock) {
	text := flatten(b)
	name := "output"
	if b.Outcome.Failed() {
		name = "error"
	} else if strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		d.value("response", text)
		return
	}
	d.key("response")
	d.open('{')
	d.string(name, text)
	d.close('}')
}

func (d *gemini) inline(b *query.WireBlock) {
	mime, data, url := dataOf(b)
	if data == "" && url == "" || !strings.Contains(mime, "/") && data != "" {
		d.media++
		return
	}
	d.item()
	if data == "" {
		d.key("fileData")
		d.open('{')
		if strings.Contains(mime, "/") {
			d.string("mimeType", mime)
		}
		d.string("fileUri", url)
	} else {
		d.key("inlineData")
		d.open('{')
		d.string("mimeType", mime)
		d.string("data", data)
	}
	d.close('}')
	d.close('}')
}
