package kit

import (
	"bytes"
	"fmt"

	"turns/model"
	"turns/model/jsonspan"
)

// chatEvidence is the evidence in a sample's messages for a family of chat formats.
type chatEvidence struct {
	path                                string // path of the messages, see sampleMessages
	Variant                             uint8
	Messages, Others                    int
	List                                [][]byte // the messages
	Openai, Anthropic, Foreign, OddRole int
	Sign                                string // the deciding field
	Claude                              string // why plain messages are Anthropic's
}

// GatherEvidence collects the evidence in the messages of a sample.
func GatherEvidence(s *model.Sample) chatEvidence {
	var e chatEvidence
	messages, path, others := sampleMessages(s)
	e.path, e.Others, e.Variant = path, others, chatVariant(s, path)
	switch s.Shape {
	case model.Lines:
		for _, line := range s.Records {
			known := e.Openai + e.Anthropic
			if e.wrapper(line); e.Openai+e.Anthropic > known && !IsMessage(line) && !bytes.Contains(line, []byte(`"messages"`)) {
				e.Messages++ // a single response
				e.Others--
			}
		}
	case model.Document:
		messages = e.document(s, messages)
	default:
		return e
	}
	for _, m := range messages {
		e.judge(m)
	}
	e.List = messages
	e.Messages = max(e.Messages+len(messages), e.Openai, e.Anthropic)
	return e
}

// document recognises documents that are not plain lists of messages: a message, a response, a
// request with its response, a list of conversations.
func (e *chatEvidence) document(s *model.Sample, messages [][]byte) [][]byte {
	e.wrapper(s.Doc)
	switch e.path {
	case "request.messages", "body.messages", "params.messages", "input.messages":
		e.Variant = ChatWhole
	case "messages":
		if e.Openai > 0 {
			e.Variant = ChatWhole
		}
	case "":
		if jsonspan.GetString(s.Doc, "role") != nil && IsMessage(s.Doc) && HasContent(s.Doc) {
			return [][]byte{s.Doc}
		}
		for _, v := range Elements(s.Doc, WholeList, SampleLimit) {
			e.wrapper(v)
			for _, list := range [...]string{WholeList, "messages", "conversation", "dialogue", "dialog", "turns"} {
				m, _ := messagesAt(v, list)
				messages = append(messages, m...)
			}
			e.Variant = ChatFirstList
		}
	}
	return messages
}

// wrapper judges the object around messages: a response, or a request.
func (e *chatEvidence) wrapper(v []byte) {
	top := topKeys(v)
	if top == 0 {
		return
	}
	for _, path := range [...]string{"choices", "response.choices", "response.body.choices"} {
		if !mayHave(top, path) {
			continue
		}
		if list := Elements(v, path, 1); len(list) > 0 && (HasKey(list[0], "message") || HasKey(list[0], "delta")) {
			e.Openai++
			e.Sign = path + "[].message"
			return
		}
	}
	for _, path := range [...]string{"result.message", "response"} {
		if !mayHave(top, path) {
			continue
		}
		if c, ok := Seek(v, path); ok && c.Kind() == jsonspan.Object {
			if m := c.Skip(); string(jsonspan.GetString(m, "type")) == "message" {
				e.judge(m)
			}
		}
	}
	if e.Claude != "" {
		return
	}
	for _, path := range [...]string{"model", "request.model", "params.model", "body.model"} {
		if !mayHave(top, path) {
			continue
		}
		if c, ok := Seek(v, path); ok && bytes.HasPrefix(c.String(), []byte("claude")) {
			e.Claude = "its model is a Claude"
		}
	}
	if !mayHave(top, "system") {
		return
	}
	if c, ok := Seek(v, "system"); ok && c.Kind() != jsonspan.Null && (HasKey(v, "messages") || e.path == "messages") {
		e.Claude = "its system prompt stands beside the messages"
	}
}

// judge judges one message.
func (e *chatEvidence) judge(v []byte) {
	var openai, anthropic, foreign string
	odd, typ, content := false, []byte(nil), false
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch name := string(c.Name); name {
		case "role":
			odd = !ExactRole(c.String())
		case "speaker", "from", "sender", "author":
			odd = true
			c.Skip()
		case "tool_calls", "function_call", "tool_call_id", "refusal", "reasoning_content", "reasoning_details", "executed_tools":
			if v := c.Skip(); !IsNull(v) || name == "refusal" {
				openai = name
			}
		case "parts", "toolCalls", "toolInvocations", "toolCallId", "validity_state", "interaction_id", "provider_metadata":
			foreign = name
			c.Skip()
		case "message":
			if c.Kind() == jsonspan.Object {
				foreign = name
			}
			c.Skip()
		case "type":
			typ = c.String()
		case "content":
			content = true
			judgeContent(c.Skip(), &openai, &anthropic, &foreign)
		default:
			c.Skip()
		}
	}
	switch {
	case string(typ) == "message" && HasKey(v, "stop_reason"):
		anthropic = "type message with a stop_reason"
	case typ != nil && string(typ) != "message":
		odd = true
	}
	switch {
	case foreign != "":
		e.Foreign++
	case openai != "":
		e.Openai++
		e.Sign = openai
	case anthropic != "":
		e.Anthropic++
		e.Sign = anthropic
	case odd || !content && !onlyRole(v):
		e.OddRole++
	}
}

