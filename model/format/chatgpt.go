package format

import (
	"bytes"

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
		Parse: func(rec model.Record, fs *model.Facts) error { return evalEach(rec, fs, chatGPTConversation) },
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

// chatGPTNode is a node of the tree: raw values.
type chatGPTNode struct {
	id, parent, message, children []byte
	said                          bool
	call                          model.Text // of a node that calls a tool: its message's id
}

type chatGPTTree struct {
	fs      *model.Facts
	session model.Key
	nodes   []chatGPTNode
	at      map[model.Key]int // by the hash of the id
}

func chatGPTConversation(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	f := fs.Add(model.About)
	f.Session = session
	t := chatGPTTree{fs: fs, session: session}
	var mapping, current, id []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "mapping":
			mapping = evalValue(c)
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
	t.read(mapping)
	for i := range t.nodes {
		if _, ok := t.at[model.Hash(t.nodes[i].parent)]; !ok {
			t.walk(i)
		}
	}
	for i := range t.nodes {
		t.walk(i) // what hangs in a ring
	}
	for n := len(t.nodes); current != nil && n > 0; n-- { // the leaf itself may say nothing
		i, ok := t.at[model.Hash(current)]
		if !ok {
			break
		}
		if !isNull(t.nodes[i].message) {
			leaf := fs.Add(model.Leaf)
			leaf.Session, leaf.Target = session, t.key(i)
			break
		}
		current = t.nodes[i].parent
	}
}

func (t *chatGPTTree) read(mapping []byte) {
	n := min(bytes.Count(mapping, []byte(`"children"`)), 1000) // about as many nodes
	t.nodes, t.at = make([]chatGPTNode, 0, n), make(map[model.Key]int, n)
	c := jsonspan.New(mapping)
	for c.Object(); c.Key(); {
		n := chatGPTNode{id: c.Name}
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "message":
				n.message = c.Skip()
			case "parent":
				n.parent = c.String()
			case "children":
				n.children = c.Skip()
			default:
				c.Skip()
			}
		}
		if c.Err != nil {
			return // cut off
		}
		t.at[model.Hash(n.id)] = len(t.nodes)
		t.nodes = append(t.nodes, n)
	}
}

func (t *chatGPTTree) key(i int) model.Key { return t.session.With(t.nodes[i].id) }

// walk says a node and what hangs on it, depth first. The stack is its own: a
// conversation may be thousands of messages deep.
func (t *chatGPTTree) walk(i int) {
	stack := []int{i}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &t.nodes[i]
		if n.said {
			continue
		}
		n.said = true
		if !isNull(n.message) {
			t.say(i)
		}
		from := len(stack)
		c := jsonspan.New(n.children)
		for c.Array(); c.More(); {
			if child, ok := t.at[model.Hash(c.String())]; ok {
				stack = append(stack, child)
			}
		}
		for a, b := from, len(stack)-1; a < b; a, b = a+1, b-1 { // the first child is to be walked first
			stack[a], stack[b] = stack[b], stack[a]
		}
	}
}

// ancestor is the nearest node above that says something, -1 if there is none.
func (t *chatGPTTree) ancestor(i int) int {
	for range t.nodes {
		p, ok := t.at[model.Hash(t.nodes[i].parent)]
		if !ok || p == i {
			return -1
		}
		if !isNull(t.nodes[p].message) {
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
	m.read(f, n.message)
	switch {
	case f.Role == model.Tool:
		m.result(f, t.callAbove(above))
	case f.Role == model.Assistant && len(m.recipient) > 0 && string(m.recipient) != "all":
		n.call = model.PlainText(n.id)
		b := f.Add(model.ToolCall)
		b.ID, b.Name, b.Text = n.call, model.EscapedText(m.recipient), m.text()
	default:
		m.content(f)
	}
	m.attachments(f)
}

// callAbove is the id of the call that a tool's answer belongs to.
func (t *chatGPTTree) callAbove(i int) model.Text {
	for n := 0; i >= 0 && n < len(t.nodes); n++ {
		if !t.nodes[i].call.Absent() {
			return t.nodes[i].call
		}
		if role := jsonspan.GetString(t.nodes[i].message, "author", "role"); string(role) == "user" {
			break
		}
		i = t.ancestor(i)
	}
	return model.Text{}
}
