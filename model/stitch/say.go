package stitch

import (
	"slices"

	"turns/model"
)

// echo is a message that another record may say again.
type echo struct {
	hash   model.Key
	id     model.ID
	stream int64
	thread uint32
}

// echoReach is how many messages lie between the two sayings of one at the most.
const echoReach = 32

// say adds a message or a part of one.
func (b *Builder) say(batch *Batch, g *gist, thread uint32) {
	if g.echo != 0 && b.isEcho(g, thread) {
		return
	}
	id, known := b.said(g, thread)
	if !known {
		id = b.newMessage(batch, g, thread)
	} else {
		b.addPart(batch, g, id)
		b.continues(batch, g, id)
	}
	b.addBlocks(batch, g, id, thread)
	b.addUsage(batch, g, id, thread)
	st := &b.threadState[thread]
	st.lastSay = id
	if g.role == model.Assistant {
		st.lastAssistant = id
	}
	if g.stop != model.StopUnknown && b.ix.Threads[thread].Main {
		b.ix.Sessions[b.ix.Threads[thread].Session].Stop = g.stop
	}
	if g.echo != 0 {
		b.echoes = append(b.echoes, echo{g.echo, id, g.n, thread})
		if len(b.echoes) > echoReach {
			b.echoes = append(b.echoes[:0], b.echoes[1:]...)
		}
	}
}

// continues notes that a fact goes on with a text of its message: what a reader
// sees there may be in no record as a whole.
func (b *Builder) continues(batch *Batch, g *gist, id model.ID) {
	if g.join != model.Extend {
		return
	}
	h := b.ix.Heads.Row(int(id))
	for _, block := range batch.blocks[g.block : g.block+g.blocks] {
		var more bool
		switch block.kind {
		case model.Words:
			more = block.key != 0 || h.Flags&model.HasWords != 0
		case model.Reasoning:
			more = block.key != 0 || h.Flags&model.HasReasoning != 0
		case model.ToolCall:
			more = block.id == 0 && h.Flags&model.HasCalls != 0 || block.key != 0 && b.madeBy(block.id, id)
		default:
			more = block.key != 0
		}
		if more && h.Flags&model.Continued == 0 {
			b.ix.Continued = true
			b.ix.Heads.Amend(int(id)).Flags |= model.Continued
		}
	}
}

// madeBy reports whether the message made a call with this id.
func (b *Builder) madeBy(call model.Key, id model.ID) bool {
	if c, ok := b.open.byID[call]; ok && c.msg == id {
		return true
	}
	done, ok := b.calls.get(call)
	return ok && b.ix.Calls.Row(int(done.row)).Msg == id
}

// isEcho finds the message that a neighbouring record of the other stream said
// already; the record becomes a part of it that adds nothing.
func (b *Builder) isEcho(g *gist, thread uint32) bool {
	for i, e := range b.echoes {
		if e.hash != g.echo || e.stream == g.n || e.thread != thread {
			continue
		}
		b.echoes = append(b.echoes[:i], b.echoes[i+1:]...)
		h := b.amend(e.id)
		h.LastPart = uint32(b.ix.Parts.Append(model.NewPart(g.ref, h.LastPart, e.id, true)))
		h.Flags |= g.flags | model.Echoed
		if h.Time == 0 {
			h.Time = g.time
		}
		if g.key != 0 {
			b.recent.set(g.key, e.id)
		}
		b.remember(g.record, e.id)
		return true
	}
	return false
}

// said finds the message that the fact continues.
func (b *Builder) said(g *gist, thread uint32) (model.ID, bool) {
	if g.key != 0 {
		id, ok := b.recent.get(g.key)
		if !ok && (b.whole != nil || g.join == model.Replace) {
			id, ok = b.find(g.key)
		}
		if ok && b.ix.Heads.Row(int(id)).Op == model.Say {
			return id, true
		}
		return model.NoID, false
	}
	if g.join != model.Extend {
		return model.NoID, false
	}
	id := b.threadState[thread].lastSay
	if id == model.NoID || b.ix.Heads.Row(int(id)).Role != g.role {
		return model.NoID, false
	}
	return id, true
}

