package dialect

import (
	"strings"

	"turns/export"
	"turns/model"
	"turns/query/provider"
)

func responsesSpec() spec {
	return spec{
		Format: export.Format{Name: "openai-responses", Help: "the body of an OpenAI Responses request"},
		make:   func(s *sheet) dialect { return &responses{sheet: s} },
		maker:  "openai",
		blocks: map[string]string{
			"reasoning":            "type id summary:*@summary|a! content:a encrypted_content status",
			"summary/summary_text": "type text:s!",
		},
		request: &request{
			formats: []string{"openai-responses"}, models: openAIModels,
			settings: []string{
				"temperature:n", "top_p:n topP", "max_output_tokens:n max_completion_tokens maxOutputTokens max_tokens", "parallel_tool_calls:b",
				"reasoning:j!", "text:j!", "include:j!", "truncation:s!", "store:b!", "service_tier:s!", "max_tool_calls:n!",
			},
			tool: func(s *sheet, t *tool) {
				if t.custom {
					s.String("type", "custom")
					s.String("name", t.name)
					s.Optional("description", t.about)
					return
				}
				s.String("type", "function")
				s.function("parameters", t)
				s.Raw("strict", "false")
			},
			choice: func(s *sheet, c *choice) {
				if c.mode != "one" {
					s.String("tool_choice", c.mode)
					return
				}
				s.OpenObject("tool_choice")
				s.String("type", "function")
				s.String("name", c.name)
				s.Close("}")
			},
		},
	}
}

// responses writes the body of a request to OpenAI's Responses API: an item for each text, call or
// result.
type responses struct {
	*sheet
	thought []provider.WireBlock // reasoning that waits for the next item
	custom  map[string]bool      // ids of calls whose input is a text
	lone    int                  // number of reasoning items without a next item
}

func (d *responses) begin([]string) {
	d.Open('{')
	d.head()
	d.OpenList("input")
}

func (d *responses) end() {
	d.lone += len(d.thought)
	d.report.NoteCount(d.lone, "%s left out: what it led to is missing", "item of reasoning was", "items of reasoning were")
	d.Close("]")
	d.tail()
	d.endLine("}")
}

func (d *responses) message(m *provider.Wire) {
	if m.Role != model.Assistant { // the API refuses reasoning without the item that it led to
		d.lone += len(d.thought)
		d.thought = d.thought[:0]
	}
	for from := 0; from < len(m.Blocks); {
		if b := &m.Blocks[from]; b.Kind == model.Reasoning {
			d.thought = append(d.thought, *b)
			from++
			continue
		}
		for i := range d.thought {
			d.reasoning(&d.thought[i])
		}
		d.thought = d.thought[:0]
		to := from
		for to < len(m.Blocks) && (m.Blocks[to].Kind == model.Words || m.Blocks[to].Kind == model.Media) {
			to++
		}
		if to > from {
			d.writeContent(m, m.Blocks[from:to])
			from = to
			continue
		}
		d.done(&m.Blocks[from])
		from++
	}
}

// writeContent writes texts: those of the model as plain text, because an output_text requires an
// id from the API.
func (d *responses) writeContent(m *provider.Wire, blocks []provider.WireBlock) {
	if m.Role == model.Assistant {
		for i := range blocks {
			d.typed("message")
			d.String("role", "assistant")
			d.String("content", blocks[i].Text)
			d.Close("}")
		}
		return
	}
	d.typed("message")
	d.String("role", m.Role.String())
	d.OpenList("content")
	for i := range blocks {
		d.part(&blocks[i])
	}
	d.Close("]}")
}

func (d *responses) part(b *provider.WireBlock) {
	d.Item()
	a := b.File
	switch {
	case b.Kind == model.Words:
		d.String("type", "input_text")
		d.String("text", b.Text)
	case strings.HasPrefix(a.MIME, "image"):
		d.String("type", "input_image")
		d.String("detail", "auto")
		if a.ID != "" {
			d.String("file_id", a.ID)
		} else {
			d.String("image_url", dataURL(a))
		}
	default:
		d.String("type", "input_file")
		switch {
		case a.ID != "":
			d.String("file_id", a.ID)
		case a.URL != "":
			d.String("file_url", a.URL)
		default:
			d.String("filename", fileName(a))
			d.String("file_data", dataURL(a))
		}
	}
	d.Close("}")
}

func (d *responses) reasoning(b *provider.WireBlock) {
	if d.recordedItem(b) {
		return
	}
	d.typed("reasoning")
	d.Optional("id", b.Sign.ID)
	d.OpenList("summary")
	if b.Text != "" {
		d.typed("summary_text")
		d.String("text", b.Text)
		d.Close("}")
	}
	d.Close("]")
	d.Optional("encrypted_content", b.Sign.Hidden)
	d.Close("}")
}

func (d *responses) done(b *provider.WireBlock) {
	d.Item()
	switch b.Kind {
	case model.ToolCall:
		typ, input := "function_call", "arguments"
		if b.Custom {
			typ, input = "custom_tool_call", "input"
			if d.custom == nil {
				d.custom = map[string]bool{}
			}
			d.custom[b.ID] = true
		}
		d.String("type", typ)
		d.String("call_id", b.ID)
		d.String("name", b.Name)
		d.String(input, b.Text)
	case model.ToolResult:
		typ := "function_call_output"
		if d.custom[b.ID] {
			typ = "custom_tool_call_output"
		}
		d.String("type", typ)
		d.String("call_id", b.ID)
		d.output(b)
		d.unmark(b)
	}
	d.Close("}")
}

func (d *responses) output(b *provider.WireBlock) {
	if len(b.Media) == 0 {
		d.String("output", b.Text)
		return
	}
	d.OpenList("output")
	if strings.TrimSpace(b.Text) != "" {
		d.part(&provider.WireBlock{Content: model.Content{Kind: model.Words, Text: b.Text}})
	}
	for i := range b.Media {
		d.part(&b.Media[i])
	}
	d.Close("]")
}
