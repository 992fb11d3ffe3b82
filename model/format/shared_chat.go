package format

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// The formats openai, anthropic and generic share one parser. Logs of gateways
// and training data mix their shapes freely (Anthropic blocks in OpenAI
// messages, requests with responses of another vendor), so what a record is read
// as must not hang on which of the three was recognised.

// The variants of chat formats. From chatFirstList on they are an index into
// messageLists: the list of the document that is cut into records.
const (
	chatLines     = iota // JSON lines: messages, or a conversation in each
	chatWhole            // a document that is one record: a request with its response, say
	chatFirstList        // a document with its list at messageLists[variant-chatFirstList]
)

// chatLists is the Lists of the chat formats.
func chatLists(m model.Match) []string {
	if i := int(m.Variant) - chatFirstList; i >= 0 && i < len(messageLists) {
		return []string{messageLists[i]}
	}
	return nil
}

// chatVariant is the variant for a path that sampleMessages gave.
func chatVariant(s *model.Sample, path string) uint8 {
	if s.Shape != model.Document {
		return chatLines
	}
	if i := slices.Index(messageLists, path); i >= 0 {
		return uint8(i + chatFirstList)
	}
	return chatWhole
}

// chatParse parses a record of a chat format: a message, a conversation, a
// request, a response, or what is left of a document.
func chatParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	p := chatParser{fs: fs}
	if rec.Variant == chatLines || rec.Variant == chatFirstList {
		p.lone = model.HashNumber("conversation", rec.Ref.Off)
	}
	p.value(&c, model.NoRole)
	if c.Err == nil && fs.Len() == 0 {
		if rec.List == "" && rec.Variant >= chatFirstList {
			fs.Add(model.About) // what is left of a document that is a list
		} else {
			note(fs, "empty")
		}
	}
	return finish(&c, fs)
}

type chatParser struct {
	fs      *model.Facts
	lone    model.Key // the session, should the record prove to be a conversation
	session model.Key
	depth   int
}

// chatMaxDepth is how deep conversations are looked for in wrappers.
const chatMaxDepth = 8

var (
	chatRecordName = model.StringText("record")
	chatStreamName = model.StringText("event stream")
)

// value reads any value. role is who speaks where the value is mere text.
func (p *chatParser) value(c *jsonspan.Cursor, role model.Role) {
	p.depth++
	defer func() { p.depth-- }()
	switch {
	case p.depth > chatMaxDepth:
		p.other(c.Skip())
	case c.Kind() == jsonspan.Object:
		p.object(c, role)
	case c.Kind() == jsonspan.Array:
		if p.depth == 1 { // a conversation that is a list on its line
			p.session = p.lone
		}
		for c.Array(); c.More(); {
			p.value(c, role)
		}
	default:
		p.text(c.Skip(), role)
	}
}

// text says a mere text, as prompts and completions of old training data are; a
// text of which nobody knows who said it becomes a Note.
func (p *chatParser) text(v []byte, role model.Role) {
	if isNull(v) {
		return
	}
	if role == model.NoRole {
		p.other(v)
		return
	}
	f := p.fs.Add(model.Say)
	f.Role, f.Session = role, p.session
	if s := inside(v); bytes.HasPrefix(s, []byte("data: ")) || bytes.HasPrefix(s, []byte("event: ")) {
		b := f.Add(model.OtherBlock)
		b.Name, b.Text = chatStreamName, model.ValueText(v)
		return
	}
	f.AddText(model.Words, model.ValueText(v))
}

func (p *chatParser) other(v []byte) {
	f := p.fs.Add(model.Note)
	f.Name, f.Session = chatRecordName, p.session
	f.AddText(model.Words, model.ValueText(v))
}

// object reads an object and says what it is.
func (p *chatParser) object(c *jsonspan.Cursor, role model.Role) {
	start := c.Pos
	f := p.fs.Add(model.Say)
	var r chatRecord
	r.read(c, f)
	if c.Err != nil {
		p.fs.Drop()
		return
	}
	switch {
	case r.choices != nil:
		p.choices(&r)
	case r.spoken() || role != model.NoRole && r.content != nil && !r.wraps():
		if r.role == nil {
			f.Role = role
		}
		p.message(&r)
	case r.wraps():
		p.conversation(&r)
	case r.content != nil && r.typ == nil && isNull(r.err):
		setUnknown(f, r.role)
		r.role = nil
		p.message(&r)
	case !isNull(r.err):
		p.failure(&r)
	case p.depth == 1 && r.about && (r.list != nil || r.system != nil || r.usage != nil || len(f.Extra) > 0):
		p.conversation(&r)
	default:
		p.fs.Drop()
		p.other(bytes.TrimSpace(c.Buf[start:c.Pos]))
		if r.typ != nil {
			p.fs.Last().Name = model.EscapedText(r.typ)
		}
	}
}

