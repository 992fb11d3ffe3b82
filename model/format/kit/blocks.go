package kit

import (
	"bytes"
	"cmp"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// AddContent adds the content of a message: a text for a string, the blocks of a list, one block
// for an object, and no block for null or an absent value.
func AddContent(f *model.Fact, v []byte) {
	switch jsonspan.KindOf(v) {
	case jsonspan.String:
		f.AddText(model.Words, model.ValueText(v))
	case jsonspan.Array:
		c := jsonspan.New(v)
		for c.Array(); c.More(); {
			AddNextBlock(f, &c)
		}
	case jsonspan.Object:
		addContentObject(f, v)
	case jsonspan.Number, jsonspan.Bool:
		f.AddText(model.Words, model.ValueText(v))
	}
}

// addContentObject adds a content that is an object. It becomes a block if it has a type or fields
// of blocks. If its only member is a list of blocks, it becomes these blocks. Otherwise it is data,
// and its JSON becomes the text.
func addContentObject(f *model.Fact, v []byte) {
	if list := soleBlocks(v); list != nil {
		AddContent(f, list)
		return
	}
	b := ReadBlockFields(v)
	if b.Typ != nil || b.media != nil || b.source != nil || b.Data != nil {
		addFields(f, &b, v)
		return
	}
	if b.Text != nil && len(model.ValueText(b.Text).Raw()) > 0 && members(v) == 1 {
		addFields(f, &b, v)
		return
	}
	f.AddText(model.Words, model.ValueText(v))
}

// soleBlocks returns the list of blocks in an object whose only member is that list, with a
// type in each element. It returns nil for any other object.
func soleBlocks(v []byte) []byte {
	c := jsonspan.New(v)
	if c.Object(); !c.Key() || c.Kind() != jsonspan.Array {
		return nil
	}
	list := c.Skip()
	if c.Key() || c.Err != nil {
		return nil
	}
	n := 0
	for e := range jsonspan.List(list) {
		if n++; jsonspan.GetString(e, "type") == nil {
			return nil
		}
	}
	if n == 0 {
		return nil
	}
	return list
}

// members returns the number of fields of an object.
func members(v []byte) (n int) {
	c := jsonspan.New(v)
	for c.Object(); c.Key(); n++ {
		c.Skip()
	}
	return n
}

// BlockFields are the fields of a content block in the spellings of OpenAI, Anthropic and their
// many descendants: raw values, nil if absent.
type BlockFields struct {
	Typ                       []byte // inside of the string
	Text, Content, Reasoning  []byte
	Id, CallID, Name          []byte
	Input, Output             []byte
	source, media, Data, Mime []byte
	status, IsError           []byte
	citations, server, title  []byte
	options, cache, extras    []byte
	others                    bool // it has further fields
}

// ReadBlockFields reads an object in one pass.
func ReadBlockFields(v []byte) (b BlockFields) {
	c := jsonspan.New(v)
	b.read(&c)
	return b
}

// ReadNext reads the next element of a list in place and returns its bytes. If the element is
// broken, it reads the part before the error, and moves the list past the element.
func (b *BlockFields) ReadNext(list *jsonspan.Cursor) (whole []byte) {
	list.Kind() // skip white space
	before := *list
	if b.read(list); list.Err == nil {
		return list.Buf[before.Pos:list.Pos]
	}
	*list = before
	whole = list.Skip()
	*b = ReadBlockFields(whole)
	return whole
}

var blockTable = TableOf(func(b *BlockFields) Fields {
	return Fields{
		Word("type", &b.Typ), Raw("content", &b.Content), Raw("parts", &b.Content),
		Raw("thinking", &b.Reasoning), Raw("reasoning", &b.Reasoning),
		Raw("thought", &b.Reasoning), Raw("summary", &b.Reasoning), Raw("id", &b.Id),
		Raw("tool_use_id", &b.CallID), Raw("tool_call_id", &b.CallID), Raw("call_id", &b.CallID),
		Raw("toolCallId", &b.CallID), Raw("name", &b.Name), Raw("tool_name", &b.Name),
		Raw("toolName", &b.Name), Raw("input", &b.Input), Raw("arguments", &b.Input),
		Raw("args", &b.Input), Raw("output", &b.Output), Raw("result", &b.Output),
		Raw("source", &b.source), Raw("image_url", &b.media), Raw("input_audio", &b.media),
		Raw("audio", &b.media), Raw("audio_url", &b.media), Raw("video_url", &b.media),
		Raw("file", &b.media), Raw("image", &b.media), Raw("file_url", &b.media),
		Raw("url", &b.media), Raw("data", &b.Data), Raw("file_data", &b.Data),
		Raw("base64", &b.Data), Raw("media_type", &b.Mime), Raw("mime_type", &b.Mime),
		Raw("mimeType", &b.Mime), Raw("mediaType", &b.Mime), Raw("status", &b.status),
		Raw("is_error", &b.IsError), Raw("isError", &b.IsError), Raw("citations", &b.citations),
		Raw("annotations", &b.citations), Raw("server_name", &b.server), Raw("title", &b.title),
		Raw("providerOptions", &b.options), Raw("cache_control", &b.cache),
		Raw("extras", &b.extras),
	}
})

// read consumes an object.
func (b *BlockFields) read(c *jsonspan.Cursor) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "text", "value", "refusal", "transcript":
			if t := c.Skip(); !IsNull(t) {
				b.Text = t
			}
		case "function", "custom":
			readFunction(c, b)
		default:
			if !blockTable.Take(c, b) {
				c.Skip()
				b.others = true
			}
		}
	}
}

