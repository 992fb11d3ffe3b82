package export

import (
	"encoding/json"
	"strings"

	"turns/model"
	"turns/query"
)

// pydantic writes a message history that PydanticAI's ModelMessagesTypeAdapter
// reads: requests, which hold what the system, the user and the tools say until
// the model answers, and responses.
type pydantic struct {
	*sheet
	request bool
}

func newPydantic(s *sheet) dialect { return &pydantic{sheet: s} }

func (d *pydantic) begin([]string) { d.open('[') }

func (d *pydantic) end() {
	d.closeRequest()
	d.close(']')
	d.buf = append(d.buf, '\n')
}

func (d *pydantic) closeRequest() {
	if d.request {
		d.request = false
		d.close(']')
		d.string("kind", "request")
		d.close('}')
	}
}

func (d *pydantic) message(m *query.Wire) {
	if m.Role == model.Assistant {
		d.closeRequest()
		d.response(m)
		return
	}
	if !d.request {
		d.request = true
		d.item()
		d.key("parts")
		d.open('[')
	}
	switch {
	case isSystem(m):
		d.item()
		d.string("content", wordsOf(m))
		d.time("timestamp", m.Time)
		d.string("part_kind", "system-prompt")
		d.close('}')
	case m.Role == model.Tool:
		for i := range m.Blocks {
			d.result(m, &m.Blocks[i])
		}
	default:
		d.prompt(m)
	}
}

func (d *pydantic) prompt(m *query.Wire) {
	if len(m.Blocks) == 1 && d.recordedItem(&m.Blocks[0]) {
		return
	}
	d.item()
	if has(m, model.Media) {
		d.key("content")
		d.open('[')
		for i := range m.Blocks {
			switch b := &m.Blocks[i]; b.Kind {
			case model.Words:
				d.element()
				d.buf = model.AppendQuoted(d.buf, []byte(b.Text))
			case model.Media:
				d.content(b)
			}
		}
		d.close(']')
	} else {
		d.string("content", wordsOf(m))
	}
	d.time("timestamp", m.Time)
	d.string("part_kind", "user-prompt")
	d.close('}')
}

func (d *pydantic) content(b *query.WireBlock) {
	mime, data, url := dataOf(b)
	if data == "" && url == "" {
		d.media++
		return
	}
	kind, _, _ := strings.Cut(mime, "/")
	if kind != "image" && kind != "audio" && kind != "video" {
		kind = "document"
	}
	d.item()
	if data == "" {
		d.string("url", url)
		d.string("kind", kind+"-url")
	} else {
		d.string("data", data)
		d.string("media_type", mimeOr(mime))
		d.string("kind", "binary")
	}
	d.close('}')
}

func (d *pydantic) result(m *query.Wire, b *query.WireBlock) {
	d.media += len(b.Media)
	if d.recordedItem(b) {
		return
	}
	d.item()
	d.string("tool_name", b.Name)
	if text := flatten(b); b.JSON && text == b.Text && json.Valid([]byte(text)) {
		d.value("content", text)
	} else {
		d.string("content", text)
	}
	d.string("tool_call_id", b.ID)
	d.time("timestamp", m.Time)
	if b.Made {
		d.key("metadata")
		d.open('{')
		d.raw("pydantic_ai_synthesized_tool_return", "true")
		d.close('}')
	}
	outcome := "success"
	switch {
	case b.Outcome == model.Denied:
		outcome = "denied"
	case b.Outcome == model.Stopped || b.Outcome == model.Cancelled:
		outcome = "interrupted"
	case b.Outcome.Failed():
		outcome = "failed"
	}
	d.string("outcome", outcome)
	d.string("part_kind", "tool-return")
	d.close('}')
}

func (d *pydantic) response(m *query.Wire) {
	d.item()
	d.key("parts")
	d.open('[')
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if d.recordedItem(b) {
			continue
		}
		switch b.Kind {
		case model.Words:
			d.item()
			d.string("content", b.Text)
			d.string("part_kind", "text")
			d.close('}')
		case model.Reasoning:
			d.item()
			d.string("content", b.Text)
			d.string("part_kind", "thinking")
			d.close('}')
		case model.ToolCall:
			d.item()
			d.string("tool_name", b.Name)
			if b.JSON {
				d.value("args", b.Text)
			} else {
				d.string("args", b.Text)
			}
			d.string("tool_call_id", b.ID)
			d.string("part_kind", "tool-call")
			d.close('}')
		case model.Media:
			d.media++
		}
	}
	d.close(']')
	d.usage(m)
	if m.Model != "" {
		d.string("model_name", m.Model)
	}
	d.time("timestamp", m.Time)
	d.string("kind", "response")
	d.close('}')
}

func (d *pydantic) usage(m *query.Wire) {
	u := m.Usage
	if u == nil || u.Scope != model.Each {
		return
	}
	d.key("usage")
	d.open('{')
	cached, wrote := max(u.CacheRead, 0), max(u.CacheWrite, 0)
	d.int("input_tokens", max(u.Input, 0)+cached+wrote)
	d.int("cache_write_tokens", wrote)
	d.int("cache_read_tokens", cached)
	d.int("output_tokens", max(u.Output, 0))
	d.close('}')
}
