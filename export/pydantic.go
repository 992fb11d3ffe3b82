package export

import (
	"cmp"
	"encoding/json"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
	"turns/query/provider"
)

func pydanticSpec() spec {
	return spec{
		Format: Format{Name: "pydantic-ai", Help: "a message history of PydanticAI"},
		make:   func(s *sheet) dialect { return &pydantic{sheet: s} },
		maker:  anyMaker, prompts: true,
		blocks: map[string]string{
			"thinking":     "content:s! id:s|0 signature:s|0 provider_name:s|0 provider_details:o|0 part_kind:s!",
			"text":         "content:s! id:s|0 provider_name:s|0 provider_details:o|0 part_kind:s!",
			"tool-call":    "tool_name:S! args:s|o|0 tool_call_id:S! id:s|0 provider_name:s|0 provider_details:o|0 part_kind:s!",
			"retry-prompt": "content:s|a! tool_name:s|0 tool_call_id:S! timestamp:s part_kind:s!",
			"tool-return":  "tool_name:S! content:j! tool_call_id:S! tool_kind:s|0 metadata:j timestamp:s outcome:s part_kind:s!",
			"user-prompt":  "content:s|*s|*=media timestamp:s part_kind:s!",
			"media":        "url:u! kind:s! media_type:s identifier:s|0 force_download:b vendor_metadata:o|0",
		},
	}
}

// pydantic writes a message history that PydanticAI's ModelMessagesTypeAdapter
// reads: requests, which hold what the system, the user and the tools say until
// the model answers, and responses.
type pydantic struct {
	*sheet
	request bool
	prompt  string // instructions of the request
}

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
		if d.prompt != "" {
			d.string("instructions", d.prompt)
			d.prompt = ""
		}
		d.string("kind", "request")
		d.close('}')
	}
}

func (d *pydantic) message(m *provider.Wire) {
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
	if m.Prompt != "" {
		d.prompt = m.Prompt
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
		d.said(m)
	}
}

func (d *pydantic) said(m *provider.Wire) {
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
				d.content(b.File)
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

func (d *pydantic) content(a *provider.Attachment) {
	kind, _, _ := strings.Cut(a.MIME, "/")
	if kind != "image" && kind != "audio" && kind != "video" {
		kind = "document"
	}
	d.item()
	if a.Data == "" {
		d.string("url", a.URL)
		if strings.Contains(a.MIME, "/") {
			d.string("media_type", a.MIME)
		}
		d.string("kind", kind+"-url")
	} else {
		d.string("data", a.Data)
		d.string("media_type", mimeOr(a.MIME))
		d.string("kind", "binary")
	}
	d.close('}')
}

// returned is the content of a result: words, a value, or a list with media.
func (d *pydantic) returned(b *provider.WireBlock) {
	switch {
	case len(b.Media) > 0:
		d.key("content")
		d.open('[')
		if b.Text != "" {
			d.element()
			d.bareString(b.Text)
		}
		for i := range b.Media {
			d.content(b.Media[i].File)
		}
		d.close(']')
	case b.JSON && json.Valid([]byte(b.Text)):
		d.value("content", b.Text)
	default:
		d.string("content", b.Text)
	}
}

func (d *pydantic) result(m *provider.Wire, b *provider.WireBlock) {
	if d.recordedItem(b) {
		return
	}
	d.item()
	d.string("tool_name", b.Name)
	d.returned(b)
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

func (d *pydantic) response(m *provider.Wire) {
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
			d.signed(b)
			d.string("part_kind", "text")
			d.close('}')
		case model.Reasoning:
			d.item()
			d.string("content", b.Text)
			d.signed(b)
			d.string("part_kind", "thinking")
			d.close('}')
		case model.ToolCall:
			d.item()
			d.string("tool_name", b.Name)
			if isObject(b.Text) && b.JSON {
				d.value("args", b.Text)
			} else {
				d.string("args", b.Text)
			}
			d.string("tool_call_id", b.ID)
			d.signed(b)
			d.string("part_kind", "tool-call")
			d.close('}')
		case model.Media:
			d.file(b.File)
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

// signed writes a signature where PydanticAI keeps it for each provider.
func (d *pydantic) signed(b *provider.WireBlock) {
	g := &b.Sign
	if g.Maker == "" {
		return
	}
	switch {
	case g.Maker == "google" && b.Kind != model.Reasoning:
		d.key("provider_details")
		d.open('{')
		d.string("thought_signature", g.Text)
		d.close('}')
	case b.Kind == model.ToolCall:
		return
	default:
		if id := g.ID; id != "" {
			d.string("id", id)
		} else if g.Maker == "anthropic" && g.Hidden != "" {
			d.string("id", "redacted_thinking")
		}
		if b.Kind == model.Reasoning {
			d.string("signature", cmp.Or(g.Text, g.Hidden))
		}
	}
	name := g.Maker
	if name == "google" {
		name = "google-gla"
	}
	d.string("provider_name", name)
}

// file writes a file that the model made.
func (d *pydantic) file(a *provider.Attachment) {
	if a.Data == "" {
		d.item()
		d.string("content", a.URL)
		d.string("part_kind", "text")
		d.close('}')
		return
	}
	d.item()
	d.key("content")
	d.open('{')
	d.string("data", a.Data)
	d.string("media_type", mimeOr(a.MIME))
	d.string("kind", "binary")
	d.close('}')
	d.string("part_kind", "file")
	d.close('}')
}

func isObject(text string) bool {
	return jsonspan.KindOf([]byte(text)) == jsonspan.Object && json.Valid([]byte(text))
}

func (d *pydantic) usage(m *provider.Wire) {
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