var functionTable = TableOf(func(b *BlockFields) Fields {
	return Fields{
		Raw("name", &b.Name), Raw("arguments", &b.Input), Raw("input", &b.Input),
		Raw("parameters", &b.Input),
	}
})

func readFunction(c *jsonspan.Cursor, b *BlockFields) {
	functionTable.ReadAll(c, b)
}

// AddBlock adds one block of a content list: text, reasoning, a call, a result, an image, sound or
// file, as OpenAI, Anthropic and their descendants spell them. An unknown block becomes an
// OtherBlock under its type.
func AddBlock(f *model.Fact, v []byte) {
	switch jsonspan.KindOf(v) {
	case jsonspan.String:
		f.AddText(model.Words, model.ValueText(v))
		return
	case jsonspan.Object:
	case jsonspan.End:
		return
	default: // a number, or null: it has no block kind
		f.AddText(model.OtherBlock, model.ValueText(v))
		return
	}
	b := ReadBlockFields(v)
	addFields(f, &b, v)
}

// AddNextBlock is AddBlock for the element of a list that the cursor is before.
func AddNextBlock(f *model.Fact, list *jsonspan.Cursor) {
	if list.Kind() != jsonspan.Object {
		AddBlock(f, list.Skip())
		return
	}
	var b BlockFields
	if v := b.ReadNext(list); v != nil {
		addFields(f, &b, v)
	}
}

