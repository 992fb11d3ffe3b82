package chats

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// OpenWebUIFormat reads exports of chats of Open WebUI. A chat has a tree of messages and a
// list that repeats its live branch; turns reads the tree.
func OpenWebUIFormat() *model.Format {
	return &model.Format{
		Name:  "open-webui",
		Title: "Open WebUI export",
		Where: []string{"~/Downloads/chat-export-*.json"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InConversations, Score: 93, Reason: "a chat with a history of messages and its currentId", Is: kit.Signs{
				"chat.history.messages", "chat.models & chat.messages|chat.history", "history.messages & history.currentId"}},
		),
		Lists: kit.EvalLists,
		Parse: func(rec model.Record, fs *model.Facts) error { return kit.EvalEach(rec, fs, openWebUIChat) },
		Order: model.Tree,
	}
}

// openWebUIReader reads one chat.
type openWebUIReader struct {
	fs            *model.Facts
	session       model.Key
	about         int         // index of the fact that describes the chat
	f             *model.Fact // that fact
	list, current []byte
	tree          kit.MessageTree // filled if the messages are not in order
}

func openWebUIChat(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	r := openWebUIReader{fs: fs, session: session, about: fs.Len()}
	r.f = fs.Add(model.About)
	r.f.Session = session
	if kit.EvalHas(c.Buf[c.Pos:], "chat") {
		r.row(c)
	} else {
		r.chat(c)
	}
	r.tree.Walk(func(i int) {
		n := &r.tree.Nodes[i]
		v := jsonspan.New(n.Value)
		openWebUIMessage(&v, n.Id, session, fs)
		if f := fs.At(fs.Len() - 1); f.Parent == 0 && n.Above >= 0 {
			f.Parent = session.With(r.tree.Nodes[n.Above].Id)
		}
	})
	if fs.Len() == r.about+1 { // a chat without a tree
		for item := range jsonspan.List(r.list) {
			v := jsonspan.New(item)
			openWebUIMessage(&v, nil, session, fs)
		}
	}
	if len(r.current) > 0 {
		g := fs.Add(model.Leaf)
		g.Session, g.Target = session, session.With(r.current)
	}
}

// row reads the database row of a chat.
func (r *openWebUIReader) row(c *jsonspan.Cursor) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "chat":
			r.chat(c)
		case "id":
			kit.Keep(r.f, "session", c.Skip())
		case "title":
			kit.Keep(r.f, "title", c.Skip())
		case "created_at":
			r.f.Time = kit.ReadMoment(c)
		default:
			kit.KeepField(r.f, c)
		}
	}
}

func (r *openWebUIReader) chat(c *jsonspan.Cursor) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "history":
			r.history(c)
		case "messages":
			r.list = c.Skip()
		case "models":
			if v := kit.EvalFirst(c.Skip()); kit.IsString(v) || v != nil {
				first := jsonspan.New(v)
				kit.Keep(r.f, "model", first.Skip())
			}
		case "title":
			kit.Keep(r.f, "title", c.Skip())
		case "id", "timestamp":
			c.Skip()
		default:
			kit.KeepField(r.f, c)
		}
	}
}

// history reads the tree of messages. If parents do not precede their children, it only fills
// r.tree, which sorts them later.
func (r *openWebUIReader) history(c *jsonspan.Cursor) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "messages":
			before := *c
			if !openWebUIMessages(c, r.session, r.fs) {
				r.fs.Cut(r.about + 1)
				*c = before
				r.tree.Read(c, "", "parentId", "childrenIds")
			}
			r.f = r.fs.At(r.about)
		case "currentId":
			r.current = c.ID()
		default:
			c.Skip()
		}
	}
}

// openWebUIMessages adds the messages in their recorded order. It returns false if one is broken,
// or does not follow closely after its parent: the messages then need sorting.
func openWebUIMessages(c *jsonspan.Cursor, session model.Key, fs *model.Facts) (ok bool) {
	const soon = 32 // messages
	first := fs.Len()
	for c.Object(); c.Key(); {
		at := fs.Len()
		openWebUIMessage(c, c.Name, session, fs)
		if c.Err != nil {
			return false
		}
		parent, i := fs.At(at).Parent, at-1
		for i >= max(first, at-soon) && fs.At(i).Key != parent {
			i--
		}
		if at > first && (parent == 0 || i < max(first, at-soon)) {
			return false
		}
	}
	return true
}

func openWebUIMessage(c *jsonspan.Cursor, id []byte, session model.Key, fs *model.Facts) {
	f := fs.Add(model.Say)
	f.Session, f.Key = session, session.With(id)
	if len(id) == 0 {
		f.Key = 0
	}
	var content, files, failure []byte
	fields := kit.Fields{
		kit.Raw("content", &content), kit.Text("model", &f.Model), kit.Time("timestamp", &f.Time),
		kit.Raw("files", &files), kit.Raw("error", &failure),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			if id := c.ID(); len(id) > 0 {
				f.Key = session.With(id)
			}
		case "parentId":
			if id := c.ID(); len(id) > 0 {
				f.Parent = session.With(id)
			}
		case "role":
			kit.SetRole(f, c.String())
		case "usage", "info":
			if u := openWebUIUsage(c.Skip()); u.Scope != model.NoUsage {
				f.Usage = u
			}
		case "done":
			if v := c.Skip(); string(v) == "false" {
				f.Flags |= model.Partial
			}
		case "childrenIds", "lastSentence":
			c.Skip()
		default:
			fields.ReadOrKeep(f, c)
		}
	}
	failed := !kit.IsEmpty(failure) && string(failure) != "false"
	if !failed || !kit.IsEmpty(content) {
		openWebUIContent(f, content)
	}
	openWebUIFiles(f, files)
	if failed {
		f.Flags |= model.APIError
		f.Outcome, f.Stop = model.Failure, model.StopError
		text := jsonspan.Get(failure, "content")
		if kit.IsEmpty(text) {
			text = failure
		}
		f.AddText(model.Words, model.ValueText(text))
	}
}

// openWebUIContent separates the reasoning, which is an element of the text, from the words.
func openWebUIContent(f *model.Fact, content []byte) {
	if !kit.IsString(content) {
		kit.AddContent(f, content)
		return
	}
	kit.EvalWords(f, model.ValueText(content))
}

func openWebUIFiles(f *model.Fact, files []byte) {
	for v := range jsonspan.List(files) {
		if string(jsonspan.GetString(v, "type")) == "image" {
			kit.AddMedia(f, model.Text{}, kit.MediaType("image"), jsonspan.Get(v, "url"))
			continue
		}
		name := jsonspan.Get(v, "name")
		if kit.IsEmpty(name) {
			name = jsonspan.Get(v, "id")
		}
		kit.AddMedia(f, model.Text{}, kit.MediaType("file"), name)
	}
}

// openWebUIUsage reads the usage of an answer, in the names of OpenAI or Ollama.
func openWebUIUsage(v []byte) model.Usage {
	if u := kit.UsageOf(v); u.Scope != model.NoUsage {
		return u
	}
	return openWebUINumbers.Read(v, model.Each)
}

// openWebUINumbers are the names of Ollama.
var openWebUINumbers = kit.UsageNames{Input: "prompt_eval_count", Output: "eval_count"}