// onlyRole reports whether a message has only a role, like an interrupted answer: at most one other
// field, which is not a text. Lists of people have roles and names.
func onlyRole(v []byte) bool {
	others := 0
	c := jsonspan.New(v)
	for c.Object(); c.Key(); c.Skip() {
		if string(c.Name) == "role" {
			continue
		}
		if others++; others > 1 || c.Kind() == jsonspan.String {
			return false
		}
	}
	return c.Err == nil
}

// ExactRole reports whether a role has the spelling of the APIs. Exports of chat programs use
// others ("human", "User"), which distinguishes them.
func ExactRole(role []byte) bool {
	switch string(role) {
	case "system", "developer", "user", "assistant", "tool", "function":
		return true
	}
	return false
}

// judgeContent judges the types of the blocks of a content list.
func judgeContent(v []byte, openai, anthropic, foreign *string) {
	for block := range jsonspan.List(v) {
		if jsonspan.KindOf(block) != jsonspan.Object {
			continue
		}
		switch typ := string(jsonspan.GetString(block, "type")); typ {
		case "text", "reasoning", "tool_call", "tool_output":
		case "file":
			if HasKey(block, "file") {
				*openai = "a content part file"
			} else {
				*foreign = "a content block file"
			}
		case "image_url", "input_audio", "video_url", "refusal":
			*openai = "a content part " + typ
		case "thinking":
			if k := jsonspan.KindOf(jsonspan.Get(block, "thinking")); k == jsonspan.Array {
				*openai = "a list of thinking"
			} else {
				*anthropic = "a block thinking"
			}
		case "tool_use", "tool_result":
			if HasKey(block, "tool_id") { // another system that uses the same names
				*foreign = "tool_id"
				return
			}
			*anthropic = "a block " + typ
		case "redacted_thinking", "server_tool_use", "mcp_tool_use", "mcp_tool_result", "compaction", "container_upload", "search_result":
			*anthropic = "a block " + typ
		case "image", "document":
			if HasKey(block, "source") {
				*anthropic = "a block " + typ + " with a source"
			}
		case "":
			*foreign = "content blocks without a type"
		default:
			if bytes.HasSuffix([]byte(typ), []byte("_tool_result")) {
				*anthropic = "a block " + typ
			} else if typ != "tool_addition" && typ != "tool_removal" && typ != "fallback" {
				*foreign = "a content block " + typ
			}
		}
	}
}

// HasContent reports whether a message has content under one of the usual names.
func HasContent(v []byte) bool {
	for _, name := range [...]string{"content", "text", "value", "message", "parts", "tool_calls"} {
		if HasKey(v, name) {
			return true
		}
	}
	return false
}

// NamesSpeakers reports whether most messages of a sample have a role or a speaker.
func NamesSpeakers(s *model.Sample) bool {
	e := GatherEvidence(s)
	named := 0
	for _, m := range e.List {
		if HasKey(m, "role") || HasKey(m, "speaker") {
			named++
		}
	}
	return named*2 > len(e.List)
}

// Where describes the place of the messages in words.
func (e *chatEvidence) Where() string {
	n := fmt.Sprintf("%d messages", e.Messages)
	if e.Messages == 1 {
		n = "a message"
	}
	switch {
	case e.path == WholeList:
		return n + " in a JSON array"
	case e.path == "line."+WholeList:
		return n + " in JSON arrays, a conversation a line"
	case e.path == "":
		return n
	}
	return n + " under " + e.path
}

// Enough reports whether the sample consists of messages at all.
func (e *chatEvidence) Enough() bool {
	return e.Messages > 0 && e.Others <= e.Messages && e.Foreign*2 <= e.Messages
}

// StandardPlace reports whether the messages are in a usual place of the APIs and their logs.
func (e *chatEvidence) StandardPlace() bool {
	switch e.path {
	case "", WholeList, "line." + WholeList, "messages", "request.messages", "body.messages", "params.messages", "input.messages",
		"line.messages", "line.request.messages", "line.body.messages", "line.params.messages", "line.input.messages":
		return true
	}
	return false
}
