package format

import (
	"turns/model"
	"turns/model/jsonspan"
)

// claudeAIFormat is the export of a Claude.ai account (conversations.json), or one
// conversation as the web application loads it.
func claudeAIFormat() *model.Format {
	return &model.Format{
		Name:   "claude-ai",
		Title:  "Claude.ai export",
		Where:  []string{"~/Downloads/data-*/conversations.json", "~/Downloads/data-*.zip"},
		Detect: claudeAIDetect,
		Lists: func(m model.Match) []string {
			if m.Variant == evalList {
				return []string{wholeList}
			}
			return nil
		},
		Parse: func(rec model.Record, fs *model.Facts) error {
			r := evalOpen(rec)
			for r.next(fs) {
				claudeAIConversation(&r.c, r.session, fs)
			}
			return r.close(fs)
		},
		Order: model.Tree,
	}
}

func claudeAIDetect(s *model.Sample) model.Match {
	v, ok := evalVariant(s, func(v []byte) bool {
		m := evalAt(v, "chat_messages")
		if jsonspan.KindOf(m) != jsonspan.Array || !evalHas(v, "uuid") {
			return false
		}
		first := evalFirst(m)
		return first == nil || evalHas(first, "sender") || evalHas(first, "uuid", "text")
	})
	if !ok {
		return model.Match{}
	}
	return model.Match{Score: 95, Variant: v, Reason: "a conversation with uuid and chat_messages"}
}

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
			messages = evalAgain(c, before, fs, at+1)
			f = fs.At(at)
		case "name":
			keep(f, "title", c.Skip())
		case "uuid":
			keep(f, "session", c.Skip())
		case "model":
			keep(f, "model", c.Skip())
		case "created_at":
			f.Time = readMoment(c)
		case "current_leaf_message_uuid":
			leaf = c.String()
		default:
			keepField(f, c)
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
		if one, ok := readAgain(list, before, fs, from); ok {
			claudeAIMessage(&one, session, fs)
		}
	}
}

// claudeAIMessage says a message. Tools that it used and what they gave back stand
// in the answer's own content; old exports have the text alone.
func claudeAIMessage(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	f := fs.Add(model.Say)
	f.Session = session
	var text, content, attachments, files []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "uuid":
			if id := c.String(); id != nil {
				f.Key = session.With(id)
			}
		case "parent_message_uuid":
			if id := c.String(); id != nil {
				f.Parent = session.With(id)
			}
		case "sender":
			setRole(f, c.String())
		case "text":
			text = c.Skip()
		case "content":
			content = c.Skip()
		case "created_at":
			f.Time = readMoment(c)
		case "attachments":
			attachments = c.Skip()
		case "files", "files_v2":
			if v := c.Skip(); files == nil || isEmpty(files) {
				files = v
			}
		case "stop_reason":
			setStop(f, c.String())
		case "updated_at", "index":
			c.Skip()
		default:
			keepField(f, c)
		}
	}
	if isEmpty(content) {
		content = text
	}
	claudeAIContent(f, content)
	claudeAIFiles(f, attachments)
	claudeAIFiles(f, files)
}

func claudeAIContent(f *model.Fact, content []byte) {
	if jsonspan.KindOf(content) != jsonspan.Array {
		addContent(f, content)
		return
	}
	c := jsonspan.New(content)
	for c.Array(); c.More(); {
		switch kind := lookAt(c, "type"); string(kind) {
		case "token_budget", "flag":
			keepNamed(f, kind, c.Skip())
		default:
			addNextBlock(f, &c)
		}
	}
}

// claudeAIFiles adds attached files: of documents the export has the text, of
// others only the name.
func claudeAIFiles(f *model.Fact, list []byte) {
	c := jsonspan.New(list)
	for c.Array(); c.More(); {
		v := c.Skip()
		name, text := jsonspan.Get(v, "file_name"), jsonspan.Get(v, "extracted_content")
		if !isEmpty(text) {
			b := f.Add(model.OtherBlock)
			b.Name, b.Text = model.ValueText(name), model.ValueText(text)
			continue
		}
		mime := mediaTypes["file"]
		if string(jsonspan.GetString(v, "file_kind")) == "image" {
			mime = mediaTypes["image"]
		}
		addMedia(f, model.Text{}, mime, name)
	}
}
