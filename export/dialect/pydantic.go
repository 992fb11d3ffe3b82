package dialect

import (
	"cmp"
	"encoding/json"
	"strings"

	"turns/export"
	"turns/model"
	"turns/query/provider"
)

func pydanticSpec() spec {
	return spec{
		Format: export.Format{Name: "pydantic-ai", Help: "a message history of PydanticAI"},
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

// pydantic writes a message history for PydanticAI's ModelMessagesTypeAdapter: requests with the
// messages of the system, the user and the tools up to the next answer of the model, and responses.
type pydantic struct {
	*sheet
	request bool
	prompt  string // instructions of the request
}

func (d *pydantic) begin([]string) { d.Open('[') }

func (d *pydantic) end() {
	d.closeRequest()
	d.endLine("]")
}

func (d *pydantic) closeRequest() {
	if d.request {
		d.request = false
		d.Close("]")
		if d.prompt != "" {
			d.String("instructions", d.prompt)
			d.prompt = ""
		}
		d.String("kind", "request")
		d.Close("}")
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
		d.Item()
		d.OpenList("parts")
	}
	if m.Prompt != "" {
		d.prompt = m.Prompt
	}
	switch {
	case isSystem(m):
		d.Item()
		d.String("content", wordsOf(m))
		d.time(m.Time)
		d.String("part_kind", "system-prompt")
		d.Close("}")
	case m.Role == model.Tool:
		for i := range m.Blocks {
			d.result(m, &m.Blocks[i])
		}
	default:
		d.writeText(m)
	}
}

func (d *pydantic) writeText(m *provider.Wire) {
	if len(m.Blocks) == 1 && d.recordedItem(&m.Blocks[0]) {
		return
	}
	d.Item()
	if m.Has(model.Media) {
		d.listWords(m, d.words, d.content)
	} else {
		d.String("content", wordsOf(m))
	}
	d.time(m.Time)
	d.String("part_kind", "user-prompt")
	d.Close("}")
}

func (d *pydantic) content(a *provider.Attachment) {
	kind, _, _ := strings.Cut(a.MIME, "/")
	if kind != "image" && kind != "audio" && kind != "video" {
		kind = "document"
	}
	d.Item()
	if a.Data == "" {
		d.String("url", a.URL)
		if strings.Contains(a.MIME, "/") {
			d.String("media_type", a.MIME)
		}
		d.String("kind", kind+"-url")
	} else {
		d.String("data", a.Data)
		d.String("media_type", mimeOr(a.MIME))
		d.String("kind", "binary")
	}
	d.Close("}")
}

// returned writes the content of a result: words, a value, or a list with media.
func (d *pydantic) returned(b *provider.WireBlock) {
	switch {
	case len(b.Media) > 0:
		d.OpenList("content")
		if b.Text != "" {
			d.words(b.Text)
		}
		for i := range b.Media {
			d.content(b.Media[i].File)
		}
		d.Close("]")
	case b.JSON && json.Valid([]byte(b.Text)):
		d.value("content", b.Text)
	default:
		d.String("content", b.Text)
	}
}

func (d *pydantic) result(m *provider.Wire, b *provider.WireBlock) {
	if d.recordedItem(b) {
		return
	}
	d.Item()
	d.String("tool_name", b.Name)
	d.returned(b)
	d.String("tool_call_id", b.ID)
	d.time(m.Time)
	if b.Made {
		d.OpenObject("metadata")
		d.Raw("pydantic_ai_synthesized_tool_return", "true")
		d.Close("}")
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
	d.String("outcome", outcome)
	d.String("part_kind", "tool-return")
	d.Close("}")
}

func (d *pydantic) response(m *provider.Wire) {
	d.Item()
	d.OpenList("parts")
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if d.recordedItem(b) {
			continue
		}
		switch b.Kind {
		case model.Words:
			d.Item()
			d.String("content", b.Text)
			d.signed(b)
			d.String("part_kind", "text")
			d.Close("}")
		case model.Reasoning:
			d.Item()
			d.String("content", b.Text)
			d.signed(b)
			d.String("part_kind", "thinking")
			d.Close("}")
		case model.ToolCall:
			d.Item()
			d.String("tool_name", b.Name)
			if provider.IsObject(b.Text) && b.JSON {
				d.value("args", b.Text)
			} else {
				d.String("args", b.Text)
			}
			d.String("tool_call_id", b.ID)
			d.signed(b)
			d.String("part_kind", "tool-call")
			d.Close("}")
		case model.Media:
			d.file(b.File)
		}
	}
	d.Close("]")
	d.usage(m)
	d.Optional("model_name", m.Model)
	d.time(m.Time)
	d.String("kind", "response")
	d.Close("}")
}

// signed writes a signature in the place where PydanticAI expects it for its provider.
func (d *pydantic) signed(b *provider.WireBlock) {
	g := &b.Sign
	if g.Maker == "" {
		return
	}
	switch {
	case g.Maker == "google" && b.Kind != model.Reasoning:
		d.OpenObject("provider_details")
		d.String("thought_signature", g.Text)
		d.Close("}")
	case b.Kind == model.ToolCall:
		return
	default:
		if id := g.ID; id != "" {
			d.String("id", id)
		} else if g.Maker == "anthropic" && g.Hidden != "" {
			d.String("id", "redacted_thinking")
		}
		if b.Kind == model.Reasoning {
			d.String("signature", cmp.Or(g.Text, g.Hidden))
		}
	}
	name := g.Maker
	if name == "google" {
		name = "google-gla"
	}
	d.String("provider_name", name)
}

// file writes a file that the model made.
func (d *pydantic) file(a *provider.Attachment) {
	if a.Data == "" {
		d.Item()
		d.String("content", a.URL)
		d.String("part_kind", "text")
		d.Close("}")
		return
	}
	d.Item()
	d.OpenObject("content")
	d.String("data", a.Data)
	d.String("media_type", mimeOr(a.MIME))
	d.String("kind", "binary")
	d.Close("}")
	d.String("part_kind", "file")
	d.Close("}")
}

func (d *pydantic) usage(m *provider.Wire) {
	u := m.Usage
	if u == nil || u.Scope != model.Each {
		return
	}
	d.OpenObject("usage")
	cached, wrote := max(u.CacheRead, 0), max(u.CacheWrite, 0)
	d.Int("input_tokens", max(u.Input, 0)+cached+wrote)
	d.Int("cache_write_tokens", wrote)
	d.Int("cache_read_tokens", cached)
	d.Int("output_tokens", max(u.Output, 0))
	d.Close("}")
}
