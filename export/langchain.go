package export

import (
	"cmp"
	"strings"

	"turns/model"
	"turns/query/provider"
)

// langchain writes messages as messages_to_dict does, which messages_from_dict
// and LangChain's stores read.
type langchain struct{ *sheet }

func langchainSpec() spec {
	return spec{
		Format: Format{Name: "langchain", Help: "messages as LangChain's messages_to_dict writes them"},
		make:   func(s *sheet) dialect { return &langchain{s} },
	}
}

func (d *langchain) begin([]string) { d.open('[') }

func (d *langchain) end() {
	d.close(']')
	d.buf = append(d.buf, '\n')
}

func (d *langchain) message(m *provider.Wire) {
	typ := map[model.Role]string{model.System: "system", model.Developer: "system", model.Assistant: "ai", model.Tool: "tool"}[m.Role]
	typ = cmp.Or(typ, "human")
	d.item()
	d.string("type", typ)
	d.key("data")
	d.open('{')
	if m.Role == model.Tool {
		d.result(&m.Blocks[0])
	} else {
		d.content(m)
	}
	d.key("additional_kwargs")
	d.open('{')
	if has(m, model.Reasoning) {
		d.string("reasoning_content", kindText(m, model.Reasoning))
	}
	d.close('}')
	d.key("response_metadata")
	d.open('{')
	if m.Model != "" && m.Role == model.Assistant {
		d.string("model_name", m.Model)
	}
	d.close('}')
	d.string("type", typ)
	if m.Own != "" {
		d.string("id", m.Own)
	} else {
		d.raw("id", "null")
	}
	if m.Role == model.Assistant {
		d.calls(m)
		d.usage(m)
	}
	d.close('}')
	d.close('}')
}

func (d *langchain) content(m *provider.Wire) {
	if !has(m, model.Media) {
		d.string("content", wordsOf(m))
		return
	}
	d.key("content")
	d.open('[')
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; b.Kind {
		case model.Words:
			d.item()
			d.string("type", "text")
			d.string("text", b.Text)
			d.close('}')
		case model.Media:
			d.part(b.File)
		}
	}
	d.close(']')
}

// part is a content block of LangChain's own standard.
func (d *langchain) part(a *provider.Attachment) {
	kind, _, _ := strings.Cut(a.MIME, "/")
	if kind != "image" && kind != "audio" && kind != "video" {
		kind = "file"
	}
	d.item()
	d.string("type", kind)
	switch {
	case a.ID != "":
		d.string("file_id", a.ID)
	case a.URL != "":
		d.string("url", a.URL)
	default:
		d.string("base64", a.Data)
	}
	if strings.Contains(a.MIME, "/") {
		d.string("mime_type", a.MIME)
	}
	d.close('}')
}

func (d *langchain) result(b *provider.WireBlock) {
	if len(b.Media) == 0 {
		d.string("content", b.Text)
	} else {
		d.key("content")
		d.open('[')
		if b.Text != "" {
			d.item()
			d.string("type", "text")
			d.string("text", b.Text)
			d.close('}')
		}
		for i := range b.Media {
			d.part(b.Media[i].File)
		}
		d.close(']')
	}
	d.string("name", b.Name)
	d.string("tool_call_id", b.ID)
	if b.Outcome.Failed() {
		d.string("status", "error")
	} else {
		d.string("status", "success")
	}
}

func (d *langchain) calls(m *provider.Wire) {
	d.key("tool_calls")
	d.open('[')
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind != model.ToolCall {
			continue
		}
		d.item()
		d.string("name", b.Name)
		d.value("args", b.Text)
		d.string("id", b.ID)
		d.string("type", "tool_call")
		d.close('}')
	}
	d.close(']')
	d.key("invalid_tool_calls")
	d.open('[')
	d.close(']')
}

func (d *langchain) usage(m *provider.Wire) {
	u := m.Usage
	if u == nil || u.Scope != model.Each {
		return
	}
	cached, wrote := max(u.CacheRead, 0), max(u.CacheWrite, 0)
	in, out := max(u.Input, 0)+cached+wrote, max(u.Output, 0)
	d.key("usage_metadata")
	d.open('{')
	d.int("input_tokens", in)
	d.int("output_tokens", out)
	d.int("total_tokens", in+out)
	d.key("input_token_details")
	d.open('{')
	d.int("cache_creation", wrote)
	d.int("cache_read", cached)
	d.close('}')
	d.close('}')
}
