package export

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
	"turns/query/provider"
)

// chatShapes are the messages of a Chat Completions request, by their roles, and
// what they are made of.
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
		Format: Format{Name: "openai", Help: "the body of an OpenAI Chat Completions request"},
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
					s.string("type", "custom")
					s.key("custom")
					s.open('{')
					s.string("name", t.name)
					if t.about != "" {
						s.string("description", t.about)
					}
					s.close('}')
					return
				}
				s.string("type", "function")
				s.key("function")
				s.open('{')
				s.function("parameters", t)
				s.close('}')
			},
			choice: func(s *sheet, c *choice) {
				if c.mode != "one" {
					s.string("tool_choice", c.mode)
					return
				}
				s.key("tool_choice")
				s.open('{')
				s.string("type", "function")
				s.key("function")
				s.open('{')
				s.string("name", c.name)
				s.close('}')
				s.close('}')
			},
		},
	}
}

func finetuneSpec() spec {
	return spec{
		Format: Format{Name: "openai-finetune", Help: "OpenAI fine-tuning data, a conversation a line", Ext: ".jsonl", MIME: "application/x-ndjson"},
		make: func(s *sheet) dialect {
			s.layout.indent = 0 // a conversation a line
			return &openAI{sheet: s, tune: true}
		},
		blocks: chatShapes, chat: true, endsWithModel: true,
	}
}

// openAI writes the body of a Chat Completions request, or a line of fine-tuning
// data for each conversation.
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
	d.sheet.open('{')
	if !d.tune {
		d.head()
	}
	d.key("messages")
	d.sheet.open('[')
}

func (d *openAI) stop() {
	d.close(']')
	if !d.tune {
		d.tail()
	}
	d.close('}')
	d.buf = append(d.buf, '\n')
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
		if b := &m.Blocks[0]; b.Outcome.Failed() && !b.Made {
			d.unmarked++
		}
	}
	if raw != nil && d.asRecorded(raw) {
		return
	}
	d.item()
	role := m.Role.String()
	if d.tune && m.Role == model.Developer {
		role = "system"
	}
	d.string("role", role)
	if m.Role == model.Tool {
		d.string("tool_call_id", m.Blocks[0].ID)
		d.string("content", m.Blocks[0].Text)
	} else {
		d.content(m)
		d.calls(m)
	}
	d.close('}')
}

// asRecorded writes a message of this shape with the fields that it may have.
func (d *openAI) asRecorded(raw []byte) bool {
	role := string(jsonspan.GetString(raw, "role"))
	if d.tune && role == "developer" {
		return false
	}
	if role != "tool" && d.own.fits(role, raw) && !bytes.Contains(raw, []byte("null")) && !bytes.Contains(raw, []byte(`"weight"`)) {
		return d.copied(raw)
	}
	fields, _ := d.own.of(role)
	kept := object{buf: []byte{}}
	kept.open('{')
	c := jsonspan.New(raw)
	for c.Object(); c.Key(); {
		name := string(c.Name)
		v := c.Skip()
		known := slices.ContainsFunc(fields, func(f shapeField) bool { return f.name == name })
		switch null := jsonspan.KindOf(v) == jsonspan.Null; {
		case !known, null && name != "content", name == "weight" && (!d.tune || string(v) != "0" && string(v) != "1"):
			continue // another client's, or nothing
		}
		kept.raw(name, string(v))
	}
	v := kept.close('}')
	if c.Err != nil || !d.own.fits(role, v) || !d.says(role, v) {
		return false
	}
	return d.copied(v)
}

// copied writes a recorded value as an element.
func (s *sheet) copied(v []byte) bool {
	buf, fresh := len(s.buf), s.fresh
	s.element()
	out, ok := s.layout.appendValue(s.buf, v, s.depth)
	if !ok {
		s.buf, s.fresh = s.buf[:buf], fresh
		return false
	}
	s.buf = out
	return true
}

// says reports whether a message of the model says or calls something.
func (d *openAI) says(role string, v []byte) bool {
	return role != "assistant" || jsonspan.KindOf(jsonspan.Get(v, "content")) > jsonspan.End && jsonspan.KindOf(jsonspan.Get(v, "content")) != jsonspan.Null ||
		jsonspan.Get(v, "tool_calls") != nil || jsonspan.Get(v, "function_call") != nil || jsonspan.Get(v, "refusal") != nil || jsonspan.Get(v, "audio") != nil
}

func (d *openAI) content(m *provider.Wire) {
	if name := firstString(m.Raw, "name"); name != "" {
		d.string("name", name)
	}
	if !has(m, model.Media) {
		if has(m, model.Words) {
			d.string("content", wordsOf(m))
		} else {
			d.raw("content", "null")
		}
		return
	}
	d.key("content")
	d.sheet.open('[')
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

func has(m *provider.Wire, kind model.BlockKind) bool {
	return slices.ContainsFunc(m.Blocks, func(b provider.WireBlock) bool { return b.Kind == kind })
}

// dataURL is the URL of an attachment, or one that holds its data.
func dataURL(a *provider.Attachment) string {
	if a.Data == "" {
		return a.URL
	}
	return "data:" + mimeOr(a.MIME) + ";base64," + a.Data
}

func (d *openAI) part(a *provider.Attachment) {
	kind, sub, _ := strings.Cut(a.MIME, "/")
	d.item()
	switch {
	case kind == "audio":
		d.string("type", "input_audio")
		d.key("input_audio")
		d.sheet.open('{')
		d.string("data", a.Data)
		d.string("format", map[string]string{"mpeg": "mp3"}[sub]+map[bool]string{true: "wav"}[sub != "mpeg"])
	case kind == "image" && a.ID == "":
		d.string("type", "image_url")
		d.key("image_url")
		d.sheet.open('{')
		d.string("url", dataURL(a))
	default:
		d.string("type", "file")
		d.key("file")
		d.sheet.open('{')
		if a.ID != "" {
			d.string("file_id", a.ID)
		} else {
			d.string("filename", fileName(a))
			d.string("file_data", dataURL(a))
		}
	}
	d.close('}')
	d.close('}')
}

// fileName is the recorded name of a file, or one that tells its type.
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
	if !has(m, model.ToolCall) {
		return
	}
	d.key("tool_calls")
	d.sheet.open('[')
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind != model.ToolCall {
			continue
		}
		typ, input := "function", "arguments"
		if b.Custom {
			typ, input = "custom", "input"
		}
		d.item()
		d.string("id", b.ID)
		d.string("type", typ)
		d.key(typ)
		d.sheet.open('{')
		d.string("name", b.Name)
		d.string(input, b.Text)
		d.close('}')
		d.close('}')
	}
	d.close(']')
}
