package shape

import (
	"bytes"
	"context"

	"turns/model"
	"turns/model/jsonspan"
	"turns/query"
	"turns/query/label"
)

// Splicer finds the bytes of a message in its record, if the message is a JSON object there: the
// record itself, or an element of a list in it.
type Splicer struct {
	Snap   *model.Snapshot
	Source int // of the record with known elements
	off    int64
	list   [][]byte // its elements by fact; empty unless there is one for each message
}

// Element returns the message's own object if it has the OpenAI-compatible shape, otherwise nil.
func (c *Splicer) Element(it *Item) []byte {
	v := c.shaped(it)
	if jsonspan.GetString(v, "role") == nil {
		return nil
	}
	return v
}

// shaped returns the message's own object if it has the OpenAI-compatible shape, apart from a
// missing or non-text role; otherwise nil.
func (c *Splicer) shaped(it *Item) []byte {
	if it.record == nil {
		return nil
	}
	format := c.Snap.Sources()[it.record.source].Format
	switch format {
	case "openai", "generic", "anthropic":
	default:
		return nil
	}
	if v := c.Object(it); v != nil && fits(v, it, format == "anthropic") {
		return v
	}
	return nil
}

// chatFormat reports whether records of a format are messages in the form of an API.
func chatFormat(slug string) bool {
	return slug == "openai" || slug == "generic" || slug == "anthropic" || slug == ""
}

// Object returns the message's own object, nil if it has none.
func (c *Splicer) Object(it *Item) []byte {
	rec := it.record
	if rec == nil {
		return nil
	}
	if alone(&rec.facts) {
		v := bytes.TrimSpace(rec.data)
		if rec.facts.Rest > 0 || len(v) < 2 || v[0] != '{' || v[len(v)-1] != '}' {
			return nil
		}
		return v
	}
	if c.Source != rec.source || c.off != rec.off || c.list == nil {
		c.Source, c.off = rec.source, rec.off
		c.list = elements(rec)
	}
	if it.sub < len(c.list) {
		return c.list[it.sub]
	}
	return nil
}

// alone reports whether a record is one message, and facts about its conversation.
func alone(facts *model.Facts) bool {
	for i := 1; i < facts.Len(); i++ {
		switch facts.At(i).Op {
		case model.About, model.Meter, model.Child, model.Note, model.End: // of its conversation
		default:
			return false
		}
	}
	return facts.Len() == 1 || facts.Len() > 1 && facts.At(0).Op == model.Say
}

// elements returns the objects of a list of messages in a record, by fact. There must be one for
// each message, with its role.
func elements(rec *record) [][]byte {
	var found [][]byte
	collect(jsonspan.New(rec.data), &found, 0)
	list := make([][]byte, rec.facts.Len())
	n := 0
	for i := range list {
		f := rec.facts.At(i)
		if f.Op != model.Say {
			continue
		}
		if n == len(found) || !sameRole(found[n], f.Role) {
			return list[:0]
		}
		list[i] = found[n]
		n++
	}
	if n != len(found) {
		return list[:0]
	}
	return list
}

func sameRole(v []byte, role model.Role) bool {
	name := jsonspan.GetString(v, "role")
	known, ok := model.ParseRole(string(name))
	return name != nil && (known == role || !ok && role == model.Other)
}

// collect finds the objects with a role, in lists and their wrappers.
func collect(c jsonspan.Cursor, found *[][]byte, depth int) {
	if depth > 3 {
		return
	}
	switch c.Kind() {
	case jsonspan.Array:
		for c.Array(); c.More(); {
			if v := c.Skip(); jsonspan.KindOf(v) == jsonspan.Object {
				*found = append(*found, v)
			}
		}
	case jsonspan.Object:
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "messages", "request", "body", "params", "input", "conversation", "conversations", "history":
				collect(jsonspan.New(c.Skip()), found, depth+1)
			default:
				c.Skip()
			}
		}
	}
}

