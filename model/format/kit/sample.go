package kit

import (
	"bytes"
	"slices"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// WholeList is the path of a document whose top level is a list.
const WholeList = "[]"

// messageLists are the usual paths of messages in documents, the likeliest first.
var messageLists = []string{
	WholeList, "messages", "request.messages", "body.messages", "input.messages", "params.messages", "conversation", "conversation.messages",
	"history", "chat_history", "chat", "chat.messages", "data.messages", "thread.messages", "session.messages", "transcript",
	"transcript.messages", "dialog", "dialogue", "turns", "items", "data", "entries", "log",
}

// Seek returns a cursor before the value at a path of keys joined by dots. In a cut document,
// it finds values before the cut.
func Seek(doc []byte, path string) (c jsonspan.Cursor, ok bool) {
	c = jsonspan.New(doc)
	if path == WholeList {
		return c, c.Kind() == jsonspan.Array
	}
	for name := range strings.SplitSeq(path, ".") {
		found := false
		for c.Object(); c.Key(); {
			if string(c.Name) == name {
				found = true
				break
			}
			c.Skip()
		}
		if !found {
			return c, false
		}
	}
	return c, true
}

// chatHeads maps the first keys of the paths of messages and of the objects around them to bits of
// the set that topKeys returns.
var chatHeads = func() map[string]uint64 {
	heads := map[string]uint64{}
	paths := append([]string{"choices", "response", "result", "model", "system"}, messageLists...)
	for _, path := range paths {
		head, _, _ := strings.Cut(path, ".")
		if _, ok := heads[head]; !ok {
			heads[head] = 1 << len(heads)
		}
	}
	return heads
}()

// topKeys returns the set of an object's keys that are in chatHeads, which saves looking up each
// path. In a cut object, the last key also counts.
func topKeys(doc []byte) (set uint64) {
	c := jsonspan.New(doc)
	if c.Kind() == jsonspan.Array {
		return chatHeads[WholeList]
	}
	for c.Object(); c.Key(); {
		set |= chatHeads[string(c.Name)]
		c.Skip()
	}
	return set
}

// mayHave reports whether a path can be found in an object with these top keys.
func mayHave(set uint64, path string) bool {
	head, _, _ := strings.Cut(path, ".")
	return set&chatHeads[head] != 0
}

// Elements returns the first complete elements of the list at a path, at most n; nil without a
// list.
func Elements(doc []byte, path string, n int) [][]byte {
	c, ok := Seek(doc, path)
	if !ok || c.Kind() != jsonspan.Array {
		return nil
	}
	var list [][]byte
	for c.Array(); len(list) < n && c.More(); {
		v := c.Skip()
		if c.Err != nil {
			break
		}
		list = append(list, v)
	}
	return list
}

// SoleElement returns the element of a list with exactly one, and nil for anything different.
func SoleElement(list []byte) []byte {
	if jsonspan.KindOf(list) != jsonspan.Array {
		return nil
	}
	c := jsonspan.New(list)
	c.Array()
	if !c.More() {
		return nil
	}
	if v := c.Skip(); !c.More() && c.Err == nil {
		return v
	}
	return nil
}

// SampleLimit is the number of messages of a sample that the recognition reads.
const SampleLimit = 60

// IsMessage reports whether a raw value looks like a message of a conversation:
// an object with a role or a speaker.
func IsMessage(v []byte) bool {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return false
	}
	c := jsonspan.New(v)
	role, content := false, false
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role", "speaker", "from", "sender", "author":
			if k := c.Kind(); k == jsonspan.String || k == jsonspan.Object {
				return true
			}
			role = role || string(c.Name) == "role"
		case "content":
			content = true
		case "type":
			switch string(c.String()) {
			case "human", "ai":
				return true
			}
			continue
		}
		c.Skip()
	}
	return role && content // a message without a recorded speaker
}

