package gemini

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// AddMessages adds the contents of a request, or the candidates of a response, as the SDKs hand
// them to traces. It returns false for any other value.
func AddMessages(fs *model.Facts, v []byte) bool {
	c, at := jsonspan.New(v), fs.Len()
	p := geminiAPIParser{fs: fs}
	switch {
	case isRequest(v):
		p.request(v)
	case isAnswer(v): // LlmResponse of Google's ADK
		p.candidate(&c)
	case hasParts(v):
		p.record(&c)
	default:
		return false
	}
	for i := at; i < fs.Len(); i++ { // clients make ids for the history, which responses lack
		for j := range fs.At(i).Blocks {
			b := &fs.At(i).Blocks[j]
			b.ID, b.Key = model.Text{}, 0
		}
	}
	return true
}

// hasParts reports whether a value is a list of contents, or a response with candidates.
func hasParts(v []byte) bool {
	parts := jsonspan.Get(v, "candidates")
	for first := range jsonspan.List(v) {
		parts = jsonspan.Get(first, "parts")
		break
	}
	for part := range jsonspan.List(parts) {
		if kit.HasKey(part, "type") { // OpenTelemetry's
			return false
		}
	}
	return jsonspan.KindOf(parts) == jsonspan.Array
}

// isRequest reports whether a value is a request: contents, and a model or settings.
func isRequest(v []byte) bool {
	return jsonspan.KindOf(v) == jsonspan.Object && kit.HasKey(v, "contents") && (kit.HasKey(v, "model") || kit.HasKey(v, "config"))
}

// isAnswer reports whether a value is the answer of a model with its content next to its details.
func isAnswer(v []byte) bool {
	content := jsonspan.Get(v, "content")
	return jsonspan.KindOf(jsonspan.Get(content, "parts")) == jsonspan.Array && string(jsonspan.GetString(content, "role")) == "model"
}

// request adds the messages of a request. With the Python SDK, contents may be a text, a content,
// or a list of both.
func (p *geminiAPIParser) request(v []byte) {
	config := jsonspan.Get(v, "config")
	for _, holder := range [...][]byte{v, config} {
		kit.FrameSystem(p.fs, p.session, kit.Or(jsonspan.Get(holder, "system_instruction"), jsonspan.Get(holder, "systemInstruction")))
	}
	contents := jsonspan.Get(v, "contents")
	if jsonspan.KindOf(contents) != jsonspan.Array {
		p.asked(contents)
		return
	}
	for content := range jsonspan.List(contents) {
		p.asked(content)
	}
}

// asked adds a content, or a text or part of the user.
func (p *geminiAPIParser) asked(v []byte) {
	if kit.HasKey(v, "parts") {
		c := jsonspan.New(v)
		p.nextContent(&c)
		return
	}
	f := p.fs.Add(model.Say)
	f.Role, f.Session = model.User, p.session
	kit.GeminiCLIParts(f, v)
	kit.SplitUser(p.fs)
}