func (b *Builder) newMessage(batch *Batch, g *gist, thread uint32) model.ID {
	name := b.name(batch, g.name)
	if name == 0 && g.role == model.Assistant {
		name = b.threadState[thread].told
	}
	parent := b.parent(g)
	id := b.row(g, thread, parent, name)
	b.rejoin(g, parent, thread)
	if g.key != 0 {
		b.recent.set(g.key, id)
		if b.whole != nil {
			b.whole[g.key] = id
		}
	}
	if b.order == model.Tree {
		b.dirty = true
	}
	t := &b.ix.Threads[thread]
	t.Count++
	if !t.Apart {
		b.ix.Live = append(b.ix.Live, id)
		b.ix.Sessions[t.Session].Count++
		b.ix.Sessions[t.Session].Ended = false // it goes on
	}
	b.changeOfModel(g, id, thread, name)
	return id
}

// near is how many records back the parent of an answer is looked for.
const near = 64

// parent is the row of the fact's parent. Prompts may go back far; what follows
// in a chain has its parent close by.
func (b *Builder) parent(g *gist) model.ID {
	switch {
	case g.parent == 0:
		return model.NoID
	case b.order == model.Tree:
		id, _ := b.find(g.parent)
		return id
	case g.role == model.User:
		id, _ := b.records.find(g.parent, recordRingSize)
		return id
	}
	id, _ := b.records.find(g.parent, near)
	return id
}

// changeOfModel marks where another model begins to answer.
func (b *Builder) changeOfModel(g *gist, id model.ID, thread uint32, name uint16) {
	st := &b.threadState[thread]
	if g.role != model.Assistant || name == 0 || g.flags&(model.Synthetic|model.APIError) != 0 {
		return
	}
	if st.model != 0 && st.model != name {
		b.ix.Events = append(b.ix.Events, model.Event{At: id, Op: model.About, Time: g.time, N: int64(st.model), Kept: model.NoID})
	}
	st.model = name
}

// addPart joins a further record to its message.
func (b *Builder) addPart(batch *Batch, g *gist, id model.ID) {
	h := b.amend(id)
	if g.join == model.Replace {
		b.nth = callNumber{msg: id}
		h.Size = 0
		h.Flags &^= model.HasWords | model.HasReasoning | model.HasMedia | model.Partial
		b.skipParts(h.LastPart)
		if h.Flags&model.HasCalls != 0 && h.Flags&model.HasResults == 0 {
			h.Flags &^= model.HasCalls
			b.unchain(h)
		}
	}
	h.LastPart = uint32(b.ix.Parts.Append(model.NewPart(g.ref, h.LastPart, id, false)))
	h.Size += g.size
	h.Flags = h.Flags&^model.Partial | g.flags
	if h.Time == 0 {
		h.Time = g.time
	}
	if name := b.name(batch, g.name); name != 0 {
		h.Name = name
	}
	if h.Role == model.NoRole {
		h.Role = g.role
	}
	if h.Flags&model.Rewound != 0 { // a log that rebuilds its list says it anew
		h.Flags &^= model.Rewound
		b.ix.Live = append(b.ix.Live[:len(b.ix.Live):len(b.ix.Live)], id)
		b.unordered, b.dirty = true, true
		t := &b.ix.Threads[h.Thread]
		t.Count++
		b.ix.Sessions[t.Session].Count++
	}
	b.remember(g.record, id)
}

// unchain takes the calls out of a message that is said again; those that it
// makes again are put back, the others are gone.
func (b *Builder) unchain(h *model.Head) {
	b.replaced = b.replaced[:0]
	for row := h.LastCall; row != model.NoRow; row = b.ix.Calls.Row(int(row)).Prev {
		b.replaced = append(b.replaced, model.CallID(row))
	}
	h.LastCall = model.NoRow
}

// rechain puts a call back into its message, as the n-th.
func (b *Builder) rechain(row model.CallID, id model.ID, n uint32) {
	i := len(b.replaced) - 1 // the first one is the last of them
	for i >= 0 && b.replaced[i] != row {
		i--
	}
	if i < 0 {
		return
	}
	b.replaced = slices.Delete(b.replaced, i, i+1)
	h := b.ix.Heads.Amend(int(id))
	c := b.ix.Calls.Amend(int(row))
	c.Prev, c.Block = h.LastCall, n
	h.LastCall = uint32(row)
}

// callNumber is the number of the next call of a message, as its body counts them.
type callNumber struct {
	msg model.ID
	n   uint32
}

