package stitch

import (
	"cmp"
	"maps"
	"slices"

	"turns/model"
)

// note adds a row of bookkeeping, attached to the call that it reports on.
func (b *Builder) note(batch *Batch, g *gist, kind uint16) {
	thread := b.thread(g)
	b.ix.Notes++
	// the bookkeeping record shows that the turn has ended
	if g.stop != model.StopUnknown && b.ix.Threads[thread].Main {
		b.ix.Sessions[b.ix.Threads[thread].Session].Stop = g.stop
	}
	parent := model.NoID
	if g.target != 0 {
		if row, ok := b.target(g.target); ok {
			parent = b.ix.Calls.Row(int(row)).Msg
			b.reported(reportOf(batch, g), row)
		} else if len(b.reports) < reportsMost {
			b.reports[g.target] = reportOf(batch, g)
		}
	}
	if parent == model.NoID {
		parent = b.link(g)
	}
	if g.aside {
		b.threadState[thread].requested = true
	}
	g.op = model.Note
	b.row(g, thread, parent, kind)
	if g.usage >= 0 {
		u := batch.usages[g.usage]
		b.meter(&u, thread, g.flags)
	}
}

// target returns the call that a key names.
func (b *Builder) target(key model.Key) (model.CallID, bool) {
	if c, ok := b.open.byID[key]; ok {
		return c.row, true
	}
	c, ok := b.calls.get(key)
	return c.row, ok
}

// report is a note's data about its call: the outcome and the duration.
type report struct {
	took    uint32 // ms; NoTook: unknown
	outcome model.Outcome
	leave   bool // it waits for permission
}

// reportsMost limits the notes that wait for their calls at a time.
const reportsMost = 1 << 16

func reportOf(batch *Batch, g *gist) report {
	r := report{took: model.NoTook, outcome: g.outcome}
	for _, block := range batch.blocks[g.block : g.block+g.blocks] {
		if block.took != model.NoTook {
			r.took = block.took
		}
		r.leave = r.leave || block.leave
	}
	return r
}

// recall applies to a call the report that arrived before it, as with spans that are sent when they
// end.
func (b *Builder) recall(call model.Key) {
	r, ok := b.reports[call]
	if !ok || call == 0 {
		return
	}
	if row, ok := b.target(call); ok {
		delete(b.reports, call)
		b.reported(r, row)
	}
}

// reported applies a note's report to its call.
func (b *Builder) reported(r report, row model.CallID) {
	if r.outcome == model.Unknown && r.took == model.NoTook && !r.leave {
		return
	}
	c := b.ix.Calls.Amend(int(row))
	switch {
	case r.leave:
		c.Flags |= model.NeedsLeave
	case r.outcome == model.Running: // permission was granted
		c.Flags &^= model.NeedsLeave
	}
	if r.took != model.NoTook {
		c.Took, c.Flags = r.took, c.Flags&^model.TookDerived
	}
	if r.outcome.Failed() || r.outcome != model.Unknown && c.Outcome == model.Unknown {
		c.Outcome = r.outcome
	}
	b.amendEnds(c)
}

// lookBack applies facts that change earlier rows or describe the conversation.
func (b *Builder) lookBack(batch *Batch, g *gist, thread uint32) {
	switch g.op {
	case model.Meter:
		if g.usage >= 0 {
			u := batch.usages[g.usage]
			b.meter(&u, thread, g.flags)
		}
	case model.Life:
		if id, ok := b.find(g.target); ok {
			b.amend(id).Flags |= g.flags
		}
	case model.Leaf:
		if id, ok := b.find(g.target); ok {
			b.leaves[b.sessionOf(id)], b.dirty = id, true
		}
	case model.Child:
		b.child(batch, g, thread)
	case model.Retract:
		if id, ok := b.find(g.target); ok {
			b.erase(func(x model.ID) bool { return x == id })
		}
	case model.About:
		if g.about != 0 {
			b.threadState[thread].announced = b.name(batch, g.about)
		}
	default:
		b.event(batch, g, thread)
		return
	}
	if g.solo {
		kind := b.name(batch, g.name)
		if kind == 0 {
			kind = b.intern(opKinds[g.op])
		}
		g.usage = -1
		b.note(batch, g, kind)
	}
}

