package stitch

import (
	"cmp"
	"slices"

	"turns/model"
)

// unchain removes the calls from a message that is being repeated. rechain restores those that it
// makes again; dropReplaced erases the others.
func (b *Builder) unchain(h *model.Head) {
	b.replaced = b.replaced[:0]
	for row := h.LastCall; row != model.NoRow; row = b.ix.Calls.Row(int(row)).Prev {
		b.replaced = append(b.replaced, model.CallID(row))
	}
	h.LastCall = model.NoRow
}

// rechain restores a call to its message, as the n-th.
func (b *Builder) rechain(row model.CallID, id model.ID, n uint32) {
	i := len(b.replaced) - 1 // the first call is the last in the list
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

// nthCall returns the number of a call among those of its message's body. A repeated call of an
// earlier message counts, though it has no row in this message.
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

// dropReplaced erases the calls that the message no longer makes. Their results in other messages
// stay, without a call.
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

// call adds a call to a message, or updates one that the message already has.
func (b *Builder) call(batch *Batch, g *gist, block *gistBlock, id model.ID, thread uint32) {
	if b.claim(batch, g, block, id, thread) {
		return
	}
	row, ok := b.knownCall(block, id)
	if !ok && block.id == 0 {
		row, ok = b.said(b.replaced, b.name(batch, block.name))
	}
	if ok && !block.twin {
		if c := b.ix.Calls.Row(int(row)); c.Msg != id {
			b.nthCall(id)
			return // a later message repeats it
		}
		if block.key == 0 || g.join == model.Replace { // otherwise it keeps its place
			b.rechain(row, id, b.nthCall(id))
		}
		c := b.ix.Calls.Amend(int(row))
		c.ArgsSize, c.Same = max(c.ArgsSize, block.size), cmp.Or(uint32(block.args), c.Same)
		if c.Tool == 0 {
			c.Tool = b.name(batch, block.name)
		}
		if c.Result == model.NoID && block.outcome != model.Unknown {
			c.Outcome = block.outcome
		}
		if block.id == 0 && c.Result == id { // the message repeats its result, too
			b.answers = slices.Insert(b.answers, 0, row)
		}
		return
	}
	h := b.ix.Heads.Row(int(id))
	if g.join == model.Extend && block.id == 0 && block.key != 0 && h.LastCall != model.NoRow && b.name(batch, block.name) == 0 {
		// a further fragment of a streamed call
		b.ix.Calls.Amend(int(h.LastCall)).ArgsSize += block.size
		return
	}
	last, n := h.LastCall, b.nthCall(id)
	if h.Flags&model.HasResults != 0 {
		// the chain links its answers; the call is found only by its own row
		last = model.NoRow
	}
	name := b.name(batch, block.name)
	c := model.Call{
		Msg: id, Result: model.NoID, Prev: last, PrevResult: model.NoRow, ArgsSize: block.size,
		Took: block.took, Tool: name, Block: n, Outcome: block.outcome, Same: uint32(block.args),
	}
	block.derive(&c)
	if block.leave {
		c.Flags |= model.NeedsLeave
	}
	if early, ok := b.open.early[block.id]; ok && block.id != 0 { // its result came first
		delete(b.open.early, block.id)
		b.adopt(early, c)
		b.nested(batch, g, block, early, thread)
		return
	}
	if block.id == 0 && len(b.open.ahead) > 0 {
		if early, ok := b.open.takeAhead(g.seq, thread, name); ok {
			b.adopt(early, c)
			b.nested(batch, g, block, early, thread)
			return
		}
	}
	if done, ok := b.calls.get(block.id); ok && b.leaveAnswer(done.row) {
		b.adopt(done.row, c)
		b.nested(batch, g, block, done.row, thread)
		return
	}
	row = model.CallID(b.ix.Calls.Append(c))
	if h.Flags&model.HasResults == 0 {
		b.ix.Heads.Amend(int(id)).LastCall = uint32(row)
	}
	if block.nesting != model.OfText { // no result follows
		b.open.add(openCall{row, id, g.time, b.turn(), block.id, block.args, name, thread})
	}
	if b.order == model.ByTime && g.join != model.StandIn {
		if b.spans == nil {
			b.spans = newStandIns()
		}
		b.spans.calls[queueKey{thread, name}] = append(b.spans.calls[queueKey{thread, name}], row)
	}
	b.nested(batch, g, block, row, thread)
}

// knownCall returns the row of a call that the message already made, if a record repeats the call.
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

// said returns the first call with a name among those of a repeated message, for one without an id.
func (b *Builder) said(calls []model.CallID, name uint16) (model.CallID, bool) {
	for _, row := range slices.Backward(calls) {
		if name == 0 || b.ix.Calls.Row(int(row)).Tool == name {
			return row, true
		}
	}
	return 0, false
}

// leaveAnswer removes a call from the message that a list of calls made for it and its result; only
// the result stays. It returns false for a call of any other message.
func (b *Builder) leaveAnswer(row model.CallID) bool {
	c := b.ix.Calls.Row(int(row))
	if c.Msg == model.NoID || c.Msg != c.Result || b.ix.Heads.Row(int(c.Msg)).Flags&model.SpanTold == 0 {
		return false
	}
	h := b.amend(c.Msg)
	h.Role, h.Flags = model.Tool, h.Flags&^(model.HasCalls|model.SpanTold)|model.HasResults
	return true
}

// adopt turns the row of an early result into a call.
func (b *Builder) adopt(early model.CallID, c model.Call) {
	row := b.ix.Calls.Amend(int(early))
	row.Msg, row.Prev, row.ArgsSize, row.Block, row.Same = c.Msg, c.Prev, c.ArgsSize, c.Block, c.Same
	if c.Tool != 0 {
		if row.Tool != 0 && row.Tool != c.Tool {
			row.Flags |= model.OtherName
		}
		row.Tool = c.Tool
	}
	row.Flags &^= model.OrphanCall
	b.ix.Heads.Amend(int(c.Msg)).LastCall = uint32(early)
	h := b.amend(row.Result)
	h.Flags &^= model.HasOrphan
}

// result adds a result to its call. A result without a call gets a separate row.
func (b *Builder) result(batch *Batch, g *gist, block *gistBlock, id model.ID, thread uint32) {
	outcome := block.outcome
	if outcome == model.Unknown {
		outcome = model.Success
	}
	if outcome.Failed() {
		b.ix.Heads.Amend(int(id)).Flags |= model.HasFailure
	}
	name := b.name(batch, block.name)
	if row, again := b.said(b.answers, name); again && block.id == 0 {
		b.answers = slices.DeleteFunc(b.answers, func(r model.CallID) bool { return r == row })
		b.resultAgain(row, block, outcome, id)
		return
	}
	if g.join == model.Extend && block.id == 0 && block.key != 0 && b.moreOutput(block, g.time, id) {
		return
	}
	open, ok := b.takeCall(block, thread, name)
	if !ok {
		if row, again := b.calls.get(block.id); again && block.id != 0 {
			if b.resultAgain(row.row, block, outcome, id) {
				return
			}
			first := b.ix.Calls.Row(int(row.row))
			b.orphan(block, outcome, id, cmp.Or(name, first.Tool))
			again := b.ix.Calls.Amend(b.ix.Calls.Len() - 1)
			again.Flags, again.Block = again.Flags|model.Again, uint32(row.row)
			b.calls.set(block.id, row)
			delete(b.open.early, block.id)
			return
		}
		b.orphan(block, outcome, id, name)
		if block.id == 0 && b.order == model.BySeq {
			b.open.ahead = append(b.open.ahead, aheadResult{model.CallID(b.ix.Calls.Len() - 1), g.seq, thread, name})
		}
		return
	}
	c := b.ix.Calls.Amend(int(open.row))
	if c.Result != model.NoID {
		b.leaveResult(c.Result)
	}
	b.answered(c, block, outcome, id)
	b.ended(open.row, c.Outcome, g.time, block.nesting == model.Script)
	if name != 0 && name != c.Tool {
		c.Flags |= model.OtherName
	}
	if block.took == model.NoTook && !block.untimed && c.Took == model.NoTook && open.time != 0 && g.time >= open.time && open.msg != id {
		c.Took, c.Flags = uint32(min(g.time-open.time, 1<<32-2)), c.Flags|model.TookDerived
	}
	if key := cmp.Or(block.id, open.id); key != 0 {
		b.calls.set(key, doneCall{open.row, open.args})
	}
	if open.msg != id {
		b.amend(open.msg)
		b.chainResult(open.row, id)
	}
}

// moreOutput adds a further piece of a result to the call that its message answers.
func (b *Builder) moreOutput(block *gistBlock, at int64, id model.ID) bool {
	h := b.ix.Heads.Row(int(id))
	if h.Flags&model.HasResults == 0 || h.LastCall == model.NoRow {
		return false
	}
	c := b.ix.Calls.Amend(int(h.LastCall))
	c.ResultSize += block.size
	if block.outcome != model.Unknown {
		c.Outcome = block.outcome
		b.ended(model.CallID(h.LastCall), c.Outcome, at, false)
	}
	if c.Flags&model.TookDerived != 0 && c.Msg != model.NoID {
		c.Took = uint32(min(max(at-b.ix.Heads.Row(int(c.Msg)).Time, int64(c.Took)), 1<<32-2))
	}
	return true
}

func (b *Builder) answered(c *model.Call, block *gistBlock, outcome model.Outcome, id model.ID) {
	if !c.Outcome.Failed() || outcome.Failed() { // keep a failure reported before the result
		c.Outcome = outcome
	}
	c.Result, c.ResultSize = id, block.size
	if block.took != model.NoTook {
		c.Took = block.took
		c.Flags &^= model.TookDerived
		block.derive(c)
	}
}

// derive marks the call's duration as an upper bound if the block does.
func (g *gistBlock) derive(c *model.Call) {
	if g.bound && g.took != model.NoTook {
		c.Flags |= model.TookDerived
	}
}

// turn returns the latest prompt.
func (b *Builder) turn() model.ID {
	if n := len(b.prompts); n > 0 {
		return b.prompts[n-1]
	}
	return model.NoID
}

func (b *Builder) takeCall(block *gistBlock, thread uint32, name uint16) (openCall, bool) {
	if block.id != 0 {
		if open, ok := b.open.take(block.id, name); ok {
			return open, true
		}
		return b.takeUnnamed(thread, name)
	}
	return b.open.takeInOrder(thread, name)
}

// takeUnnamed pairs a result that has an id with a call recorded without one, by name.
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

// chainResult adds the call to the chain of the message that answers it. A message that makes calls
// keeps its own chain.
func (b *Builder) chainResult(row model.CallID, id model.ID) {
	h := b.ix.Heads.Amend(int(id))
	if h.Flags&model.HasResults == 0 && h.LastCall != model.NoRow { // HasCalls may not be set yet
		return
	}
	h.Flags |= model.HasResults
	b.ix.Calls.Amend(int(row)).PrevResult = h.LastCall
	h.LastCall = uint32(row)
}

// resultAgain merges a further result of an answered call, if both results belong together: the
// last value of a repeated or growing record wins. It returns false for a result in another
// message, which gets a separate row.
func (b *Builder) resultAgain(row model.CallID, block *gistBlock, outcome model.Outcome, id model.ID) bool {
	c := b.ix.Calls.Amend(int(row))
	if !block.again && c.Result != id && c.Msg != id && c.Result != c.Msg && c.Outcome != model.Background && c.Outcome != model.Running {
		return false
	}
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
	// a message that repeats its call with the result keeps the chain of its calls
	if c.Msg != id {
		b.ix.Heads.Amend(int(id)).Flags |= model.HasResults
	}
	return true
}

// amendEnds registers a change of a call for both of its messages.
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
