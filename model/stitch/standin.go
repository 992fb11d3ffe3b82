package stitch

import (
	"slices"

	"turns/model"
)

// Spans of tools describe calls. So do the messages sent to models, if an application records them.
// Which of the two are present shows only later, and differs from call to call. So a span makes a
// message until a recorded one has the same: a call if no message made it, a result if no message
// has it. The outcome does not depend on the order of arrival.

// spanFacts has the spans that describe calls, and what each stands in for.
type spanFacts struct {
	bySpan map[model.Key]*spanFact
	byID   map[model.Key]*spanFact // not claimed by a message, by the id of the call
	byMsg  map[model.ID]*spanFact
	named  map[queueKey][]*spanFact    // of spans without an id, by tool
	calls  map[queueKey][]model.CallID // calls of messages, for spans without an id
	// messages made for requests that only spans describe, by thread
	answers  map[uint32][]model.ID
	answered map[model.Key]bool // spans of requests
	logged   map[uint32]bool
}

// spanFact is a span of a tool.
type spanFact struct {
	row     model.CallID
	msg     model.ID // message made by the span; NoID: none
	kind    uint16   // kind of the note that it becomes otherwise
	claimed bool     // a message made the call
	result  bool     // the message has the result
	again   bool     // it was sent again
	ended   int64    // Unix ms of the result
	place   int64    // position of a message with only the result
}

func newStandIns() *spanFacts {
	return &spanFacts{
		bySpan: map[model.Key]*spanFact{}, byID: map[model.Key]*spanFact{}, byMsg: map[model.ID]*spanFact{},
		named: map[queueKey][]*spanFact{}, calls: map[queueKey][]model.CallID{},
		answers: map[uint32][]model.ID{}, answered: map[model.Key]bool{}, logged: map[uint32]bool{},
	}
}

// addSpan handles a span's data about a call, its result or a request.
func (b *Builder) addSpan(batch *Batch, g *gist, thread uint32) {
	if b.spans == nil {
		b.spans = newStandIns()
	}
	kind := b.name(batch, g.name)
	g.name = g.about
	if g.blocks > 0 {
		switch block := &batch.blocks[g.block]; block.kind {
		case model.ToolCall:
			b.spanCall(batch, g, block, thread, kind)
			return
		case model.ToolResult:
			b.spanResult(batch, g, block, thread)
			return
		}
	}
	b.spanAnswer(batch, g, thread, kind)
}

// spanAnswer makes an answer without words for a request, if no log has its messages.
func (b *Builder) spanAnswer(batch *Batch, g *gist, thread uint32, kind uint16) {
	if g.key != 0 && b.spans.answered[g.key] {
		g.usage = -1 // sent again
	}
	if g.usage < 0 || b.spans.logged[thread] {
		b.note(batch, g, kind)
		return
	}
	id := b.newMessage(batch, g, thread)
	b.addBlocks(batch, g, id, thread)
	b.addUsage(batch, g, id, thread)
	b.spans.answered[g.key] = true
	b.spans.answers[thread] = append(b.spans.answers[thread], id)
	b.threadState[thread].lastAssistant = id
}

// logged records that a log has the messages of a thread: its requests then need no messages.
func (b *Builder) logged(thread uint32) {
	if b.spans == nil {
		b.spans = newStandIns()
	}
	b.spans.logged[thread] = true
	for _, id := range b.spans.answers[thread] {
		h := b.ix.Heads.Row(int(id))
		if h.Usage != model.NoRow {
			u := b.ix.Tokens.Row(int(h.Usage)).Usage()
			b.total(b.ix.Threads[thread].Session, &u)
		}
		b.retire(id, model.NoID, b.intern("request"))
		b.ix.Heads.Amend(int(id)).Usage = model.NoRow
	}
	delete(b.spans.answers, thread)
}

// spanCall makes a message for the call of a span, unless a message has the call.
func (b *Builder) spanCall(batch *Batch, g *gist, block *gistBlock, thread uint32, kind uint16) {
	if s := b.spans.bySpan[ofSession(g.key, g.session)]; s != nil {
		s.again = true
		return
	}
	s := &spanFact{msg: model.NoID, kind: kind}
	b.spans.bySpan[ofSession(g.key, g.session)] = s
	if row, ok := b.claimedCall(batch, block, thread); ok {
		s.row, s.claimed = row, true
		b.nested(batch, g, block, row, thread)
		b.settleText(row, block)
	} else {
		s.msg = b.newMessage(batch, g, thread)
		b.call(batch, g, block, s.msg, thread)
		h := b.ix.Heads.Amend(int(s.msg))
		h.Flags |= model.HasCalls | model.SpanTold
		s.row = model.CallID(h.LastCall)
		b.spans.byMsg[s.msg] = s
		if block.id != 0 {
			b.spans.byID[block.id] = s
		} else {
			k := queueKey{thread, b.name(batch, block.name)}
			b.spans.named[k] = append(b.spans.named[k], s)
		}
	}
	b.adoptInside(ofSession(g.key, g.session), s.row)
}

// claimedCall returns the call of a message that a span describes: the one with its id, or the
// oldest of its tool that no span has described.
func (b *Builder) claimedCall(batch *Batch, block *gistBlock, thread uint32) (model.CallID, bool) {
	if block.id != 0 {
		row, ok := b.target(block.id)
		return row, ok && b.ix.Calls.Row(int(row)).Msg != model.NoID
	}
	k := queueKey{thread, b.name(batch, block.name)}
	rows := b.spans.calls[k]
	if len(rows) == 0 {
		return 0, false
	}
	at := max(slices.IndexFunc(rows, func(row model.CallID) bool {
		return b.ix.Calls.Row(int(row)).Same == uint32(block.args)
	}), 0)
	row := rows[at]
	b.spans.calls[k] = slices.Delete(rows, at, at+1)
	return row, true
}

