package dialect

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"turns/export"
	"turns/export/shape"
	"turns/model"
	"turns/model/jsonspan"
	"turns/query/provider"
)

// chatShapes are the messages of a Chat Completions request, by role, and the shapes of their
// parts.
var chatShapes = map[string]string{
	"system":           "role content:s|*@text! name",
	"developer":        "role content:s|*@text! name",
	"user":             "role content:s|*@part! name",
	"assistant":        "role content:s|0|*@said name refusal:s|0 tool_calls:*@call function_call:=function audio:=id weight:n",
	"tool":             "role content:s|*@text! tool_call_id:s!",
	"text/text":        "type text:s!",
	"said/text":        "type text:s!",
	"said/refusal":     "type refusal:s!",
	"part/text":        "type text:s!",
	"part/image_url":   "type image_url:=image!",
	"part/input_audio": "type input_audio:=sound!",
	"part/file":        "type file:=file!",
	"image":            "url:u! detail",
	"sound":            "data:d! format:s!",
	"file":             "file_data:u file_id filename",
	"declaration":      "type function:=declared!",
	"declared":         "name:S! description:s|0 parameters:o|0 strict:b|0",
	"id":               "id:s!",
	"call/function":    "id:S! type function:=function!",
	"call/custom":      "id:S! type custom:=custom!",
	"function":         "name:S! arguments:s!",
	"custom":           "name:S! input:s!",
}

var openAIModels = []string{"gpt", "o1", "o3", "o4", "chatgpt", "codex"}

func openAISpec() spec {
	return spec{
		Format: export.Format{Name: "openai", Help: "the body of an OpenAI Chat Completions request"},
		make:   func(s *sheet) dialect { return &openAI{sheet: s} },
		blocks: chatShapes, chat: true,
		request: &request{
			formats: []string{"openai"}, models: openAIModels, declares: "declaration",
			settings: []string{
				"temperature:n", "top_p:n topP", "max_tokens:n!", "max_completion_tokens:n max_output_tokens maxOutputTokens max_tokens",
				"stop:j stop_sequences stopSequences", "seed:n", "presence_penalty:n presencePenalty", "frequency_penalty:n frequencyPenalty",
				"reasoning_effort:s", "verbosity:s!", "parallel_tool_calls:b", "response_format:j!", "modalities:j!", "audio:j!",
				"logprobs:b!", "top_logprobs:n!", "logit_bias:j!", "store:b!", "service_tier:s!",
			},
			tool: func(s *sheet, t *tool) {
				if t.custom {
					s.String("type", "custom")
					s.OpenObject("custom")
					s.String("name", t.name)
					s.Optional("description", t.about)
					s.Close("}")
					return
				}
				s.String("type", "function")
				s.OpenObject("function")
				s.function("parameters", t)
				s.Close("}")
			},
			choice: func(s *sheet, c *choice) {
				if c.mode != "one" {
					s.String("tool_choice", c.mode)
					return
				}
				s.OpenObject("tool_choice")
				s.String("type", "function")
				s.OpenObject("function")
				s.String("name", c.name)
				s.Close("}}")
			},
		},
	}
}

func finetuneSpec() spec {
	return spec{
		Format: export.Format{Name: "openai-finetune", Help: "OpenAI fine-tuning data, one conversation per line", Ext: ".jsonl"},
		make: func(s *sheet) dialect {
			s.Layout.Indent = 0 // one conversation per line
			return &openAI{sheet: s, tune: true}
		},
		blocks: chatShapes, chat: true, endsWithModel: true,
	}
}

// openAI writes the body of a Chat Completions request, or a line of fine-tuning data for each
// conversation.
type openAI struct {
	*sheet
	tune    bool
	session uint32
	open    bool
}

func (d *openAI) begin([]string) {
	if !d.tune {
		d.start()
	}
}

func (d *openAI) start() {
	d.open = true
	d.sheet.Open('{')
	if !d.tune {
		d.head()
	}
	d.OpenList("messages")
}

func (d *openAI) stop() {
	d.Close("]")
	if !d.tune {
		d.tail()
	}
	d.endLine("}")
	d.open = false
}

func (d *openAI) end() {
	if d.open {
		d.stop()
	}
}

func (d *openAI) message(m *provider.Wire) {
	if d.tune && d.open && m.Session != d.session {
		d.stop()
	}
	if d.session = m.Session; !d.open {
		d.start()
	}
	raw := m.Raw
	if m.Role == model.Tool {
		raw = m.Blocks[0].Raw
		d.unmark(&m.Blocks[0])
	}
	if raw != nil && d.asRecorded(raw, m.Speaker) {
		return
	}
	d.Item()
	role := m.Role.String()
	if d.tune && m.Role == model.Developer {
		role = "system"
	}
	d.String("role", role)
	if m.Role == model.Tool {
		d.String("tool_call_id", m.Blocks[0].ID)
		d.String("content", m.Blocks[0].Text)
	} else {
		d.content(m)
		d.calls(m)
	}
	d.Close("}")
}

