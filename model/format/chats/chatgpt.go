package chats

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// ChatGPTFormat reads the export of a ChatGPT account (conversations.json), or a single
// conversation of it. A conversation is a tree of messages with a live leaf.
func ChatGPTFormat() *model.Format {
	return &model.Format{
		Name:  "chatgpt",
		Title: "ChatGPT export",
		Where: []string{"~/Downloads/*/conversations.json"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InConversations, Score: 95, Reason: "a conversation with a mapping of nodes and its current_node",
				Is: kit.Signs{"mapping:object & current_node", "mapping:object & mapping[0].message & !inserted_at"}},
		),
		Lists: kit.EvalLists,
		Parse: func(rec model.Record, fs *model.Facts) error { return kit.EvalEach(rec, fs, chatGPTConversation) },
		Order: model.Tree,
	}
}

// chatGPTTree is the tree of a conversation. Some of its nodes have no message.
type chatGPTTree struct {
	kit.MessageTree
	fs      *model.Facts
	session model.Key
	calls   []model.Text // by node: the message's id if it calls a tool
}

func chatGPTConversation(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	f := fs.Add(model.About)
	f.Session = session
	t := chatGPTTree{fs: fs, session: session}
	var current, id []byte
	fields := kit.Fields{
		kit.Word("current_node", &current), kit.Raw("conversation_id", &id), kit.Time("create_time", &f.Time),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "mapping":
			t.Read(c, "message", "parent", "children")
		case "title":
			kit.Keep(f, "title", c.Skip())
		case "id":
			if v := c.Skip(); id == nil {
				id = v
			}
		case "default_model_slug":
			kit.Keep(f, "model", c.Skip())
		case "moderation_results", "plugin_ids", "safe_urls", "blocked_urls":
			kit.KeepField(f, c)
		default:
			if !fields.Take(c) {
				name := c.Name
				if v := c.Skip(); string(v) != "false" {
					kit.KeepNamed(f, name, v)
				}
			}
		}
	}
	kit.Keep(f, "session", id)
	t.calls = make([]model.Text, len(t.Nodes))
	t.Walk(func(i int) {
		if !kit.IsNull(t.Nodes[i].Value) {
			t.emitMessage(i)
		}
	})
	i := t.Find(model.Hash(current))
	for n := len(t.Nodes); i >= 0 && n > 0; n-- { // the leaf itself may have no message
		if !kit.IsNull(t.Nodes[i].Value) {
			leaf := fs.Add(model.Leaf)
			leaf.Session, leaf.Target = session, t.key(i)
			break
		}
		i = t.Nodes[i].Above
	}
}

func (t *chatGPTTree) key(i int) model.Key { return t.session.With(t.Nodes[i].Id) }

// ancestor returns the nearest node above with a message; -1 if there is none.
func (t *chatGPTTree) ancestor(i int) int {
	for range t.Nodes {
		p := t.Nodes[i].Above
		if p < 0 || p == i {
			return -1
		}
		if !kit.IsNull(t.Nodes[p].Value) {
			return p
		}
		i = p
	}
	return -1
}

// emitMessage adds the message of a node.
func (t *chatGPTTree) emitMessage(i int) {
	n := &t.Nodes[i]
	f := t.fs.Add(model.Say)
	f.Session, f.Key = t.session, t.key(i)
	above := t.ancestor(i)
	if above >= 0 {
		f.Parent = t.key(above)
	}
	var m chatGPTMessage
	m.read(f, n.Value)
	switch {
	case f.Role == model.Tool:
		m.result(f, t.callAbove(above))
	case f.Role == model.Assistant && len(m.recipient) > 0 && string(m.recipient) != "all":
		t.calls[i] = model.PlainText(n.Id)
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = t.calls[i], model.EscapedText(m.recipient), m.text()
	default:
		m.content(f)
	}
	m.attachments(f)
}

// callAbove returns the id of the call that a tool's answer belongs to.
func (t *chatGPTTree) callAbove(i int) model.Text {
	for n := 0; i >= 0 && n < len(t.Nodes); n++ {
		if !t.calls[i].Absent() {
			return t.calls[i]
		}
		if role := jsonspan.GetString(t.Nodes[i].Value, "author", "role"); string(role) == "user" {
			break
		}
		i = t.ancestor(i)
	}
	return model.Text{}
}