// opKinds has the kinds of the notes that show records without a message.
var opKinds = map[model.Op]string{
	model.Meter: "usage", model.About: "about", model.Leaf: "branch", model.Life: "life cycle",
	model.Child: "subagent", model.Retract: "retraction",
}

// event adds a row that affects earlier or later rows.
func (b *Builder) event(batch *Batch, g *gist, thread uint32) {
	session := b.ix.Threads[thread].Session
	n, kept := g.n, model.NoID
	switch g.op {
	case model.Compact:
		kept, b.dirty = b.kept(g), true
	case model.Reset:
		n = int64(b.erase(func(id model.ID) bool { return b.sessionOf(id) == session }))
	case model.Rewind:
		n = int64(b.rewind(g, session))
	case model.End:
		s := &b.ix.Sessions[session]
		s.Ended, s.Outcome, s.Reason = true, g.outcome, batch.name(g.name)
		s.Turn = g.stop != model.StopUnknown
		n = int64(g.outcome)
		b.agentEnded(g, s, session)
		if g.scored {
			s.Score, s.Scored = g.score, true
		}
	}
	id := b.row(g, thread, b.link(g), b.name(batch, g.name))
	b.ix.Notes++
	b.ix.Events = append(b.ix.Events, model.Event{At: id, Op: g.op, Time: g.time, N: n, Kept: kept})
	if g.op == model.Compact && g.key != 0 {
		b.recent.set(g.key, id)
	}
	if g.usage >= 0 {
		u := batch.usages[g.usage]
		b.meter(&u, thread, g.flags)
	}
}

// kept returns the first row that a compaction preserves.
func (b *Builder) kept(g *gist) model.ID {
	if id, ok := b.find(g.target); ok {
		return id
	}
	if id, ok := b.find(g.by); ok {
		return id + 1
	}
	return model.NoID
}

// link returns the parent of a row that is not a message, in tree formats: there, bookkeeping
// entries are on the path between messages.
func (b *Builder) link(g *gist) model.ID {
	if b.order != model.Tree || g.parent == 0 {
		return model.NoID
	}
	if id, ok := b.find(g.parent); ok {
		return id
	}
	return model.NoID
}

func (b *Builder) sessionOf(id model.ID) uint32 {
	return b.ix.Threads[b.ix.Heads.Row(int(id)).Thread].Session
}

// rewind erases everything from the target on, or the last n turns, and returns the number of
// erased messages.
func (b *Builder) rewind(g *gist, session uint32) int {
	from, ok := b.find(g.target)
	if g.target == 0 && g.n > 0 {
		n := g.n
		for i := len(b.prompts) - 1; i >= 0 && n > 0; i-- {
			if p := b.prompts[i]; b.sessionOf(p) == session && b.ix.Heads.Row(int(p)).Flags&model.Rewound == 0 {
				from, ok = p, true
				n--
			}
		}
	}
	if !ok {
		return 0
	}
	at := slices.Index(b.ix.Live, from)
	if at < 0 { // the target is a note: erase the messages after it
		return b.erase(func(id model.ID) bool { return id >= from && b.sessionOf(id) == session })
	}
	gone := make(map[model.ID]bool, len(b.ix.Live)-at)
	for _, id := range b.ix.Live[at:] {
		gone[id] = b.sessionOf(id) == session
	}
	for _, e := range b.ix.Events { // undo compactions of erased messages
		if e.Op == model.Compact && e.At > from {
			gone[e.At] = b.sessionOf(e.At) == session
		}
	}
	return b.erase(func(id model.ID) bool { return gone[id] })
}

// uncompact undoes compactions: the messages that they removed return.
func (b *Builder) uncompact(gone func(model.ID) bool) {
	for _, e := range b.ix.Events {
		if e.Op == model.Compact && b.ix.Heads.Row(int(e.At)).Flags&model.Rewound == 0 && gone(e.At) {
			b.amend(e.At).Flags |= model.Rewound
		}
	}
}

