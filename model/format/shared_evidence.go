package format

import (
	"bytes"
	"fmt"

	"turns/model"
	"turns/model/jsonspan"
)

// chatEvidence is what the messages of a sample say about the family of chat
// formats that they belong to.
type chatEvidence struct {
	path                                string // where the messages are, see sampleMessages
	variant                             uint8
	messages, others                    int
	list                                [][]byte // the messages themselves
	openai, anthropic, foreign, oddRole int
	sign, foreignSign                   string // the field that told it
	claude                              string // why plain messages are Anthropic's
}

// gatherEvidence looks at the messages of a sample.
func gatherEvidence(s *model.Sample) chatEvidence {
	var e chatEvidence
	messages, path, others := sampleMessages(s)
	e.path, e.others, e.variant = path, others, chatVariant(s, path)
	switch s.Shape {
	case model.Lines:
		for _, line := range s.Records {
			known := e.openai + e.anthropic
			if e.wrapper(line); e.openai+e.anthropic > known && !isMessage(line) && !bytes.Contains(line, []byte(`"messages"`)) {
				e.messages++ // a response alone
				e.others--
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
	e.list = messages
	e.messages = max(e.messages+len(messages), e.openai, e.anthropic)
	return e
}

// document finds the documents that are no plain list of messages: a message, a
// response, a request with its response, a list of conversations.
func (e *chatEvidence) document(s *model.Sample, messages [][]byte) [][]byte {
	e.wrapper(s.Doc)
	switch e.path {
	case "request.messages", "body.messages", "params.messages", "input.messages":
		e.variant = chatWhole
	case "messages":
		if e.openai > 0 {
			e.variant = chatWhole
		}
	case "":
		if jsonspan.GetString(s.Doc, "role") != nil && isMessage(s.Doc) && genericSays(s.Doc) {
			return [][]byte{s.Doc}
		}
		for _, v := range elements(s.Doc, wholeList, sampleLimit) {
			e.wrapper(v)
			for _, list := range [...]string{wholeList, "messages", "conversation"} {
				m, _ := messagesAt(v, list)
				messages = append(messages, m...)
			}
			e.variant = chatFirstList
		}
	}
	return messages
}

// wrapper judges what stands around messages: a response, or the request.
func (e *chatEvidence) wrapper(v []byte) {
	top := topKeys(v)
	if top == 0 {
		return
	}
	for _, path := range [...]string{"choices", "response.choices", "response.body.choices"} {
		if !mayHave(top, path) {
			continue
		}
		if list := elements(v, path, 1); len(list) > 0 && (hasKey(list[0], "message") || hasKey(list[0], "delta")) {
			e.openai++
			e.sign = path + "[].message"
			return
		}
	}
	for _, path := range [...]string{"result.message", "response"} {
		if !mayHave(top, path) {
			continue
		}
		if c, ok := seek(v, path); ok && c.Kind() == jsonspan.Object {
			if m := c.Skip(); string(jsonspan.GetString(m, "type")) == "message" {
				e.judge(m)
			}
		}
	}
	if e.claude != "" {
		return
	}
	for _, path := range [...]string{"model", "request.model", "params.model", "body.model"} {
		if !mayHave(top, path) {
			continue
		}
		if c, ok := seek(v, path); ok && bytes.HasPrefix(c.String(), []byte("claude")) {
			e.claude = "its model is a Claude"
		}
	}
	if !mayHave(top, "system") {
		return
	}
	if c, ok := seek(v, "system"); ok && c.Kind() != jsonspan.Null && (hasKey(v, "messages") || e.path == "messages") {
		e.claude = "its system prompt stands beside the messages"
	}
}

// judge looks at one message.
func (e *chatEvidence) judge(v []byte) {
	var openai, anthropic, foreign string
	odd, typ, content := false, []byte(nil), false
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch name := string(c.Name); name {
		case "role":
			odd = !exactRole(c.String())
		case "speaker", "from", "sender", "author":
			odd = true
			c.Skip()
		case "tool_calls", "function_call", "tool_call_id", "refusal", "reasoning_content", "reasoning_details", "executed_tools":
			if v := c.Skip(); !isNull(v) || name == "refusal" {
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
	case string(typ) == "message" && hasKey(v, "stop_reason"):
		anthropic = "type message with a stop_reason"
	case typ != nil && string(typ) != "message":
		odd = true
	}
	switch {
	case foreign != "":
		e.foreign++
		e.foreignSign = foreign
	case openai != "":
		e.openai++
		e.sign = openai
	case anthropic != "":
		e.anthropic++
		e.sign = anthropic
	case odd || !content:
		e.oddRole++
	}
}

func exactRole(role []byte) bool {
	switch string(role) {
	case "system", "developer", "user", "assistant", "tool", "function":
		return true
	}
	return false
}

// judgeContent looks at the types of the blocks of a content list.
func judgeContent(v []byte, openai, anthropic, foreign *string) {
	if jsonspan.KindOf(v) != jsonspan.Array {
		return
	}
	c := jsonspan.New(v)
	for c.Array(); c.More(); {
		block := c.Skip()
		if jsonspan.KindOf(block) != jsonspan.Object {
			continue
		}
		switch typ := string(jsonspan.GetString(block, "type")); typ {
		case "text", "reasoning", "tool_call":
		case "file":
			if hasKey(block, "file") {
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
			if hasKey(block, "tool_id") { // a system of its own that borrows the names
				*foreign = "tool_id"
				return
			}
			*anthropic = "a block " + typ
		case "redacted_thinking", "server_tool_use", "mcp_tool_use", "mcp_tool_result", "compaction", "container_upload", "search_result":
			*anthropic = "a block " + typ
		case "image", "document":
			if hasKey(block, "source") {
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

// genericSays reports whether a message has content under one of the usual names.
func genericSays(v []byte) bool {
	for _, name := range [...]string{"content", "text", "value", "message", "parts", "tool_calls"} {
		if hasKey(v, name) {
			return true
		}
	}
	return false
}

// where says in words where the messages are.
func (e *chatEvidence) where() string {
	n := fmt.Sprintf("%d messages", e.messages)
	if e.messages == 1 {
		n = "a message"
	}
	switch {
	case e.path == wholeList:
		return n + " in a JSON array"
	case e.path == "line."+wholeList:
		return n + " in JSON arrays, a conversation a line"
	case e.path == "":
		return n
	}
	return n + " under " + e.path
}

// enough reports whether the sample is made of messages at all.
func (e *chatEvidence) enough() bool {
	return e.messages > 0 && e.others <= e.messages && e.foreign*2 <= e.messages
}

// standardPlace reports whether the messages are where the APIs and their logs
// have them.
func (e *chatEvidence) standardPlace() bool {
	switch e.path {
	case "", wholeList, "line." + wholeList, "messages", "request.messages", "body.messages", "params.messages", "input.messages",
		"line.messages", "line.request.messages", "line.body.messages", "line.params.messages", "line.input.messages":
		return true
	}
	return false
}
