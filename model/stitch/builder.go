package stitch

import (
	"math"
	"slices"

	"turns/model"
)

// Builder makes the index of a conversation from batches of facts. Its snapshots are safe for
// concurrent use; the Builder is not.
type Builder struct {
	ix      model.Index
	bodies  model.Bodies
	order   model.Order
	repeats bool

	names    map[string]uint16
	named    int      // total bytes of the names
	nameOf   []uint16 // maps the current batch's names to the index's; see noName
	threads  map[model.Key]uint32
	sessions map[model.Key]uint32
	last     lastThread

	recent window[model.ID] // message by Key
	calls  window[doneCall] // answered call by Key
	open   openCalls
	// every Key, and the Records from the last ones on; nil until a look-up goes far back
	whole map[model.Key]model.ID
	seen  map[model.Key]struct{} // records, for formats that repeat them
	// position after the first byte of the current repeated record; 0: none
	repeated    int64
	echoes      []echo
	records     recordRing // the last records, to find the parent of a prompt
	seqs        []int64    // of each row, if the format orders by it
	counter     map[uint32]model.Usage
	usageOf     window[model.Key] // key of the response whose usage a message has
	threadState []threadState

	counted  map[model.Key]struct{} // counters already seen: a fork repeats its parent's
	origins  map[uint32]*origin     // by thread, once a transcript has named itself
	parents  map[model.Key]struct{} // keys recorded by the parent of a fork; nil: unknown
	left     leftBranch
	newest   uint32               // the session that began last, of those with rows
	reports  map[model.Key]report // by call, for calls that have not arrived yet
	replaced []model.CallID       // calls of the message being repeated, the last one first
	answers  []model.CallID       // calls that it answers, in the same order
	nth      callNumber           // of the message that made the latest call
	nest     nests
	spans    *spanFacts // nil: no span described a call
	traces   *traces    // nil: no fact gave its place in a trace

	numbers   numbers
	prompts   []model.ID          // live prompts by arrival, for rewinds by turns
	unordered bool                // a message was restored to the conversation
	leaves    map[uint32]model.ID // by session, if the source names it
	// results that name a call as their parent: each is on the branch of the response with the call
	attached  map[model.ID]struct{}
	only      *onlySession // nil: all sessions
	most      Bounds
	leftRows  bool
	leftCells bool
	dirty     bool // the tree or the order must be rebuilt
	begun     int  // rows in the last snapshot
	lent      bool // the last snapshot shares the threads, sessions and totals
}

// threadState is the state that a thread's next fact may refer to.
type threadState struct {
	lastMessage   model.ID // last message of any role
	lastAssistant model.ID
	requested     bool   // a request began after it
	words         bool   // the last message ended in words
	model         uint16 // of the last answer
	announced     uint16 // model of the next answer, according to a record
	answered      int64  // Unix ms of the latest answer, if the format orders by time
}

// doneCall is a call that has its result.
type doneCall struct {
	row  model.CallID
	args model.Key
}

// lastThread avoids repeated look-ups: successive facts mostly belong to one thread.
type lastThread struct {
	session, thread model.Key
	row             uint32
	ok              bool
}

// New returns a builder for a conversation. order sorts its messages, and repeats drops
// repeated records. Every snapshot has bodies.
func New(order model.Order, repeats bool, bodies model.Bodies) *Builder {
	b := new(Builder)
	b.Reset(order, repeats, bodies)
	return b
}