// spanResult adds to a call the result, outcome and time of its span. A message's own data about
// the result takes precedence.
func (b *Builder) spanResult(batch *Batch, g *gist, block *gistBlock, thread uint32) {
	s := b.spans.bySpan[ofSession(g.key, g.session)]
	if s == nil || s.again {
		b.note(batch, g, b.intern("repeated record"))
		return
	}
	c := b.ix.Calls.Amend(int(s.row))
	if c.Result != model.NoID {
		b.applySpan(c, block)
		b.note(batch, g, s.kind)
		b.ix.Heads.Amend(b.ix.Heads.Len() - 1).Parent = c.Msg
		return
	}
	if s.claimed {
		s.msg = b.newMessage(batch, g, thread)
		b.spans.byMsg[s.msg] = s
		b.chainResult(s.row, s.msg)
		c = b.ix.Calls.Amend(int(s.row))
	} else {
		b.addPart(batch, g, s.msg)
	}
	s.result, s.ended, s.place = true, g.time, placeInTime(g)
	c.Result, c.ResultSize = s.msg, block.size
	b.applySpan(c, block)
	if block.outcome.Failed() {
		b.ix.Heads.Amend(int(s.msg)).Flags |= model.HasFailure
	}
}

// applySpan applies a span's outcome and time to its call. A failure reported by a message stays.
func (b *Builder) applySpan(c *model.Call, block *gistBlock) {
	if block.took != model.NoTook {
		c.Took, c.Flags = block.took, c.Flags&^model.TookDerived
	}
	if !c.Outcome.Failed() && block.outcome != model.Unknown {
		c.Outcome = block.outcome
	}
	b.amendEnds(c)
}

// claim assigns the call of a span to the message that made it. ok is false if no span has it.
func (b *Builder) claim(batch *Batch, g *gist, block *gistBlock, id model.ID, thread uint32) (ok bool) {
	if b.spans == nil || g.join == model.StandIn {
		return false
	}
	s := b.spans.byID[block.id]
	k := queueKey{thread, b.name(batch, block.name)}
	if named := b.spans.named[k]; s == nil && len(named) > 0 {
		at := max(slices.IndexFunc(named, func(s *spanFact) bool {
			return b.ix.Calls.Row(int(s.row)).Same == uint32(block.args)
		}), 0)
		s = named[at]
		b.spans.named[k] = slices.Delete(named, at, at+1)
	}
	if s == nil {
		return false
	}
	delete(b.spans.byID, block.id)
	open, isOpen := b.open.byID[block.id]
	if isOpen = isOpen && open.row == s.row; isOpen {
		b.open.remove(open)
	}
	b.open.unnamed.remove(s.row)
	c, h := b.ix.Calls.Amend(int(s.row)), b.ix.Heads.Amend(int(id))
	answered := c.Result != model.NoID && !s.result
	c.Msg, c.Block, c.ArgsSize, c.Same, c.Prev = id, b.nthCall(id), block.size, uint32(block.args), model.NoRow
	if h.Flags&model.HasResults == 0 {
		c.Prev, h.LastCall = h.LastCall, uint32(s.row)
	}
	s.claimed = true
	if !answered && !c.InText() {
		b.open.add(openCall{s.row, id, g.time, b.turn(), block.id, block.args, c.Tool, thread})
	}
	b.leaveCall(s)
	return true
}

// leaveCall removes the call from the message that its span made; only the result stays.
func (b *Builder) leaveCall(s *spanFact) {
	made := b.ix.Calls.Row(int(s.row)).Msg
	if !s.result {
		b.retire(s.msg, made, s.kind)
		s.msg = model.NoID
		return
	}
	h := b.amend(s.msg)
	h.Role, h.Flags, h.LastCall = model.Tool, h.Flags&^(model.HasCalls|model.Synthetic|model.SpanTold)|model.HasResults, uint32(s.row)
	h.Time, b.seqs[s.msg] = s.ended, s.place
	b.unordered, b.dirty = true, true
	b.ix.Calls.Amend(int(s.row)).PrevResult = model.NoRow
	b.skipParts(b.ix.Parts.Row(int(h.LastPart)).Prev())
}

// leaveResult removes the result from a span's message, because a recorded message has it.
func (b *Builder) leaveResult(msg model.ID) {
	if b.spans == nil {
		return
	}
	s := b.spans.byMsg[msg]
	if s == nil || !s.result {
		return
	}
	s.result = false
	if s.claimed {
		b.retire(s.msg, b.ix.Calls.Row(int(s.row)).Msg, s.kind)
		s.msg = model.NoID
		return
	}
	h := b.amend(msg)
	p := b.ix.Parts.Row(int(h.LastPart))
	*b.ix.Parts.Amend(int(h.LastPart)) = model.NewPart(p.Ref, p.Prev(), p.Msg, true)
}

// retire turns a span's stand-in message into a note.
func (b *Builder) retire(msg, parent model.ID, kind uint16) {
	delete(b.spans.byMsg, msg)
	h := b.amend(msg)
	h.Op, h.Role, h.Name, h.Parent, h.LastCall, h.Flags = model.Note, model.NoRole, kind, parent, model.NoRow, 0
	t := &b.ix.Threads[h.Thread]
	t.Count--
	b.ix.Sessions[t.Session].Count--
	b.ix.Notes++
	b.unordered, b.dirty = true, true
}
