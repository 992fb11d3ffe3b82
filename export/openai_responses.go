package export

import (
	"strings"
	"turns/query/provider"

	"turns/model"
)

func responsesSpec() spec {
	return spec{
		Format: Format{Name: "openai-responses", Help: "the body of an OpenAI Responses request"},
		make:   func(s *sheet) dialect { return &responses{sheet: s} },
		maker:  "openai", items: true,
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
					s.string("type", "custom")
					s.string("name", t.name)
					if t.about != "" {
						s.string("description", t.about)
					}
					return
				}
				s.string("type", "function")
				s.function("parameters", t)
				s.raw("strict", "false")
			},
			choice: func(s *sheet, c *choice) {
				if c.mode != "one" {
					s.string("tool_choice", c.mode)
					return
				}
				s.key("tool_choice")
				s.open('{')
				s.string("type", "function")
				s.string("name", c.name)
				s.close('}')
			},
		},
	}
}

// responses writes the body of a request to OpenAI's Responses API: items, one
// for each thing that was said or done.
type responses struct {
	*sheet
	thought []provider.WireBlock // reasoning that waits for what follows it
	custom  map[string]bool      // ids of calls whose input is a text
	lone    int                  // reasoning that nothing followed
}

func (d *responses) begin([]string) {
	d.open('{')
	d.head()
	d.key("input")
	d.open('[')
}

func (d *responses) end() {
	d.lone += len(d.thought)
	d.report.noteCount(d.lone, "%s left out: what it led to is missing", "item of reasoning was", "items of reasoning were")
	d.close(']')
	d.tail()
	d.close('}')
	d.buf = append(d.buf, '\n')
}

func (d *responses) message(m *provider.Wire) {
	if m.Role != model.Assistant { // an item of reasoning without what it led to is refused
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
			d.said(m, m.Blocks[from:to])
			from = to
			continue
		}
		d.done(&m.Blocks[from])
		from++
	}
}

// said writes what was said: what the model said as a text, since an output_text has
// an id that the API gave it.
func (d *responses) said(m *provider.Wire, blocks []provider.WireBlock) {
	if m.Role == model.Assistant {
		for i := range blocks {
			d.item()
			d.string("type", "message")
			d.string("role", "assistant")
			d.string("content", blocks[i].Text)
			d.close('}')
		}
		return
	}
	d.item()
	d.string("type", "message")
	d.string("role", m.Role.String())
	d.key("content")
	d.open('[')
	for i := range blocks {
		d.part(&blocks[i])
	}
	d.close(']')
	d.close('}')
}

func (d *responses) part(b *provider.WireBlock) {
	d.item()
	a := b.File
	switch {
	case b.Kind == model.Words:
		d.string("type", "input_text")
		d.string("text", b.Text)
	case strings.HasPrefix(a.MIME, "image"):
		d.string("type", "input_image")
		d.string("detail", "auto")
		if a.ID != "" {
			d.string("file_id", a.ID)
		} else {
			d.string("image_url", dataURL(a))
		}
	default:
		d.string("type", "input_file")
		switch {
		case a.ID != "":
			d.string("file_id", a.ID)
		case a.URL != "":
			d.string("file_url", a.URL)
		default:
			d.string("filename", fileName(a))
			d.string("file_data", dataURL(a))
		}
	}
	d.close('}')
}

func (d *responses) reasoning(b *provider.WireBlock) {
	if d.recordedItem(b) {
		return
	}
	d.item()
	d.string("type", "reasoning")
	if b.Sign.ID != "" {
		d.string("id", b.Sign.ID)
	}
	d.key("summary")
	d.open('[')
	if b.Text != "" {
		d.item()
		d.string("type", "summary_text")
		d.string("text", b.Text)
		d.close('}')
	}
	d.close(']')
	if b.Sign.Hidden != "" {
		d.string("encrypted_content", b.Sign.Hidden)
	}
	d.close('}')
}

func (d *responses) done(b *provider.WireBlock) {
	d.item()
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
		d.string("type", typ)
		d.string("call_id", b.ID)
		d.string("name", b.Name)
		d.string(input, b.Text)
	case model.ToolResult:
		typ := "function_call_output"
		if d.custom[b.ID] {
			typ = "custom_tool_call_output"
		}
		d.string("type", typ)
		d.string("call_id", b.ID)
		d.output(b)
		if b.Outcome.Failed() && !b.Made {
			d.unmarked++
		}
	}
	d.close('}')
}

func (d *responses) output(b *provider.WireBlock) {
	if len(b.Media) == 0 {
		d.string("output", b.Text)
		return
	}
	d.key("output")
	d.open('[')
	if strings.TrimSpace(b.Text) != "" {
		d.part(&provider.WireBlock{Content: model.Content{Kind: model.Words, Text: b.Text}})
	}
	for i := range b.Media {
		d.part(&b.Media[i])
	}
	d.close(']')
}