// addFields adds the block v that has these fields.
func addFields(f *model.Fact, b *BlockFields, v []byte) {
	KeepNumbered(f, "citations", b.citations)
	KeepNumbered(f, "server_name", b.server)
	if string(b.Typ) != "document" {
		KeepNumbered(f, "title", b.title)
	}
	KeepNumbered(f, "providerOptions", b.options)
	KeepNumbered(f, "cache_control", b.cache)
	KeepNumbered(f, "extras", b.extras)
	switch string(b.Typ) {
	case "text", "input_text", "output_text":
		f.AddText(model.Words, textOf(b.Text))
		b.keepOthers(f, v)
	case "refusal":
		f.Flags |= model.Refused
		f.AddText(model.Words, textOf(b.Text))
	case "thinking", "reasoning", "reasoning.text", "reasoning.summary", "reasoning_text", "summary_text", "thought":
		AddReasoning(f, b)
	case "redacted_thinking", "redacted_reasoning", "redacted-reasoning", "reasoning.encrypted":
		f.Add(model.Reasoning).Name = model.EscapedText(b.Typ)
	case "image_url", "input_image", "image", "input_audio", "audio", "audio_url", "video", "video_url",
		"file", "input_file", "document":
		addMediaBlock(f, model.Text{}, b, v)
	case "tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "function_call", "function", "custom_tool_call", "toolCall", "tool-call":
		AddCallBlock(f, b)
	case "tool_result", "mcp_tool_result", "tool_response", "function_call_output", "function_response", "tool-result":
		AddResultBlock(f, b)
	case "":
		if b.media == nil && b.source == nil && isText(b.Text) {
			f.AddText(model.Words, textOf(b.Text))
			return
		}
		fallthrough
	default:
		addOtherBlock(f, b, v)
	}
}

// keepOthers adds the fields of the text block v that no format has to the last block, so that they
// are shown and exported with it. An index only repeats the position of the block.
func (b *BlockFields) keepOthers(f *model.Fact, v []byte) {
	if !b.others || len(f.Blocks) == 0 {
		return
	}
	words := &f.Blocks[len(f.Blocks)-1]
	var known BlockFields
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch name := string(c.Name); name {
		case "text", "value", "refusal", "transcript", "function", "custom", "index":
			c.Skip()
		default:
			if blockTable.Take(&c, &known) {
				continue
			}
			name = cmp.Or(aboutByChance(c.Name), name)
			if value := c.Skip(); !IsEmpty(value) {
				words.Extra = append(words.Extra, model.Field{Name: name, Value: model.ValueText(value)})
			}
		}
	}
}

// addOtherBlock adds a block without a block kind. It recognises a server tool's result by the
// suffix of its type and by the id of its call.
func addOtherBlock(f *model.Fact, b *BlockFields, v []byte) {
	if bytes.HasSuffix(b.Typ, []byte("tool_result")) && b.CallID != nil {
		addServerResult(f, b)
		return
	}
	AddOther(f, b.Typ, v)
}

// AddOther adds a block of a type without a block kind. typ is the inside of a string.
func AddOther(f *model.Fact, typ, v []byte) {
	b := f.Add(model.OtherBlock)
	b.Name, b.Text = model.EscapedText(typ), model.ValueText(v)
}

// textOf returns the text of a string, or of an object with the string under "value" or "text", as
// in the Assistants API.
func textOf(v []byte) model.Text {
	if s := innerText(v); s != nil {
		return model.ValueText(s)
	}
	return model.ValueText(v)
}

// isText reports whether textOf finds a text in a value.
func isText(v []byte) bool { return IsString(v) || innerText(v) != nil }

// innerText returns the string of an object with a text, nil if there is none.
func innerText(v []byte) []byte {
	if jsonspan.KindOf(v) == jsonspan.Object {
		for _, name := range [...]string{"value", "text"} {
			if s := jsonspan.Get(v, name); IsString(s) {
				return s
			}
		}
	}
	return nil
}

// AddReasoning adds thinking. A list becomes one block for each of its texts; a signature without a
// text becomes a block without text.
func AddReasoning(f *model.Fact, b *BlockFields) {
	text := b.Reasoning
	if IsEmpty(text) && !IsNull(b.Text) {
		text = b.Text
	}
	if IsEmpty(text) && !IsNull(b.Content) {
		text = b.Content
	}
	if jsonspan.KindOf(text) != jsonspan.Array {
		f.AddText(model.Reasoning, textOf(text))
		return
	}
	n := 0
	c := jsonspan.New(text)
	for c.Array(); c.More(); {
		var item BlockFields
		if item.ReadNext(&c); item.Text == nil {
			item.Text = item.Reasoning
		}
		f.AddText(model.Reasoning, textOf(item.Text))
		n++
	}
	if n == 0 {
		f.Add(model.Reasoning)
	}
}

