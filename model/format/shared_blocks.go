package format

import (
	"bytes"
	"strings"

	"turns/model"
	"turns/model/jsonspan"
)

// addContent adds a message's content: a string is words, a list its blocks, a
// single object one block, null or nothing adds nothing.
func addContent(f *model.Fact, v []byte) {
	switch jsonspan.KindOf(v) {
	case jsonspan.String:
		f.AddText(model.Words, model.ValueText(v))
	case jsonspan.Array:
		c := jsonspan.New(v)
		for c.Array(); c.More(); {
			addNextBlock(f, &c)
		}
	case jsonspan.Object:
		addBlock(f, v)
	case jsonspan.Number, jsonspan.Bool:
		f.AddText(model.Words, model.ValueText(v))
	}
}

// blockFields are the fields of a content block as OpenAI, Anthropic and their
// many descendants name them: raw values, nil where absent.
type blockFields struct {
	typ                       []byte // inside of the string
	text, content, reasoning  []byte
	id, callID, name          []byte
	input, output             []byte
	source, media, data, mime []byte
	status, isError           []byte
	citations, server, title  []byte
	options, cache, extras    []byte
}

// readBlockFields walks an object once.
func readBlockFields(v []byte) (b blockFields) {
	c := jsonspan.New(v)
	b.read(&c)
	return b
}

// readNext reads the element of a list where it stands, and gives the whole of it.
// Of one that is broken, what stands before the place is read, and the list goes on
// behind it.
func (b *blockFields) readNext(list *jsonspan.Cursor) (whole []byte) {
	list.Kind() // past white space
	before := *list
	if b.read(list); list.Err == nil {
		return list.Buf[before.Pos:list.Pos]
	}
	*list = before
	whole = list.Skip()
	*b = readBlockFields(whole)
	return whole
}

// read consumes an object.
func (b *blockFields) read(c *jsonspan.Cursor) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "type":
			b.typ = c.String()
		case "text", "value", "refusal", "transcript":
			if t := c.Skip(); !isNull(t) {
				b.text = t
			}
		case "content", "parts":
			b.content = c.Skip()
		case "thinking", "reasoning", "thought", "summary":
			b.reasoning = c.Skip()
		case "id":
			b.id = c.Skip()
		case "tool_use_id", "tool_call_id", "call_id", "toolCallId":
			b.callID = c.Skip()
		case "name", "tool_name", "toolName":
			b.name = c.Skip()
		case "input", "arguments", "args":
			b.input = c.Skip()
		case "function", "custom":
			readFunction(c, b)
		case "output", "result":
			b.output = c.Skip()
		case "source":
			b.source = c.Skip()
		case "image_url", "input_audio", "audio", "audio_url", "video_url", "file", "image", "file_url", "url":
			b.media = c.Skip()
		case "data", "file_data", "base64":
			b.data = c.Skip()
		case "media_type", "mime_type", "mimeType", "mediaType":
			b.mime = c.Skip()
		case "status":
			b.status = c.Skip()
		case "is_error", "isError":
			b.isError = c.Skip()
		case "citations", "annotations":
			b.citations = c.Skip()
		case "server_name":
			b.server = c.Skip()
		case "title":
			b.title = c.Skip()
		case "providerOptions":
			b.options = c.Skip()
		case "cache_control":
			b.cache = c.Skip()
		case "extras":
			b.extras = c.Skip()
		default:
			c.Skip()
		}
	}
}

func readFunction(c *jsonspan.Cursor, b *blockFields) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "name":
			b.name = c.Skip()
		case "arguments", "input", "parameters":
			b.input = c.Skip()
		default:
			c.Skip()
		}
	}
}

// addBlock adds one block of a content list: text, reasoning, a call, a result,
// an image, sound or file in any of the spellings of OpenAI, Anthropic and their
// descendants. What it does not know becomes an OtherBlock under its type.
func addBlock(f *model.Fact, v []byte) {
	switch jsonspan.KindOf(v) {
	case jsonspan.String:
		f.AddText(model.Words, model.ValueText(v))
		return
	case jsonspan.Object:
	case jsonspan.End, jsonspan.Null:
		return
	default:
		f.AddText(model.OtherBlock, model.ValueText(v))
		return
	}
	b := readBlockFields(v)
	addFields(f, &b, v)
}

