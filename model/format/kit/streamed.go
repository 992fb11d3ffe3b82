package kit

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// ResponseOf returns the response of a model in the recorded body of an HTTP response: a list of
// events, or a string with JSON, with the events of a stream, or with base64 of either. The events
// of OpenAI, Anthropic and Gemini become the response that the same request has without a stream.
// It returns nil for any other value. The result is in new memory.
func ResponseOf(v []byte) []byte {
	body := v
	if IsString(v) {
		body = bytes.TrimSpace(model.ValueText(v).Append(nil))
	} else if jsonspan.KindOf(v) != jsonspan.Array {
		return nil
	}
	if decoded, err := base64.StdEncoding.DecodeString(string(body)); err == nil && len(body) > 0 {
		body = bytes.TrimSpace(decoded)
	}
	switch {
	case bytes.HasPrefix(body, []byte("{")) && json.Valid(body):
		return body
	case bytes.HasPrefix(body, []byte("[")): // Gemini's
		var s streamed
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		var events []fields
		if decoder.Decode(&events) == nil {
			for _, event := range events {
				s.add(event)
			}
		}
		return s.marshal()
	case bytes.HasPrefix(body, []byte("data: ")), bytes.HasPrefix(body, []byte("event: ")), bytes.HasPrefix(body, []byte(": ")):
		return joined(body)
	}
	return nil
}

// fields are the members of a JSON object.
type fields = map[string]any

// joined returns the response in a stream of events; nil if the stream is none of a model.
func joined(body []byte) []byte {
	var s streamed
	for line := range bytes.Lines(body) {
		data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data: "))
		if !ok {
			continue
		}
		var event fields
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		if decoder.Decode(&event) == nil {
			s.add(event)
		}
	}
	return s.marshal()
}

// marshal returns the collected response as JSON; nil if no event belonged to one.
func (s *streamed) marshal() []byte {
	response := s.response()
	if response == nil {
		return nil
	}
	out, err := json.Marshal(response)
	if err != nil {
		return nil
	}
	return out
}

// streamed collects the events of a response.
type streamed struct {
	whole   fields       // the response as an event had it, or its beginning
	message fields       // OpenAI: the message of the only choice
	blocks  map[int]part // by their index: Anthropic's content, OpenAI's calls
	parts   []any        // Gemini's
}

// part is a part of a message whose texts arrive in pieces.
type part struct {
	fields
	input []byte // the pieces of an argument
}

func (s *streamed) add(event fields) {
	switch choices, candidates := list(event, "choices"), list(event, "candidates"); {
	case event["type"] == "response.completed", event["type"] == "response.incomplete", event["type"] == "response.failed":
		s.whole = object(event, "response")
	case event["type"] == "message_start":
		s.whole = object(event, "message")
	case event["type"] == "content_block_start":
		s.block(event, object(event, "content_block"))
	case event["type"] == "content_block_delta":
		s.grow(event, object(event, "delta"))
	case event["type"] == "message_delta" && s.whole != nil:
		maps.Copy(s.whole, object(event, "delta"))
		usage := maps.Clone(object(s.whole, "usage"))
		if usage == nil {
			usage = fields{}
		}
		maps.Copy(usage, object(event, "usage"))
		s.whole["usage"] = usage
	case len(candidates) > 0:
		s.candidate(event, candidates[0])
	case choices != nil:
		s.choice(event, choices)
	}
}

// block begins a part of Anthropic's message, or a call of OpenAI's.
func (s *streamed) block(event, begin fields) part {
	if s.blocks == nil {
		s.blocks = map[int]part{}
	}
	p := part{fields: begin}
	if p.fields == nil {
		p.fields = fields{}
	}
	s.blocks[index(event)] = p
	return p
}

// grow adds a piece to a part of Anthropic's message.
func (s *streamed) grow(event, delta fields) {
	p, ok := s.blocks[index(event)]
	if !ok {
		return
	}
	for _, name := range [...]string{"text", "thinking", "signature"} {
		extend(p.fields, delta, name)
	}
	p.input = append(p.input, text(delta, "partial_json")...)
	s.blocks[index(event)] = p
}

