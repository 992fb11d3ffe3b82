package otel

import (
	"bytes"
	"encoding/json"
	"strconv"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Before all messages were one attribute of a span, each field of a message was an attribute
// (gen_ai.prompt.0.content), or each message was an event of the span or a log record. All are
// converted to messages in the form of OpenAI's API.

// otelOldMessage is a message of an older convention.
type otelOldMessage struct {
	role   []byte // without quotes
	fields []byte // a JSON object: content, tool_calls, id …
	answer bool
}

// otelNumbered holds the messages whose fields are separate attributes, with the numbers of the
// message and of the call in their names.
type otelNumbered struct{ prompts, answers []otelFields }

// otelFields holds the raw fields of such a message.
type otelFields struct {
	role, content, finish, id, reasoning []byte
	calls                                []otelFields // id, name in role, arguments in content
	parts                                []otelFields // text in content, an image in id
}

// maxNumber bounds the numbers in the names of attributes.
const maxNumber = 4096

// set stores an attribute and reports whether it belongs to a message.
func (m *otelNumbered) set(key, value []byte) bool {
	list := &m.prompts
	if prompt, n, field, ok := openInference(key); ok {
		if !prompt {
			list = &m.answers
		}
		return numbered(list, n).set(field, value)
	}
	rest, ok := cutAny(key, "gen_ai.prompt.", "llm.prompts.")
	if !ok {
		list = &m.answers
		if rest, ok = cutAny(key, "gen_ai.completion.", "llm.completions."); !ok {
			return false
		}
	}
	number, field, ok := bytes.Cut(rest, []byte("."))
	n, err := strconv.Atoi(string(number))
	if !ok || err != nil || n < 0 || n >= maxNumber {
		return false
	}
	return numbered(list, n).set(field, value)
}

// numbered returns element n of a list, which grows as needed.
func numbered(list *[]otelFields, n int) *otelFields {
	for len(*list) <= n {
		*list = append(*list, otelFields{})
	}
	return &(*list)[n]
}

// The fields of a message, of a call in it and of a part of it.
var (
	otelMessageFields = kit.TableOf(func(m *otelFields) kit.Fields {
		return kit.Fields{
			kit.Word("role", &m.role), kit.Raw("content", &m.content), kit.Word("finish_reason", &m.finish), kit.Raw("tool_call_id", &m.id),
			kit.Raw("id", &m.id), kit.Raw("reasoning", &m.reasoning), kit.Raw("reasoning_content", &m.reasoning),
		}
	})
	otelCallFields = kit.TableOf(func(m *otelFields) kit.Fields {
		return kit.Fields{
			kit.Raw("id", &m.id), kit.Raw("name", &m.role), kit.Raw("function.name", &m.role),
			kit.Raw("arguments", &m.content), kit.Raw("function.arguments", &m.content),
		}
	})
	otelPartFields = kit.TableOf(func(m *otelFields) kit.Fields {
		return kit.Fields{
			kit.Word("type", &m.role), kit.Raw("text", &m.content), kit.Raw("reasoning.text", &m.content), kit.Raw("thinking", &m.content),
			kit.Raw("image.image.url", &m.id),
		}
	})
)

func (m *otelFields) set(field, value []byte) bool {
	if otelMessageFields.Set(field, value, m) {
		return true
	}
	if rest, ok := cutAny(field, "contents."); ok {
		return m.setPart(rest, value)
	}
	rest, ok := cutAny(field, "tool_calls.")
	number, field, found := bytes.Cut(rest, []byte("."))
	n, err := strconv.Atoi(string(number))
	return ok && found && err == nil && n >= 0 && n < maxNumber &&
		otelCallFields.Set(bytes.TrimPrefix(field, []byte("tool_call.")), value, numbered(&m.calls, n))
}

func cutAny(b []byte, prefixes ...string) ([]byte, bool) {
	for _, p := range prefixes {
		if rest, ok := bytes.CutPrefix(b, []byte(p)); ok {
			return rest, true
		}
	}
	return nil, false
}

// emitMessage adds the message.
func (m *otelFields) emitMessage(fs *model.Facts, role []byte) {
	f := fs.Add(model.Say)
	if len(m.role) > 0 {
		role = m.role
	}
	kit.SetRole(f, role)
	if m.finish != nil {
		kit.SetStop(f, m.finish)
	}
	content := m.content
	if s := kit.Inside(content); len(s) > 1 && (s[0] == '[' || s[0] == '{') { // blocks in a string
		if v := kit.RowsJSON(content); otelBlocks(v) {
			content = v
		}
	}
	if !kit.IsEmpty(m.reasoning) {
		f.AddText(model.Reasoning, model.ValueText(m.reasoning))
	}
	if f.Role == model.Tool {
		kit.AddResult(f, model.ValueText(m.id), model.Text{}, content, model.Unknown)
		return
	}
	if !kit.IsEmpty(content) {
		kit.AddContent(f, content)
	}
	m.emitParts(f)
	for i := range m.calls {
		c := &m.calls[i]
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = model.ValueText(c.id), model.ValueText(c.role), model.ValueText(c.content)
	}
	if f.Role == model.User {
		kit.SplitUser(fs)
	}
}

// otelBlocks reports whether a value is a list of content blocks.
func otelBlocks(v []byte) bool {
	list := kit.Elements(v, kit.WholeList, 1)
	return len(list) == 1 && kit.HasKey(list[0], "type")
}

// event reads an event and reports whether it is a message. The parameters are the name of the
// event and its attributes or body, as plain JSON.
func (s *otelSpanFields) event(name, v []byte) bool {
	switch string(name) {
	case "gen_ai.content.prompt":
		s.list(otelValue(v, "gen_ai.prompt", "prompt"), otelUser, false)
	case "gen_ai.content.completion":
		s.list(otelValue(v, "gen_ai.completion", "completion"), otelAssistant, true)
	case "gen_ai.choice":
		if content := otelValue(v, "gen_ai.event.content"); content != nil {
			v = content
		}
		if m := jsonspan.Get(v, "message"); m != nil {
			if m = kit.RowsJSON(m); jsonspan.KindOf(m) == jsonspan.Object {
				s.messages = append(s.messages, otelOldMessage{otelRole(m, otelAssistant), m, true})
			}
		} else {
			s.messages = append(s.messages, otelOldMessage{otelRole(v, otelAssistant), v, true})
		}
		if reason := jsonspan.Get(v, "finish_reason"); reason != nil && s.finish == nil {
			s.finish = reason
		}
	default:
		role, ok := bytes.CutPrefix(name, []byte("gen_ai."))
		if ok {
			role, ok = bytes.CutSuffix(role, []byte(".message"))
		}
		if !ok || bytes.IndexByte(role, '.') >= 0 {
			return false
		}
		if content := otelValue(v, "gen_ai.event.content"); content != nil {
			v = content
		}
		s.messages = append(s.messages, otelOldMessage{otelRole(v, role), v, false})
	}
	return true
}

// otelValue returns the JSON of the first name with a value, also from JSON in a string; nil if
// there is none.
func otelValue(v []byte, names ...string) []byte {
	for _, name := range names {
		if x := jsonspan.Get(v, name); !kit.IsEmpty(x) {
			return kit.RowsJSON(x)
		}
	}
	return nil
}

func otelRole(v, role []byte) []byte {
	if r := jsonspan.GetString(v, "role"); len(r) > 0 {
		return r
	}
	return role
}

var otelUser, otelAssistant = []byte("user"), []byte("assistant")

// list adds messages from one attribute: a list or a text.
func (s *otelSpanFields) list(v, role []byte, answer bool) {
	if v == nil {
		return
	}
	if jsonspan.KindOf(v) != jsonspan.Array {
		if text, err := json.Marshal(map[string]string{"content": string(v)}); err == nil {
			s.messages = append(s.messages, otelOldMessage{role, text, answer})
		}
		return
	}
	for m := range jsonspan.List(v) {
		s.messages = append(s.messages, otelOldMessage{otelRole(m, role), m, answer})
	}
}

// emitMessage adds the message.
func (m *otelOldMessage) emitMessage(fs *model.Facts) {
	f := fs.Add(model.Say)
	kit.SetRole(f, m.role)
	var content, calls, id, callID []byte
	c := jsonspan.New(m.fields)
	fields := kit.Fields{
		kit.Raw("content", &content), kit.Raw("gen_ai.message.content", &content),
		kit.Raw("id", &id), kit.Raw("tool_call_id", &callID), kit.Rows("tool_calls", &calls),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role", "gen_ai.system", "gen_ai.provider.name", "event.name", "index":
			c.Skip()
		case "finish_reason":
			if r := c.String(); r != nil {
				kit.SetStop(f, r)
			}
		default:
			fields.ReadOrKeep(f, &c)
		}
	}
	if f.Role == model.Tool {
		kit.AddResult(f, model.ValueText(kit.Or(callID, id)), model.Text{}, content, model.Unknown)
		return
	}
	if !kit.IsEmpty(content) {
		kit.AddContent(f, content)
	}
	kit.AddToolCalls(f, calls)
	if f.Role == model.User {
		kit.SplitUser(fs)
	}
}

