package dialect

import (
	"cmp"
	"strings"

	"turns/export"
	"turns/model"
	"turns/query/provider"
)

func geminiSpec() spec {
	return spec{
		Format: export.Format{Name: "gemini", Help: "the body of a Gemini generateContent request"},
		make:   func(s *sheet) dialect { return &gemini{sheet: s} },
		maker:  "google",
		blocks: map[string]string{
			"": "text:s thought:b thoughtSignature:s functionCall:=call functionResponse:=response inlineData:=data fileData:=place videoMetadata:o " +
				"executableCode:o codeExecutionResult:o",
			"call":     "id name:S! args:o",
			"response": "id name:S! response:o! parts:*=part willContinue:b scheduling",
			"part":     "inlineData:=data fileData:=place",
			"data":     "mimeType:S! data:d! displayName",
			"place":    "mimeType:s fileUri:u! displayName",
		},
		request: &request{
			formats: []string{"gemini"}, models: []string{"gemini"}, unnamed: true,
			settings: []string{"generationConfig:j!", "safetySettings:j!", "toolConfig:j!", "cachedContent:s!", "labels:j!"},
			wrap: func(s *sheet, write func()) {
				s.OpenList("tools")
				s.Item()
				s.OpenList("functionDeclarations")
				write()
				s.Close("]}]")
			},
			tool: func(s *sheet, t *tool) {
				if t.custom {
					t.fields = []toolField{{name: "input", typ: "string"}}
				}
				s.function("parametersJsonSchema", t)
			},
			choice: func(s *sheet, c *choice) {
				if s.asks.own {
					return // the recorded toolConfig is there
				}
				mode := map[string]string{"required": "ANY", "one": "ANY", "none": "NONE"}[c.mode]
				s.OpenObject("toolConfig")
				s.OpenObject("functionCallingConfig")
				s.String("mode", cmp.Or(mode, "AUTO"))
				if c.name != "" {
					s.OpenList("allowedFunctionNames")
					s.words(c.name)
					s.Close("]")
				}
				s.Close("}}")
			},
		},
	}
}

// geminiConfig are the settings that Gemini has in a separate object.
var geminiConfig = request{settings: []string{
	"temperature:n", "topP:n top_p", "topK:n top_k", "maxOutputTokens:n max_output_tokens max_completion_tokens max_tokens",
	"stopSequences:l stop stop_sequences", "seed:n", "presencePenalty:n presence_penalty", "frequencyPenalty:n frequency_penalty",
}}

// unsignedCall replaces a missing signature of a call: Gemini 3 and later refuse calls without a
// signature, and document this value.
const unsignedCall = "skip_thought_signature_validator"

// gemini writes the body of a generateContent request.
type gemini struct {
	*sheet
	placeholders int // calls with a placeholder for the signature
}

func (d *gemini) begin(system []string) {
	d.Open('{')
	d.head()
	d.config()
	if len(system) > 0 {
		d.OpenObject("systemInstruction")
		d.OpenList("parts")
		for _, text := range system {
			d.Item()
			d.String("text", text)
			d.Close("}")
		}
		d.Close("]}")
	}
	d.OpenList("contents")
}

// config writes the settings of a request to another API.
func (d *gemini) config() {
	if d.asks.own {
		return
	}
	o := *d.sheet
	o.Buf = nil
	sp := *d.spec
	sp.request = &geminiConfig
	o.spec = &sp
	o.Open('{')
	o.settings()
	if v := o.Close("}"); len(v) > 2 {
		d.value("generationConfig", string(v))
	}
}

func (d *gemini) end() {
	d.report.NoteCount(d.placeholders, "%s no signature of Gemini's; "+unsignedCall+" stands in its place", "call has", "calls have")
	d.Close("]")
	d.tail()
	d.endLine("}")
}

// strict reports whether the model refuses calls without a signature.
func (d *gemini) strict() bool {
	return !strings.HasPrefix(d.asks.model, "gemini-1") && !strings.HasPrefix(d.asks.model, "gemini-2")
}

func (d *gemini) message(m *provider.Wire) {
	d.Item()
	if m.Role == model.Assistant {
		d.String("role", "model")
	} else {
		d.String("role", "user")
	}
	d.OpenList("parts")
	first := d.strict() // the first of parallel calls has the signature
	for i := range m.Blocks {
		b := &m.Blocks[i]
		call := b.Kind == model.ToolCall && !b.Keep
		if call && first && b.Sign.Maker != "google" {
			d.placeholders++
			b.Sign, b.Raw = provider.Signature{Maker: "google", Text: unsignedCall}, nil
		}
		first = first && !call
		if !d.recordedItem(b) {
			d.part(b)
		}
	}
	d.Close("]}")
}

func (d *gemini) part(b *provider.WireBlock) {
	d.Item()
	switch b.Kind {
	case model.Words:
		d.String("text", b.Text)
	case model.Reasoning:
		d.String("text", b.Text)
		d.Raw("thought", "true")
	case model.ToolCall:
		d.OpenObject("functionCall")
		d.id(b)
		d.String("name", b.Name)
		d.value("args", b.Text)
		d.Close("}")
	case model.ToolResult:
		d.OpenObject("functionResponse")
		d.id(b)
		d.String("name", b.Name)
		d.response(b)
		d.Close("}")
	case model.Media:
		d.inline(b.File)
	}
	if b.Sign.Maker == "google" && b.Kind != model.ToolResult {
		d.String("thoughtSignature", b.Sign.Text)
	}
	d.Close("}")
	if b.Kind == model.ToolResult {
		for i := range b.Media {
			d.Item()
			d.inline(b.Media[i].File)
			d.Close("}")
		}
	}
}

// id writes a recorded id. The API does not need one.
func (d *gemini) id(b *provider.WireBlock) {
	if !b.MadeID {
		d.String("id", b.ID)
	}
}

// response writes an object: that of the tool, or one with its output or error.
func (d *gemini) response(b *provider.WireBlock) {
	name := "output"
	if b.Outcome.Failed() {
		name = "error"
	} else if provider.IsObject(b.Text) {
		d.value("response", b.Text)
		return
	}
	d.OpenObject("response")
	d.String(name, b.Text)
	d.Close("}")
}

func (d *gemini) inline(a *provider.Attachment) {
	if a.Data == "" {
		d.OpenObject("fileData")
		if strings.Contains(a.MIME, "/") {
			d.String("mimeType", a.MIME)
		}
		d.String("fileUri", a.URL)
	} else {
		d.OpenObject("inlineData")
		d.String("mimeType", a.MIME)
		d.String("data", a.Data)
	}
	d.Close("}")
}