// choice adds a piece of OpenAI's message.
func (s *streamed) choice(event fields, choices []any) {
	if s.whole == nil {
		s.whole, s.message = fields{}, fields{"role": "assistant"}
	}
	for name, v := range event {
		if name != "choices" && v != nil {
			s.whole[name] = v
		}
	}
	for _, c := range choices {
		c, _ := c.(fields)
		if c == nil || index(c) != 0 {
			continue
		}
		if reason := c["finish_reason"]; reason != nil {
			s.whole["finish_reason"] = reason
		}
		delta := object(c, "delta")
		for _, name := range [...]string{"content", "reasoning_content", "reasoning", "refusal"} {
			extend(s.message, delta, name)
		}
		for _, call := range list(delta, "tool_calls") {
			if call, ok := call.(fields); ok {
				s.call(call)
			}
		}
	}
}

// call adds a piece of a call.
func (s *streamed) call(piece fields) {
	p, ok := s.blocks[index(piece)]
	if !ok {
		p = s.block(piece, fields{"type": "function", "function": fields{}})
	}
	if id := text(piece, "id"); id != "" {
		p.fields["id"] = id
	}
	function := object(p.fields, "function")
	extend(function, object(piece, "function"), "name")
	extend(function, object(piece, "function"), "arguments")
}

// candidate adds the parts of a piece of Gemini's response. Texts of one kind are one part.
func (s *streamed) candidate(event fields, first any) {
	c, _ := first.(fields)
	if s.whole == nil {
		s.whole = fields{}
	}
	maps.Copy(s.whole, event)
	for _, v := range list(object(c, "content"), "parts") {
		p, _ := v.(fields)
		if last := len(s.parts) - 1; last >= 0 && text(p, "text") != "" {
			if before := s.parts[last].(fields); text(before, "text") != "" && (before["thought"] == true) == (p["thought"] == true) {
				extend(before, p, "text")
				continue
			}
		}
		if p != nil {
			s.parts = append(s.parts, p)
		}
	}
	if len(s.parts) > 0 {
		s.whole["candidates"] = []any{fields{"content": fields{"role": "model", "parts": s.parts}, "finishReason": c["finishReason"]}}
	}
}

// response returns the collected response; nil if no event belonged to one.
func (s *streamed) response() fields {
	switch blocks := s.ordered(); {
	case s.message != nil:
		if len(blocks) > 0 {
			s.message["tool_calls"] = blocks
		}
		s.whole["choices"] = []any{fields{"index": 0, "message": s.message, "finish_reason": s.whole["finish_reason"]}}
	case len(blocks) > 0 && s.whole != nil:
		s.whole["content"] = blocks
	}
	return s.whole
}

// ordered returns the parts in order, with their arguments.
func (s *streamed) ordered() (out []any) {
	for _, at := range slices.Sorted(maps.Keys(s.blocks)) {
		p := s.blocks[at]
		if json.Valid(p.input) {
			p.fields["input"] = json.RawMessage(p.input)
		} else if len(p.input) > 0 {
			p.fields["input"] = string(p.input) // the stream was cut off
		}
		out = append(out, p.fields)
	}
	return out
}

func object(of fields, name string) fields {
	v, _ := of[name].(fields)
	return v
}

func list(of fields, name string) []any {
	v, _ := of[name].([]any)
	return v
}

func text(of fields, name string) string {
	v, _ := of[name].(string)
	return v
}

// index returns the number of a part; 0 if the piece has none.
func index(of fields) int {
	n, _ := of["index"].(json.Number)
	v, _ := n.Int64()
	return int(v)
}

// extend adds the text of a piece to the same field of the whole.
func extend(whole, piece fields, name string) {
	if more, ok := piece[name].(string); ok {
		whole[name] = text(whole, name) + more
	}
}
