package format

import (
	"bytes"
	"slices"
	"strconv"

	"turns/model"
	"turns/model/jsonspan"
)

// What the formats of frameworks have in common: each is a list of messages of
// its own shape, as a document, under a key of one, or as lines.

// frameKind is how a framework's messages are recognised.
type frameKind struct {
	paths []string // where documents keep the messages; variant i+1 is paths[i]
	marks []string // at least one of these stands in every sample
	// judge looks at an element: 1 is a message of the framework, 0 could be one, -1
	// cannot.
	judge  func(v []byte) int
	score  int
	reason string
}

// detect votes over the elements of a sample.
func (k *frameKind) detect(s *model.Sample) model.Match {
	list, path := k.find(s)
	yes, no := 0, 0
	for _, v := range list {
		switch k.judge(v) {
		case 1:
			yes++
		case -1:
			no++
		}
	}
	if yes == 0 || no > yes {
		return model.Match{}
	}
	m := model.Match{Score: k.score, Reason: strconv.Itoa(len(list)) + " records with " + k.reason}
	if i := slices.Index(k.paths, path); i >= 0 {
		m.Variant = uint8(i + 1)
		if path != wholeList {
			m.Reason = strconv.Itoa(len(list)) + " records under " + path + " with " + k.reason
		}
	}
	return m
}

// find gives the elements that are judged, and the path of the list in a document
// that they come from, "" for lines.
func (k *frameKind) find(s *model.Sample) (list [][]byte, path string) {
	if s.Shape != model.Lines && s.Shape != model.Document || !k.marked(s) {
		return nil, ""
	}
	if doc := sampleDocument(s); doc != nil {
		for _, path := range k.paths {
			if list := elements(doc, path, sampleLimit); len(list) > 0 {
				return list, path
			}
		}
		if s.Shape == model.Document {
			return [][]byte{doc}, ""
		}
	}
	for _, line := range s.Records {
		list = append(list, frameUnwrap(line, k.paths)...)
	}
	return list, ""
}

// frameUnwrap gives the messages of a line: the line, or those in a list that it is
// or holds.
func frameUnwrap(line []byte, paths []string) [][]byte {
	for _, path := range paths {
		if list := elements(line, path, 8); len(list) > 0 {
			return list
		}
	}
	return [][]byte{line}
}

func (k *frameKind) marked(s *model.Sample) bool {
	for _, mark := range k.marks {
		if s.Shape == model.Document {
			if bytes.Contains(s.Doc, []byte(mark)) {
				return true
			}
			continue
		}
		for _, line := range s.Records {
			if bytes.Contains(line, []byte(mark)) {
				return true
			}
		}
	}
	return len(k.marks) == 0
}

// lists is the Lists of a format that is recognised by k.
func (k *frameKind) lists(m model.Match) []string {
	if i := int(m.Variant) - 1; i >= 0 && i < len(k.paths) {
		return []string{k.paths[i]}
	}
	return nil
}

// frameRest reports whether a record is what is left of a document whose messages
// are records of their own.
func frameRest(rec model.Record) bool { return rec.Variant > 0 && rec.List == "" }

// frameHolder says what is left of a document whose messages are records of their
// own: the description of the conversation, or nothing but that there is one.
func frameHolder(c *jsonspan.Cursor, fs *model.Facts) {
	if c.Kind() == jsonspan.Object {
		frameAbout(c, fs, 0)
		return
	}
	c.Skip()
	fs.Add(model.About)
}

// frameAbout says what stands around the messages of a conversation. Names that
// the frameworks share get their meaning; everything else is kept.
func frameAbout(c *jsonspan.Cursor, fs *model.Facts, session model.Key) {
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
			frameField(f, c)
		}
	}
	if c.Err != nil {
		return
	}
	if u := anyUsage(usage); u.Scope != model.NoUsage {
		u.Scope = model.Total
		m := fs.Add(model.Meter)
		m.Session, m.Usage = session, u
	}
	frameSystem(fs, session, system)
}

// frameField keeps a field of a conversation under the name that descriptions of
// conversations have for it, or its own.
func frameField(f *model.Fact, c *jsonspan.Cursor) {
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
			f.Time = momentOf(v)
		}
		keepNamed(f, name, v)
		return
	}
	v := c.Skip()
	if k := jsonspan.KindOf(v); about != "" && (k == jsonspan.String || k == jsonspan.Number) && !isEmpty(v) && !hasExtra(f, about) {
		f.Keep(about, model.ValueText(v))
		return
	}
	keepNamed(f, name, v)
}

// frameSystem says a system prompt that stands beside the messages: a string, a
// list of texts, or an object with parts.
func frameSystem(fs *model.Facts, session model.Key, v []byte) {
	if isEmpty(v) {
		return
	}
	f := fs.Add(model.Say)
	f.Role, f.Session = model.System, session
	if parts := jsonspan.Get(v, "parts"); parts != nil {
		v = parts
	}
	switch jsonspan.KindOf(v) {
	case jsonspan.Array, jsonspan.Object:
		geminiCLIParts(f, v) // untyped {text}, which Bedrock has too
	default:
		f.AddText(model.Words, model.ValueText(v))
	}
}

// frameOf makes the record's own session: wire logs hold one conversation a line.
func frameOf(rec model.Record) model.Key {
	return model.HashNumber("conversation", rec.Ref.Off)
}

// frameOther makes the last fact, which was begun as a message, a note about a
// record that is none.
func frameOther(fs *model.Facts, kind, raw []byte) {
	f := fs.Last()
	f.Blocks, f.Extra = f.Blocks[:0], f.Extra[:0]
	turnToNote(f, kind, raw)
}

// frameEvents calls each for every object of a stream of server-sent events that
// was recorded as one string. The memory is the events' own, as their texts must
// outlive the call.
func frameEvents(v []byte, each func(event []byte)) {
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
