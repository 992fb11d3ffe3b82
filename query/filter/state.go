package filter

import (
	"cmp"
	"context"
	"slices"

	"turns/model"
	"turns/query"
)

// state is the message under evaluation, and the memory for it: a worker reuses one for all its
// messages.
type state struct {
	ctx   context.Context
	snap  *model.Snapshot
	id    model.ID
	head  *model.Head
	calls []unitCall
	// length of the message's chain in calls; results next to its calls follow
	made    int
	itself  bool // the message is a unit in addition to its calls
	reading bool // texts may be read
	wanted  bool // a text was needed but not read
	serial  int
	hits    []textHits // by textTerm.slot
	set     *bitset    // rows whose records could contain a literal; nil: not searched
	// whether the message or one of its pairs is in set; unknown: not checked yet
	isNear truth
	body   *model.Message
	plain  *model.Reader // nil: no plain text read yet
	text   []byte        // a decoded plain text
	pairs  *query.Pairs  // nil: no text read yet
	// for each result of the message, the index of its call in calls, -1 if there is none
	units   []int32
	unitsOf int    // serial of the message of units
	memo    []memo // by leaf.slot and node.slot
	err     error  // of the first unreadable message
	unread  int
	texts   bool // texts were read for this message
	failed  bool // a text of this message was unreadable
}

// load starts the evaluation of a message.
func (st *state) load(id model.ID) {
	st.id, st.head = id, st.snap.HeadRow(id)
	st.serial++
	st.wanted, st.failed, st.texts, st.isNear, st.body = false, false, false, unknown, nil
	st.calls = st.calls[:0]
	answers := st.head.Flags&model.HasResults != 0
	for row := st.head.LastCall; row != model.NoRow; {
		c := st.snap.Call(model.CallID(row))
		st.calls = append(st.calls, unitCall{model.CallID(row), c, c.Msg == id})
		if row = c.Prev; answers {
			row = c.PrevResult
		}
	}
	for i, j := 0, len(st.calls)-1; i < j; i, j = i+1, j-1 {
		st.calls[i], st.calls[j] = st.calls[j], st.calls[i]
	}
	st.made = len(st.calls)
	for _, row := range query.OrphansAmong(st.snap, id) {
		st.calls = append(st.calls, unitCall{row, st.snap.Call(row), false})
	}
}

// memo is a result for the loaded message that is the same for all its units.
type memo struct {
	serial int // of the message
	truth  truth
	marks  marks
}

// memoOf returns the memo of a node or leaf; known reports whether it is of the loaded message.
func (st *state) memoOf(slot int) (m *memo, known bool) {
	for len(st.memo) <= slot {
		st.memo = append(st.memo, memo{})
	}
	m = &st.memo[slot]
	known = m.serial == st.serial
	m.serial = st.serial
	return m, known
}

// firstUnit returns -1 if the message itself is a unit, otherwise 0.
func (st *state) firstUnit() int {
	if st.itself {
		return -1
	}
	return 0
}

// flagged reports whether the message has a flag that applies to a unit: to the message itself, or
// to the calls of a message that has only calls.
func (st *state) flagged(call int, flags model.Flags) bool {
	return (call < 0 || !st.itself) && st.head.Flags&flags != 0
}

// prose returns marks for the parts of a message other than calls.
func (st *state) prose() (m marks) {
	f := st.head.Flags
	if f&model.HasWords != 0 && !st.onlyCalls() {
		m |= markWords
	}
	if f&model.HasReasoning != 0 {
		m |= markReasoning
	}
	if f&model.HasMedia != 0 {
		m |= markMedia
	}
	if m != 0 || len(st.calls) == 0 {
		m |= markOther
	}
	return m
}

// onlyCalls reports whether a message has only calls and results: its content is "", as many
// clients write it with calls. Then all its bytes belong to them.
func (st *state) onlyCalls() bool {
	if len(st.calls) == 0 || st.head.Flags&(model.HasReasoning|model.HasMedia) != 0 {
		return false
	}
	size := uint32(0)
	for i := range st.calls {
		c := st.calls[i].row
		if c.Msg == st.id {
			size += c.ArgsSize
		}
		if c.Result == st.id {
			size += c.ResultSize
		}
	}
	return st.head.Size <= size
}

// match evaluates a filter for the loaded message and returns marks for the matching parts.
func (st *state) match(root *node) (truth, marks) {
	st.itself = root == nil || !root.unit || len(st.calls) == 0 || st.prose() != 0
	switch {
	case root == nil:
		return yes, st.everything()
	case !root.unit && !root.text:
		t, _ := root.eval(st, -1)
		return t, st.everything()
	case root.op == nodeAnd:
		for _, k := range root.kids {
			if k.unit || k.text {
				break
			}
			if t, _ := k.eval(st, -1); t == no {
				return no, 0
			}
		}
	}
	best, all := no, marks(0)
	for u := st.firstUnit(); u < len(st.calls); u++ {
		t, m := root.eval(st, u)
		best = max(best, t)
		if t != yes {
			continue
		}
		if m == markAll && u >= 0 {
			m = markCall(u)
		} else if m == markAll {
			m = st.prose()
		}
		all |= m
	}
	if st.wanted && best != no { // a text may add marks
		return unknown, 0
	}
	return best, all
}