// Reset prepares the builder for another conversation, as New does, and reuses its memory. Earlier
// snapshots must not be used any more.
func (b *Builder) Reset(order model.Order, repeats bool, bodies model.Bodies) {
	old := *b
	*b = Builder{
		order: order, repeats: repeats, bodies: bodies,
		names:    emptied(old.names),
		threads:  emptied(old.threads),
		sessions: emptied(old.sessions),
		counter:  emptied(old.counter),
		counted:  emptied(old.counted),
		reports:  emptied(old.reports),
		leaves:   emptied(old.leaves),
		attached: emptied(old.attached),
		origins:  emptied(old.origins),
		nameOf:   old.nameOf[:0],
		recent:   window[model.ID]{now: emptied(old.recent.now), had: old.recent.had.again()},
		calls:    window[doneCall]{now: emptied(old.calls.now), had: old.calls.had.again()},
		usageOf:  window[model.Key]{now: emptied(old.usageOf.now), had: old.usageOf.had.again()},
		records:  recordRing{keys: old.records.keys[:0], ids: old.records.ids[:0], had: old.records.had.again()},
		echoes:   old.echoes[:0],
		seqs:     old.seqs[:0],
		prompts:  old.prompts[:0],
		open: openCalls{
			byID: emptied(old.open.byID), more: emptied(old.open.more), early: emptied(old.open.early), unnamed: old.open.unnamed.again(),
		},
	}
	b.names[""] = 0
	b.ix.Heads, b.ix.Parts = old.ix.Heads.Reused(), old.ix.Parts.Reused()
	b.ix.Calls, b.ix.Tokens = old.ix.Calls.Reused(), old.ix.Tokens.Reused()
	b.ix.Names = append(old.ix.Names[:0], "")
	b.ix.Sessions = []model.Session{{}}
	b.ix.Threads = append(old.ix.Threads[:0], model.Thread{Main: true, Call: model.CallID(model.NoRow)})
	b.threadState = append(old.threadState[:0], threadState{lastMessage: model.NoID, lastAssistant: model.NoID})
	if order == model.Tree {
		b.whole = make(map[model.Key]model.ID)
	}
	if repeats {
		b.seen = make(map[model.Key]struct{})
	}
}

// emptied clears a map to reuse its memory; for nil it returns a new map.
func emptied[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return make(map[K]V)
	}
	clear(m)
	return m
}

// AddSource adds a stream, and returns its number for the Ref.Source of the facts that follow.
func (b *Builder) AddSource(src model.Source) uint16 {
	b.ix.Sources = append(slices.Clip(b.ix.Sources), src)
	return uint16(len(b.ix.Sources) - 1)
}

// AddAgent makes a thread for a subagent with a separate transcript. The call started it, or the
// session itself if call is NoRow. Unless counted is true, its messages have no position.
func (b *Builder) AddAgent(call model.CallID, counted bool) *Agent {
	b.own()
	named := uint32(call) != model.NoRow
	parent := uint32(0)
	if named {
		if c := b.ix.Calls.Row(int(call)); c.Msg != model.NoID {
			parent = b.ix.Heads.Row(int(c.Msg)).Thread
		}
	}
	s := b.ix.Threads[parent].Session
	agent := &Agent{Session: b.ix.Sessions[s].Key, Thread: model.HashNumber("agent", int64(len(b.ix.Threads)))}
	row := b.newThread(model.Thread{Key: agent.Thread, Session: s, Parent: parent, Call: call, Apart: !counted})
	b.threads[agent.Session.Join(agent.Thread)] = row
	if named {
		b.tie(call, row)
	}
	return agent
}

// Started ties a subagent to the call that started it, if the call appears later than the
// subagent.
func (b *Builder) Started(agent *Agent, call model.CallID) {
	b.own()
	if row, ok := b.threads[agent.Session.Join(agent.Thread)]; ok {
		b.tie(call, row)
	}
}

// Children returns the conversations that calls started in separate transcripts.
func (b *Builder) Children() []model.ChildRef { return b.ix.Children }

// SetTail sets the part that the agent is still writing.
func (b *Builder) SetTail(t model.Tail) {
	if b.ix.Tail != t {
		b.ix.Tail = t
	}
}

// StartAt sets the version after which the versions of the snapshots continue, usually that of
// another builder.
func (b *Builder) StartAt(version uint64) { b.ix.Version = version }

// Head returns the current head of a row; the next batch may change it.
func (b *Builder) Head(row int) model.Head { return *b.ix.Heads.Row(row) }

// Rows returns the number of rows so far.
func (b *Builder) Rows() int { return b.ix.Heads.Len() }

// own copies the data shared with the last snapshot before the builder changes it. Copying this
// late avoids having a file of a million conversations in memory twice.
func (b *Builder) own() {
	if b.lent {
		b.ix.Threads, b.ix.Sessions, b.ix.Totals = slices.Clone(b.ix.Threads), slices.Clone(b.ix.Sessions), slices.Clone(b.ix.Totals)
		b.lent = false
	}
}

