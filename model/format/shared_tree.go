package format

import (
	"cmp"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// messageTree is a tree of messages that is recorded as an object by their ids, in
// which each names its parent and its children. The object may have them in any
// order.
type messageTree struct {
	nodes []treeNode
	byKey []int // the nodes in the order of their keys
}

// treeNode is a node of the tree: raw values.
type treeNode struct {
	id, value, children []byte
	key, parent         model.Key // hashes of the ids
	above               int       // the parent, -1 where there is none
	said                bool
}

// read consumes the object. The names are those of the fields of a node; value is
// "" where all of the node is meant. Of an object that is cut off or broken inside
// the nodes before are there.
func (t *messageTree) read(c *jsonspan.Cursor, value, parent, children string) {
	before := *c
	if t.readNodes(c, value, parent, children); c.Err != nil {
		*c = before
		whole := jsonspan.New(evalValue(c))
		t.readNodes(&whole, value, parent, children)
	}
	t.byKey = make([]int, len(t.nodes))
	for i := range t.byKey {
		t.byKey[i] = i
	}
	slices.SortStableFunc(t.byKey, func(a, b int) int { return cmp.Compare(t.nodes[a].key, t.nodes[b].key) })
	alone := 0
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.above = t.find(n.parent); n.parent == 0 {
			alone++
		}
	}
	if alone > 1 {
		t.adopt()
	}
}

func (t *messageTree) readNodes(c *jsonspan.Cursor, value, parent, children string) {
	const usual = 500 // bytes of a node
	t.nodes = make([]treeNode, 0, min(1+(len(c.Buf)-c.Pos)/usual, 1000))
	for c.Object(); c.Key(); {
		n := treeNode{id: c.Name, key: model.Hash(c.Name)}
		c.Kind() // past white space
		before := *c
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case value:
				n.value = c.Skip()
			case parent:
				n.parent = model.Hash(c.String())
			case children:
				n.children = c.Skip()
			default:
				c.Skip()
			}
		}
		if c.Err != nil { // broken inside, or cut off
			*c = before
			if c.Skip(); c.Err != nil {
				return
			}
		}
		if value == "" {
			n.value = c.Buf[before.Pos:c.Pos]
		}
		t.nodes = append(t.nodes, n)
	}
}

// adopt hangs nodes that name no parent below the one that names them as its child:
// a tree has one node without a parent.
func (t *messageTree) adopt() {
	for i := range t.nodes {
		c := jsonspan.New(t.nodes[i].children)
		for c.Array(); c.More(); {
			if child := t.find(model.Hash(c.String())); child >= 0 && child != i && t.nodes[child].parent == 0 {
				t.nodes[child].above = i
			}
		}
	}
}

// find is the node with an id, the last where several have it; -1 for none.
func (t *messageTree) find(id model.Key) int {
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

// walk visits each node once, depth first: parents come before their children,
// those of one parent in the order that it has them in.
func (t *messageTree) walk(visit func(i int)) {
	var stack []int
	for i := range t.nodes {
		if t.nodes[i].above < 0 {
			stack = t.descend(i, stack, visit)
		}
	}
	var path []int
	for i := range t.nodes { // what its parent does not name, or hangs in a ring
		path = path[:0]
		for at := i; at >= 0 && !t.nodes[at].said && len(path) < len(t.nodes); at = t.nodes[at].above {
			path = append(path, at)
		}
		if len(path) == len(t.nodes) { // round and round
			path = path[:1]
		}
		for _, at := range slices.Backward(path) {
			stack = t.descend(at, stack, visit)
		}
	}
}

// descend visits a node and what hangs on it. The stack is its own: a conversation
// may be thousands of messages deep.
func (t *messageTree) descend(i int, stack []int, visit func(i int)) []int {
	stack = append(stack[:0], i)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &t.nodes[i]
		if n.said {
			continue
		}
		n.said = true
		visit(i)
		from := len(stack)
		c := jsonspan.New(n.children)
		for c.Array(); c.More(); {
			if child := t.find(model.Hash(c.String())); child >= 0 {
				stack = append(stack, child)
			}
		}
		slices.Reverse(stack[from:]) // the first child is to be walked first
	}
	return stack
}
