package chats

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// LibreChatFormat reads conversations that LibreChat exported as JSON: messages in a list, or each
// with those that follow it (danny-avila/LibreChat, useExportConversation.ts and tMessageSchema of
// packages/data-provider/src/schemas.ts).
func LibreChatFormat() *model.Format {
	return &model.Format{
		Name:  "librechat",
		Title: "LibreChat export",
		Detect: kit.Clues(
			kit.Clue{In: kit.InConversations, Score: 93, Reason: "a conversation with messages and the time of their export", Is: kit.Signs{
				"conversationId & exportAt & messages", "conversationId & messages[].isCreatedByUser"}},
		),
		Lists: kit.EvalLists,
		Parse: func(rec model.Record, fs *model.Facts) error { return kit.EvalEach(rec, fs, libreChat) },
		Order: model.Tree,
	}
}

func libreChat(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	at := fs.Len()
	fs.Add(model.About).Session = session
	for c.Object(); c.Key(); {
		switch f := fs.At(at); string(c.Name) {
		case "messages":
			libreMessages(c, session, fs)
		case "conversationId":
			kit.Keep(f, "session", c.Skip())
		case "title":
			kit.Keep(f, "title", c.Skip())
		case "options":
			options := c.Skip()
			kit.Keep(f, "model", jsonspan.Get(options, "model"))
			kit.KeepNamed(f, []byte("options"), options)
		default:
			kit.KeepField(f, c)
		}
	}
}

func libreMessages(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	for c.Array(); c.More(); {
		if c.Kind() != jsonspan.Object {
			c.Skip()
			continue
		}
		libreMessage(c, session, fs)
	}
}

// libreMessage reads a message, and those that follow it.
func libreMessage(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	at := fs.Len()
	f := fs.Add(model.Say)
	f.Session, f.Role = session, model.Assistant
	var text, content, files []byte
	var name model.Text
	var time model.Moment
	fields := kit.Fields{
		kit.Raw("text", &text), kit.Raw("content", &content), kit.Raw("files", &files), kit.Text("model", &name), kit.Time("createdAt", &time),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "children":
			libreMessages(c, session, fs)
			f = fs.At(at)
		case "messageId":
			f.Key = session.With(c.ID())
		case "parentMessageId":
			if id := c.ID(); len(id) > 0 && string(id) != noLibreParent {
				f.Parent = session.With(id)
			}
		case "isCreatedByUser":
			if kit.IsTrue(c.Skip()) {
				f.Role = model.User
			}
		case "unfinished":
			if kit.IsTrue(c.Skip()) {
				f.Flags, f.Outcome = f.Flags|model.Interrupted, model.Stopped
			}
		case "error":
			if kit.IsTrue(c.Skip()) {
				f.Flags |= model.APIError
				f.Outcome, f.Stop = model.Failure, model.StopError
			}
		case "conversationId", "updatedAt":
			c.Skip()
		default:
			fields.ReadOrKeep(f, c)
		}
	}
	f.Model, f.Time = name, time
	for part := range jsonspan.List(content) {
		librePart(f, part)
	}
	if len(f.Blocks) == 0 {
		kit.AddContent(f, text)
	}
	for file := range jsonspan.List(files) {
		kit.AddMedia(f, model.Text{}, model.ValueText(jsonspan.Get(file, "type")), jsonspan.Get(file, "filename"))
	}
}

// noLibreParent is the parent of the first message.
const noLibreParent = "00000000-0000-0000-0000-000000000000"

// librePart adds a part of an answer. A call has its result.
func librePart(f *model.Fact, part []byte) {
	switch kind := string(jsonspan.GetString(part, "type")); kind {
	case "text", "error":
		v := jsonspan.Get(part, kind)
		if inner := jsonspan.Get(v, "value"); inner != nil {
			v = inner
		}
		f.AddText(model.Words, model.ValueText(v))
	case "think":
		f.AddText(model.Reasoning, model.ValueText(jsonspan.Get(part, "think")))
	case "tool_call":
		call := jsonspan.Get(part, "tool_call")
		id, with := model.ValueText(jsonspan.Get(call, "id")), call
		if function := jsonspan.Get(call, "function"); function != nil { // of an assistant of OpenAI
			with = function
		}
		name, args := model.ValueText(jsonspan.Get(with, "name")), jsonspan.Get(with, "args")
		if args == nil {
			args = jsonspan.Get(with, "arguments")
		}
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = id, name, model.ValueText(args)
		if output := jsonspan.Get(with, "output"); !kit.IsNull(output) {
			kit.AddResult(f, id, name, output, model.Unknown)
		}
	default:
		b := f.Add(model.OtherBlock)
		b.Name, b.Text = model.EscapedText([]byte(kind)), model.ValueText(part)
	}
}