// ReadCall consumes an object with the id, name and arguments of one call, as Bedrock, the AI SDK
// and Copilot spell them.
func ReadCall(f *model.Fact, c *jsonspan.Cursor) *model.Block {
	b := f.Add(model.ToolCall)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "toolUseId", "toolCallId":
			b.ID = model.ValueText(c.Skip())
		case "name", "toolName":
			b.Name = model.ValueText(c.Skip())
		case "input", "args", "arguments":
			b.Text = model.ValueText(c.Skip())
		default:
			c.Skip()
		}
	}
	return b
}

// AddCallBlock adds a call from a content block. A status of success in the block is ignored: it
// means that the model finished writing the call.
func AddCallBlock(f *model.Fact, b *BlockFields) {
	call := f.Add(model.ToolCall)
	call.ID = model.ValueText(b.Id)
	if !IsNull(b.CallID) { // in a Responses item, id is the item's own
		call.ID = model.ValueText(b.CallID)
	}
	call.Name = model.ValueText(b.Name)
	call.Text = model.ValueText(b.Input)
	if b.Input == nil && b.Name == nil { // some training data puts the whole call into one string
		call.Name, call.Text = CallInString(Inside(b.Text))
	}
	call.Outcome, _ = OutcomeOfStatus(Inside(b.status))
	if call.Outcome == model.Success {
		call.Outcome = model.Unknown // the call was written, but its result is unknown
	}
}

// CallInString splits a call, the inside of a string, into name and arguments. It does not decode
// {\"name\": \"f\", \"arguments\": {…}}, the usual form. In others the arguments are first, or the
// call is OpenAI's {"function": {"name": …, "arguments": …}}. It returns any other text as arguments.
func CallInString(s []byte) (name, args model.Text) {
	first, afterName, ok1 := bytes.Cut(s, []byte(`\"name\"`))
	before, after, ok2 := bytes.Cut(afterName, []byte(`\"arguments\"`))
	after = bytes.TrimLeft(after, " :")
	if !ok1 || !ok2 || len(after) < 2 || after[0] != '{' || after[len(after)-1] != '}' || bytes.Contains(first, []byte(`\"`)) {
		return decodedCall(s)
	}
	_, before, ok1 = bytes.Cut(before, []byte(`\"`))
	before, _, ok2 = bytes.Cut(before, []byte(`\"`))
	if !ok1 || !ok2 || len(before) == 0 {
		return model.Text{}, model.EscapedText(s)
	}
	return model.EscapedText(before), model.EscapedText(after[:len(after)-1])
}

// decodedCall is CallInString for the less usual forms.
func decodedCall(s []byte) (name, args model.Text) {
	if name, args, ok := CallIn(model.EscapedText(s).Append(nil)); ok {
		return name, args
	}
	return model.Text{}, model.EscapedText(s)
}

// CallIn returns the name and the arguments of a call in JSON: {"name": …, "arguments": …}, or
// OpenAI's {"function": {…}}.
func CallIn(call []byte) (name, args model.Text, ok bool) {
	if f := jsonspan.Get(call, "function"); jsonspan.KindOf(f) == jsonspan.Object {
		call = f
	}
	named, with := jsonspan.Get(call, "name"), jsonspan.Get(call, "arguments")
	if !IsString(named) || IsEmpty(named) || with == nil {
		return model.Text{}, model.Text{}, false
	}
	return model.ValueText(named), model.ValueText(with), true
}

// AddResultBlock adds a result from a content block; is_error takes precedence over a status.
func AddResultBlock(f *model.Fact, b *BlockFields) {
	content := Or(b.Content, b.Output, b.Text)
	id := Or(b.CallID, b.Id)
	outcome, _ := OutcomeOfStatus(Inside(b.status))
	switch {
	case IsTrue(b.IsError):
		outcome = model.Failure
	case len(b.IsError) == 5: // false
		outcome = model.Success
	}
	AddResult(f, model.ValueText(id), model.ValueText(b.Name), content, outcome)
}

