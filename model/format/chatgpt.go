package format

import (
	"turns/model"
	"turns/model/jsonspan"
)

// chatGPTFormat is the export of a ChatGPT account (conversations.json), or one
// conversation of it. A conversation is a tree of messages with a live leaf.
func chatGPTFormat() *model.Format {
	return &model.Format{
		Name:   "chatgpt",
		Title:  "ChatGPT export",
		Where:  []string{"~/Downloads/*/conversations.json"},
		Detect: chatGPTDetect,
		Lists: func(m model.Match) []string {
			if m.Variant == evalList {
				return []string{wholeList}
			}
			return nil
		},
		Parse: func(rec model.Record, fs *model.Facts) error {
			r := evalOpen(rec)
			for r.next(fs) {
				chatGPTConversation(&r.c, r.session, fs)
			}
			return r.close(fs)
		},
		Order: model.Tree,
	}
}

func chatGPTDetect(s *model.Sample) model.Match {
	v, ok := evalVariant(s, func(v []byte) bool {
		m, found := seek(v, "mapping")
		if !found || m.Kind() != jsonspan.Object {
			return false
		}
		if evalHas(v, "current_node") {
			return true
		}
		m.Object()
		return m.Key() && evalHas(m.Buf[m.Pos:], "message")
	})
	if !ok {
		return model.Match{}
	}
	return model.Match{Score: 95, Variant: v, Reason: "a conversation with a mapping of nodes and its current_node"}
}

// chatGPTTree is the tree of a conversation, whose nodes have a message or none.
type chatGPTTree struct {
	messageTree
	fs      *model.Facts
	session model.Key
	calls   []model.Text // of nodes that call a tool: their messages' ids
}

func chatGPTConversation(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	f := fs.Add(model.About)
	f.Session = session
	t := chatGPTTree{fs: fs, session: session}
	var current, id []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "mapping":
			t.read(c, "message", "parent", "children")
		case "current_node":
			current = c.String()
		case "title":
			keep(f, "title", c.Skip())
		case "conversation_id":
			id = c.Skip()
		case "id":
			if v := c.Skip(); id == nil {
				id = v
			}
		case "default_model_slug":
			keep(f, "model", c.Skip())
		case "create_time":
			f.Time = readMoment(c)
		case "moderation_results", "plugin_ids", "safe_urls", "blocked_urls":
			keepField(f, c)
		default:
			name := c.Name
			if v := c.Skip(); string(v) != "false" {
				keepNamed(f, name, v)
			}
		}
	}
	keep(f, "session", id)
	t.calls = make([]model.Text, len(t.nodes))
	t.walk(func(i int) {
		if !isNull(t.nodes[i].value) {
			t.say(i)
		}
	})
	i := t.find(model.Hash(current))
	for n := len(t.nodes); i >= 0 && n > 0; n-- { // the leaf itself may say nothing
		if !isNull(t.nodes[i].value) {
			leaf := fs.Add(model.Leaf)
			leaf.Session, leaf.Target = session, t.key(i)
			break
		}
		i = t.nodes[i].above
	}
}

func (t *chatGPTTree) key(i int) model.Key { return t.session.With(t.nodes[i].id) }

// ancestor is the nearest node above that says something, -1 if there is none.
func (t *chatGPTTree) ancestor(i int) int {
	for range t.nodes {
		p := t.nodes[i].above
		if p < 0 || p == i {
			return -1
		}
		if !isNull(t.nodes[p].value) {
			return p
		}
		i = p
	}
	return -1
}

// say says the message of a node.
func (t *chatGPTTree) say(i int) {
	n := &t.nodes[i]
	f := t.fs.Add(model.Say)
	f.Session, f.Key = t.session, t.key(i)
	above := t.ancestor(i)
	if above >= 0 {
		f.Parent = t.key(above)
	}
	var m chatGPTMessage
	m.read(f, n.value)
	switch {
	case f.Role == model.Tool:
		m.result(f, t.callAbove(above))
	case f.Role == model.Assistant && len(m.recipient) > 0 && string(m.recipient) != "all":
		t.calls[i] = model.PlainText(n.id)
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = t.calls[i], model.EscapedText(m.recipient), m.text()
	default:
		m.content(f)
	}
	m.attachments(f)
}

// callAbove is the id of the call that a tool's answer belongs to.
func (t *chatGPTTree) callAbove(i int) model.Text {
	for n := 0; i >= 0 && n < len(t.nodes); n++ {
		if !t.calls[i].Absent() {
			return t.calls[i]
		}
		if role := jsonspan.GetString(t.nodes[i].value, "author", "role"); string(role) == "user" {
			break
		}
		i = t.ancestor(i)
	}
	return model.Text{}
}