// Apply adds the facts of a batch.
func (b *Builder) Apply(batch *Batch) {
	b.own()
	b.nameOf = b.nameOf[:0]
	b.nameOf = append(b.nameOf, 0)
	for _, s := range batch.names {
		b.nameOf = append(b.nameOf, b.noName(s))
	}
	for i := range batch.facts {
		if b.most != (Bounds{}) && b.full() {
			return
		}
		b.apply(batch, &batch.facts[i])
	}
}

// Bounds limits the index: Rows the number of rows, Cells the number of parts, calls, usages and
// threads. 0 means no limit.
type Bounds struct{ Rows, Cells int64 }

// Bound limits the index: the builder leaves out facts beyond it, see [Builder.Left].
func (b *Builder) Bound(most Bounds) { b.most = most }

// Left reports which bounds caused facts to be left out.
func (b *Builder) Left() (rows, cells bool) { return b.leftRows, b.leftCells }

func (b *Builder) full() bool {
	cells := b.ix.Parts.Len() + b.ix.Calls.Len() + b.ix.Tokens.Len() + 4*len(b.ix.Threads) + 4*len(b.ix.Sessions)
	b.leftRows = b.most.Rows > 0 && int64(b.ix.Heads.Len()) >= b.most.Rows
	b.leftCells = b.most.Cells > 0 && int64(cells) >= b.most.Cells
	return b.leftRows || b.leftCells
}

// noName defers interning a batch's name to its first use, because some of them are values of
// fields, not names.
func (b *Builder) noName(string) uint16 { return unnamed }

const unnamed = math.MaxUint16

// name returns the index's number for a batch's name.
func (b *Builder) name(batch *Batch, n uint32) uint16 {
	if n == 0 {
		return 0
	}
	if b.nameOf[n] == unnamed {
		b.nameOf[n] = b.intern(batch.names[n-1])
	}
	return b.nameOf[n]
}

// longName is the limit in bytes of one name, and allNames of all names: the index stores them as
// long as the conversation is open.
const (
	longName = 16 << 10
	allNames = 32 << 20
)

// manyNames replaces further names once there are too many to number or to store.
const manyNames = "(too many names)"

func (b *Builder) intern(s string) uint16 {
	if n, ok := b.names[s]; ok {
		return n
	}
	if len(s) > longName {
		s = model.CutWords(s, longName) + "…"
		if n, ok := b.names[s]; ok {
			return n
		}
	}
	if b.named += len(s); len(b.names) >= unnamed-1 || b.named > allNames {
		s = manyNames
		if n, ok := b.names[s]; ok {
			return n
		}
	}
	n := uint16(len(b.ix.Names))
	b.ix.Names = append(b.ix.Names, s)
	b.names[s] = n
	return n
}

func (b *Builder) apply(batch *Batch, g *gist) {
	if b.only != nil && !b.only.takes(g, b.order) {
		return
	}
	if b.repeated == g.ref.Off+1 && g.ref.Sub > 0 {
		return // the rest of a repeated record
	}
	if b.order == model.BySeq {
		b.numbers.continueFrom(g)
	}
	b.repeated = 0
	if b.repeats && g.record != 0 && g.ref.Sub == 0 {
		if _, ok := b.seen[g.record]; ok {
			b.repeated = g.ref.Off + 1
			g.op = model.Note // a repeated message becomes a note in its row
			g.name, g.blocks, g.usage, g.fields, g.key = 0, 0, -1, 0, 0
			b.note(batch, g, b.intern("repeated record"))
			return
		}
		b.seen[g.record] = struct{}{}
	}
	thread := b.thread(g)
	b.addFields(batch, g, thread)
	if len(b.origins) > 0 || g.op == model.About && g.n != 0 {
		b.trace(batch, g, thread)
	}
	if g.span != 0 {
		b.traced(batch, g, thread)
	}
	switch g.op {
	case model.Say:
		b.addMessage(batch, g, thread)
	case model.Note:
		kind := b.name(batch, g.name)
		if kind == 0 && g.flags&model.Inherited != 0 {
			kind = b.intern("parent's history")
		}
		b.note(batch, g, kind)
	case model.Unreadable:
		b.ix.Unreadable++
		b.row(g, thread, model.NoID, 0)
	default:
		b.lookBack(batch, g, thread)
	}
}

