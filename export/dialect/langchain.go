package dialect

import (
	"cmp"
	"strings"

	"turns/export"
	"turns/model"
	"turns/query/provider"
)

// langchain writes messages like messages_to_dict, for messages_from_dict and LangChain's stores.
type langchain struct{ *sheet }

func langchainSpec() spec {
	return spec{
		Format: export.Format{Name: "langchain", Help: "messages as LangChain's messages_to_dict writes them"},
		make:   func(s *sheet) dialect { return &langchain{s} },
	}
}

func (d *langchain) begin([]string) { d.Open('[') }

func (d *langchain) end() {
	d.endLine("]")
}

func (d *langchain) message(m *provider.Wire) {
	typ := map[model.Role]string{model.System: "system", model.Developer: "system", model.Assistant: "ai", model.Tool: "tool"}[m.Role]
	typ = cmp.Or(typ, "human")
	d.typed(typ)
	d.OpenObject("data")
	if m.Role == model.Tool {
		d.result(&m.Blocks[0])
	} else {
		d.content(m)
	}
	d.OpenObject("additional_kwargs")
	if m.Has(model.Reasoning) {
		d.String("reasoning_content", kindText(m, model.Reasoning))
	}
	d.Close("}")
	d.OpenObject("response_metadata")
	if m.Model != "" && m.Role == model.Assistant {
		d.String("model_name", m.Model)
	}
	d.Close("}")
	d.String("type", typ)
	if m.Own != "" {
		d.String("id", m.Own)
	} else {
		d.Raw("id", "null")
	}
	if m.Role == model.Assistant {
		d.calls(m)
		d.usage(m)
	}
	d.Close("}}")
}

func (d *langchain) content(m *provider.Wire) {
	if !m.Has(model.Media) {
		d.String("content", wordsOf(m))
		return
	}
	d.listWords(m, d.textItem, d.part)
}

// part writes a content block in LangChain's standard form.
func (d *langchain) part(a *provider.Attachment) {
	kind, _, _ := strings.Cut(a.MIME, "/")
	if kind != "image" && kind != "audio" && kind != "video" {
		kind = "file"
	}
	d.typed(kind)
	switch {
	case a.ID != "":
		d.String("file_id", a.ID)
	case a.URL != "":
		d.String("url", a.URL)
	default:
		d.String("base64", a.Data)
	}
	if strings.Contains(a.MIME, "/") {
		d.String("mime_type", a.MIME)
	}
	d.Close("}")
}

func (d *langchain) result(b *provider.WireBlock) {
	d.mixed("content", b.Text, b.Media, d.part)
	d.String("name", b.Name)
	d.String("tool_call_id", b.ID)
	if b.Outcome.Failed() {
		d.String("status", "error")
	} else {
		d.String("status", "success")
	}
}

func (d *langchain) calls(m *provider.Wire) {
	d.listCalls(m, func(b *provider.WireBlock) {
		d.String("name", b.Name)
		d.value("args", b.Text)
		d.String("id", b.ID)
		d.String("type", "tool_call")
	})
	d.OpenList("invalid_tool_calls")
	d.Close("]")
}

func (d *langchain) usage(m *provider.Wire) {
	u := m.Usage
	if u == nil || u.Scope != model.Each {
		return
	}
	cached, wrote := max(u.CacheRead, 0), max(u.CacheWrite, 0)
	in, out := max(u.Input, 0)+cached+wrote, max(u.Output, 0)
	d.OpenObject("usage_metadata")
	d.Int("input_tokens", in)
	d.Int("output_tokens", out)
	d.Int("total_tokens", in+out)
	d.OpenObject("input_token_details")
	d.Int("cache_creation", wrote)
	d.Int("cache_read", cached)
	d.Close("}}")
}
