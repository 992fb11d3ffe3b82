package format

import (
	"cmp"
	"slices"

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

// chatGPTNode is a node of the tree: raw values.
type chatGPTNode struct {
	id, message, children []byte
	key, parent           model.Key // hashes of the ids
	above                 int       // the parent, -1 where there is none
	said                  bool
	call                  model.Text // of a node that calls a tool: its message's id
}

type chatGPTTree struct {
	fs      *model.Facts
	session model.Key
	nodes   []chatGPTNode
	byKey   []int // the nodes in the order of their keys
	stack   []int // of walk
}

func chatGPTConversation(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	f := fs.Add(model.About)
	f.Session = session
	t := chatGPTTree{fs: fs, session: session}
	var current, id []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "mapping":
			before := *c
			if t.read(c); c.Err != nil { // cut off, or broken inside
				*c = before
				mapping := jsonspan.New(evalValue(c))
				t.read(&mapping)
			}
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
	t.order()
	for i := range t.nodes {
		if t.nodes[i].above < 0 {
			t.walk(i)
		}
	}
	for i := range t.nodes {
		t.walk(i) // what hangs in a ring
	}
	i := t.find(model.Hash(current))
	for n := len(t.nodes); i >= 0 && n > 0; n-- { // the leaf itself may say nothing
		if !isNull(t.nodes[i].message) {
			leaf := fs.Add(model.Leaf)
			leaf.Session, leaf.Target = session, t.key(i)
			break
		}
		i = t.nodes[i].above
	}
}

// read consumes the mapping.
func (t *chatGPTTree) read(c *jsonspan.Cursor) {
	const usual = 1000 // bytes of a node
	t.nodes = make([]chatGPTNode, 0, min(8+(len(c.Buf)-c.Pos)/usual, 1000))
	for c.Object(); c.Key(); {
		n := chatGPTNode{id: c.Name, key: model.Hash(c.Name)}
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "message":
				n.message = c.Skip()
			case "parent":
				n.parent = model.Hash(c.String())
			case "children":
				n.children = c.Skip()
			default:
				c.Skip()
			}
		}
		if c.Err != nil {
			break // cut off
		}
		t.nodes = append(t.nodes, n)
	}
}

// order finds the parents of the nodes.
func (t *chatGPTTree) order() {
	ints := make([]int, 2*len(t.nodes))
	t.byKey, t.stack = ints[:len(t.nodes):len(t.nodes)], ints[len(t.nodes):len(t.nodes)]
	for i := range t.byKey {
		t.byKey[i] = i
	}
	slices.SortStableFunc(t.byKey, func(a, b int) int { return cmp.Compare(t.nodes[a].key, t.nodes[b].key) })
	for i := range t.nodes {
		t.nodes[i].above = t.find(t.nodes[i].parent)
	}
}

// find is the node with an id, the last where several have it; -1 for none.
func (t *chatGPTTree) find(id model.Key) int {
	from, to := 0, len(t.byKey)
	for from < to { // the first behind the id
		if half := (from + to) / 2; t.nodes[t.byKey[half]].key <= id {
			from = half + 1
		} else {
			to = half
		}
	}
	if from == 0 || id == 0 || t.nodes[t.byKey[from-1]].key != id {
		return -1
	}
	return t.byKey[from-1]
}

func (t *chatGPTTree) key(i int) model.Key { return t.session.With(t.nodes[i].id) }

// walk says a node and what hangs on it, depth first. The stack is its own: a
// conversation may be thousands of messages deep.
func (t *chatGPTTree) walk(i int) {
	stack := append(t.stack[:0], i)
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
			if child := t.find(model.Hash(c.String())); child >= 0 {
				stack = append(stack, child)
			}
		}
		slices.Reverse(stack[from:]) // the first child is to be walked first
	}
	t.stack = stack
}

// ancestor is the nearest node above that says something, -1 if there is none.
func (t *chatGPTTree) ancestor(i int) int {
	for range t.nodes {
		p := t.nodes[i].above
		if p < 0 || p == i {
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