func (st *state) everything() marks {
	m := st.prose()
	for i := range st.calls {
		m |= markCall(i)
	}
	return m
}

// near reports whether the records of the message, or of one paired with its calls, could contain a
// literal.
func (st *state) near() bool {
	if st.set == nil {
		return true
	}
	if st.isNear == unknown {
		found := st.set.has(uint32(st.id))
		for i := 0; i < len(st.calls) && !found; i++ {
			c := st.calls[i].row
			found = c.Msg != model.NoID && st.set.has(uint32(c.Msg)) || c.Result != model.NoID && st.set.has(uint32(c.Result))
		}
		st.isNear = truthOf(found)
	}
	return st.isNear == yes
}

// named reports whether the message made a call of a tool in the set.
func (st *state) named(names []bool) bool {
	return slices.ContainsFunc(st.calls, func(u unitCall) bool { return u.made && names[u.row.Tool] })
}

// message returns the loaded message with its texts, nil if it is unreadable.
func (st *state) message() *model.Message {
	if st.body == nil && !st.failed {
		if m := st.paired(st.id); m != nil {
			st.body = m.Message
		}
	}
	return st.body
}

// paired returns a message with its texts and the positions of its calls and results, nil if it is
// unreadable.
func (st *state) paired(id model.ID) *query.PairedMessage {
	if id == model.NoID || id == st.id && st.failed {
		return nil
	}
	if st.pairs == nil {
		st.pairs = query.NewPairs(st.snap)
	}
	st.texts = true
	m, err := st.pairs.Message(st.ctx, id)
	if err != nil {
		if !st.failed {
			st.unread++
		}
		st.failed = true
		if st.err == nil {
			st.err = err
		}
		return nil
	}
	return m
}

// callBlock returns the block of a call in the message that made it, nil if there is none.
func (st *state) callBlock(u *unitCall) *model.Content {
	m := st.paired(u.row.Msg)
	if m == nil {
		return nil
	}
	return m.At(st.pairs.Places(m).Call(u.id))
}

// resultBlock returns the block of a call's result, nil if there is none.
func (st *state) resultBlock(u *unitCall) *model.Content {
	m := st.paired(u.row.Result)
	if m == nil {
		return nil
	}
	return m.At(st.pairs.Places(m).Result(u.id, st.callID(u)))
}

// callID returns the id of a call as recorded.
func (st *state) callID(u *unitCall) string {
	if b := st.callBlock(u); b != nil {
		return b.ID
	}
	return ""
}

// ownBlock returns the block of a call in the loaded message.
func (st *state) ownBlock(u *unitCall) *model.Content {
	if u.made {
		return st.callBlock(u)
	}
	return st.resultBlock(u)
}

// madeUnit returns the index in st.calls of the n-th call block of the message, -1 if the message
// did not make it.
func (st *state) madeUnit(n int) int {
	if n < len(st.calls) && st.calls[n].made && int(st.calls[n].row.Block) == n {
		return n
	}
	i, ok := slices.BinarySearchFunc(st.calls[:st.made], n, func(u unitCall, n int) int { return cmp.Compare(int(u.row.Block), n) })
	if !ok || !st.calls[i].made {
		return -1
	}
	return i
}

// resultUnit returns the index in st.calls of the call that the n-th result of the message answers,
// -1 if there is none.
func (st *state) resultUnit(n int) int {
	if st.unitsOf != st.serial {
		st.unitsOf = st.serial
		st.findUnits()
	}
	if n < len(st.units) {
		return int(st.units[n])
	}
	return -1
}

func (st *state) findUnits() {
	st.units = st.units[:0]
	m := st.paired(st.id)
	if m == nil {
		return
	}
	at := st.pairs.Places(m)
	ordered := st.head.Flags&model.HasResults != 0 && len(at.Results) == len(st.calls)
	for n := range at.Results {
		if st.units = append(st.units, -1); ordered {
			st.units[n] = int32(n)
		}
	}
	if ordered {
		return
	}
	for i := range st.calls {
		if u := &st.calls[i]; u.row.Result == st.id {
			if n := at.Rank(u.id, st.callID(u)); n >= 0 && st.units[n] < 0 {
				st.units[n] = int32(i)
			}
		}
	}
}

// bitset is a set of rows.
type bitset struct{ words []uint64 }

func newBitset(n int) *bitset { return &bitset{make([]uint64, (n+63)/64)} }

func (b *bitset) has(n uint32) bool {
	w := int(n >> 6)
	return b != nil && w < len(b.words) && b.words[w]&(1<<(n&63)) != 0
}

func (b *bitset) add(n uint32) { b.words[n>>6] |= 1 << (n & 63) }

func (b *bitset) remove(n uint32) { b.words[n>>6] &^= 1 << (n & 63) }
