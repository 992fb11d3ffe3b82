package stitch

import (
	"cmp"

	"turns/model"
)

// echo is a message that another record may repeat.
type echo struct {
	hash   model.Key
	id     model.ID
	stream int64
	thread uint32
}

// echoReach limits the messages between a message and its echo.
const echoReach = 32

// addMessage adds a message or a part of one.
func (b *Builder) addMessage(batch *Batch, g *gist, thread uint32) {
	if g.echo != 0 && g.join != model.Replace && g.join != model.Nested && b.isEcho(g, thread) {
		// a complete message that grows is never an echo
		return
	}
	switch g.join {
	case model.Nested:
		b.addNested(batch, g, thread)
		return
	case model.InText:
		b.holdInText(batch, g)
		return
	case model.StandIn:
		b.addSpan(batch, g, thread)
		return
	case model.Answers:
		if b.noteOnAnswered(batch, g) {
			return
		}
	}
	if g.by != 0 && (b.spans == nil || !b.spans.logged[thread]) {
		b.logged(thread)
	}
	id, known := b.continued(batch, g, thread)
	if !known {
		id = b.newMessage(batch, g, thread)
	} else {
		if g.join == model.Answers && g.blocks > 0 && batch.blocks[g.block].kind == model.ToolCall {
			g.block, g.blocks, g.flags = g.block+1, g.blocks-1, g.flags&^model.SpanTold
		}
		b.addPart(batch, g, id)
		b.continues(batch, g, id)
	}
	b.addBlocks(batch, g, id, thread)
	b.addUsage(batch, g, id, thread)
	st := &b.threadState[thread]
	st.lastMessage = id
	st.words = g.blocks > 0 && batch.blocks[g.block+g.blocks-1].kind == model.Words
	if g.role == model.Assistant {
		st.lastAssistant, st.requested = id, false
	}
	if b.ix.Threads[thread].Main && !b.precedes(g, st) {
		b.stops(batch, g, &b.ix.Sessions[b.ix.Threads[thread].Session], known)
	}
	if g.echo != 0 {
		b.echoes = append(b.echoes, echo{g.echo, id, g.n, thread})
		if len(b.echoes) > echoReach {
			b.echoes = append(b.echoes[:0], b.echoes[1:]...)
		}
	}
}

// continues notes that a fact continues a text of its message: no single record may contain the
// text that the reader sees.
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

// isEcho reports whether a nearby record of the other stream already added this message. If so, the
// record becomes a part of it without content.
func (b *Builder) isEcho(g *gist, thread uint32) bool {
	for i, e := range b.echoes {
		if e.hash != g.echo || e.stream == g.n || e.thread != thread || b.ix.Heads.Row(int(e.id)).Flags&model.Rewound != 0 {
			continue
		}
		b.echoes = append(b.echoes[:i], b.echoes[i+1:]...)
		h := b.amend(e.id)
		h.LastPart = uint32(b.ix.Parts.Append(model.NewPart(g.ref, h.LastPart, e.id, true)))
		h.Flags |= g.flags | model.Echoed
		h.Time = cmp.Or(h.Time, g.time)
		if g.key != 0 {
			b.recent.set(g.key, e.id)
		}
		b.remember(g.record, e.id)
		return true
	}
	return false
}

// noteOnAnswered turns a fact that answers a call into a note if it has a name and the call already
// has a result. It always clears the fact's name.
func (b *Builder) noteOnAnswered(batch *Batch, g *gist) bool {
	kind := b.name(batch, g.name)
	g.name = 0
	if kind == 0 || g.blocks == 0 {
		return false
	}
	call := batch.blocks[g.block].id
	row, known := b.target(call)
	if !known || b.ix.Calls.Row(int(row)).Result == model.NoID {
		return false
	}
	g.target = call
	g.role, g.flags = model.NoRole, g.flags&^model.SpanTold
	b.note(batch, g, kind)
	return true
}