// erase removes messages from the conversation; they stay visible.
func (b *Builder) erase(gone func(model.ID) bool) int {
	live := make([]model.ID, 0, len(b.ix.Live))
	n := 0
	for _, id := range b.ix.Live {
		if !gone(id) {
			live = append(live, id)
			continue
		}
		n++
		h := b.amend(id)
		h.Flags |= model.Rewound
		t := &b.ix.Threads[h.Thread]
		t.Count--
		b.ix.Sessions[t.Session].Count--
	}
	b.ix.Live = live
	b.uncompact(gone)
	if n > 0 {
		b.prompts = slices.DeleteFunc(b.prompts, func(id model.ID) bool {
			return b.ix.Heads.Row(int(id)).Flags&model.Rewound != 0
		})
	}
	return n
}

// abandon marks the branch that a prompt leaves. If the prompt's parent is not the last message and
// another prompt is in between, all messages in between are off the branch. They are not erased,
// because they did run.
func (b *Builder) abandon(g *gist, id model.ID, thread uint32) {
	if g.parent == 0 || b.order != model.Arrival {
		return
	}
	parent := b.ix.Heads.Row(int(id)).Parent
	if parent == model.NoID || parent >= id {
		return
	}
	i := len(b.prompts) - 2 // the last one is the prompt itself
	if i < 0 || b.prompts[i] <= parent {
		return
	}
	left := 0
	for x := parent + 1; x < id; x++ {
		h := b.ix.Heads.Row(int(x))
		if !inContext(h) || h.Thread != thread || h.Flags&(model.OffBranch|model.Rewound) != 0 {
			continue
		}
		b.amend(x).Flags |= model.OffBranch
		if h.Op == model.Say {
			left++
		}
	}
	if left > 0 {
		b.left = leftBranch{from: parent + 1, to: id, thread: thread, event: len(b.ix.Events), ok: true}
		b.ix.Events = append(b.ix.Events, model.Event{At: id, Op: model.Leaf, Time: g.time, N: int64(left), Kept: model.NoID})
	}
}

// inContext reports whether a row is a message or a compaction, and so part of what a model reads.
func inContext(h *model.Head) bool { return h.Op == model.Say || h.Op == model.Compact }

// leftBranch is the branch that was left last: the rows in the range [from, to).
type leftBranch struct {
	from, to model.ID
	thread   uint32
	event    int
	ok       bool
}

// rejoin undoes the leaving of a branch when an answer continues it: the user had only typed the
// prompt while the agent worked, so that it has an old parent.
func (b *Builder) rejoin(g *gist, parent model.ID, thread uint32) {
	l := b.left
	if !l.ok || g.role == model.User || parent == model.NoID || parent < l.from || parent >= l.to || l.thread != thread {
		return
	}
	for x := l.from; x < l.to; x++ {
		if h := b.ix.Heads.Row(int(x)); h.Flags&model.OffBranch != 0 {
			b.amend(x).Flags &^= model.OffBranch
		}
	}
	if l.event < len(b.ix.Events) {
		b.ix.Events = slices.Delete(slices.Clone(b.ix.Events), l.event, l.event+1)
	}
	b.left.ok = false
}

// child ties a subagent to the call that started it.
func (b *Builder) child(batch *Batch, g *gist, thread uint32) {
	row, ok := b.target(g.target)
	if !ok {
		return
	}
	c := b.ix.Calls.Amend(int(row))
	c.Flags |= model.HasChild
	if g.elsewhere != 0 {
		name := batch.name(g.elsewhere)
		if !slices.Contains(b.ix.Children, model.ChildRef{Call: row, Name: name}) {
			b.ix.Children = append(b.ix.Children, model.ChildRef{Call: row, Name: name})
		}
	}
	// A separate transcript is tied when it is read. Until then the fact has the thread of the
	// subagent that made the call.
	if g.thread != 0 && g.elsewhere == 0 {
		b.tie(row, thread)
	}
	if c.Msg != model.NoID {
		b.amend(c.Msg)
	}
}