// nthCall is the number of a call among those that the body of its message will
// have: a call of an earlier message that is said again is one of them, though it
// has no row here.
func (b *Builder) nthCall(id model.ID) uint32 {
	if b.nth.msg != id {
		b.nth = callNumber{msg: id}
		if h := b.ix.Heads.Row(int(id)); h.Flags&model.HasResults == 0 && h.LastCall != model.NoRow {
			b.nth.n = b.ix.Calls.Row(int(h.LastCall)).Block + 1
		}
	}
	b.nth.n++
	return b.nth.n - 1
}

// dropReplaced erases the calls that the message does not make any more. The
// results that other messages hold for them stay, without a call.
func (b *Builder) dropReplaced(id model.ID) {
	for _, row := range b.replaced {
		c := b.ix.Calls.Amend(int(row))
		c.Msg, c.Prev = model.NoID, model.NoRow
		if c.Result != model.NoID && c.Result != id {
			c.ArgsSize, c.Block, c.Flags = 0, 0, c.Flags|model.OrphanCall
			b.amend(c.Result).Flags |= model.HasOrphan
			continue
		}
		c.Result, c.PrevResult = model.NoID, model.NoRow
	}
	if len(b.replaced) > 0 {
		b.open.forget(b.replaced)
	}
	b.replaced = b.replaced[:0]
}

// skipParts marks the parts of a message that a later one replaces.
func (b *Builder) skipParts(row uint32) {
	for row != model.NoRow {
		p := b.ix.Parts.Row(int(row))
		prev := p.Prev()
		if p.Skip() {
			return // those before it are skipped as well
		}
		*b.ix.Parts.Amend(int(row)) = model.NewPart(p.Ref, prev, p.Msg, true)
		row = prev
	}
}

func (b *Builder) addBlocks(batch *Batch, g *gist, id model.ID, thread uint32) {
	blocks := batch.blocks[g.block : g.block+g.blocks]
	var flags model.Flags
	calls, results := 0, 0
	for i := range blocks {
		block := &blocks[i]
		switch block.kind {
		case model.Words:
			if !block.null {
				flags |= model.HasWords
			}
		case model.Reasoning:
			flags |= model.HasReasoning
		case model.Media:
			flags |= model.HasMedia
		case model.ToolCall:
			flags |= model.HasCalls
			b.call(batch, g, block, id, thread)
			calls++
		case model.ToolResult:
			b.result(batch, g, block, id, thread)
			results++
		}
	}
	b.dropReplaced(id)
	h := b.ix.Heads.Row(int(id))
	if g.role == model.User && h.Flags&(model.Injected|model.Summary) == 0 && (calls+results == 0 || flags&model.HasWords != 0) {
		flags |= model.Prompt
		if h.Flags&model.Prompt == 0 {
			b.prompts = append(b.prompts, id)
			b.abandon(g, id, thread)
		}
	}
	if g.outcome.Failed() && g.flags&(model.APIError|model.Interrupted) != 0 {
		flags |= model.HasFailure
	}
	if flags&^h.Flags != 0 {
		b.ix.Heads.Amend(int(id)).Flags |= flags
	}
}

// call adds a call of a message, or says more about one that it made already.
func (b *Builder) call(batch *Batch, g *gist, block *gistBlock, id model.ID, thread uint32) {
	if row, ok := b.knownCall(block, id); ok && !block.twin {
		if c := b.ix.Calls.Row(int(row)); c.Msg != id {
			b.nthCall(id)
			return // a later message says it again
		}
		if block.key == 0 || g.join == model.Replace { // else it takes the place that it has
			b.rechain(row, id, b.nthCall(id))
		}
		c := b.ix.Calls.Amend(int(row))
		c.ArgsSize = max(c.ArgsSize, block.size)
		if c.Tool == 0 {
			c.Tool = b.name(batch, block.name)
		}
		if c.Result == model.NoID && block.outcome != model.Unknown {
			c.Outcome = block.outcome
		}
		return
	}
	h := b.ix.Heads.Row(int(id))
	if g.join == model.Extend && block.id == 0 && block.key != 0 && h.LastCall != model.NoRow && b.name(batch, block.name) == 0 {
		b.ix.Calls.Amend(int(h.LastCall)).ArgsSize += block.size // a further fragment of a streamed call
		return
	}
	last, n := h.LastCall, b.nthCall(id)
	if h.Flags&model.HasResults != 0 {
		last = model.NoRow // its chain is that of its answers; the call is found through its own row only
	}
	name := b.name(batch, block.name)
	c := model.Call{
		Msg: id, Result: model.NoID, Prev: last, PrevResult: model.NoRow, ArgsSize: block.size,
		Took: block.took, Tool: name, Block: n, Outcome: block.outcome,
	}
	if early, ok := b.open.early[block.id]; ok && block.id != 0 { // its result came first
		delete(b.open.early, block.id)
		b.adopt(early, c)
		return
	}
	if block.id == 0 && len(b.open.ahead) > 0 {
		if early, ok := b.open.takeAhead(g.seq, thread, name); ok {
			b.adopt(early, c)
			return
		}
	}
	row := model.CallID(b.ix.Calls.Append(c))
	if h.Flags&model.HasResults == 0 {
		b.ix.Heads.Amend(int(id)).LastCall = uint32(row)
	}
	b.open.add(openCall{row, id, g.time, block.id, block.args, name, thread})
}

