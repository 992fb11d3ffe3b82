package kit

import (
	"bytes"
	"slices"
	"strconv"

	"turns/model"
	"turns/model/jsonspan"
)

// Common code for formats of frameworks: each is a list of messages in its own shape, as a
// document, under a key of one, or as lines.

// FrameKind defines how a framework's messages are recognised.
type FrameKind struct {
	Paths []string // paths of the messages in documents; variant i+1 is paths[i]
	Marks []string // every sample contains at least one of these
	// Judge judges an element: 1 for a message of the framework, 0 for a possible one, -1 for an
	// impossible one.
	Judge  func(v []byte) int
	Score  int
	Reason string
	// ReadsBack: the format reads the messages of a JSON export of turns too. Otherwise these are
	// in OpenAI's form, even with fields of the framework.
	ReadsBack bool
}

// Detect takes a vote of the elements of a sample.
func (k *FrameKind) Detect(s *model.Sample) model.Match {
	list, path := k.find(s)
	yes, no := 0, 0
	for _, v := range list {
		switch k.Judge(v) {
		case 1:
			yes++
		case -1:
			no++
		}
	}
	if yes == 0 || no > yes || !k.ReadsBack && HasReadBack(list) {
		return model.Match{}
	}
	m := model.Match{Score: k.Score, Reason: strconv.Itoa(len(list)) + " records with " + k.Reason}
	if i := slices.Index(k.Paths, path); i >= 0 {
		m.Variant = uint8(i + 1)
		if path != WholeList {
			m.Reason = strconv.Itoa(len(list)) + " records under " + path + " with " + k.Reason
		}
	}
	return m
}

// find returns the elements to judge, and the path of their list in a document, "" for lines.
func (k *FrameKind) find(s *model.Sample) (list [][]byte, path string) {
	if s.Shape != model.Lines && s.Shape != model.Document || !k.marked(s) {
		return nil, ""
	}
	if doc := SampleDocument(s); doc != nil {
		for _, path := range k.Paths {
			if list := Elements(doc, path, SampleLimit); len(list) > 0 {
				return list, path
			}
		}
		if s.Shape == model.Document {
			return [][]byte{doc}, ""
		}
	}
	for _, line := range s.Records {
		list = append(list, frameUnwrap(line, k.Paths)...)
	}
	return list, ""
}

// frameUnwrap returns the messages of a line: the line itself, or those of a list that it is or
// contains.
func frameUnwrap(line []byte, paths []string) [][]byte {
	if jsonspan.IsTuple(line) {
		return [][]byte{line}
	}
	for _, path := range paths {
		if list := Elements(line, path, 8); len(list) > 0 {
			return list
		}
	}
	return [][]byte{line}
}

func (k *FrameKind) marked(s *model.Sample) bool {
	return len(k.Marks) == 0 || slices.ContainsFunc(k.Marks, s.Has)
}

// Lists returns the Lists of a format with this kind of recognition.
func (k *FrameKind) Lists(m model.Match) []string {
	if i := int(m.Variant) - 1; i >= 0 && i < len(k.Paths) {
		return []string{k.Paths[i]}
	}
	return nil
}

// FrameRest reports whether a record is the remainder of a document whose messages are separate
// records.
func FrameRest(rec model.Record) bool { return rec.Variant > 0 && rec.List == "" }

// FrameHolder adds the facts of the remainder of a document whose messages are separate records:
// the description of the conversation, or only the fact that one exists.
func FrameHolder(c *jsonspan.Cursor, fs *model.Facts) {
	if c.Kind() == jsonspan.Object {
		FrameAbout(c, fs, 0)
		return
	}
	c.Skip()
	fs.Add(model.About)
}

// FrameAbout adds the values around the messages of a conversation. Names that the frameworks share
// map to fields of the model; all others become Extra fields.
func FrameAbout(c *jsonspan.Cursor, fs *model.Facts, session model.Key) {
	f := fs.Add(model.About)
	f.Session = session
	var system, usage []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "system", "systemInstruction", "system_instruction", "instructions", "systemPrompt", "system_prompt":
			system = c.Skip()
		case "usage", "usageMetadata", "usage_metadata", "tokenUsage":
			usage = c.Skip()
		default:
			FrameField(f, c)
		}
	}
	if c.Err != nil {
		return
	}
	if u := AnyUsage(usage); u.Scope != model.NoUsage {
		u.Scope = model.Total
		m := fs.Add(model.Meter)
		m.Session, m.Usage = session, u
	}
	FrameSystem(fs, session, system)
}

// FrameField adds a field of a conversation under the name that descriptions of conversations use
// for it, or under its own.
func FrameField(f *model.Fact, c *jsonspan.Cursor) {
	name := c.Name
	about := ""
	switch string(name) {
	case "session_id", "sessionId", "dialog_id", "conversation_id", "conversationId", "chatId", "thread_id", "id":
		about = "session"
	case "title", "session_name", "display_name":
		about = "title"
	case "model", "model_id", "modelId", "model_name", "modelName", "modelVersion":
		about = "model"
	case "agent", "agent_name":
		about = "agent"
	case "created_at", "createdAt", "started_at", "createTime", "create_time", "start_time":
		v := c.Skip()
		if f.Time.Ms == 0 {
			f.Time = MomentOf(v)
		}
		KeepNamed(f, name, v)
		return
	}
	v := c.Skip()
	if k := jsonspan.KindOf(v); about != "" && (k == jsonspan.String || k == jsonspan.Number) && !IsEmpty(v) && !HasExtra(f, about) {
		f.Keep(about, model.ValueText(v))
		return
	}
	KeepNamed(f, name, v)
}

// FrameSystem adds a system prompt from outside the messages: a string, a list of texts, or an
// object with parts.
func FrameSystem(fs *model.Facts, session model.Key, v []byte) {
	if IsEmpty(v) {
		return
	}
	f := fs.Add(model.Say)
	f.Role, f.Session = model.System, session
	if parts := jsonspan.Get(v, "parts"); parts != nil {
		v = parts
	}
	switch jsonspan.KindOf(v) {
	case jsonspan.Array, jsonspan.Object:
		GeminiCLIParts(f, v) // untyped {text}, also in Bedrock
	default:
		f.AddText(model.Words, model.ValueText(v))
	}
}

// FrameOf returns the session of a record: wire logs have one conversation per line.
func FrameOf(rec model.Record) model.Key {
	return model.HashNumber("conversation", rec.Ref.Off)
}

// FrameOther turns the last fact, started as a message, into a note about a record without a
// message.
func FrameOther(fs *model.Facts, kind, raw []byte) {
	f := fs.Last()
	f.Blocks, f.Extra = f.Blocks[:0], f.Extra[:0]
	TurnToNote(f, kind, raw)
}

// FrameEvents calls each for every object of a stream of server-sent events recorded as one string.
// The events are in new memory, because their texts must outlive the call.
func FrameEvents(v []byte, each func(event []byte)) {
	if !bytes.Contains(v, []byte("data: ")) {
		return
	}
	for line := range bytes.Lines(model.ValueText(v).Append(make([]byte, 0, len(v)))) {
		data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: "))
		if !ok {
			continue
		}
		if value, _, err := jsonspan.Cut(data); err == nil && jsonspan.KindOf(value) == jsonspan.Object {
			each(value)
		}
	}
}
