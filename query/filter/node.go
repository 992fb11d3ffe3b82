package filter

import (
	"cmp"
	"slices"

	"turns/model"
	"turns/query/lang"
)

// A filter is evaluated over the units of a message: the message itself, and each call that it made
// or answers. Terms about a call apply to the unit's call; terms about the message apply to all its
// units; a text counts for a call if it is in the message outside the other calls. The message
// matches if one of its units does.
//
// Each term that holds also marks its matching parts: blocks of the message, or its calls. A
// conjunction marks the common marks of all its terms or, if there are none, those of each: for
// "foo tool:Bash" the words and the call.

// truth is the result of a node so far: texts may be unread, tokens uncounted.
type truth int8

const (
	no truth = iota
	unknown
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// marks are bits for the matching parts of a message. The last bit also represents all later calls.
type marks uint64

const (
	markWords marks = 1 << iota
	markReasoning
	markMedia
	markOther
	markCalls // the first call; the next bits are the next calls
	markAll   = ^marks(0)
	markProse = markCalls - 1
)

func markCall(n int) marks { return markCalls << min(n, 59) }

type nodeOp uint8

const (
	nodeLeaf nodeOp = iota
	nodeAnd
	nodeOr
	nodeNot
)

// node is a compiled Node.
type node struct {
	op     nodeOp
	kids   []*node
	leaf   *leaf
	scoped bool // a group within a group: its terms apply to a call that may be another one
	body   bool // texts may be needed
	unit   bool // some terms are about a call
	text   bool // some terms mark parts
	slot   int  // of a scoped group, in state.memo
}

// leaf is a compiled Term; exactly one of msg, unit and body is set.
type leaf struct {
	term *lang.Term
	neg  bool                  // under an odd number of negations
	msg  func(st *state) truth // about the message, from its head
	// about a call (or the message: -1), from heads; 0 if it does not hold
	unit func(st *state, call int) marks
	body func(st *state, call int) (bool, marks) // from texts
	// of body: false if heads show that it cannot hold; nil: they never do
	near func(st *state) bool
	// of body: records with none of these cannot match, unless name matches
	lits [][]byte
	name []bool // of body: names of tools that match by themselves
	// of body: messages that match by the recorded texts about their conversation
	recorded map[model.ID]bool
	pass     bool // lits were searched: state.near has the result
	// the result is the same for all units, and expensive
	once bool
	slot int // in state.memo
}

// eval evaluates a node for a unit: call is an index into st.calls, or -1.
func (n *node) eval(st *state, call int) (truth, marks) {
	switch n.op {
	case nodeLeaf:
		return n.leaf.eval(st, call)
	case nodeNot:
		t, _ := n.kids[0].eval(st, call)
		return yes - t, markAll
	case nodeOr:
		return n.or(st, call)
	}
	if !n.scoped {
		return n.and(st, call)
	}
	if m, known := st.memoOf(n.slot); known { // it is independent of the unit
		return m.truth, markAll
	}
	best := no
	for u := st.firstUnit(); u < len(st.calls) && best != yes; u++ {
		t, _ := n.and(st, u)
		best = max(best, t)
	}
	st.memo[n.slot].truth = best
	return best, markAll
}

func (n *node) and(st *state, call int) (truth, marks) {
	result, both, either := yes, markAll, marks(0)
	for _, k := range n.kids {
		t, m := k.eval(st, call)
		if t == no {
			return no, 0
		}
		result = min(result, t)
		if t == yes && m != markAll {
			both &= m
			either |= m
		}
	}
	both = cmp.Or(both, either)
	return result, both
}

func (n *node) or(st *state, call int) (truth, marks) {
	result, all := no, marks(0)
	for _, k := range n.kids {
		t, m := k.eval(st, call)
		result = max(result, t)
		if t == yes {
			if all |= m; all == markAll {
				break
			}
		}
	}
	return result, all
}

func (l *leaf) eval(st *state, call int) (truth, marks) {
	if !l.once {
		return l.look(st, call)
	}
	m, known := st.memoOf(l.slot)
	if !known {
		m.truth, m.marks = l.look(st, call)
	}
	return m.truth, m.marks
}

func (l *leaf) look(st *state, call int) (truth, marks) {
	switch {
	case l.msg != nil:
		return l.msg(st), markAll
	case l.unit != nil:
		m := l.unit(st, call)
		return truthOf(m != 0), m
	}
	if l.recorded[st.id] {
		return yes, markWords
	}
	if l.near != nil && !l.near(st) || l.pass && !st.near() && !l.named(st) {
		return no, 0
	}
	if !st.reading {
		st.wanted = true
		return unknown, 0
	}
	ok, m := l.body(st, call)
	if !ok {
		return no, 0
	}
	return yes, m
}

// named reports whether a call of the message has a tool whose name matches by itself.
func (l *leaf) named(st *state) bool {
	if l.name == nil {
		return false
	}
	m, known := st.memoOf(l.slot)
	if !known {
		m.truth = truthOf(st.named(l.name))
	}
	return m.truth == yes
}

// node compiles a node of the tree; underAnd reports that its parent is an And.
func (c *compiler) node(n lang.Node, neg, underAnd bool) (*node, error) {
	out := &node{slot: c.slots}
	c.slots++
	var kids []lang.Node
	switch n := n.(type) {
	case *lang.Term:
		l, err := c.leaf(n, neg)
		if err != nil {
			return nil, err
		}
		out.leaf, l.slot = l, out.slot
		out.body, out.unit = l.body != nil, l.unit != nil || isCallText(n.Key) || n.Key == lang.KeyID
		out.text = l.msg == nil
		return out, nil
	case *lang.And:
		out.op, out.scoped, kids = nodeAnd, underAnd, n.Kids
	case *lang.Or:
		out.op, kids = nodeOr, n.Kids
	case *lang.Not:
		out.op, neg, kids = nodeNot, !neg, []lang.Node{n.Kid}
	}
	for _, kid := range kids {
		k, err := c.node(kid, neg, out.op == nodeAnd)
		if err != nil {
			return nil, err
		}
		out.kids = append(out.kids, k)
		out.body, out.unit, out.text = out.body || k.body, out.unit || k.unit, out.text || k.text
	}
	// cheapest first; marks do not depend on the order
	if out.op == nodeAnd || out.op == nodeOr {
		slices.SortStableFunc(out.kids, func(a, b *node) int { return cmp.Compare(a.cost(), b.cost()) })
	}
	return out, nil
}

func isCallText(k lang.Key) bool {
	return k == lang.KeyArgs || k == lang.KeyResult || k == lang.KeyFile || k == lang.KeyDoes
}

func (n *node) cost() int {
	switch {
	case n.body:
		return 2
	case n.unit || n.text:
		return 1
	}
	return 0
}

// required chooses terms with literals, of which at least one must hold if the node does, and
// returns the length of the shortest literal; 0 if there are none.
func (n *node) required(out []*leaf) ([]*leaf, int) {
	switch n.op {
	case nodeLeaf:
		if n.leaf.body == nil || n.leaf.lits == nil {
			return out, 0
		}
		worth := 1 << 30
		for _, lit := range n.leaf.lits {
			worth = min(worth, textPlainRun(string(lit)))
		}
		return append(out, n.leaf), worth
	case nodeAnd:
		var best []*leaf
		most := 0
		for _, k := range n.kids {
			if found, worth := k.required(nil); worth > most {
				best, most = found, worth
			}
		}
		return append(out, best...), most
	case nodeOr:
		least := 1 << 30
		for _, k := range n.kids {
			found, worth := k.required(nil)
			if worth == 0 {
				return out, 0
			}
			out, least = append(out, found...), min(least, worth)
		}
		return out, least
	}
	return out, 0
}

// withLiterals collects all terms with literals.
func (n *node) withLiterals(out []*leaf) []*leaf {
	if n.op == nodeLeaf && n.leaf.body != nil && n.leaf.lits != nil {
		return append(out, n.leaf)
	}
	for _, k := range n.kids {
		out = k.withLiterals(out)
	}
	return out
}

// unitCall is a call of the evaluated message.
type unitCall struct {
	id   model.CallID
	row  *model.Call
	made bool // the message made it; otherwise it answers it
}
