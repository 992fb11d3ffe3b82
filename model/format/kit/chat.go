package kit

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// The formats openai, anthropic and generic share one parser. Logs of gateways and training data
// mix their shapes freely (Anthropic blocks in OpenAI messages, requests with responses of another
// vendor), so the result for a record must not depend on which of the three was recognised.

// The variants of chat formats. From ChatFirstList on they are an index into messageLists: the list
// of the document to cut into records.
const (
	ChatLines     = iota // JSON lines: messages, or a conversation in each
	ChatWhole            // a document read as one record, for example a request with its response
	ChatFirstList        // a document with its list at messageLists[variant-ChatFirstList]
)

// ChatLists returns the lists of a document with messages: the Lists of model.Format.
func ChatLists(m model.Match) []string {
	if i := int(m.Variant) - ChatFirstList; i >= 0 && i < len(messageLists) {
		return []string{messageLists[i]}
	}
	return nil
}

// chatVariant returns the variant for a path from sampleMessages.
func chatVariant(s *model.Sample, path string) uint8 {
	if s.Shape != model.Document {
		return ChatLines
	}
	if i := slices.Index(messageLists, path); i >= 0 {
		return uint8(i + ChatFirstList)
	}
	return ChatWhole
}

// ChatParse parses a record of a chat format: a message, a conversation, a request, a response, or
// the remainder of a document.
func ChatParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	p := ChatParser{Fs: fs}
	if rec.Variant == ChatLines || rec.Variant == ChatFirstList {
		p.lone = model.HashNumber("conversation", rec.Ref.Off)
	}
	p.listed = rec.List != ""
	p.Value(&c, model.NoRole)
	if c.Err == nil && fs.Len() == 0 {
		if rec.List == "" && rec.Variant >= ChatFirstList {
			fs.Add(model.About) // the rest of a document that is a list
		} else {
			Note(fs, "empty")
		}
	}
	return Finish(&c, fs)
}

// ChatParser parses a record of a chat format. It descends through wrappers until it finds
// messages.
type ChatParser struct {
	Fs      *model.Facts
	lone    model.Key // session, in case the record is a conversation
	Session model.Key
	depth   int
	listed  bool // the value is an element of a list
}

// ChatMaxDepth is the number of wrappers that the search for conversations descends through.
const ChatMaxDepth = 8

var (
	// ChatRecordName is the kind of the note for a record without messages.
	ChatRecordName = model.StringText("record")
	// ChatStreamName is the kind of a response recorded as the text of its event stream.
	ChatStreamName = model.StringText("event stream")
)

// Value reads any value. role is the speaker of a plain text.
func (p *ChatParser) Value(c *jsonspan.Cursor, role model.Role) {
	p.depth++
	defer func() { p.depth-- }()
	switch {
	case p.depth > ChatMaxDepth:
		p.other(c.Skip())
	case c.Kind() == jsonspan.Object:
		p.object(c, role)
	case c.Kind() == jsonspan.Array:
		if p.depth == 1 { // a conversation that is a list on its line
			p.Session = p.lone
		}
		for c.Array(); c.More(); {
			p.listed = true
			p.Value(c, role)
		}
	default:
		p.text(c.Skip(), role)
	}
}

// text adds a plain text, such as a prompt or completion in old training data. A text without a
// known speaker becomes a note.
func (p *ChatParser) text(v []byte, role model.Role) {
	if IsNull(v) {
		return
	}
	if role == model.NoRole {
		p.other(v)
		return
	}
	f := p.Fs.Add(model.Say)
	f.Role, f.Session = role, p.Session
	if s := Inside(v); bytes.HasPrefix(s, []byte("data: ")) || bytes.HasPrefix(s, []byte("event: ")) {
		b := f.Add(model.OtherBlock)
		b.Name, b.Text = ChatStreamName, model.ValueText(v)
		return
	}
	f.AddText(model.Words, model.ValueText(v))
}

func (p *ChatParser) other(v []byte) {
	f := p.Fs.Add(model.Note)
	f.Name, f.Session = ChatRecordName, p.Session
	f.AddText(model.Words, model.ValueText(v))
}

// object reads an object and adds its facts.
func (p *ChatParser) object(c *jsonspan.Cursor, role model.Role) {
	start, listed := c.Pos, p.listed
	p.listed = false
	f := p.Fs.Add(model.Say)
	var r ChatRecord
	r.read(c, f)
	if c.Err != nil {
		p.Fs.Drop()
		return
	}
	switch {
	case r.choices != nil:
		p.choices(&r)
	case r.isMessage() || role != model.NoRole && r.Content != nil && !r.wraps():
		if r.Role == nil {
			f.Role = role
		}
		p.Message(&r)
	case r.wraps():
		p.conversation(&r)
	case r.Content != nil && r.typ == nil && IsNull(r.err), listed && isEmptyObject(c.Buf[start:c.Pos]):
		SetUnknown(f, r.Role)
		r.Role = nil
		p.Message(&r)
	case !IsNull(r.err):
		p.failure(&r)
	case p.depth == 1 && r.about && (r.list != nil || r.system != nil || r.usage != nil || len(f.Extra) > 0):
		p.conversation(&r)
	default:
		p.Fs.Drop()
		p.other(bytes.TrimSpace(c.Buf[start:c.Pos]))
		if r.typ != nil {
			p.Fs.Last().Name = model.EscapedText(r.typ)
		}
	}
}

// isEmptyObject reports whether a value is {}.
func isEmptyObject(v []byte) bool {
	v = bytes.TrimSpace(v)
	return len(v) >= 2 && v[0] == '{' && len(bytes.TrimSpace(v[1:])) == 1
}

