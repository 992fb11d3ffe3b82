package format

import (
	"turns/model"
	"turns/model/jsonspan"
)

// geminiCLIParts adds the parts of a message as Gemini's API names them: texts,
// thoughts, calls, responses, data. A string is words.
func geminiCLIParts(f *model.Fact, v []byte) {
	switch jsonspan.KindOf(v) {
	case jsonspan.String:
		if len(v) > 2 {
			f.AddText(model.Words, model.ValueText(v))
		}
	case jsonspan.Array:
		c := jsonspan.New(v)
		for c.Array(); c.More(); {
			geminiCLIPart(f, c.Skip())
		}
	case jsonspan.Object:
		geminiCLIPart(f, v)
	}
}

func geminiCLIPart(f *model.Fact, v []byte) {
	if isString(v) {
		f.AddText(model.Words, model.ValueText(v))
		return
	}
	var text []byte
	thought, known := false, false
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "text":
			text = c.Skip()
		case "thought":
			thought = c.Bool()
		case "functionCall":
			known = true
			geminiCLIFunctionCall(f, &c)
		case "functionResponse":
			known = true
			geminiCLIFunctionResponse(f, c.Skip())
		case "inlineData", "fileData":
			known = true
			geminiCLIMedia(f, model.Text{}, &c)
		case "thoughtSignature":
			c.Skip()
		default:
			c.Skip()
		}
	}
	switch {
	case text != nil && thought:
		f.AddText(model.Reasoning, model.ValueText(text))
	case text != nil:
		f.AddText(model.Words, model.ValueText(text))
	case !known:
		f.AddText(model.OtherBlock, model.ValueText(v))
	}
}

func geminiCLIFunctionCall(f *model.Fact, c *jsonspan.Cursor) {
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

func geminiCLIFunctionResponse(f *model.Fact, v []byte) {
	at := len(f.Blocks)
	f.Add(model.ToolResult)
	var id, name, response, parts []byte
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			id = c.Skip()
		case "name":
			name = c.Skip()
		case "response":
			response = c.Skip()
		case "parts":
			parts = c.Skip()
		default:
			c.Skip()
		}
	}
	text, failed := geminiCLIResponse(response)
	b := &f.Blocks[at]
	b.ID, b.Name, b.Text = model.ValueText(id), model.ValueText(name), text
	b.Outcome = outcomeOfText(text)
	if failed {
		b.Outcome = failureOf(text)
	}
	if isNull(parts) {
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

func geminiCLIMedia(f *model.Fact, id model.Text, c *jsonspan.Cursor) {
	mime := mediaTypes["file"]
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
	addMedia(f, id, mime, place)
}