// emitOld adds the messages of the older conventions, either the requests or the answers, and
// returns the number of the last.
func (s *otelSpanFields) emitOld(fs *model.Facts, session model.Key, n int, answers bool) int {
	list, role := s.numbered.prompts, otelUser
	if answers {
		list, role = s.numbered.answers, otelAssistant
	}
	for i := range list {
		n++
		first := fs.Len()
		list[i].emitMessage(fs, role)
		otelKnown(fs, first, session, n)
	}
	for i := range s.messages {
		if m := &s.messages[i]; m.answer == answers {
			n++
			first := fs.Len()
			m.emitMessage(fs)
			otelKnown(fs, first, session, n)
		}
	}
	return n
}

func (s *otelSpanFields) hasOld() bool {
	return len(s.numbered.prompts)+len(s.numbered.answers)+len(s.messages) > 0
}

// otelPlain consumes a typed OTLP value and appends it as plain JSON.
func otelPlain(dst []byte, c *jsonspan.Cursor, depth int) []byte {
	if c.Kind() != jsonspan.Object || depth > kit.ChatMaxDepth {
		return append(dst, c.Skip()...)
	}
	before := *c
	if c.Object(); !c.Key() {
		return append(dst, "null"...)
	}
	switch string(c.Name) {
	case "intValue":
		v := c.Skip()
		if s := kit.Inside(v); s != nil {
			v = s
		}
		dst = otelScalar(dst, v)
	case "stringValue", "boolValue", "doubleValue", "bytesValue":
		dst = otelScalar(dst, c.Skip())
	case "arrayValue":
		dst = append(dst, '[')
		dst = otelList(dst, c, depth+1)
		dst = append(dst, ']')
	case "kvlistValue":
		dst = otelKeyValues(dst, c, depth+1)
	default:
		*c = before
		return append(dst, c.Skip()...)
	}
	for c.Key() {
		c.Skip()
	}
	return dst
}