// thread returns the row of the fact's thread. A session's first thread is its main thread,
// whatever its key.
func (b *Builder) thread(g *gist) uint32 {
	if b.last.ok && b.last.session == g.session && b.last.thread == g.thread {
		return b.last.row
	}
	row := b.threadRow(g.session, g.thread, g.flags&model.Sidechain != 0)
	b.last = lastThread{g.session, g.thread, row, true}
	return row
}

func (b *Builder) threadRow(session, thread model.Key, sidechain bool) uint32 {
	s, main := b.session(session)
	if thread == 0 {
		return main
	}
	key := session.Join(thread)
	if row, ok := b.threads[key]; ok {
		return row
	}
	if t := &b.ix.Threads[main]; t.Count == 0 && t.Key == 0 && (!sidechain || b.ix.Heads.Len() == 0) {
		t.Key = thread
		b.threads[key] = main
		return main
	}
	row := b.newThread(model.Thread{Key: thread, Session: s, Parent: main, Call: model.CallID(model.NoRow)})
	b.threads[key] = row
	return row
}

func (b *Builder) newThread(t model.Thread) uint32 {
	t.First = model.ID(b.ix.Heads.Len())
	b.ix.Threads = append(b.ix.Threads, t)
	b.threadState = append(b.threadState, threadState{lastMessage: model.NoID, lastAssistant: model.NoID})
	return uint32(len(b.ix.Threads) - 1)
}

// session returns the row of a session and the row of its main thread.
func (b *Builder) session(key model.Key) (s, main uint32) {
	if main, ok := b.sessions[key]; ok {
		return b.ix.Threads[main].Session, main
	}
	if len(b.sessions) == 0 || len(b.sessions) == 1 && b.unused() {
		b.sessions[key] = 0
		b.ix.Sessions[0].Key = key
		return 0, 0
	}
	b.ix.Sessions = append(b.ix.Sessions, model.Session{Key: key, First: model.ID(b.ix.Heads.Len())})
	s = uint32(len(b.ix.Sessions) - 1)
	main = b.newThread(model.Thread{Session: s, Main: true, Call: model.CallID(model.NoRow)})
	b.sessions[key] = main
	return s, main
}

// unused reports whether the first session is only a placeholder for a list's brackets, with no
// name and no messages. The first conversation then replaces it.
func (b *Builder) unused() bool {
	s := &b.ix.Sessions[0]
	fromHead := len(s.Fields) > 0 && b.order != model.ByTime // exports of spans begin with their sender
	return s.Key == 0 && s.Count == 0 && !fromHead && !s.Ended && len(b.ix.Totals) == 0 && len(b.ix.Threads) == 1
}

// addFields stores the fields of the fact's session. The first value of a name is final, except for
// a title.
func (b *Builder) addFields(batch *Batch, g *gist, thread uint32) {
	if g.fields == 0 {
		return
	}
	s := &b.ix.Sessions[b.ix.Threads[thread].Session]
	for _, f := range batch.fields[g.field : g.field+g.fields] {
		name, value := batch.name(f.name), batch.name(f.value)
		i := slices.IndexFunc(s.Fields, func(kv model.KeyValue) bool { return kv.Name == name })
		switch {
		case i < 0:
			s.Fields = append(slices.Clip(s.Fields), model.KeyValue{Name: name, Value: value})
		case name == "title" && s.Fields[i].Value != value:
			s.Fields = slices.Clone(s.Fields)
			s.Fields[i].Value = value
		}
	}
}

// row appends a head with its first part and returns its id.
func (b *Builder) row(g *gist, thread uint32, parent model.ID, name uint16) model.ID {
	id := model.ID(b.ix.Heads.Len())
	part := b.ix.Parts.Append(model.NewPart(g.ref, model.NoRow, id, false))
	b.ix.Heads.Append(model.Head{
		Op: g.op, Role: g.role, Time: g.time, Key: g.key, Flags: g.flags, Parent: parent, Name: name,
		Thread: thread, LastPart: uint32(part), LastCall: model.NoRow, Usage: model.NoRow, Size: g.size,
	})
	if s := b.ix.Threads[thread].Session; s < b.newest {
		b.unordered, b.dirty = true, true // another conversation began in between
	} else {
		b.newest = s
	}
	if b.order == model.BySeq || b.order == model.ByTime {
		seq := g.seq
		if b.order == model.ByTime {
			seq = placeInTime(g)
		}
		if n := len(b.seqs); (seq == 0 || b.order == model.ByTime && g.time == 0) && n > 0 {
			seq = b.seqs[n-1] // without its own position it follows its neighbour
		}
		if n := len(b.seqs); n > 0 && seq < b.seqs[n-1] {
			b.unordered, b.dirty = true, true
		}
		b.seqs = append(b.seqs, seq)
	}
	b.remember(g.record, id)
	b.tracedRow(g, id)
	return id
}