// knownCall is the row of a call that the message made already, where a record
// says it again.
func (b *Builder) knownCall(block *gistBlock, id model.ID) (model.CallID, bool) {
	if block.id == 0 {
		return 0, false
	}
	if c, ok := b.open.byID[block.id]; ok && (c.msg == id || block.long && c.args == block.args) {
		return c.row, true
	}
	if c, ok := b.calls.get(block.id); ok {
		switch msg := b.ix.Calls.Row(int(c.row)).Msg; {
		case msg == model.NoID: // its result came first
		case msg == id || block.long && c.args == block.args:
			return c.row, true
		}
	}
	return 0, false
}

// adopt makes a call of a result that came before it.
func (b *Builder) adopt(early model.CallID, c model.Call) {
	row := b.ix.Calls.Amend(int(early))
	row.Msg, row.Prev, row.ArgsSize, row.Block = c.Msg, c.Prev, c.ArgsSize, c.Block
	if c.Tool != 0 {
		row.Tool = c.Tool
	}
	row.Flags &^= model.OrphanCall
	b.ix.Heads.Amend(int(c.Msg)).LastCall = uint32(early)
	h := b.amend(row.Result)
	h.Flags &^= model.HasOrphan
}

// result gives a call its result; without a call it gets a row of its own.
func (b *Builder) result(batch *Batch, g *gist, block *gistBlock, id model.ID, thread uint32) {
	outcome := block.outcome
	if outcome == model.Unknown {
		outcome = model.Success
	}
	if outcome.Failed() {
		b.ix.Heads.Amend(int(id)).Flags |= model.HasFailure
	}
	name := b.name(batch, block.name)
	open, ok := b.takeCall(block, thread, name)
	if !ok {
		if row, again := b.calls.get(block.id); again && block.id != 0 {
			b.resultAgain(row.row, block, outcome, id)
			return
		}
		b.orphan(block, outcome, id, name)
		if block.id == 0 && b.order == model.BySeq {
			b.open.ahead = append(b.open.ahead, aheadResult{model.CallID(b.ix.Calls.Len() - 1), g.seq, thread, name})
		}
		return
	}
	c := b.ix.Calls.Amend(int(open.row))
	b.answered(c, block, outcome, id)
	if block.took == model.NoTook && c.Took == model.NoTook && open.time != 0 && g.time >= open.time && open.msg != id {
		c.Took, c.Flags = uint32(min(g.time-open.time, 1<<32-2)), c.Flags|model.TookDerived
	}
	if block.id != 0 {
		b.calls.set(block.id, doneCall{open.row, open.args})
	}
	if open.msg != id {
		b.amend(open.msg)
		b.chainResult(open.row, id)
	}
}

func (b *Builder) answered(c *model.Call, block *gistBlock, outcome model.Outcome, id model.ID) {
	if !c.Outcome.Failed() || outcome.Failed() { // a failure that was told before the result stands
		c.Outcome = outcome
	}
	c.Result, c.ResultSize = id, block.size
	if block.took != model.NoTook {
		c.Took = block.took
		c.Flags &^= model.TookDerived
	}
}

func (b *Builder) takeCall(block *gistBlock, thread uint32, name uint16) (openCall, bool) {
	if block.id != 0 {
		if open, ok := b.open.take(block.id); ok {
			return open, true
		}
		return b.takeUnnamed(thread, name)
	}
	return b.open.takeInOrder(thread, name)
}