func otelScalar(dst, v []byte) []byte {
	if len(v) == 0 {
		return append(dst, "null"...)
	}
	return append(dst, v...)
}

// otelList appends the values of an arrayValue.
func otelList(dst []byte, c *jsonspan.Cursor, depth int) []byte {
	for c.Object(); c.Key(); {
		if string(c.Name) != "values" {
			c.Skip()
			continue
		}
		n := 0
		for c.Array(); c.More(); n++ {
			if n > 0 {
				dst = append(dst, ',')
			}
			dst = otelPlain(dst, c, depth)
		}
	}
	return dst
}

// otelKeyValues appends the values of a kvlistValue.
func otelKeyValues(dst []byte, c *jsonspan.Cursor, depth int) []byte {
	at := len(dst)
	for c.Object(); c.Key(); {
		if string(c.Name) == "values" {
			dst = otelObject(dst[:at], c, depth)
		} else {
			c.Skip()
		}
	}
	if len(dst) == at {
		dst = append(dst, "{}"...)
	}
	return dst
}

// otelObject consumes attributes, either a list of keys and values or an object, and appends them
// as a plain JSON object.
func otelObject(dst []byte, c *jsonspan.Cursor, depth int) []byte {
	switch c.Kind() {
	case jsonspan.Array:
	case jsonspan.Object:
		return append(dst, c.Skip()...)
	default:
		c.Skip()
		return append(dst, "{}"...)
	}
	dst = append(dst, '{')
	from := len(dst)
	for c.Array(); c.More(); {
		var key, value []byte
		found := false
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "key":
				key = c.Skip()
			case "value":
				if found = kit.IsString(key); found {
					dst = otelPlain(otelKey(dst, from, key), c, depth)
				} else {
					value = c.Skip()
				}
			default:
				c.Skip()
			}
		}
		if !found && kit.IsString(key) && value != nil { // the value came first
			in := jsonspan.New(value)
			dst = otelPlain(otelKey(dst, from, key), &in, depth)
		}
	}
	return append(dst, '}')
}

// otelKey appends a key to an object whose first key is at offset first.
func otelKey(dst []byte, first int, key []byte) []byte {
	if len(dst) > first {
		dst = append(dst, ',')
	}
	return append(append(dst, key...), ':')
}

// otelPlainOf returns an OTLP value as plain JSON.
func otelPlainOf(v []byte) []byte {
	c := jsonspan.New(v)
	return otelPlain(make([]byte, 0, len(v)), &c, 0)
}

// readEvents reads the events of a span. The attributes of an event that is not a message are added
// to those of the span.
func (s *otelSpanFields) readEvents(c *jsonspan.Cursor) {
	for c.Array(); c.More(); {
		v := c.Skip()
		name, attributes := jsonspan.GetString(v, "name"), jsonspan.Get(v, "attributes")
		if kit.HasPrefix(name, "gen_ai.") {
			in := jsonspan.New(attributes)
			if s.event(name, otelObject(make([]byte, 0, len(attributes)+2), &in, 0)) {
				continue
			}
		}
		if in := jsonspan.New(attributes); in.Kind() != jsonspan.End {
			s.attributes(&in)
		}
	}
}

// listed reads events that are an attribute of a span: a list of objects with event names.
func (s *otelSpanFields) listed(v []byte) bool {
	v = kit.RowsJSON(v)
	list := kit.Elements(v, kit.WholeList, 1)
	if len(list) == 0 || !kit.HasKey(list[0], "event.name") {
		return false
	}
	for e := range jsonspan.List(v) {
		s.event(jsonspan.GetString(e, "event.name"), e)
	}
	return true
}