// continued returns the message that the fact continues.
func (b *Builder) continued(batch *Batch, g *gist, thread uint32) (model.ID, bool) {
	switch {
	case g.join == model.Apart:
		return model.NoID, false
	case g.join == model.Answers && g.blocks > 0:
		call, ok := b.open.byID[batch.blocks[g.block].id]
		return call.msg, ok
	}
	if g.key != 0 {
		id, ok := b.recent.get(g.key)
		if !ok && (b.whole != nil || g.join == model.Replace) {
			id, ok = b.find(g.key)
		}
		if ok && b.ix.Heads.Row(int(id)).Op == model.Say {
			return id, true
		}
		if g.aside {
			if id, ok = b.unfinished(batch, g, thread); ok {
				b.recent.set(g.key, id)
			}
			return id, ok
		}
		return model.NoID, false
	}
	if g.aside {
		return b.unfinished(batch, g, thread)
	}
	if g.join != model.Extend {
		return model.NoID, false
	}
	id := b.threadState[thread].lastMessage
	if id == model.NoID || b.ix.Heads.Row(int(id)).Role != g.role {
		return model.NoID, false
	}
	return id, true
}

// unfinished returns the message that a part of a response belongs to: the last one of the model.
// It must follow the latest prompt, and either have no words yet, or be the last message, and end
// in words if the part begins with words.
func (b *Builder) unfinished(batch *Batch, g *gist, thread uint32) (model.ID, bool) {
	st := &b.threadState[thread]
	id := st.lastAssistant
	if prompt := b.turn(); id == model.NoID || st.requested || g.role != model.Assistant || prompt != model.NoID && prompt > id {
		return model.NoID, false
	}
	switch flags := b.ix.Heads.Row(int(id)).Flags; {
	case flags&model.APIError != 0:
		return model.NoID, false
	case flags&model.HasWords == 0:
		return id, true
	}
	speaks := g.blocks > 0 && batch.blocks[g.block].kind == model.Words
	return id, st.lastMessage == id && (!speaks || st.words)
}

func (b *Builder) newMessage(batch *Batch, g *gist, thread uint32) model.ID {
	name := b.name(batch, g.name)
	if name == 0 && g.role == model.Assistant {
		name = b.threadState[thread].announced
	}
	parent := b.parent(g, thread)
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
		if b.traces == nil || g.time > b.traces.ended[t.Session] {
			se := &b.ix.Sessions[t.Session] // it continues
			se.Ended, se.Reason = false, ""
		}
	}
	b.changeOfModel(g, id, thread, name)
	if g.span != 0 {
		b.nestAgent(id)
	}
	return id
}

// near is the number of records to search for the parent of an answer.
const near = 64

// parent returns the parent of the fact that becomes the next row. Prompts may refer far back; the
// other messages of a chain have their parent close by.
func (b *Builder) parent(g *gist, thread uint32) model.ID {
	switch {
	case g.parent == 0:
		return model.NoID
	case b.order == model.Tree:
		id, ok := b.find(g.parent)
		if !ok && g.role == model.Tool && g.key == 0 { // it names its call as its parent
			id = b.threadState[thread].lastAssistant
			b.attached[model.ID(b.ix.Heads.Len())] = struct{}{}
		}
		return id
	case g.role == model.User:
		id, _ := b.records.find(g.parent, recordRingSize)
		return id
	}
	id, _ := b.records.find(g.parent, near)
	return id
}