// addNextBlock is addBlock for the element of a list that the cursor is before.
func addNextBlock(f *model.Fact, list *jsonspan.Cursor) {
	if list.Kind() != jsonspan.Object {
		addBlock(f, list.Skip())
		return
	}
	var b blockFields
	if v := b.readNext(list); v != nil {
		addFields(f, &b, v)
	}
}

// addFields adds the block v that has these fields.
func addFields(f *model.Fact, b *blockFields, v []byte) {
	keepNumbered(f, "citations", b.citations)
	keepNumbered(f, "server_name", b.server)
	keepNumbered(f, "title", b.title)
	keepNumbered(f, "providerOptions", b.options)
	keepNumbered(f, "cache_control", b.cache)
	keepNumbered(f, "extras", b.extras)
	switch string(b.typ) {
	case "text", "input_text", "output_text":
		f.AddText(model.Words, textOf(b.text))
	case "refusal":
		f.Flags |= model.Refused
		f.AddText(model.Words, textOf(b.text))
	case "thinking", "reasoning", "reasoning.text", "reasoning.summary", "reasoning_text", "summary_text", "thought":
		addReasoning(f, b)
	case "redacted_thinking", "redacted_reasoning", "redacted-reasoning", "reasoning.encrypted":
		f.Add(model.Reasoning).Name = model.EscapedText(b.typ)
	case "image_url", "input_image", "image", "input_audio", "audio", "audio_url", "video", "video_url",
		"file", "input_file", "document":
		addMediaBlock(f, model.Text{}, b, v)
	case "tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "function_call", "function", "custom_tool_call", "toolCall", "tool-call":
		addCallBlock(f, b)
	case "tool_result", "mcp_tool_result", "tool_response", "function_call_output", "function_response", "tool-result":
		addResultBlock(f, b)
	case "":
		if b.text != nil && b.media == nil && b.source == nil {
			f.AddText(model.Words, textOf(b.text))
			return
		}
		fallthrough
	default:
		addOtherBlock(f, b, v)
	}
}

// addOtherBlock adds a block that has no kind of its own. A server tool's result
// is told by the ending of its type and by naming its call.
func addOtherBlock(f *model.Fact, b *blockFields, v []byte) {
	if bytes.HasSuffix(b.typ, []byte("tool_result")) && b.callID != nil {
		addServerResult(f, b)
		return
	}
	o := f.Add(model.OtherBlock)
	o.Name, o.Text = model.EscapedText(b.typ), model.ValueText(v)
}

// textOf is the text of a value that is a string, or an object that holds it
// under "value" or "text", as the Assistants API writes it.
func textOf(v []byte) model.Text {
	if jsonspan.KindOf(v) == jsonspan.Object {
		for _, name := range [...]string{"value", "text"} {
			if s := jsonspan.Get(v, name); isString(s) {
				return model.ValueText(s)
			}
		}
	}
	return model.ValueText(v)
}

// addReasoning adds thinking; where it is a list, a block for each text in it.
// Thinking with a signature and no text is a block without text.
func addReasoning(f *model.Fact, b *blockFields) {
	text := b.reasoning
	if isEmpty(text) && !isNull(b.text) {
		text = b.text
	}
	if isEmpty(text) && !isNull(b.content) {
		text = b.content
	}
	if jsonspan.KindOf(text) != jsonspan.Array {
		f.AddText(model.Reasoning, textOf(text))
		return
	}
	n := 0
	c := jsonspan.New(text)
	for c.Array(); c.More(); {
		var item blockFields
		if item.readNext(&c); item.text == nil {
			item.text = item.reasoning
		}
		f.AddText(model.Reasoning, textOf(item.text))
		n++
	}
	if n == 0 {
		f.Add(model.Reasoning)
	}
}