// asRecorded writes a message of this shape with its valid fields.
func (d *openAI) asRecorded(raw []byte, speaker string) bool {
	role := string(jsonspan.GetString(raw, "role"))
	if d.tune && role == "developer" {
		return false
	}
	named := role != "tool" && firstString(raw, "name") != speaker // the repair changed it
	if role != "tool" && !named && d.own.fits(role, raw) && !bytes.Contains(raw, []byte("null")) && !bytes.Contains(raw, []byte(`"weight"`)) {
		return d.copied(raw)
	}
	fields, _ := d.own.of(role)
	kept := shape.Object{Buf: []byte{}}
	kept.Open('{')
	c := jsonspan.New(raw)
	for c.Object(); c.Key(); {
		name := string(c.Name)
		v := c.Skip()
		known := slices.ContainsFunc(fields, func(f shapeField) bool { return f.name == name })
		switch null := jsonspan.KindOf(v) == jsonspan.Null; {
		case !known, null && name != "content", name == "weight" && (!d.tune || string(v) != "0" && string(v) != "1"):
			continue // a field of another client, or empty
		case named && name == "name":
			kept.String(name, speaker)
			continue
		}
		kept.Raw(name, string(v))
	}
	v := kept.Close("}")
	if c.Err != nil || !d.own.fits(role, v) || role == "assistant" && !hasContent(v) {
		return false
	}
	return d.copied(v)
}

// copied writes a recorded value as an element.
func (s *sheet) copied(v []byte) bool {
	buf, fresh := len(s.Buf), s.Fresh
	s.Element()
	ok := s.Copy(v)
	if !ok {
		s.Buf, s.Fresh = s.Buf[:buf], fresh
	}
	return ok
}

// hasContent reports whether a message of the model has a text or a call.
func hasContent(m []byte) bool {
	return slices.ContainsFunc([]string{"content", "tool_calls", "function_call", "refusal", "audio"}, func(name string) bool {
		return !slices.Contains([]jsonspan.Kind{jsonspan.End, jsonspan.Null}, jsonspan.KindOf(jsonspan.Get(m, name)))
	})
}

func (d *openAI) content(m *provider.Wire) {
	if firstString(m.Raw, "name") != "" {
		d.String("name", m.Speaker)
	}
	if !m.Has(model.Media) {
		if m.Has(model.Words) {
			d.String("content", wordsOf(m))
		} else {
			d.Raw("content", "null")
		}
		return
	}
	d.listWords(m, d.textItem, d.part)
}

// dataURL returns the URL of an attachment, or a data: URL.
func dataURL(a *provider.Attachment) string {
	if a.Data == "" {
		return a.URL
	}
	return "data:" + mimeOr(a.MIME) + ";base64," + a.Data
}

func (d *openAI) part(a *provider.Attachment) {
	kind, sub, _ := strings.Cut(a.MIME, "/")
	d.Item()
	switch {
	case kind == "audio":
		d.String("type", "input_audio")
		d.OpenObject("input_audio")
		d.String("data", a.Data)
		d.String("format", map[string]string{"mpeg": "mp3"}[sub]+map[bool]string{true: "wav"}[sub != "mpeg"])
	case kind == "image" && a.ID == "":
		d.String("type", "image_url")
		d.OpenObject("image_url")
		d.String("url", dataURL(a))
	default:
		d.String("type", "file")
		d.OpenObject("file")
		if a.ID != "" {
			d.String("file_id", a.ID)
		} else {
			d.String("filename", fileName(a))
			d.String("file_data", dataURL(a))
		}
	}
	d.Close("}}")
}

// fileName returns the recorded name of a file, or one with the extension of its type.
func fileName(a *provider.Attachment) string {
	if a.Name != "" {
		return a.Name
	}
	_, sub, _ := strings.Cut(a.MIME, "/")
	if ext := map[string]string{"plain": "txt", "markdown": "md", "octet-stream": "bin"}[sub]; ext != "" {
		sub = ext
	}
	return "file." + cmp.Or(sub, "bin")
}

func (d *openAI) calls(m *provider.Wire) {
	if !m.Has(model.ToolCall) {
		return
	}
	d.listCalls(m, func(b *provider.WireBlock) {
		typ, input := "function", "arguments"
		if b.Custom {
			typ, input = "custom", "input"
		}
		d.String("id", b.ID)
		d.String("type", typ)
		d.OpenObject(typ)
		d.String("name", b.Name)
		d.String(input, b.Text)
		d.Close("}")
	})
}
