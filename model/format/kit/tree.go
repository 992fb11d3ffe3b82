package kit

import (
	"cmp"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// MessageTree is a tree of messages, recorded as an object by their ids in any order. Each message
// names its parent and its children.
type MessageTree struct {
	Nodes []treeNode
	byKey []int // indices of the nodes, by key
}

// treeNode is a node of the tree: raw values.
type treeNode struct {
	Id, Value, children []byte
	key, parent         model.Key // hashes of the ids
	Above               int       // index of the parent, -1: none
	spoken              bool
}

// Read consumes the object. The arguments are the names of the fields of a node; an empty value
// means the node itself. If the object is cut off or broken, it reads the nodes before the error.
func (t *MessageTree) Read(c *jsonspan.Cursor, value, parent, children string) {
	before := *c
	if t.readNodes(c, value, parent, children); c.Err != nil {
		*c = before
		whole := jsonspan.New(EvalValue(c))
		t.readNodes(&whole, value, parent, children)
	}
	t.byKey = make([]int, len(t.Nodes))
	for i := range t.byKey {
		t.byKey[i] = i
	}
	slices.SortStableFunc(t.byKey, func(a, b int) int { return cmp.Compare(t.Nodes[a].key, t.Nodes[b].key) })
	alone := 0
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Above = t.Find(n.parent); n.parent == 0 {
			alone++
		}
	}
	if alone > 1 {
		t.adopt()
	}
}

func (t *MessageTree) readNodes(c *jsonspan.Cursor, value, parent, children string) {
	const usual = 500 // typical bytes of a node
	t.Nodes = make([]treeNode, 0, min(1+(len(c.Buf)-c.Pos)/usual, 1000))
	for c.Object(); c.Key(); {
		n := treeNode{Id: c.Name, key: model.Hash(c.Name)}
		c.Kind() // skip white space
		before := *c
		fields := Fields{Raw(value, &n.Value), Raw(children, &n.children)}
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case parent:
				n.parent = model.Hash(c.String())
			default:
				fields.Read(c)
			}
		}
		if c.Err != nil { // invalid inside, or cut off
			*c = before
			if c.Skip(); c.Err != nil {
				return
			}
		}
		if value == "" {
			n.Value = c.Buf[before.Pos:c.Pos]
		}
		t.Nodes = append(t.Nodes, n)
	}
}

// adopt attaches nodes that name no parent to the node that names them as its child: a tree has one
// node without a parent.
func (t *MessageTree) adopt() {
	for i := range t.Nodes {
		c := jsonspan.New(t.Nodes[i].children)
		for c.Array(); c.More(); {
			if child := t.Find(model.Hash(c.String())); child >= 0 && child != i && t.Nodes[child].parent == 0 {
				t.Nodes[child].Above = i
			}
		}
	}
}

// Find returns the index of the node with an id, the last if several have it; -1 if there is none.
func (t *MessageTree) Find(id model.Key) int {
	from, to := 0, len(t.byKey)
	for from < to { // the first after the id
		if half := (from + to) / 2; t.Nodes[t.byKey[half]].key <= id {
			from = half + 1
		} else {
			to = half
		}
	}
	if from == 0 || id == 0 || t.Nodes[t.byKey[from-1]].key != id {
		return -1
	}
	return t.byKey[from-1]
}

// Walk visits each node once, depth first: parents before their children, and children in the order
// of their parent.
func (t *MessageTree) Walk(visit func(i int)) {
	var stack []int
	for i := range t.Nodes {
		if t.Nodes[i].Above < 0 {
			stack = t.descend(i, stack, visit)
		}
	}
	var path []int
	for i := range t.Nodes { // its parent does not name it, or it is in a cycle
		path = path[:0]
		for at := i; at >= 0 && !t.Nodes[at].spoken && len(path) < len(t.Nodes); at = t.Nodes[at].Above {
			path = append(path, at)
		}
		if len(path) == len(t.Nodes) { // a cycle
			path = path[:1]
		}
		for _, at := range slices.Backward(path) {
			stack = t.descend(at, stack, visit)
		}
	}
}

// descend visits a node and its descendants. It has its own stack, because a conversation may be
// thousands of messages deep.
func (t *MessageTree) descend(i int, stack []int, visit func(i int)) []int {
	stack = append(stack[:0], i)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &t.Nodes[i]
		if n.spoken {
			continue
		}
		n.spoken = true
		visit(i)
		from := len(stack)
		c := jsonspan.New(n.children)
		for c.Array(); c.More(); {
			if child := t.Find(model.Hash(c.String())); child >= 0 {
				stack = append(stack, child)
			}
		}
		slices.Reverse(stack[from:]) // walk the first child first
	}
	return stack
}