// conversation turns the last fact into the description of the conversation and adds its messages.
func (p *ChatParser) conversation(r *ChatRecord) {
	f := p.Fs.Last()
	f.Op = model.About
	if p.Session == 0 && p.lone != 0 {
		p.Session = p.lone
	}
	if run := Inside(r.run); run != nil {
		p.Session = model.Hash(run) // several lines may belong to one run of a table
	}
	f.Session = p.Session
	Keep(f, "model", r.Model)
	Keep(f, "session", r.id)
	Keep(f, "title", r.title)
	Keep(f, "stop_reason", r.Stop)
	r.keepSettings(f)
	f.Time = MomentOf(r.Time)
	if len(f.Extra) == 0 && f.Time.Ms == 0 && (r.wraps() || r.system != nil) {
		p.Fs.Drop() // it has no description
	}
	if usage := UsageOf(r.usage); usage.Scope != model.NoUsage {
		usage.Scope = model.Total
		m := p.Fs.Add(model.Meter)
		m.Session, m.Usage = p.Session, usage
	}
	if !IsEmpty(r.system) {
		s := p.Fs.Add(model.Say)
		s.Role, s.Session = model.System, p.Session
		AddContent(s, r.system)
	}
	prompter := r.prompter()
	for _, part := range [...]struct {
		v    []byte
		role model.Role
	}{
		{r.request, model.NoRole}, {r.prompt, prompter}, {r.list, model.NoRole},
		{r.response, model.Assistant}, {r.completion, model.Assistant},
	} {
		if !IsEmpty(part.v) {
			before := p.Fs.Len()
			c := jsonspan.New(part.v)
			p.Value(&c, part.role)
			for i := before; i < p.Fs.Len() && part.role == model.Assistant; i++ {
				if f := p.Fs.At(i); f.Time.Ms == 0 {
					f.Time = MomentOf(r.Time)
				}
			}
			p.once(before)
		}
	}
	if !IsNull(r.err) {
		p.Fs.Add(model.Say)
		p.failure(r)
	}
}

// prompter returns the speaker of a prompt: the system, if the user begins the messages next to it.
// It forgets a prompt that these repeat.
func (r *ChatRecord) prompter() model.Role {
	for first := range jsonspan.List(r.list) {
		if SpeakerRole(jsonspan.GetString(first, "role")) != model.User || !IsString(r.prompt) {
			break
		}
		if bytes.Equal(jsonspan.Get(first, "content"), r.prompt) {
			r.prompt = nil
		}
		return model.System
	}
	return model.User
}

// keepSettings stores a request's settings that have the names of message fields.
func (r *ChatRecord) keepSettings(f *model.Fact) {
	name := "reasoning"
	if r.thinking {
		name = "thinking"
	}
	Keep(f, name, r.Reasoning)
	Keep(f, "audio", r.audio)
	Keep(f, "additional_kwargs", r.additional)
}

// once removes an answer that the preceding messages already end with. at is its fact.
func (p *ChatParser) once(at int) {
	if at == 0 || p.Fs.Len() != at+1 {
		return
	}
	if a, b := p.Fs.At(at-1), p.Fs.At(at); a.Op == model.Say && b.Op == model.Say && b.Role == model.Assistant && sameWords(a, b) {
		p.Fs.Drop()
	}
}

// sameWords reports whether two facts have the same speaker and the same text, in one block each.
func sameWords(a, b *model.Fact) bool {
	if a.Role != b.Role || len(a.Blocks) != 1 || len(b.Blocks) != 1 {
		return false
	}
	x, y := &a.Blocks[0], &b.Blocks[0]
	return x.Kind == model.Words && y.Kind == model.Words && x.Text.String() == y.Text.String()
}

// failure turns the last fact into the error that a request ended in.
func (p *ChatParser) failure(r *ChatRecord) {
	f := p.Fs.Last()
	f.Role, f.Session = model.Assistant, p.Session
	f.Flags |= model.APIError
	f.Outcome, f.Stop = model.Failure, model.StopError
	text := jsonspan.Get(r.err, "message")
	if !IsString(text) {
		text = r.err
	}
	f.AddText(model.Words, model.ValueText(text))
}

// choices adds the messages of a response. The last fact becomes the first message.
func (p *ChatParser) choices(r *ChatRecord) {
	n := 0
	c := jsonspan.New(r.choices)
	for c.Array(); c.More(); n++ {
		f := p.Fs.Last()
		if n > 0 {
			f = p.Fs.Add(model.Say)
		}
		m := ChatRecord{Time: r.Time, Model: r.Model}
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
				m.Content = c.Skip()
			case "finish_reason":
				m.Stop = c.Skip()
			case "index":
				index, _ = c.Int()
			default:
				m.Extra(f, c.Name, c.Skip())
			}
		}
		if m.Role == nil {
			f.Role = model.Assistant
		}
		if delta && Inside(r.id) != nil {
			f.Join = model.Extend
			f.Key = model.Hash(Inside(r.id)).Join(model.HashNumber("choice", index))
		}
		p.Message(&m)
		if delta {
			keyDeltas(p.Fs.Last(), m.ToolCalls)
		}
	}
	if n > 0 {
		return
	}
	f := p.Fs.Last() // last chunk of a stream: only the usage
	f.Op, f.Session = model.Meter, p.Session
	f.Usage, f.Time, f.Model = UsageOf(r.usage), MomentOf(r.Time), model.ValueText(r.Model)
	f.Usage.Key = model.Hash(Inside(r.id))
}

// keyDeltas assigns keys to the calls of a streamed chunk, to join their fragments: only the first
// fragment has the id.
func keyDeltas(f *model.Fact, toolCalls []byte) {
	if IsNull(toolCalls) {
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