// tie records that a call started a thread.
func (b *Builder) tie(row model.CallID, thread uint32) {
	t := &b.ix.Threads[thread]
	if t.Main {
		return
	}
	t.Call = row
	c := b.ix.Calls.Amend(int(row))
	c.Child, c.Flags = thread, c.Flags|model.HasChild
	if c.Msg != model.NoID {
		t.Parent = b.amend(c.Msg).Thread
	}
}

// meter counts usage that belongs to no message. For a counter it adds the increase to the latest
// response. A copied counter is only advanced: its usage counts in the transcript that recorded it
// first.
func (b *Builder) meter(u *model.Usage, thread uint32, flags model.Flags) {
	session := b.ix.Threads[thread].Session
	copied := flags&model.Inherited != 0
	switch u.Scope {
	case model.Counter:
		rise := b.rise(session, u)
		if rise == nil || copied {
			return
		}
		if id := b.threadState[thread].lastAssistant; id != model.NoID {
			b.addRise(id, rise)
			return
		}
		b.total(session, rise)
	case model.Each, model.Total:
		if !copied && b.uncounted(u.Key) {
			b.total(session, u)
		}
	}
}

// uncounted reports whether the usage of a key is new, and marks it as counted.
func (b *Builder) uncounted(key model.Key) bool {
	if key == 0 {
		return true
	}
	_, known := b.counted[key]
	b.counted[key] = struct{}{}
	return !known
}

// rise returns a counter's increase, nil if counted already. A counter that fell has restarted.
func (b *Builder) rise(session uint32, u *model.Usage) *model.Usage {
	old := b.counter[session]
	b.counter[session] = *u
	if !b.uncounted(u.Key) {
		return nil
	}
	if positive(u.Output) < positive(old.Output) || positive(u.Input) < positive(old.Input) && positive(u.CacheRead) < positive(old.CacheRead) {
		old = model.Usage{}
	}
	rise := *u
	rise.Scope = model.Each
	sub := func(x *int64, y int64) {
		if *x >= 0 {
			*x = max(0, *x-positive(y))
		}
	}
	sub(&rise.Input, old.Input)
	sub(&rise.CacheRead, old.CacheRead)
	sub(&rise.CacheWrite, old.CacheWrite)
	sub(&rise.Output, old.Output)
	sub(&rise.Reasoning, old.Reasoning)
	rise.Cost -= old.Cost
	if positive(rise.Input)+positive(rise.CacheRead)+positive(rise.CacheWrite)+positive(rise.Output) == 0 && rise.Cost <= 0 {
		return nil
	}
	return &rise
}

func positive(n int64) int64 { return max(n, 0) }

func (b *Builder) addRise(id model.ID, rise *model.Usage) {
	h := b.ix.Heads.Row(int(id))
	row := model.TokensOf(rise)
	if h.Usage == model.NoRow {
		n := uint32(b.ix.Tokens.Append(row))
		b.amend(id).Usage = n
		return
	}
	addTokens(b.ix.Tokens.Amend(int(h.Usage)), &row)
	b.amend(id)
}

// total adds usage to that of its session; usage of the scope Total replaces the previous value.
func (b *Builder) total(session uint32, u *model.Usage) {
	for i := range b.ix.Totals {
		t := &b.ix.Totals[i]
		if t.Session != session || t.Usage.Scope != u.Scope {
			continue
		}
		if u.Scope == model.Total {
			t.Usage = *u
			return
		}
		t.Usage.Input += positive(u.Input)
		t.Usage.CacheRead += positive(u.CacheRead)
		t.Usage.CacheWrite += positive(u.CacheWrite)
		t.Usage.Output += positive(u.Output)
		t.Usage.Reasoning += positive(u.Reasoning)
		t.Usage.Cost += u.Cost
		t.Usage.HasCost = t.Usage.HasCost || u.HasCost
		return
	}
	b.ix.Totals = append(b.ix.Totals, model.SessionUsage{Session: session, Usage: *u})
}

