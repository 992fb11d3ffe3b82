package export

import (
	"cmp"
	"encoding/json"
	"strings"

	"turns/model"
	"turns/query/provider"
)

func vercelSpec() spec {
	return spec{
		Format: Format{Name: "vercel", Help: "a prompt of the Vercel AI SDK: {system, messages} for version 7, ModelMessages for --sdk 5 and 6"},
		make:   func(s *sheet) dialect { return &vercel{sheet: s} },
		maker:  anyMaker,
		blocks: map[string]string{
			"text":              "type text:s! providerOptions:o",
			"reasoning":         "type text:s! providerOptions:o",
			"file":              "type data:d|u! filename mediaType:S! providerOptions:o",
			"image":             "type image:d|u! mediaType providerOptions:o",
			"tool-call":         "type toolCallId:S! toolName:S! input:j! providerOptions:o providerExecuted:b",
			"tool-result":       "type toolCallId:S! toolName:S! output:@output! providerOptions:o",
			"output/text":       "type value:s! providerOptions:o",
			"output/json":       "type value:j! providerOptions:o",
			"output/error-text": "type value:s! providerOptions:o",
			"output/error-json": "type value:j! providerOptions:o",
			"output/content":    "type value:*@content!",
			"content/text":      "type text:s! providerOptions:o",
		},
		tune: func(s *sheet) {
			if s.sdk() < 7 {
				s.rules.System = provider.SystemLeading
			}
			switch s.sdk() {
			case 5:
				s.blocks["content/media"] = "type data:d! mediaType:S!"
			case 6:
				s.blocks["content/file-data"] = "type data:d! mediaType:S! filename providerOptions:o"
				s.blocks["content/image-data"] = "type data:d! mediaType:S! providerOptions:o"
				s.blocks["content/file-url"] = "type url:u! mediaType providerOptions:o"
				fallthrough
			default:
				s.blocks["output/execution-denied"] = "type reason providerOptions:o"
				s.blocks["tool-approval-request"] = "type approvalId:S! toolCallId:S!"
				s.blocks["tool-approval-response"] = "type approvalId:S! approved:b! reason"
			}
			if s.sdk() > 6 {
				s.blocks["content/file"] = "type data:@data! mediaType:S! filename providerOptions:o"
				s.blocks["data/data"] = "type data:d!"
			}
		},
	}
}

// sdk is the version of the Vercel AI SDK that is written for.
func (s *sheet) sdk() int {
	if s.opts.SDK == 0 {
		return 7
	}
	return s.opts.SDK
}

// vercel writes what generateText of the Vercel AI SDK takes: since version 7 the
// system prompt stands beside the messages.
type vercel struct{ *sheet }

func (d *vercel) begin(system []string) {
	if d.sdk() > 6 {
		d.open('{')
		if len(system) > 0 {
			d.string("system", strings.Join(system, "\n\n"))
		}
		d.key("messages")
	}
	d.open('[')
}

func (d *vercel) end() {
	d.close(']')
	if d.sdk() > 6 {
		d.close('}')
	}
	d.buf = append(d.buf, '\n')
}

func (d *vercel) message(m *provider.Wire) {
	d.item()
	defer d.close('}')
	if isSystem(m) {
		d.string("role", "system")
		d.string("content", wordsOf(m))
		return
	}
	d.string("role", m.Role.String())
	if text, ok := onlyWords(m); ok {
		d.string("content", text)
		return
	}
	d.key("content")
	d.open('[')
	for i := range m.Blocks {
		if b := &m.Blocks[i]; !d.recordedItem(b) {
			d.item()
			d.part(b)
			d.close('}')
		}
	}
	d.close(']')
}

func (d *vercel) part(b *provider.WireBlock) {
	switch b.Kind {
	case model.Words, model.Reasoning:
		d.string("type", b.Kind.String())
		d.string("text", b.Text)
	case model.ToolCall:
		d.string("type", "tool-call")
		d.string("toolCallId", b.ID)
		d.string("toolName", b.Name)
		d.value("input", b.Text)
	case model.ToolResult:
		d.string("type", "tool-result")
		d.string("toolCallId", b.ID)
		d.string("toolName", b.Name)
		d.output(b)
	case model.Media:
		d.string("type", "file")
		d.string("mediaType", mimeOr(b.File.MIME))
		if b.File.Name != "" {
			d.string("filename", b.File.Name)
		}
		d.string("data", cmp.Or(b.File.Data, b.File.URL))
	}
	d.providerData("providerOptions", b)
}

func mimeOr(mime string) string {
	switch {
	case strings.Contains(mime, "/"):
		return mime
	case mime == "image" || mime == "audio" || mime == "video":
		return mime + "/*"
	}
	return "application/octet-stream"
}

// output is what a tool answered, in a value that says its type.
func (d *vercel) output(b *provider.WireBlock) {
	d.key("output")
	d.open('{')
	defer d.close('}')
	if len(b.Media) > 0 && !b.Outcome.Failed() {
		d.string("type", "content")
		d.key("value")
		d.open('[')
		if b.Text != "" {
			d.item()
			d.string("type", "text")
			d.string("text", b.Text)
			d.close('}')
		}
		for i := range b.Media {
			d.item()
			d.content(b.Media[i].File)
			d.close('}')
		}
		d.close(']')
		return
	}
	kind := "text"
	if b.Outcome.Failed() {
		kind = "error-text"
		d.unmedia(b)
	}
	if b.JSON && json.Valid([]byte(b.Text)) {
		d.string("type", strings.Replace(kind, "text", "json", 1))
		d.value("value", b.Text)
		return
	}
	d.string("type", kind)
	d.string("value", b.Text)
}

// unmedia says in words what media an error, which is a text, came with.
func (s *sheet) unmedia(b *provider.WireBlock) {
	for i := range b.Media {
		s.unplaced++
		b.Text, b.JSON = strings.TrimPrefix(b.Text+"\n"+provider.Placeholder(&b.Media[i]), "\n"), false
	}
}

// content is an image, a sound or a file in a result: each version names them anew.
func (d *vercel) content(a *provider.Attachment) {
	switch {
	case d.sdk() > 6:
		d.string("type", "file")
		d.key("data")
		d.open('{')
		if a.Data != "" {
			d.string("type", "data")
			d.string("data", a.Data)
		} else { // the URL of a file is an object there that JSON cannot say
			d.string("type", "text")
			d.string("text", a.URL)
		}
		d.close('}')
	case a.Data == "" && d.sdk() == 6:
		d.string("type", "file-url")
		d.string("url", a.URL)
		return
	case a.Data == "":
		d.string("type", "text")
		d.string("text", a.URL)
		return
	case d.sdk() == 6:
		d.string("type", "file-data")
		d.string("data", a.Data)
	default:
		d.string("type", "media")
		d.string("data", a.Data)
	}
	if a.Data == "" {
		d.string("mediaType", "text/plain")
		return
	}
	d.string("mediaType", mimeOr(a.MIME))
}
