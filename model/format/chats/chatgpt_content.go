package chats

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// chatGPTMessage holds the raw values of a message in a ChatGPT conversation.
type chatGPTMessage struct {
	recipient, author, status             []byte
	body                                  []byte // the full content
	kind                                  []byte // of the content, without quotes
	parts, words, answer, inner, thoughts []byte // of the content
	aggregate, files                      []byte // of the metadata
}

// read reads a message, and adds its role, time and other fields to the fact.
func (m *chatGPTMessage) read(f *model.Fact, v []byte) {
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "author":
			for c.Object(); c.Key(); {
				switch string(c.Name) {
				case "role":
					kit.SetRole(f, c.String())
				case "name":
					m.author = c.Skip()
				default:
					c.Skip()
				}
			}
		case "create_time":
			f.Time = kit.ReadMoment(&c)
		case "content":
			m.readBody(&c)
		case "metadata":
			m.readMetadata(f, &c)
		case "recipient":
			m.recipient = c.String()
		case "status":
			m.status = c.String()
		case "id", "update_time", "end_turn", "weight":
			c.Skip()
		default:
			kit.KeepField(f, &c)
		}
	}
	if string(m.status) == "in_progress" {
		f.Flags |= model.Partial
	}
}

var chatGPTMessageFields = kit.TableOf(func(m *chatGPTMessage) kit.Fields {
	return kit.Fields{
		kit.Word("content_type", &m.kind), kit.Raw("parts", &m.parts), kit.Raw("text", &m.words),
		kit.Raw("result", &m.answer), kit.Raw("content", &m.inner),
		kit.Raw("thoughts", &m.thoughts),
	}
})

func (m *chatGPTMessage) readBody(c *jsonspan.Cursor) {
	c.Kind() // skips white space
	from := c.Pos
	chatGPTMessageFields.ReadAll(c, m)
	m.body = c.Buf[from:c.Pos]
}

func (m *chatGPTMessage) readMetadata(f *model.Fact, c *jsonspan.Cursor) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "model_slug":
			f.Model = model.ValueText(c.Skip())
		case "is_visually_hidden_from_conversation":
			if c.Bool() {
				f.Flags |= model.Hidden
			}
		case "is_user_system_message":
			if c.Bool() {
				f.Flags |= model.Injected
			}
		case "finish_details":
			kit.SetStop(f, jsonspan.GetString(c.Skip(), "type"))
		case "attachments":
			m.files = c.Skip()
		case "aggregate_result":
			name := c.Name
			m.aggregate = c.Skip()
			kit.KeepNamed(f, name, m.aggregate)
		case "citations", "content_references", "search_result_groups", "user_context_message_data":
			kit.KeepField(f, c)
		default:
			c.Skip()
		}
	}
}

// text returns the text of a call or result: its only text or, if it has several parts, the
// recorded list of parts.
func (m *chatGPTMessage) text() model.Text {
	for _, v := range [...][]byte{m.words, m.answer, m.inner} {
		if kit.IsString(v) {
			return model.ValueText(v)
		}
	}
	if m.parts == nil {
		return model.ValueText(m.body)
	}
	n, shown, first := 0, 0, []byte(nil)
	for v := range jsonspan.List(m.parts) {
		if bytes.HasSuffix(jsonspan.GetString(v, "content_type"), []byte("asset_pointer")) {
			shown++ // as a separate block
			continue
		}
		if n++; n == 1 {
			first = v
		}
	}
	switch {
	case n == 0 && shown > 0:
		return model.EscapedText(nil)
	case n == 1 && kit.IsString(first):
		return model.ValueText(first)
	}
	return model.ValueText(m.parts)
}

// result adds the result of a tool.
func (m *chatGPTMessage) result(f *model.Fact, id model.Text) {
	outcome := model.Unknown
	switch string(jsonspan.GetString(m.aggregate, "status")) {
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
		outcome = kit.OutcomeOfText(text)
	}
	b := f.Add(model.ToolResult)
	b.ID, b.Name, b.Text, b.Outcome = id, model.ValueText(m.author), text, outcome
	for v := range jsonspan.List(m.parts) {
		if jsonspan.KindOf(v) == jsonspan.Object {
			m.part(f, v, id)
		}
	}
	m.drawn(f, id)
}

// drawn adds the images that a program drew during its execution.
func (m *chatGPTMessage) drawn(f *model.Fact, id model.Text) {
	for v := range jsonspan.List(jsonspan.Get(m.aggregate, "messages")) {
		if url := jsonspan.Get(v, "image_url"); kit.IsString(url) && !kit.IsEmpty(url) {
			kit.AddMedia(f, id, kit.MediaType("image"), url)
			b := &f.Blocks[len(f.Blocks)-1]
			b.Elsewhere = model.ValueText(url)
			measure(b, v)
		}
	}
}