// sampleMessages finds messages in a sample: the lines themselves, the messages in each line, or
// those of a document. path is their place: "" for lines that are messages, "line.messages" with
// the path inside a line, "line.[]" for lines that are lists of messages, otherwise the path of the
// list in the document. others is the number of skipped lines of another kind.
func sampleMessages(s *model.Sample) (messages [][]byte, path string, others int) {
	switch s.Shape {
	case model.Lines:
		return lineMessages(s)
	case model.Document:
		top := topKeys(s.Doc)
		for _, path := range messageLists {
			if !mayHave(top, path) {
				continue
			}
			if messages, others := messagesAt(s.Doc, path); len(messages) > 0 && len(messages) >= others {
				return messages, path, others
			}
		}
	}
	return nil, "", 0
}

func messagesAt(doc []byte, path string) (messages [][]byte, others int) {
	all := Elements(doc, path, SampleLimit)
	spoken := path == "messages" || strings.HasSuffix(path, ".messages")
	bare, content := 0, false
	for _, v := range all {
		switch {
		case IsMessage(v):
			messages = append(messages, v)
		case withoutRole(v):
			bare++
			content = content || HasKey(v, "content")
		default:
			others++
		}
	}
	named := slices.ContainsFunc(messages, func(v []byte) bool { return ExactRole(jsonspan.GetString(v, "role")) })
	if bare == 0 || !named && !(spoken && content) {
		return messages, others + bare
	}
	return slices.DeleteFunc(all, func(v []byte) bool { return !IsMessage(v) && !withoutRole(v) }), others
}

// withoutRole reports whether an element of a list can be a message without a recorded role: it has
// a content and otherwise only fields of messages, or no field at all.
func withoutRole(v []byte) bool {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return false
	}
	fields, content := 0, false
	c := jsonspan.New(v)
	for c.Object(); c.Key(); fields++ {
		switch string(c.Name) {
		case "content":
			content = true
		case "name", "tool_calls", "function_call", "tool_call_id", "refusal", "reasoning_content":
		default:
			return false
		}
		c.Skip()
	}
	return c.Err == nil && (content || fields == 0)
}

func lineMessages(s *model.Sample) (messages [][]byte, path string, others int) {
	nested := ""
	for _, line := range s.Records {
		if IsMessage(line) {
			messages = append(messages, line)
			continue
		}
		found, top := false, topKeys(line)
		for _, p := range messageLists {
			if !mayHave(top, p) {
				continue
			}
			if m, others := messagesAt(line, p); len(m) > 0 && (p != WholeList || len(m) >= others) {
				messages, nested, found = append(messages, m...), "line."+p, true
				break
			}
		}
		if !found {
			others++
		}
	}
	return messages, nested, others
}

// HasKey reports whether an object has a key.
func HasKey(v []byte, name string) bool {
	if !bytes.Contains(v, []byte(name)) {
		return false
	}
	return jsonspan.Get(v, name) != nil
}

// OnlyKey returns the name in an object with one member.
func OnlyKey(v []byte) (name []byte) {
	c := jsonspan.New(v)
	for c.Object(); c.Key(); c.Skip() {
		if name != nil {
			return nil
		}
		name = c.Name
	}
	return name
}

// SampleDocument returns the JSON document of a sample: one of several lines, or one on a single
// line, which looks like a line of JSON lines. It returns nil if the sample is not a document.
func SampleDocument(s *model.Sample) []byte {
	switch {
	case s.Shape == model.Document:
		return s.Doc
	case s.Shape == model.Lines && len(s.Records) == 1 && s.Bad == 0:
		return s.Records[0]
	}
	return nil
}

// MostFit reports whether at least half of the records of a sample of lines fit.
func MostFit(s *model.Sample, fits func(line []byte) bool) bool {
	if s.Shape != model.Lines || len(s.Records) == 0 {
		return false
	}
	misses := 0
	for _, line := range s.Records {
		if fits(line) {
			continue
		}
		if misses++; misses*2 > len(s.Records) || misses == len(s.Records) {
			return false // skip the others
		}
	}
	return true
}
