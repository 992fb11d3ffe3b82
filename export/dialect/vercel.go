package dialect

import (
	"cmp"
	"encoding/json"
	"strings"

	"turns/export"
	"turns/model"
	"turns/query/provider"
)

func vercelSpec() spec {
	return spec{
		Format: export.Format{Name: "vercel", Help: "a prompt of the Vercel AI SDK: {system, messages} for version 7, ModelMessages for --sdk 5 and 6"},
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

// sdk returns the version of the Vercel AI SDK for the output.
func (s *sheet) sdk() int {
	return cmp.Or(s.opts.SDK, 7)
}

// vercel writes the input of generateText in the Vercel AI SDK: since version 7 the system prompt
// is separate from the messages.
type vercel struct{ *sheet }

func (d *vercel) begin(system []string) {
	if d.sdk() > 6 {
		d.Open('{')
		if len(system) > 0 {
			d.String("system", strings.Join(system, "\n\n"))
		}
		d.Key("messages")
	}
	d.Open('[')
}

func (d *vercel) end() {
	d.Close("]")
	if d.sdk() > 6 {
		d.Close("}")
	}
	d.Buf = append(d.Buf, '\n')
}

func (d *vercel) message(m *provider.Wire) {
	d.Item()
	defer d.Close("}")
	if isSystem(m) {
		d.String("role", "system")
		d.String("content", wordsOf(m))
		return
	}
	d.String("role", m.Role.String())
	if text, ok := onlyWords(m); ok {
		d.String("content", text)
		return
	}
	d.listParts(m, d.part)
}

func (d *vercel) part(b *provider.WireBlock) {
	switch b.Kind {
	case model.Words, model.Reasoning:
		d.String("type", b.Kind.String())
		d.String("text", b.Text)
	case model.ToolCall:
		d.String("type", "tool-call")
		d.String("toolCallId", b.ID)
		d.String("toolName", b.Name)
		d.value("input", b.Text)
	case model.ToolResult:
		d.String("type", "tool-result")
		d.String("toolCallId", b.ID)
		d.String("toolName", b.Name)
		d.output(b)
	case model.Media:
		d.String("type", "file")
		d.String("mediaType", mimeOr(b.File.MIME))
		d.Optional("filename", b.File.Name)
		d.String("data", cmp.Or(b.File.Data, b.File.URL))
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

// output writes the output of a tool, as a value with its type.
func (d *vercel) output(b *provider.WireBlock) {
	d.OpenObject("output")
	defer d.Close("}")
	if len(b.Media) > 0 && !b.Outcome.Failed() {
		d.String("type", "content")
		d.mixed("value", b.Text, b.Media, func(a *provider.Attachment) {
			d.Item()
			d.content(a)
			d.Close("}")
		})
		return
	}
	kind := "text"
	if b.Outcome.Failed() {
		kind = "error-text"
		d.unmedia(b)
	}
	if b.JSON && json.Valid([]byte(b.Text)) {
		d.String("type", strings.Replace(kind, "text", "json", 1))
		d.value("value", b.Text)
		return
	}
	d.String("type", kind)
	d.String("value", b.Text)
}

// unmedia replaces the media of an error, which must be a text, by words.
func (s *sheet) unmedia(b *provider.WireBlock) {
	for i := range b.Media {
		s.unplaced++
		b.Text, b.JSON = strings.TrimPrefix(b.Text+"\n"+provider.Placeholder(&b.Media[i]), "\n"), false
	}
}

// content writes an image, a sound or a file in a result: each version has other names for them.
func (d *vercel) content(a *provider.Attachment) {
	switch {
	case d.sdk() > 6:
		d.String("type", "file")
		d.OpenObject("data")
		if a.Data != "" {
			d.String("type", "data")
			d.String("data", a.Data)
		} else { // there the URL is an object without a JSON form
			d.String("type", "text")
			d.String("text", a.URL)
		}
		d.Close("}")
	case a.Data == "" && d.sdk() == 6:
		d.String("type", "file-url")
		d.String("url", a.URL)
		return
	case a.Data == "":
		d.String("type", "text")
		d.String("text", a.URL)
		return
	case d.sdk() == 6:
		d.String("type", "file-data")
		d.String("data", a.Data)
	default:
		d.String("type", "media")
		d.String("data", a.Data)
	}
	if a.Data == "" {
		d.String("mediaType", "text/plain")
		return
	}
	d.String("mediaType", mimeOr(a.MIME))
}