// changeOfModel adds an event where another model begins to answer.
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
func (b *Builder) addPart(batch *Batch, g *gist, id model.ID) *model.Head {
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
		for row := h.LastCall; h.Flags&model.HasResults != 0 && row != model.NoRow; row = b.ix.Calls.Row(int(row)).PrevResult {
			b.answers = append(b.answers, model.CallID(row))
		}
	}
	h.LastPart = uint32(b.ix.Parts.Append(model.NewPart(g.ref, h.LastPart, id, false)))
	h.Size += g.size
	h.Flags = h.Flags&^model.Partial | g.flags
	if h.Time == 0 && g.join != model.Answers { // an answer's time is when the tool finished
		h.Time = g.time
	}
	// a later record repeats a message from before it
	if b.order == model.ByTime && g.join == model.Replace && g.time > 0 && placeInTime(g) < b.seqs[id] {
		h.Time, b.seqs[id] = g.time, placeInTime(g)
		b.unordered, b.dirty = true, true
	}
	if name := b.name(batch, g.name); name != 0 {
		h.Name = name
	}
	if h.Role == model.NoRole {
		h.Role = g.role
	}
	if h.Flags&model.Rewound != 0 && g.join != model.Nested { // a log that rebuilds its list
		h.Flags &^= model.Rewound
		b.ix.Live = append(b.ix.Live[:len(b.ix.Live):len(b.ix.Live)], id)
		b.unordered, b.dirty = true, true
		t := &b.ix.Threads[h.Thread]
		t.Count++
		b.ix.Sessions[t.Session].Count++
	}
	b.remember(g.record, id)
	return h
}

// precedes reports whether a message belongs before an answer that arrived before it: exports of
// traces may begin with the newest.
func (b *Builder) precedes(g *gist, st *threadState) bool {
	if b.order != model.ByTime || g.time == 0 {
		return false
	}
	if g.time < st.answered {
		return true
	}
	if g.role == model.Assistant {
		st.answered = g.time
	}
	return false
}

// stops stores why the last response of a session ended. The reason of a response that waits for a
// tool does not apply to later words, an error does not apply to a later response.
func (b *Builder) stops(batch *Batch, g *gist, s *model.Session, known bool) {
	switch {
	case g.stop != model.StopUnknown:
		s.Stop = g.stop
	case g.role != model.Assistant || known || g.blocks == 0:
	case s.Stop == model.StopError, s.Stop == model.StopTool && batch.blocks[g.block+g.blocks-1].kind != model.ToolCall:
		s.Stop = model.StopUnknown
	}
}

// skipParts marks the parts of a message that a later one replaces.
func (b *Builder) skipParts(row uint32) {
	for row != model.NoRow {
		p := b.ix.Parts.Row(int(row))
		prev := p.Prev()
		if p.Skip() {
			return // the parts before it are already skipped
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
			b.recall(block.id)
			calls++
		case model.ToolResult:
			b.result(batch, g, block, id, thread)
			results++
		}
	}
	b.dropReplaced(id)
	b.answers = b.answers[:0]
	h := b.ix.Heads.Row(int(id))
	user := g.role == model.User || g.role == model.NoRole && h.Role == model.User // parts lack it
	if user && h.Flags&(model.Injected|model.Recap) == 0 && g.asks(blocks, calls+results > 0) {
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

// asks reports whether a message of the user opens a turn. Empty content does not; in a message
// with calls or results only words do.
func (g *gist) asks(blocks []gistBlock, answers bool) bool {
	for i := range blocks {
		if b := &blocks[i]; !b.blank && (!answers || b.kind == model.Words) {
			return true
		}
	}
	return g.elsewhere != 0 && !answers
}

// addUsage counts the recorded usage. For a response written on several lines it uses the largest.
func (b *Builder) addUsage(batch *Batch, g *gist, id model.ID, thread uint32) {
	if g.usage < 0 {
		return
	}
	u := batch.usages[g.usage]
	if u.Scope != model.Each {
		b.meter(&u, thread, g.flags)
		return
	}
	if g.flags&model.Inherited != 0 { // it counts in the transcript that recorded it first
		return
	}
	h := b.ix.Heads.Row(int(id))
	row := model.TokensOf(&u)
	if u.Missed != "" {
		row.Missed = b.intern(u.Missed)
	}
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