// fits reports whether an object is a message of the OpenAI-compatible shape, except for its role:
// all recognised parts are in their place. Its content can be any JSON, and does not change.
func fits(v []byte, it *Item, plain bool) bool {
	result, content, other, calls := true, false, false, 0
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			role, ok := model.ParseRole(string(c.String()))
			result = ok && role == model.Tool
		case "content":
			content = true
			if v := c.Skip(); plain && !plainContent(v) {
				return false
			}
		case "tool_calls":
			for c.Array(); c.More(); {
				calls++
				c.Skip()
			}
		case "function_call":
			if jsonspan.KindOf(c.Skip()) == jsonspan.Object {
				calls++
			}
		case "parts", "text", "value":
			other = true
			c.Skip()
		case "executed_tools":
			return false
		default:
			c.Skip()
		}
	}
	if other && !content {
		return false
	}
	made, results := 0, 0
	for i := range it.Blocks {
		switch it.Blocks[i].Kind {
		case model.ToolCall:
			made++
		case model.ToolResult:
			results++
		}
	}
	return c.Err == nil && made == calls && (results == 0 || results == 1 && result)
}

// plainContent reports whether a content has the same shape in all APIs: no list with parts other
// than texts.
func plainContent(v []byte) bool {
	for part := range jsonspan.List(v) {
		if jsonspan.KindOf(part) == jsonspan.Object && string(jsonspan.GetString(part, "type")) != "text" {
			return false
		}
	}
	return true
}

// original writes the records of a message with _metadata added.
func (s *shaper) original(ctx context.Context, dst []byte, it *Item, prev model.ID) ([]byte, error) {
	if it.head.LastPart == model.NoRow {
		return s.alone(ctx, dst, it)
	}
	if it.record != nil {
		v := s.cut.Object(it)
		if v == nil {
			if prev != model.NoID && sameRecord(s.snap, prev, it.id) {
				s.shared++
				return s.alone(ctx, dst, it)
			}
			v = it.record.data
		}
		return s.withMetadata(dst, v, it, nil), nil
	}
	var records [][]byte
	last := model.Ref{Off: -1}
	for _, p := range s.snap.Parts(it.id) {
		if p.Skip() || p.Ref.Off == last.Off && p.Ref.Source == last.Source {
			continue
		}
		last = p.Ref
		src := &s.snap.Sources()[p.Ref.Source]
		line, err := s.reader.bytes(src, p.Ref)
		if err != nil {
			return dst, err
		}
		_, data := cutList(src, line)
		records = append(records, bytes.Clone(bytes.Trim(data, " \t\r\n\x00\ufeff")))
	}
	if len(records) == 0 {
		return s.alone(ctx, dst, it)
	}
	return s.withMetadata(dst, records[0], it, records[1:]), nil
}

// alone writes a message that has no separate record, as one element in the OpenAI-compatible
// shape.
func (s *shaper) alone(ctx context.Context, dst []byte, it *Item) ([]byte, error) {
	start := len(dst)
	s.calls, s.callers = 0, callers{}
	write, p := s.element, piece{to: len(it.Blocks), result: -1}
	if len(it.Blocks) == 1 && it.Blocks[0].Kind == model.ToolResult {
		write, p.result = s.result, 0
	}
	dst, err := write(ctx, dst, it, p, true)
	if err != nil {
		return dst, err
	}
	v := dst[start+len(s.sep):]
	return s.into(dst, v, func(o *Object) { s.addMetadata(o, v, it, nil) }), nil
}

// withMetadata adds a record as metadata. A record that is not a JSON object becomes the value
// of one. more are the further records of the same message.
func (s *shaper) withMetadata(dst, v []byte, it *Item, more [][]byte) []byte {
	start := len(dst)
	v = s.clean(bytes.Trim(v, " \t\r\n\x00\ufeff"))
	dst = append(dst, s.sep...)
	if len(v) > 0 && v[0] == '{' {
		if out, ok := s.layout.AppendValue(dst, v, s.depth); ok {
			return s.into(out, v, func(o *Object) { s.addMetadata(o, v, it, more) })
		}
	}
	o := Object{Buf: dst[:start+len(s.sep)], Layout: s.layout, Depth: s.depth}
	o.Open('{')
	o.Key("value")
	o.Value(v)
	s.addMetadata(&o, nil, it, more)
	return o.Close("}")
}

