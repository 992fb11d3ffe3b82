package dialect

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"strings"

	"turns/export"
	"turns/model"
	"turns/model/jsonspan"
	"turns/query/provider"
)

func anthropicSpec() spec {
	return spec{
		Format: export.Format{Name: "anthropic", Help: "the body of an Anthropic Messages request"},
		make:   func(s *sheet) dialect { return &anthropic{s} },
		maker:  "anthropic",
		served: anthropicServed,
		blocks: map[string]string{
			"text": "type text:S! citations:*@citation|0 cache_control:o",

			"citation/char_location":              "type cited_text:s! document_index:n! document_title:s|0 start_char_index:n! end_char_index:n! file_id:s|0",
			"citation/page_location":              "type cited_text:s! document_index:n! document_title:s|0 start_page_number:n! end_page_number:n! file_id:s|0",
			"citation/content_block_location":     "type cited_text:s! document_index:n! document_title:s|0 start_block_index:n! end_block_index:n! file_id:s|0",
			"citation/web_search_result_location": "type cited_text:s! encrypted_index:s! title:s|0 url:s!",
			"citation/search_result_location":     "type cited_text:s! search_result_index:n! source:s! title:s|0 start_block_index:n! end_block_index:n!",

			"image":                "type source:@image! cache_control:o",
			"image/base64":         "type media_type:S! data:d!",
			"image/url":            "type url:u!",
			"image/file":           "type file_id:S!",
			"document":             "type source:@document! title:s|0 context:s|0 citations:o cache_control:o",
			"document/base64":      "type media_type:S! data:d!",
			"document/text":        "type media_type:S! data:S!",
			"document/url":         "type url:u!",
			"document/file":        "type file_id:S!",
			"document/content":     "type content:s|*@result!",
			"search_result":        "type source:s! title:s! content:*@result! citations:o cache_control:o",
			"thinking":             "type thinking:s! signature:S!",
			"redacted_thinking":    "type data:S!",
			"tool_use":             "type id:S! name:S! input:o! cache_control:o caller:o",
			"tool_result":          "type tool_use_id:S! content:s|*@result is_error:b cache_control:o",
			"result/text":          "type text:S! citations:*@citation|0 cache_control:o",
			"result/image":         "type source:@image! cache_control:o",
			"result/document":      "type source:@document! title:s|0 context:s|0 citations:o cache_control:o",
			"result/search_result": "type source:s! title:s! content:*@result! citations:o cache_control:o",
			"server_tool_use":      "type id:S! name:S! input:o! cache_control:o caller:o",
			"mcp_tool_use":         "type id:S! name:S! input:o! server_name:S! cache_control:o",
			"mcp_tool_result":      "type tool_use_id:S! content:s|a is_error:b cache_control:o",
			"container_upload":     "type file_id:S! cache_control:o",

			"web_search_tool_result":                 anthropicOutput,
			"web_fetch_tool_result":                  anthropicOutput,
			"code_execution_tool_result":             anthropicOutput,
			"bash_code_execution_tool_result":        anthropicOutput,
			"text_editor_code_execution_tool_result": anthropicOutput,
			"tool_search_tool_result":                anthropicOutput,
		},
		request: &request{
			formats: []string{"anthropic"}, models: []string{"claude"},
			settings: []string{
				"max_tokens:n max_completion_tokens max_output_tokens maxOutputTokens", "temperature:n!", "top_p:n!", "top_k:n!",
				"stop_sequences:l stop stopSequences", "thinking:j!", "service_tier:s!", "output_config:j!", "container:j!", "mcp_servers:j!",
			},
			tool: func(s *sheet, t *tool) {
				if t.custom {
					t.fields = []toolField{{name: "input", typ: "string"}}
				}
				s.function("input_schema", t)
			},
			choice: func(s *sheet, c *choice) {
				mode := map[string]string{"required": "any", "one": "tool"}[c.mode]
				s.OpenObject("tool_choice")
				s.String("type", cmp.Or(mode, c.mode))
				s.Optional("name", c.name)
				s.Close("}")
			},
		},
	}
}

const anthropicOutput = "type tool_use_id:S! content:s|a|o! is_error:b cache_control:o caller:o"

// anthropicServed reports whether a block belongs to a tool that Anthropic runs.
func anthropicServed(raw []byte) bool {
	typ := jsonspan.GetString(raw, "type")
	switch string(typ) {
	case "server_tool_use", "mcp_tool_use":
		return true
	}
	return bytes.HasSuffix(typ, []byte("_tool_result"))
}

// anthropic writes the body of a request to Anthropic's Messages API.
type anthropic struct{ *sheet }

// anthropicMax is the limit of the answer, which a request must contain.
const anthropicMax = "8192"

func (d *anthropic) begin(system []string) {
	d.Open('{')
	d.head("max_tokens", anthropicMax)
	if len(system) > 0 {
		d.String("system", strings.Join(system, "\n\n"))
	}
	d.OpenList("messages")
}

func (d *anthropic) end() {
	d.Close("]")
	d.tail()
	d.endLine("}")
}

func (d *anthropic) message(m *provider.Wire) {
	d.Item()
	d.String("role", m.Role.String())
	if text, ok := onlyWords(m); ok {
		d.String("content", text)
		d.Close("}")
		return
	}
	d.listParts(m, d.block)
	d.Close("}")
}

func (d *anthropic) block(b *provider.WireBlock) {
	switch b.Kind {
	case model.Words:
		d.String("type", "text")
		d.String("text", b.Text)
	case model.Reasoning:
		if b.Sign.Hidden != "" {
			d.String("type", "redacted_thinking")
			d.String("data", b.Sign.Hidden)
			return
		}
		d.String("type", "thinking")
		d.String("thinking", b.Text)
		d.String("signature", b.Sign.Text)
	case model.ToolCall:
		d.String("type", "tool_use")
		d.String("id", b.ID)
		d.String("name", b.Name)
		d.value("input", b.Text)
	case model.ToolResult:
		d.result(b)
	case model.Media:
		d.source(b.File)
	}
}

func (d *anthropic) result(b *provider.WireBlock) {
	d.String("type", "tool_result")
	d.String("tool_use_id", b.ID)
	switch {
	case len(b.Media) > 0:
		d.OpenList("content")
		if strings.TrimSpace(b.Text) != "" {
			d.textItem(b.Text)
		}
		for i := range b.Media {
			d.Item()
			d.source(b.Media[i].File)
			d.Close("}")
		}
		d.Close("]")
	case b.Text != "":
		d.String("content", b.Text)
	}
	if b.Outcome.Failed() {
		d.Raw("is_error", "true")
	}
}

// source writes an image or a document, the media that this API accepts.
func (d *anthropic) source(a *provider.Attachment) {
	typ := "document"
	if strings.HasPrefix(a.MIME, "image") {
		typ = "image"
	}
	d.String("type", typ)
	d.OpenObject("source")
	switch {
	case a.ID != "":
		d.String("type", "file")
		d.String("file_id", a.ID)
	case a.URL != "":
		d.String("type", "url")
		d.String("url", a.URL)
	case strings.HasPrefix(a.MIME, "text/"):
		text, _ := base64.StdEncoding.DecodeString(a.Data)
		d.String("type", "text")
		d.String("media_type", "text/plain")
		d.String("data", string(text))
	default:
		d.String("type", "base64")
		d.String("media_type", a.MIME)
		d.String("data", a.Data)
	}
	d.Close("}")
	if a.Name != "" && typ == "document" {
		d.String("title", a.Name)
	}
}