// takeUnnamed lets a result with an id answer a call that was recorded without
// one, by name.
func (b *Builder) takeUnnamed(thread uint32, name uint16) (openCall, bool) {
	if name == 0 {
		return openCall{}, false
	}
	c, ok := b.open.unnamed.oldest(thread, name)
	if ok {
		b.open.unnamed.remove(c.row)
	}
	return c, ok
}

// chainResult hangs the call into the chain of the message that answers it. A
// message that made calls itself keeps the chain of its own.
func (b *Builder) chainResult(row model.CallID, id model.ID) {
	h := b.ix.Heads.Amend(int(id))
	if h.Flags&model.HasResults == 0 && h.LastCall != model.NoRow { // HasCalls may not be set yet
		return
	}
	h.Flags |= model.HasResults
	b.ix.Calls.Amend(int(row)).PrevResult = h.LastCall
	h.LastCall = uint32(row)
}

// resultAgain is a further result of a call that has one: what a repeated record
// or a growing one says last holds.
func (b *Builder) resultAgain(row model.CallID, block *gistBlock, outcome model.Outcome, id model.ID) {
	c := b.ix.Calls.Amend(int(row))
	if c.Result == id || c.Outcome == model.Background || c.Outcome == model.Running {
		if block.outcome != model.Unknown {
			c.Outcome = outcome
		}
		c.ResultSize = max(c.ResultSize, block.size)
		if block.took != model.NoTook {
			c.Took = block.took
		}
		b.amendEnds(c)
	}
	b.ix.Heads.Amend(int(id)).Flags |= model.HasResults
}

// amendEnds tells of a change of a call to whoever has seen its messages.
func (b *Builder) amendEnds(c *model.Call) {
	for _, id := range [...]model.ID{c.Msg, c.Result} {
		if id != model.NoID {
			b.amend(id)
		}
	}
}

func (b *Builder) orphan(block *gistBlock, outcome model.Outcome, id model.ID, name uint16) {
	row := model.CallID(b.ix.Calls.Append(model.Call{
		Msg: model.NoID, Result: id, Prev: model.NoRow, PrevResult: model.NoRow, ResultSize: block.size,
		Took: block.took, Tool: name, Outcome: outcome, Flags: model.OrphanCall,
	}))
	b.ix.Heads.Amend(int(id)).Flags |= model.HasOrphan
	b.chainResult(row, id)
	if block.id != 0 {
		b.open.early[block.id] = row
		b.calls.set(block.id, doneCall{row: row})
	}
}

// addUsage counts what the fact recorded: of a response that is written on
// several lines the largest.
func (b *Builder) addUsage(batch *Batch, g *gist, id model.ID, thread uint32) {
	if g.usage < 0 {
		return
	}
	u := batch.usages[g.usage]
	if u.Scope != model.Each {
		b.meter(&u, thread, g.flags)
		return
	}
	h := b.ix.Heads.Row(int(id))
	row := model.TokensOf(&u)
	if h.Usage == model.NoRow {
		n := uint32(b.ix.Tokens.Append(row))
		b.ix.Heads.Amend(int(id)).Usage = n
		if u.Key != 0 {
			b.usageOf.set(model.Key(id)+1, u.Key)
		}
		return
	}
	old := b.ix.Tokens.Row(int(h.Usage))
	if key, ok := b.usageOf.get(model.Key(id) + 1); ok && u.Key != 0 && key != u.Key {
		addTokens(b.ix.Tokens.Amend(int(h.Usage)), &row) // a second response under one message id
		b.usageOf.set(model.Key(id)+1, u.Key)
		return
	}
	if known(row.Output) >= known(old.Output) {
		*b.ix.Tokens.Amend(int(h.Usage)) = row
	}
}

func known(n uint32) uint32 {
	if n == model.NoTokens {
		return 0
	}
	return n
}

func addTokens(to, more *model.Tokens) {
	add := func(x *uint32, y uint32) {
		if y != model.NoTokens {
			*x = known(*x) + y
		}
	}
	add(&to.Input, more.Input)
	add(&to.CacheRead, more.CacheRead)
	add(&to.CacheWrite, more.CacheWrite)
	add(&to.Output, more.Output)
	add(&to.Reasoning, more.Reasoning)
	to.Cost += more.Cost
	to.Flags |= more.Flags
}