// numbers order numbered facts. The numbers begin again if the user goes back: with the number of
// an old prompt, at a later time than all facts before.
type numbers struct{ base, most, latest int64 }

// continueFrom moves the number of a fact behind those from before the user went back.
func (n *numbers) continueFrom(g *gist) {
	if g.seq == 0 {
		return
	}
	if g.role == model.User && g.flags&model.Injected == 0 && g.seq+n.base <= n.most && g.time > n.latest {
		n.base = n.most + 1 - g.seq
	}
	g.seq += n.base
	n.most, n.latest = max(n.most, g.seq), max(n.latest, g.time)
}

// placeInTime orders facts by their time, and within a millisecond by their number. Facts without a
// number are last.
func placeInTime(g *gist) int64 {
	const bits = 20 // more would leave no room for milliseconds of this century
	const most = 1<<bits - 1
	n := min(g.seq, most)
	if n <= 0 {
		n = most
	}
	return g.time<<bits | n
}

// remember records that a record made the row, or a part of it.
func (b *Builder) remember(record model.Key, id model.ID) {
	if record == 0 {
		return
	}
	b.records.add(record, id)
	if b.whole != nil {
		b.whole[record] = id
	}
}

// amend returns a message's head for writing, and registers the change if a snapshot already has
// the row.
func (b *Builder) amend(id model.ID) *model.Head {
	if int(id) < b.begun {
		b.ix.Amended = append(b.ix.Amended, model.Amendment{Version: b.ix.Version + 1, ID: id})
	}
	return b.ix.Heads.Amend(int(id))
}

// find returns the row that a key names: a message, or one of its records. For rows far back it
// uses a table of the entire conversation, which it builds on first need.
func (b *Builder) find(key model.Key) (model.ID, bool) {
	if key == 0 {
		return model.NoID, false
	}
	if id, ok := b.recent.get(key); ok {
		return id, true
	}
	if b.whole == nil {
		if id, ok := b.records.find(key, recordRingSize); ok {
			return id, true
		}
		b.whole = make(map[model.Key]model.ID, b.ix.Heads.Len())
		for i := range b.ix.Heads.Len() {
			if h := b.ix.Heads.Row(i); h.Key != 0 && h.Op == model.Say {
				b.whole[h.Key] = model.ID(i)
			}
		}
		b.records.each(func(key model.Key, id model.ID) { b.whole[key] = id })
	}
	id, ok := b.whole[key]
	return id, ok
}

// Snapshot returns the current state of the conversation.
func (b *Builder) Snapshot() *model.Snapshot {
	b.arrange()
	b.ix.Version++
	b.begun = b.ix.Heads.Len()
	b.ix.Grown = append(b.ix.Grown, model.Growth{Version: b.ix.Version, Rows: b.begun})
	ix := b.ix
	ix.Heads, ix.Parts = b.ix.Heads.Snapshot(), b.ix.Parts.Snapshot()
	ix.Calls, ix.Tokens = b.ix.Calls.Snapshot(), b.ix.Tokens.Snapshot()
	ix.Threads, ix.Sessions, ix.Totals = slices.Clip(b.ix.Threads), slices.Clip(b.ix.Sessions), slices.Clip(b.ix.Totals)
	b.lent = true
	ix.Children = slices.Clip(b.ix.Children)
	return model.NewSnapshot(ix, b.bodies)
}

// Peek returns the current state for use before the next batch is applied. It costs no copy, now or
// later.
func (b *Builder) Peek() *model.Snapshot {
	b.arrange()
	b.ix.Version++
	return model.NewSnapshot(b.ix, b.bodies)
}
