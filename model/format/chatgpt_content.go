package format

import (
	"turns/model"
	"turns/model/jsonspan"
)

// chatGPTMessage is a message of a ChatGPT conversation: raw values.
type chatGPTMessage struct {
	recipient, author, body, metadata, status []byte
	kind                                      []byte // content_type
}

// read reads a message; what it says of itself goes into the fact.
func (m *chatGPTMessage) read(f *model.Fact, v []byte) {
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "author":
			a := c.Skip()
			setRole(f, jsonspan.GetString(a, "role"))
			m.author = jsonspan.Get(a, "name")
		case "create_time":
			f.Time = readMoment(&c)
		case "content":
			m.body = c.Skip()
		case "metadata":
			m.metadata = c.Skip()
		case "recipient":
			m.recipient = c.String()
		case "status":
			m.status = c.String()
		case "id", "update_time", "end_turn", "weight":
			c.Skip()
		default:
			keepField(f, &c)
		}
	}
	m.kind = jsonspan.GetString(m.body, "content_type")
	meta := jsonspan.New(m.metadata)
	for meta.Object(); meta.Key(); {
		switch string(meta.Name) {
		case "model_slug":
			f.Model = model.ValueText(meta.Skip())
		case "is_visually_hidden_from_conversation":
			if meta.Bool() {
				f.Flags |= model.Hidden
			}
		case "is_user_system_message":
			if meta.Bool() {
				f.Flags |= model.Injected
			}
		case "finish_details":
			d := meta.Skip()
			switch kind := jsonspan.GetString(d, "type"); string(kind) {
			case "interrupted":
				setStop(f, []byte("interrupted"))
			default:
				setStop(f, kind)
			}
		case "citations", "content_references", "search_result_groups", "aggregate_result", "user_context_message_data":
			name := meta.Name
			keepNamed(f, name, meta.Skip())
		default:
			meta.Skip()
		}
	}
	if string(m.status) == "in_progress" {
		f.Flags |= model.Partial
	}
}

// text is the one text of the message, for calls and results: where it has
// several parts, the parts as they are recorded.
func (m *chatGPTMessage) text() model.Text {
	for _, name := range [...]string{"text", "result", "content"} {
		if v := jsonspan.Get(m.body, name); isString(v) {
			return model.ValueText(v)
		}
	}
	parts := jsonspan.Get(m.body, "parts")
	if parts == nil {
		return model.ValueText(m.body)
	}
	n, first := 0, []byte(nil)
	c := jsonspan.New(parts)
	for c.Array(); c.More(); n++ {
		if v := c.Skip(); n == 0 {
			first = v
		}
	}
	if n == 1 && isString(first) {
		return model.ValueText(first)
	}
	return model.ValueText(parts)
}

// result says what a tool gave back.
func (m *chatGPTMessage) result(f *model.Fact, id model.Text) {
	outcome := model.Unknown
	switch string(jsonspan.GetString(m.metadata, "aggregate_result", "status")) {
	case "success":
		outcome = model.Success
	case "failed_with_in_kernel_exception", "failed_with_exception", "failed":
		outcome = model.Failure
	}
	if string(m.kind) == "system_error" {
		outcome = model.Failure
	}
	text := m.text()
	if outcome == model.Unknown {
		outcome = outcomeOfText(text)
	}
	b := f.Add(model.ToolResult)
	b.ID, b.Name, b.Text, b.Outcome = id, model.ValueText(m.author), text, outcome
	c := jsonspan.New(jsonspan.Get(m.body, "parts"))
	for c.Array(); c.More(); {
		if v := c.Skip(); jsonspan.KindOf(v) == jsonspan.Object {
			m.part(f, v, id)
		}
	}
}

// content says what a message holds, by its content_type.
func (m *chatGPTMessage) content(f *model.Fact) {
	switch string(m.kind) {
	case "thoughts":
		c := jsonspan.New(jsonspan.Get(m.body, "thoughts"))
		for c.Array(); c.More(); {
			v := c.Skip()
			text := jsonspan.Get(v, "content")
			if isEmpty(text) {
				text = jsonspan.Get(v, "summary")
			}
			f.AddText(model.Reasoning, model.ValueText(text))
		}
	case "reasoning_recap":
		b := f.Add(model.OtherBlock)
		b.Name, b.Text = model.EscapedText(m.kind), m.text()
	case "user_editable_context", "model_editable_context": // what the user, or memory, has every chat begin with
		f.Flags |= model.Injected
		c := jsonspan.New(m.body)
		for c.Object(); c.Key(); {
			if name := string(c.Name); name == "content_type" {
				c.Skip()
			} else if v := c.Skip(); isString(v) && !isEmpty(v) {
				f.AddText(model.Words, model.ValueText(v))
			}
		}
	default:
		parts := jsonspan.Get(m.body, "parts")
		if jsonspan.KindOf(parts) != jsonspan.Array {
			f.AddText(model.Words, m.text())
			return
		}
		c := jsonspan.New(parts)
		for c.Array(); c.More(); {
			if v := c.Skip(); isString(v) {
				f.AddText(model.Words, model.ValueText(v))
			} else {
				m.part(f, v, model.Text{})
			}
		}
	}
}

// part adds an image, sound or file of a message; the export has it as a file
// beside that its pointer names.
func (m *chatGPTMessage) part(f *model.Fact, v []byte, id model.Text) {
	kind := jsonspan.GetString(v, "content_type")
	pointer := jsonspan.Get(v, "asset_pointer")
	switch string(kind) {
	case "image_asset_pointer":
		addMedia(f, id, mediaTypes["image"], pointer)
	case "audio_asset_pointer":
		addMedia(f, id, mediaTypes["audio"], pointer)
	case "video_container_asset_pointer":
		addMedia(f, id, mediaTypes["video"], jsonspan.Get(v, "video_container_asset_pointer"))
	case "real_time_user_audio_video_asset_pointer":
		addMedia(f, id, mediaTypes["audio"], jsonspan.Get(v, "audio_asset_pointer", "asset_pointer"))
	case "audio_transcription":
		if id.Absent() {
			f.AddText(model.Words, model.ValueText(jsonspan.Get(v, "text")))
		}
		return
	default:
		b := f.Add(model.OtherBlock)
		b.Name, b.Text, b.ID = model.EscapedText(kind), model.ValueText(v), id
		return
	}
	b := &f.Blocks[len(f.Blocks)-1]
	b.Elsewhere = model.ValueText(pointer)
	if size, ok := jsonspan.ParseInt(jsonspan.Get(v, "size_bytes")); ok {
		b.Size = size
	}
}

// attachments adds the files that the user put to the message.
func (m *chatGPTMessage) attachments(f *model.Fact) {
	c := jsonspan.New(jsonspan.Get(m.metadata, "attachments"))
	for c.Array(); c.More(); {
		v := c.Skip()
		mime := model.ValueText(jsonspan.Get(v, "mime_type"))
		if mime.Empty() {
			mime = mediaTypes["file"]
		}
		if mime.HasPrefix("image/") && string(m.kind) == "multimodal_text" {
			continue // it is among the parts
		}
		addMedia(f, model.Text{}, mime, jsonspan.Get(v, "name"))
		if size, ok := jsonspan.ParseInt(jsonspan.Get(v, "size")); ok {
			f.Blocks[len(f.Blocks)-1].Size = size
		}
	}
}
