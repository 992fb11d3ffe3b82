package shape

import (
	"bytes"
	"fmt"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// inShape lists, by the format of a record, the fields of a message that its shape contains
// already. All other fields of the record are copied, even times and models that turns understands,
// to preserve their notation. For other formats, only the fields without a place in the model are
// copied.
var inShape = map[string][]string{
	"agent-c":     {"content", "tool_calls", "tool_call_id", "reasoning_content"},
	"agentsmithy": {"content", "tool_calls", "type"},
	"dexto":       {"content", "toolCalls", "toolCallId", "function_call", "reasoning", "tool_calls", "tool_call_id", "reasoning_content"},
	"nikita":      {"content"},
	"pydantic-ai": {"parts"},
}

// ownNames are the fields that an element gets from its blocks.
var ownNames = [...]string{"role", "content", "tool_calls", "tool_call_id", "reasoning_content", "is_error"}

// writeOwnFields writes the fields other than those of the API: those of the message with its first
// element, those of a block with its element.
func (s *shaper) writeOwnFields(o *Object, it *Item, blocks []model.Block, first bool) {
	s.names, s.timed = append(s.names[:0], ownNames[:]...), false
	if i := slices.IndexFunc(blocks, isResult); i >= 0 { // the name is already in use
		s.names = append(s.names, "name")
	}
	if first {
		s.ofMessage(o, it)
	}
	for i := range blocks {
		b := &blocks[i]
		if b.Kind == model.ToolCall || isDocument(b) || b.Kind == model.Reasoning && s.opts.NoReasoning {
			continue // a call or document has its own place for them
		}
		for k := range b.Extra {
			s.put(o, b.Extra[k].Name, b.Extra[k].Value)
		}
	}
	if labels := s.labelsOf(it); first && labels != nil && !slices.Contains(s.names, labelsName) {
		s.addLabels(o, labels)
	}
	if first && !slices.Contains(s.names, model.ConversationField) {
		if v := s.around(it); v != nil {
			s.addConversation(o, v)
		}
	}
	if s.opts.Metadata {
		s.added(o, it, first)
	}
}

// recordedRole is the field for the name of a role in its format, if that differs.
const recordedRole = "recorded role"

func hasTime(b model.Block) bool {
	return slices.ContainsFunc(b.Extra, func(f model.Field) bool { return f.Name == "timestamp" })
}

func isResult(b model.Block) bool { return b.Kind == model.ToolResult }

// added writes the requested numbers.
func (s *shaper) added(o *Object, it *Item, first bool) {
	if first && (slices.Contains(s.names, "index") || slices.Contains(s.names, "token_count")) {
		s.clashes++
		o.OpenObject(s.metadata)
		defer o.Close("}")
		s.timed = false
	}
	s.numbers(o, it)
	if !s.timed {
		s.timestamp(o, it)
	}
}

// ofMessage writes the fields of the message.
func (s *shaper) ofMessage(o *Object, it *Item) {
	if own := s.ownObject(it); own != nil && it.head.Flags&model.SpanTold == 0 { // that is all blocks
		s.ofRecord(o, it, own)
		return
	}
	_, whole := inShape[s.formatOf(it)]
	for i := range it.extra {
		f := &it.extra[i]
		if f.Name == "role" {
			s.put(o, recordedRole, f.Value)
		}
		if slices.Contains(ownNames[:], f.Name) || f.Name == metadataName || f.Name == model.ReadBackField || !s.chat && slices.Contains(model.AboutNames[:], f.Name) || s.opts.NoReasoning && f.Name == "reasoning_details" {
			continue
		}
		s.put(o, f.Name, f.Value)
	}
	// it shares a record with others
	if whole && it.head.Time != 0 && !slices.ContainsFunc(it.Blocks, hasTime) {
		s.timed = true
		s.timestamp(o, it)
	}
}

// ofRecord copies the fields that the shape does not contain.
func (s *shaper) ofRecord(o *Object, it *Item, own []byte) {
	known := inShape[s.formatOf(it)]
	c := jsonspan.New(own)
	for c.Object(); c.Key(); {
		name := string(c.Name)
		v := c.Skip()
		switch {
		case slices.Contains(known, name), name == "is_error", name == metadataName, name == model.ReadBackField, s.opts.NoReasoning && name == "reasoning_details":
		case name == "role":
			if role := string(jsonspan.GetString(own, "role")); role != s.snap.RoleName(it.head) && role != "" {
				s.put(o, recordedRole, model.ValueText(v))
			}
		case name == "name" && slices.Contains(s.names, "name"), name == "tool_call_id" && answers(it, model.ValueText(v)):
		default:
			s.put(o, name, model.ValueText(v))
		}
	}
}

// answers reports whether an element has the result of a call.
func answers(it *Item, call model.Text) bool {
	return slices.ContainsFunc(it.Blocks, func(b model.Block) bool { return isResult(b) && b.ID.String() == call.String() })
}

// ownObject returns the recording of a message in one of the formats in inShape: its record or, if
// that is several messages, the record with the first of them.
func (s *shaper) ownObject(it *Item) []byte {
	if _, ok := inShape[s.formatOf(it)]; !ok || it.record == nil {
		return nil
	}
	if own := s.cut.Object(it); own != nil {
		return own
	}
	v := bytes.TrimSpace(it.record.data)
	if it.sub > 0 || len(v) < 2 || v[0] != '{' || it.record.facts.At(0).Op != model.Say {
		return nil
	}
	return v
}

// formatOf returns the format of the records of a message.
func (s *shaper) formatOf(it *Item) string {
	if it.head.LastPart == model.NoRow {
		return ""
	}
	p := s.snap.Part(int(it.head.LastPart))
	return s.snap.Sources()[p.Ref.Source].Format
}

// put writes a field under its name, with a number if the element already has that name.
func (s *shaper) put(o *Object, name string, v model.Text) {
	free := name
	for n := 2; slices.Contains(s.names, free); n++ {
		free = fmt.Sprintf("%s %d", name, n)
	}
	s.names, s.timed = append(s.names, free), s.timed || free == "timestamp"
	s.field(o, &model.Field{Name: free, Value: v})
}
