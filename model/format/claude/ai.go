package claude

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// ChatFormat reads the export of a Claude.ai account (conversations.json), or one conversation as
// loaded by the web application.
func ChatFormat() *model.Format {
	return &model.Format{
		Name:  "claude-ai",
		Title: "Claude.ai export",
		Where: []string{"~/Downloads/data-*/conversations.json", "~/Downloads/data-*.zip"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InConversations, Score: 95, Reason: "a conversation with uuid and chat_messages", Is: kit.Signs{
				"uuid & chat_messages:list & !chat_messages[0]", "uuid & chat_messages[0].sender", "uuid & chat_messages[0](uuid & text)"}},
		),
		Lists: kit.EvalLists,
		Parse: func(rec model.Record, fs *model.Facts) error { return kit.EvalEach(rec, fs, claudeAIConversation) },
		Order: model.Tree,
	}
}

var claudeAIConversationNames = kit.Names{"name": "title", "uuid": "session", "model": "model"}

func claudeAIConversation(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	at := fs.Len()
	f := fs.Add(model.About)
	f.Session = session
	var messages, leaf []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "chat_messages":
			fs.Cut(at + 1)
			before := *c
			claudeAIMessages(c, session, fs)
			messages = kit.EvalAgain(c, before, fs, at+1)
			f = fs.At(at)
		case "created_at":
			f.Time = kit.ReadMoment(c)
		case "current_leaf_message_uuid":
			leaf = c.ID()
		default:
			claudeAIConversationNames.Keep(f, c)
		}
	}
	list := jsonspan.New(messages)
	claudeAIMessages(&list, session, fs)
	if leaf != nil {
		g := fs.Add(model.Leaf)
		g.Session, g.Target = session, session.With(leaf)
	}
}

func claudeAIMessages(list *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	for list.Array(); list.More(); {
		before, from := *list, fs.Len()
		claudeAIMessage(list, session, fs)
		if one, ok := kit.ReadAgain(list, before, fs, from); ok {
			claudeAIMessage(&one, session, fs)
		}
	}
}

// claudeAIMessage adds a message. Tool calls and their results are in the answer's content; old
// exports have only the text.
func claudeAIMessage(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	f := fs.Add(model.Say)
	f.Session = session
	var text, content, attachments, files []byte
	fields := kit.Fields{
		kit.Raw("text", &text), kit.Raw("content", &content), kit.Time("created_at", &f.Time),
		kit.Raw("attachments", &attachments),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "uuid":
			if id := c.ID(); id != nil {
				f.Key = session.With(id)
			}
		case "parent_message_uuid":
			if id := c.ID(); id != nil {
				f.Parent = session.With(id)
			}
		case "sender":
			kit.SetRole(f, c.String())
		case "files", "files_v2":
			if v := c.Skip(); files == nil || kit.IsEmpty(files) {
				files = v
			}
		case "stop_reason":
			kit.SetStop(f, c.String())
		case "updated_at", "index":
			c.Skip()
		default:
			fields.ReadOrKeep(f, c)
		}
	}
	if kit.IsEmpty(content) {
		content = text
	}
	claudeAIContent(f, content)
	claudeAIFiles(f, attachments)
	claudeAIFiles(f, files)
}

func claudeAIContent(f *model.Fact, content []byte) {
	if jsonspan.KindOf(content) != jsonspan.Array {
		kit.AddContent(f, content)
		return
	}
	c := jsonspan.New(content)
	for c.Array(); c.More(); {
		switch kind := kit.LookAt(c, "type"); string(kind) {
		case "token_budget", "flag":
			kit.KeepNamed(f, kind, c.Skip())
		default:
			kit.AddNextBlock(f, &c)
		}
	}
}

// claudeAIFiles adds attached files: documents with their text, others only with their name.
func claudeAIFiles(f *model.Fact, list []byte) {
	for v := range jsonspan.List(list) {
		name, text := jsonspan.Get(v, "file_name"), jsonspan.Get(v, "extracted_content")
		if !kit.IsEmpty(text) {
			b := f.Add(model.OtherBlock)
			b.Name, b.Text = model.ValueText(name), model.ValueText(text)
			continue
		}
		mime := kit.MediaType("file")
		if string(jsonspan.GetString(v, "file_kind")) == "image" {
			mime = kit.MediaType("image")
		}
		kit.AddMedia(f, model.Text{}, mime, name)
	}
}