// conversation turns the last fact into what is known of the conversation and
// says the messages in it.
func (p *chatParser) conversation(r *chatRecord) {
	f := p.fs.Last()
	f.Op = model.About
	if p.session == 0 && p.lone != 0 {
		p.session = p.lone
	}
	f.Session = p.session
	keep(f, "model", r.model)
	keep(f, "session", r.id)
	keep(f, "title", r.title)
	keep(f, "stop_reason", r.stop)
	f.Time = momentOf(r.time)
	if len(f.Extra) == 0 && f.Time.Ms == 0 && (r.wraps() || r.system != nil) {
		p.fs.Drop() // it says nothing of itself
	}
	if usage := usageOf(r.usage); usage.Scope != model.NoUsage {
		usage.Scope = model.Total
		m := p.fs.Add(model.Meter)
		m.Session, m.Usage = p.session, usage
	}
	if !isEmpty(r.system) {
		s := p.fs.Add(model.Say)
		s.Role, s.Session = model.System, p.session
		addContent(s, r.system)
	}
	for _, part := range [...]struct {
		v    []byte
		role model.Role
	}{
		{r.request, model.NoRole}, {r.prompt, model.User}, {r.list, model.NoRole},
		{r.response, model.Assistant}, {r.completion, model.Assistant},
	} {
		if !isEmpty(part.v) {
			c := jsonspan.New(part.v)
			p.value(&c, part.role)
		}
	}
	if !isNull(r.err) {
		p.fs.Add(model.Say)
		p.failure(r)
	}
}

// failure turns the last fact into the error that a request ended in.
func (p *chatParser) failure(r *chatRecord) {
	f := p.fs.Last()
	f.Role, f.Session = model.Assistant, p.session
	f.Flags |= model.APIError
	f.Outcome, f.Stop = model.Failure, model.StopError
	text := jsonspan.Get(r.err, "message")
	if !isString(text) {
		text = r.err
	}
	f.AddText(model.Words, model.ValueText(text))
}

// choices says the messages of a response. The last fact becomes the first.
func (p *chatParser) choices(r *chatRecord) {
	n := 0
	c := jsonspan.New(r.choices)
	for c.Array(); c.More(); n++ {
		f := p.fs.Last()
		if n > 0 {
			f = p.fs.Add(model.Say)
		}
		m := chatRecord{time: r.time, model: r.model}
		if n == 0 {
			m.usage = r.usage
		}
		delta, index := false, int64(0)
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "message":
				m.read(&c, f)
			case "delta":
				delta = true
				m.read(&c, f)
			case "text":
				m.content = c.Skip()
			case "finish_reason":
				m.stop = c.Skip()
			case "index":
				index, _ = c.Int()
			default:
				m.extra(f, c.Name, c.Skip())
			}
		}
		if m.role == nil {
			f.Role = model.Assistant
		}
		if delta && inside(r.id) != nil {
			f.Join = model.Extend
			f.Key = model.Hash(inside(r.id)).Join(model.HashNumber("choice", index))
		}
		p.message(&m)
		if delta {
			keyDeltas(p.fs.Last(), m.toolCalls)
		}
	}
	if n > 0 {
		return
	}
	f := p.fs.Last() // the last chunk of a stream: no choice, only the usage
	f.Op, f.Session = model.Meter, p.session
	f.Usage, f.Time, f.Model = usageOf(r.usage), momentOf(r.time), model.ValueText(r.model)
	f.Usage.Key = model.Hash(inside(r.id))
}

// keyDeltas gives the calls of a streamed chunk the keys by which their fragments
// are joined: the id comes with the first one only.
func keyDeltas(f *model.Fact, toolCalls []byte) {
	if isNull(toolCalls) {
		return
	}
	i := 0
	c := jsonspan.New(toolCalls)
	for c.Array(); c.More(); {
		index := int64(i)
		for c.Object(); c.Key(); {
			if string(c.Name) == "index" {
				index, _ = c.Int()
			} else {
				c.Skip()
			}
		}
		for i < len(f.Blocks) && f.Blocks[i].Kind != model.ToolCall {
			i++
		}
		if i < len(f.Blocks) {
			f.Blocks[i].Key = model.HashNumber("call", index)
			i++
		}
	}
}
