package export

import (
	"slices"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
	"turns/query"
)

// openAI writes the body of a Chat Completions request, or a line of fine-tuning
// data for each conversation.
type openAI struct {
	*sheet
	tune    bool
	session uint32
	open    bool
}

func newOpenAI(s *sheet) dialect { return &openAI{sheet: s} }

func newFinetune(s *sheet) dialect {
	s.layout.indent = 0 // a conversation a line
	return &openAI{sheet: s, tune: true}
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
		d.model("gpt", "o1", "o3", "o4", "chatgpt", "codex")
	}
	d.key("messages")
	d.sheet.open('[')
}

func (d *openAI) stop() {
	d.close(']')
	d.close('}')
	d.buf = append(d.buf, '\n')
	d.open = false
}

func (d *openAI) end() {
	if d.open {
		d.stop()
	}
}

// openaiKeys are the fields that a message of a request may have.
var openaiKeys = []string{"role", "content", "name", "tool_calls", "tool_call_id", "refusal", "audio", "function_call", "weight"}

func (d *openAI) message(m *query.Wire) {
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
	if raw != nil && openaiParts(raw) && d.asRecorded(raw) {
		return
	}
	d.item()
	role := m.Role.String()
	if d.tune && m.Role == model.Developer {
		role = "system"
	}
	d.string("role", role)
	switch m.Role {
	case model.Tool:
		d.result(m)
	default:
		d.content(m)
		d.calls(m)
	}
	d.close('}')
}

// asRecorded writes a message of this shape with the fields that it may have.
func (d *openAI) asRecorded(raw []byte) bool {
	before := len(d.buf)
	fresh := d.fresh
	d.item()
	tool := string(jsonspan.GetString(raw, "role")) == "tool"
	c := jsonspan.New(raw)
	for c.Object(); c.Key(); {
		name := string(c.Name)
		v := c.Skip()
		switch {
		case !slices.Contains(openaiKeys, name), name == "name" && tool: // which tool it was, the call says
			continue
		case name == "weight" && (!d.tune || string(v) != "0" && string(v) != "1"):
			continue
		}
		d.key(name)
		out, ok := d.layout.appendValue(d.buf, v, d.depth)
		if !ok {
			d.buf, d.fresh = d.buf[:before], fresh
			d.depth--
			return false
		}
		d.buf = out
	}
	d.close('}')
	return true
}

// openaiParts reports whether the content is one that this API takes.
func openaiParts(raw []byte) bool {
	content := jsonspan.Get(raw, "content")
	if jsonspan.KindOf(content) != jsonspan.Array {
		return true
	}
	c := jsonspan.New(content)
	for c.Array(); c.More(); {
		switch string(jsonspan.GetString(c.Skip(), "type")) {
		case "text", "image_url", "input_audio", "file", "refusal":
		default:
			return false
		}
	}
	return true
}

func (d *openAI) content(m *query.Wire) {
	if m.Role != model.User || !has(m, model.Media) {
		if !has(m, model.Words) {
			d.raw("content", "null")
		} else {
			d.string("content", wordsOf(m))
		}
		d.countMedia(m)
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
			d.part(b)
		}
	}
	d.close(']')
}

func has(m *query.Wire, kind model.BlockKind) bool {
	return slices.ContainsFunc(m.Blocks, func(b query.WireBlock) bool { return b.Kind == kind })
}

func (s *sheet) countMedia(m *query.Wire) {
	for i := range m.Blocks {
		if m.Blocks[i].Kind == model.Media {
			s.media++
		}
	}
}

func (d *openAI) part(b *query.WireBlock) {
	mime, data, url := dataOf(b)
	kind, sub, _ := strings.Cut(mime, "/")
	if data == "" && url == "" {
		d.media++
		return
	}
	d.item()
	switch {
	case kind == "audio" && data != "":
		d.string("type", "input_audio")
		d.key("input_audio")
		d.sheet.open('{')
		d.string("data", data)
		d.string("format", map[string]string{"mpeg": "mp3"}[sub]+map[bool]string{true: "wav"}[sub != "mpeg"])
	case kind == "image":
		d.string("type", "image_url")
		d.key("image_url")
		d.sheet.open('{')
		d.string("url", orElse(url, "data:"+mime+";base64,"+data))
	default:
		d.string("type", "file")
		d.key("file")
		d.sheet.open('{')
		if data == "" {
			d.string("file_id", url)
		} else {
			d.string("file_data", "data:"+mime+";base64,"+data)
		}
	}
	d.close('}')
	d.close('}')
}

func (d *openAI) calls(m *query.Wire) {
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
		d.item()
		d.string("id", b.ID)
		d.string("type", "function")
		d.key("function")
		d.sheet.open('{')
		d.string("name", b.Name)
		d.string("arguments", b.Text)
		d.close('}')
		d.close('}')
	}
	d.close(']')
}

func (d *openAI) result(m *query.Wire) {
	b := &m.Blocks[0]
	d.string("tool_call_id", b.ID)
	d.string("content", flatten(b))
	d.media += len(b.Media)
}