func (s *shaper) addMetadata(o *Object, own []byte, it *Item, more [][]byte) {
	o.OpenObject(s.metadata)
	s.numbers(o, it)
	o.String("role", s.snap.RoleName(it.head))
	if len(more) > 0 {
		o.OpenList("records")
		for _, record := range more {
			o.Element()
			o.Value(s.clean(record))
		}
		o.Close("]")
	}
	o.Close("}")
	if add := s.ownFields(it, own); add != nil {
		add(o)
	}
}

// ownFields returns a function that adds fields to a recorded object: those of its conversation,
// and its annotations, unless it already has them. Nil adds none.
func (s *shaper) ownFields(it *Item, own []byte) func(*Object) {
	around, labels := s.around(it), s.labelsOf(it)
	var back *Extra
	if !s.dict { // the originals already have these facts
		back = s.missing(it, own)
	}
	if around == nil && labels == nil && back == nil {
		return nil
	}
	has := fieldsOf(own, labelsName, model.ConversationField, model.ReadBackField)
	return func(o *Object) {
		if labels != nil && !has[0] {
			s.addLabels(o, labels)
		}
		if around != nil && !has[1] {
			s.addConversation(o, around)
		}
		if !has[2] && back != nil {
			s.putReadBack(o, back)
		}
	}
}

// missing returns the facts about a copied element that it does not have, nil if there are
// none. Most elements of a chat have none, so that a chat is copied without a look at each.
func (s *shaper) missing(it *Item, own []byte) *Extra {
	session := s.session(it)
	if s.chat && session == "" && s.facts.first[it.id] == nil && s.facts.last[it.id] == nil {
		return nil
	}
	back := &Extra{Session: session}
	s.addSession(it, back, true, true)
	if !s.chat { // else the fields of the element are where all of this was read
		s.recorded(it, own, true, back)
	}
	if back.json() == nil {
		return nil
	}
	return back
}

// labelsName is the field with the annotations of a message.
const labelsName = "_labels"

// labelsOf returns the annotations of a message, nil if there are none.
func (s *shaper) labelsOf(it *Item) []*label.Placed {
	if all := s.opts.Labels.Of(s.snap, it.id); len(all) > 0 {
		return all
	}
	return nil
}

func (s *shaper) addLabels(o *Object, labels []*label.Placed) {
	type line struct {
		label.Mark
		Scope label.Scope `json:"scope,omitempty"`
		Call  string      `json:"call,omitempty"`
		By    string      `json:"by,omitempty"`
	}
	lines := make([]line, len(labels))
	for i, p := range labels {
		lines[i] = line{Mark: p.Mark, Scope: p.Scope, By: p.By}
		if p.At != nil {
			lines[i].Call = p.At.Call
		}
	}
	v, err := model.JSONOf(lines)
	if err != nil {
		return // only strings and JSON numbers
	}
	o.Key(labelsName)
	o.Copy(s.clean(v))
}

// The field for additions to a message, and its name if messages already have that field.
const (
	metadataName = "_metadata"
	otherName    = "_export_metadata"
)

// freeMetadata returns the name of the field for additions. It is the same for all messages, so
// that readers need not check each: if any message has the field, it is the other name.
func freeMetadata(ctx context.Context, sel query.Selection) (string, error) {
	maybe, ok := sel.Snap.Maybe(ctx, [][]byte{[]byte(`"_metadata"`)}, nil)
	if !ok {
		return metadataName, ctx.Err()
	}
	in, reader, cut := query.NewRowSet(sel.Snap, sel.IDs), NewItemReader(sel.Snap), Splicer{Snap: sel.Snap, Source: -1}
	for id := range maybe {
		if !in.Has(id) {
			continue
		}
		it, err := reader.Read(ctx, id)
		if err != nil {
			return "", err
		}
		own := cut.Object(it)
		if own == nil && it.record != nil {
			own = it.record.data
		}
		if own != nil && fieldsOf(own, metadataName)[0] {
			return otherName, nil
		}
	}
	return metadataName, ctx.Err()
}

// fieldsOf reports which of at most three fields an object has.
func fieldsOf(v []byte, names ...string) (has [3]bool) {
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		for i, name := range names {
			has[i] = has[i] || string(c.Name) == name
		}
		c.Skip()
	}
	return has
}

// spaced reports whether an object on one line has spaces after its colons.
func spaced(v []byte) bool {
	i := bytes.IndexByte(v, ':')
	return i >= 0 && i+1 < len(v) && v[i+1] == ' '
}