// readCall consumes a call that is an object of its own: id, name and arguments in
// the spellings of Bedrock, the AI SDK and Copilot.
func readCall(f *model.Fact, c *jsonspan.Cursor) *model.Block {
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

func addCallBlock(f *model.Fact, b *blockFields) {
	call := f.Add(model.ToolCall)
	call.ID = model.ValueText(b.id)
	if !isNull(b.callID) { // of a Responses item the id is the item's own
		call.ID = model.ValueText(b.callID)
	}
	call.Name = model.ValueText(b.name)
	call.Text = model.ValueText(b.input)
	if b.input == nil && b.name == nil { // some training data puts the whole call into one string
		call.Name, call.Text = callInString(inside(b.text))
	}
	call.Outcome, _ = outcomeOfStatus(inside(b.status))
	if call.Outcome == model.Success {
		call.Outcome = model.Unknown // the call was written, which says nothing of its result
	}
}

// callInString takes {\"name\": \"f\", \"arguments\": {…}}, the inside of a string,
// apart without decoding it. What is of another shape is all arguments.
func callInString(s []byte) (name, args model.Text) {
	_, afterName, ok1 := bytes.Cut(s, []byte(`\"name\"`))
	before, after, ok2 := bytes.Cut(afterName, []byte(`\"arguments\"`))
	after = bytes.TrimLeft(after, " :")
	if !ok1 || !ok2 || len(after) < 2 || after[0] != '{' || after[len(after)-1] != '}' {
		return model.Text{}, model.EscapedText(s)
	}
	_, before, ok1 = bytes.Cut(before, []byte(`\"`))
	before, _, ok2 = bytes.Cut(before, []byte(`\"`))
	if !ok1 || !ok2 || len(before) == 0 {
		return model.Text{}, model.EscapedText(s)
	}
	return model.EscapedText(before), model.EscapedText(after[:len(after)-1])
}

func addResultBlock(f *model.Fact, b *blockFields) {
	content := b.content
	if content == nil {
		content = b.output
	}
	if content == nil {
		content = b.text
	}
	id := b.callID
	if id == nil {
		id = b.id
	}
	outcome, _ := outcomeOfStatus(inside(b.status))
	switch {
	case isTrue(b.isError):
		outcome = model.Failure
	case len(b.isError) == 5: // false
		outcome = model.Success
	}
	addResult(f, model.ValueText(id), model.ValueText(b.name), content, outcome)
}

// addServerResult adds the result of a tool that the server ran. It says its
// failure in its content: an error code, or a return code that is not zero.
func addServerResult(f *model.Fact, b *blockFields) {
	outcome := model.Success
	if jsonspan.KindOf(b.content) == jsonspan.Object {
		c := jsonspan.New(b.content)
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "error_code":
				if !isNull(c.Skip()) {
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
	if isTrue(b.isError) {
		outcome = model.Failure
	}
	addResult(f, model.ValueText(b.callID), model.ValueText(b.name), b.content, outcome)
}

// addResult adds a tool result. Content that is a list with exactly one text
// gives that text; any other list stays as it is recorded, and its images and
// files follow as blocks with the same id. A failure is told apart by its
// wording; Unknown is judged by the text.
func addResult(f *model.Fact, id, name model.Text, content []byte, outcome model.Outcome) {
	text, media := model.ValueText(content), false
	if jsonspan.KindOf(content) == jsonspan.Array {
		text, media = soleText(content)
	}
	switch outcome {
	case model.Failure:
		outcome = failureOf(text)
	case model.Unknown:
		outcome = outcomeOfText(text)
	}
	r := f.Add(model.ToolResult)
	r.ID, r.Name, r.Text, r.Outcome = id, name, text, outcome
	if media {
		addMediaOf(f, id, content)
	}
}

// soleText is the text of a list of content blocks that holds exactly one text
// block; else the list as it is recorded. media says whether images, sounds or files
// are among the blocks.
func soleText(list []byte) (text model.Text, media bool) {
	texts, others := 0, 0
	c := jsonspan.New(list)
	for c.Array(); c.More(); {
		var b blockFields
		v := b.readNext(&c)
		if isString(v) {
			text = model.ValueText(v)
			texts++
			continue
		}
		switch string(b.typ) {
		case "text", "input_text", "output_text":
			text = textOf(b.text)
			texts++
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
			others++
		}
	}
	if texts == 1 && others == 0 {
		return text, media
	}
	return model.ValueText(list), media
}

// addMediaOf adds the images, sounds and files of a list of content blocks.
func addMediaOf(f *model.Fact, id model.Text, list []byte) {
	c := jsonspan.New(list)
	for c.Array(); c.More(); {
		var b blockFields
		v := b.readNext(&c)
		switch string(b.typ) {
		case "image", "image_url", "input_image", "document", "audio", "input_audio", "file", "input_file":
			addMediaBlock(f, id, &b, v)
		}
	}
}

// hasPrefixFold reports whether b begins with s, letters of either case alike.
func hasPrefixFold(b []byte, s string) bool {
	return len(b) >= len(s) && strings.EqualFold(string(b[:len(s)]), s)
}