// arrange updates the order of the rows and the branches.
func (b *Builder) arrange() {
	if b.order == model.Tree && b.dirty {
		b.own()
		b.branches()
	}
	if !b.unordered {
		b.dirty = false
		return
	}
	if !b.dirty && len(b.ix.Order) == b.ix.Heads.Len() {
		return
	}
	b.dirty = false
	order := b.rowOrder()
	live := make([]model.ID, 0, len(b.ix.Live))
	for _, id := range order {
		if h := b.ix.Heads.Row(int(id)); h.Op == model.Say && h.Flags&model.Rewound == 0 && !b.ix.Threads[h.Thread].Apart {
			live = append(live, id)
		}
	}
	b.ix.Order, b.ix.Live = order, live
}

// rowOrder returns all rows in the order of display.
func (b *Builder) rowOrder() []model.ID {
	n := b.ix.Heads.Len()
	order := make([]model.ID, n)
	for i := range order {
		order[i] = model.ID(i)
	}
	// seqs may be the memory of another transcript
	if b.order == model.BySeq || b.order == model.ByTime {
		slices.SortStableFunc(order, func(x, y model.ID) int {
			return cmp.Or(cmp.Compare(b.sessionOf(x), b.sessionOf(y)), cmp.Compare(b.seqs[x], b.seqs[y]))
		})
		return order
	}
	// Conversations follow each other, however their records are mixed. Restored messages appear
	// where they were repeated, after all rows up to then. Notes follow their neighbour.
	rank := make([]int, n)
	for i, id := range b.ix.Live {
		rank[id] = i + 1
	}
	last := make([]int, len(b.ix.Sessions))
	for i := range n {
		s := b.sessionOf(model.ID(i))
		if b.ix.Heads.Row(i).Flags&model.Rewound == 0 && rank[i] > 0 {
			last[s] = rank[i]
		} else {
			rank[i] = last[s]
		}
	}
	slices.SortStableFunc(order, func(x, y model.ID) int {
		return cmp.Or(cmp.Compare(b.sessionOf(x), b.sessionOf(y)), cmp.Compare(rank[x], rank[y]))
	})
	return order
}

// branches marks the rows off the path to the leaf of their session. The leaf is the one that the
// source names, or the last message with a parent.
func (b *Builder) branches() {
	leaves := make(map[uint32]model.ID, len(b.leaves))
	for i := range b.ix.Heads.Len() {
		_, attached := b.attached[model.ID(i)]
		if h := b.ix.Heads.Row(i); h.Op == model.Say && h.Parent != model.NoID && !attached {
			leaves[b.sessionOf(model.ID(i))] = model.ID(i)
		}
	}
	maps.Copy(leaves, b.leaves)
	on := make(map[model.ID]bool)
	long := make(map[uint32]bool) // sessions whose branch has several messages
	for session, leaf := range leaves {
		long[session] = b.ix.Heads.Row(int(leaf)).Parent != model.NoID
		for id := leaf; id != model.NoID && !on[id]; id = b.ix.Heads.Row(int(id)).Parent {
			on[id] = true
		}
	}
	for i := range b.ix.Heads.Len() {
		h := b.ix.Heads.Row(i)
		session := b.sessionOf(model.ID(i))
		if _, ok := leaves[session]; !ok || !inContext(h) {
			continue
		}
		if _, ok := b.attached[model.ID(i)]; ok && on[h.Parent] {
			on[model.ID(i)] = true
		}
		off := !on[model.ID(i)] && hasTree(h, long[session]) && !(h.Op == model.Compact && b.behind(h.Parent, leaves[session]))
		if off != (h.Flags&model.OffBranch != 0) {
			b.amend(model.ID(i)).Flags ^= model.OffBranch
		}
	}
}

// behind reports whether a row of bookkeeping below the given parent follows the leaf without a
// message in between.
func (b *Builder) behind(parent, leaf model.ID) bool {
	for parent != model.NoID && parent != leaf {
		h := b.ix.Heads.Row(int(parent))
		if h.Op == model.Say {
			return false
		}
		parent = h.Parent
	}
	return parent == leaf
}

// hasTree reports whether a message is part of a tree. A message without a parent is a root: it is
// off the branch only if the branch has another root.
func hasTree(h *model.Head, long bool) bool {
	return h.Parent != model.NoID || h.Key != 0 && long
}