// measure sets the width and height of an image if they were recorded.
func measure(b *model.Block, v []byte) {
	w, _ := jsonspan.ParseInt(jsonspan.Get(v, "width"))
	h, _ := jsonspan.ParseInt(jsonspan.Get(v, "height"))
	if w > 0 && h > 0 && max(w, h) < 1<<20 {
		b.Width, b.Height = int32(w), int32(h)
	}
}

// content adds the content of a message, by its content_type.
func (m *chatGPTMessage) content(f *model.Fact) {
	switch string(m.kind) {
	case "thoughts":
		for v := range jsonspan.List(m.thoughts) {
			text := jsonspan.Get(v, "content")
			if kit.IsEmpty(text) {
				text = jsonspan.Get(v, "summary")
			}
			f.AddText(model.Reasoning, model.ValueText(text))
		}
	case "reasoning_recap":
		b := f.Add(model.OtherBlock)
		b.Name, b.Text = model.EscapedText(m.kind), m.text()
	// the context that the user, or memory, adds to the start of every chat
	case "user_editable_context", "model_editable_context":
		f.Flags |= model.Injected
		c := jsonspan.New(m.body)
		for c.Object(); c.Key(); {
			if name := string(c.Name); name == "content_type" {
				c.Skip()
			} else if v := c.Skip(); kit.IsString(v) && !kit.IsEmpty(v) {
				f.AddText(model.Words, model.ValueText(v))
			}
		}
	default:
		if jsonspan.KindOf(m.parts) != jsonspan.Array {
			f.AddText(model.Words, m.text())
			return
		}
		for v := range jsonspan.List(m.parts) {
			if kit.IsString(v) {
				f.AddText(model.Words, model.ValueText(v))
			} else {
				m.part(f, v, model.Text{})
			}
		}
	}
}

// part adds an image, sound or file of a message. The export contains it as a separate file, to
// which its pointer refers.
func (m *chatGPTMessage) part(f *model.Fact, v []byte, id model.Text) {
	kind := jsonspan.GetString(v, "content_type")
	pointer := jsonspan.Get(v, "asset_pointer")
	switch string(kind) {
	case "image_asset_pointer":
		kit.AddMedia(f, id, kit.MediaType("image"), pointer)
	case "audio_asset_pointer":
		kit.AddMedia(f, id, kit.MediaType("audio"), pointer)
	case "video_container_asset_pointer":
		kit.AddMedia(f, id, kit.MediaType("video"), jsonspan.Get(v, "video_container_asset_pointer"))
	case "real_time_user_audio_video_asset_pointer":
		kit.AddMedia(f, id, kit.MediaType("audio"), jsonspan.Get(v, "audio_asset_pointer", "asset_pointer"))
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
	measure(b, v)
	if about := jsonspan.Get(v, "metadata"); jsonspan.KindOf(about) == jsonspan.Object {
		b.Extra = append(b.Extra, model.Field{Name: "metadata", Value: model.ValueText(about)})
	}
}

// describePart adds the name of an upload to the part that shows it.
func describePart(f *model.Fact, id []byte, mime model.Text, name []byte) {
	for i := range f.Blocks {
		b := &f.Blocks[i]
		if b.Kind == model.Media && len(id) > 0 && bytes.HasSuffix(b.Elsewhere.Raw(), id) {
			b.Name = mime
			b.Extra = append(b.Extra, model.Field{Name: "name", Value: model.ValueText(name)})
			return
		}
	}
}

// attachments adds the files that the user attached to the message.
func (m *chatGPTMessage) attachments(f *model.Fact) {
	for v := range jsonspan.List(m.files) {
		var id, name, kind, size []byte
		file := jsonspan.New(v)
		kit.ReadFields(&file,
			kit.Raw("id", &id), kit.Raw("name", &name), kit.Raw("mime_type", &kind), kit.Raw("size", &size),
		)
		mime := model.ValueText(kind)
		if mime.Empty() {
			mime = kit.MediaType("file")
		}
		if mime.HasPrefix("image/") && string(m.kind) == "multimodal_text" {
			describePart(f, kit.Inside(id), mime, name)
			continue // it is already among the parts
		}
		kit.AddMedia(f, model.Text{}, mime, name)
		b := &f.Blocks[len(f.Blocks)-1]
		b.Elsewhere = model.ValueText(id)
		if n, ok := jsonspan.ParseInt(size); ok {
			b.Size = n
		}
	}
}