// addServerResult adds the result of a tool that the server ran. Its content shows a failure: an
// error code, or a return code other than zero.
func addServerResult(f *model.Fact, b *BlockFields) {
	outcome := model.Success
	if jsonspan.KindOf(b.Content) == jsonspan.Object {
		c := jsonspan.New(b.Content)
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "error_code":
				if !IsNull(c.Skip()) {
					outcome = model.Failure
				}
			case "return_code":
				if code, ok := c.Int(); ok && code != 0 {
					outcome = model.Failure
				}
			default:
				c.Skip()
			}
		}
	}
	if IsTrue(b.IsError) {
		outcome = model.Failure
	}
	AddResult(f, model.ValueText(b.CallID), model.ValueText(b.Name), b.Content, outcome)
}

// AddResult adds a tool result. A list with exactly one text becomes that text, one with images and
// files only has none, and any other list stays as recorded. The images and files follow as blocks
// with the same id. The wording of a
// failure decides its outcome; an Unknown outcome is judged by the text.
func AddResult(f *model.Fact, id, name model.Text, content []byte, outcome model.Outcome) {
	text, media := model.ValueText(content), false
	if jsonspan.KindOf(content) == jsonspan.Array {
		text, media = SoleText(content)
	}
	switch outcome {
	case model.Failure:
		outcome = FailureOf(text)
	case model.Unknown:
		outcome = OutcomeOfText(text)
	}
	r := f.Add(model.ToolResult)
	r.ID, r.Name, r.Text, r.Outcome = id, name, text, outcome
	if media {
		addMediaOf(f, id, content)
	}
}

// SoleText returns the text of a list of content blocks with exactly one text block, no text of a
// list of images and files only, and otherwise the list as recorded. media reports whether the list
// has images, sounds or files.
func SoleText(list []byte) (text model.Text, media bool) {
	texts, others := 0, 0
	c := jsonspan.New(list)
	for c.Array(); c.More(); {
		var b BlockFields
		v := b.ReadNext(&c)
		if IsString(v) {
			text = model.ValueText(v)
			texts++
			continue
		}
		switch string(b.Typ) {
		case "text", "input_text", "output_text":
			text = textOf(b.Text)
			texts++
		case "content": // a nested block, as in the Agent Client Protocol
			if inner := ReadBlockFields(b.Content); string(inner.Typ) == "text" {
				text = textOf(inner.Text)
				texts++
			} else {
				others++
			}
		case "document":
			if t := documentText(&b); t != nil {
				text = model.ValueText(t)
				texts++
			} else {
				media = true
			}
		case "image", "image_url", "input_image", "audio", "file", "input_file":
			media = true
		case "input_audio":
			media = true
			others++
		default:
			if b.Typ != nil && isText(b.Text) && members(v) == 2 { // an unknown type, with a text only
				text = textOf(b.Text)
				texts++
			} else {
				others++
			}
		}
	}
	if others == 0 && (texts == 1 || texts == 0 && media) {
		return text, media
	}
	return model.ValueText(list), media
}

// addMediaOf adds the images, sounds and files of a list of content blocks.
func addMediaOf(f *model.Fact, id model.Text, list []byte) {
	c := jsonspan.New(list)
	for c.Array(); c.More(); {
		var b BlockFields
		v := b.ReadNext(&c)
		switch string(b.Typ) {
		case "image", "image_url", "input_image", "document", "audio", "input_audio", "file", "input_file":
			addMediaBlock(f, id, &b, v)
		}
	}
}

// hasPrefixFold reports whether b begins with s, ignoring case.
func hasPrefixFold(b []byte, s string) bool {
	return len(b) >= len(s) && strings.EqualFold(string(b[:len(s)]), s)
}
