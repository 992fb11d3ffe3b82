package kit

import (
	"turns/model"
	"turns/model/jsonspan"
)

// GeminiCLIParts adds the parts of a message in the spelling of Gemini's API: texts, thoughts,
// calls, responses, data. A string becomes words.
func GeminiCLIParts(f *model.Fact, v []byte) {
	if !IsNull(v) {
		c := jsonspan.New(v)
		GeminiCLIReadParts(f, &c)
	}
}

// GeminiCLIReadParts is GeminiCLIParts for the value at the cursor.
func GeminiCLIReadParts(f *model.Fact, c *jsonspan.Cursor) {
	switch c.Kind() {
	case jsonspan.String:
		if v := c.Skip(); len(v) > 2 {
			f.AddText(model.Words, model.ValueText(v))
		}
	case jsonspan.Array:
		for c.Array(); c.More(); {
			GeminiCLIPart(f, c)
		}
	case jsonspan.Object:
		GeminiCLIPart(f, c)
	default:
		c.Skip()
	}
}

// GeminiCLIPart adds one part. A part with only unknown fields is stored as recorded.
func GeminiCLIPart(f *model.Fact, c *jsonspan.Cursor) {
	if c.Kind() == jsonspan.String {
		f.AddText(model.Words, model.ValueText(c.Skip()))
		return
	}
	from := c.Pos
	var text []byte
	thought, known := false, false
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "text":
			text = c.Skip()
		case "thought":
			thought = c.Bool()
		case "functionCall":
			known = true
			GeminiCLIFunctionCall(f, c)
		case "functionResponse":
			known = true
			GeminiCLIFunctionResponse(f, c)
		case "inlineData", "fileData":
			known = true
			geminiCLIMedia(f, model.Text{}, c)
		default:
			c.Skip()
		}
	}
	switch {
	case text != nil && thought:
		f.AddText(model.Reasoning, model.ValueText(text))
	case text != nil:
		f.AddText(model.Words, model.ValueText(text))
	case !known && c.Err == nil:
		f.AddText(model.OtherBlock, model.ValueText(c.Buf[from:c.Pos]))
	}
}

// GeminiCLIFunctionCall adds the call at the cursor: id, name, args.
func GeminiCLIFunctionCall(f *model.Fact, c *jsonspan.Cursor) {
	b := f.Add(model.ToolCall)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			b.ID = model.ValueText(c.Skip())
		case "name":
			b.Name = model.ValueText(c.Skip())
		case "args":
			b.Text = model.ValueText(c.Skip())
		default:
			c.Skip()
		}
	}
	b.Key = b.ID.Hash()
}

// GeminiCLIFunctionResponse adds the result of the value at the cursor: id, name, response, and its
// further parts (images, files).
func GeminiCLIFunctionResponse(f *model.Fact, c *jsonspan.Cursor) {
	at := len(f.Blocks)
	f.Add(model.ToolResult)
	var id, name, parts []byte
	var text model.Text
	failed := false
	fields := Fields{
		Raw("id", &id), Raw("name", &name), Raw("parts", &parts),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "response":
			text, failed = GeminiCLIResponse(c)
		default:
			fields.Read(c)
		}
	}
	b := &f.Blocks[at]
	b.ID, b.Name, b.Text = model.ValueText(id), model.ValueText(name), text
	b.Outcome = OutcomeOfText(text)
	if failed {
		b.Outcome = FailureOf(text)
	}
	if IsNull(parts) {
		return
	}
	media := jsonspan.New(parts)
	for media.Array(); media.More(); {
		for media.Object(); media.Key(); {
			switch string(media.Name) {
			case "inlineData", "fileData":
				geminiCLIMedia(f, model.ValueText(id), &media)
			default:
				media.Skip()
			}
		}
	}
}

// GeminiCLIResponse reads the response of a function: its text, and whether it is an error.
func GeminiCLIResponse(c *jsonspan.Cursor) (text model.Text, failed bool) {
	if c.Kind() != jsonspan.Object {
		return model.ValueText(c.Skip()), false
	}
	from, n := c.Pos, 0
	for c.Object(); c.Key(); n++ {
		switch string(c.Name) {
		case "output", "result", "content":
			text = model.ValueText(c.Skip())
		case "error":
			if e := c.Skip(); !IsEmpty(e) {
				text, failed = model.ValueText(e), true
			}
		default:
			c.Skip()
		}
	}
	if n != 1 && !failed || text.Absent() {
		return model.ValueText(c.Buf[from:c.Pos]), failed
	}
	return text, failed
}

func geminiCLIMedia(f *model.Fact, id model.Text, c *jsonspan.Cursor) {
	mime := MediaType("file")
	var place []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "mimeType":
			mime = model.ValueText(c.Skip())
		case "data", "fileUri":
			place = c.Skip()
		default:
			c.Skip()
		}
	}
	AddMedia(f, id, mime, place)
}
