package stitch

import "turns/model"

// Agents that run below others are known by the spans above theirs, and a span comes when it ends:
// those above come last, and then messages move to the threads of their agents.

// traces are the places of spans, by their keys.
type traces struct {
	spans map[model.Key]spanPlace
	rows  map[model.ID]model.Key // the span that told of a message first
	// those messages
	bySession map[uint32][]model.ID
	ended     map[uint32]int64 // when the last agent of a session ended, Unix ms
	last      map[uint32]int64 // the latest message of a session
	agents    int
}

// spanPlace is a span and the one above it.
type spanPlace struct {
	above   model.Key
	agent   bool
	name    uint16 // of the agent
	session uint32
}

// traced takes in where a fact is in its trace.
func (b *Builder) traced(batch *Batch, g *gist, thread uint32) {
	if b.traces == nil {
		b.traces = &traces{
			spans: map[model.Key]spanPlace{}, rows: map[model.ID]model.Key{}, bySession: map[uint32][]model.ID{}, ended: map[uint32]int64{}, last: map[uint32]int64{},
		}
	}
	place := b.traces.spans[g.span]
	place.above, place.session = g.above, b.ix.Threads[thread].Session
	if g.op == model.Child && !place.agent {
		place.agent, place.name = true, b.name(batch, g.about)
		b.traces.agents++
	}
	b.traces.spans[g.span] = place
	if g.op == model.Say {
		b.traces.last[place.session] = max(b.traces.last[place.session], g.time)
	} else if g.op == model.Child {
		b.nestAgents(place.session)
	}
}

// tracedRow takes in that a fact made a message.
func (b *Builder) tracedRow(g *gist, id model.ID) {
	if g.op != model.Say || g.span == 0 {
		return
	}
	b.traces.rows[id] = g.span
	session := b.ix.Threads[b.ix.Heads.Row(int(id)).Thread].Session
	b.traces.bySession[session] = append(b.traces.bySession[session], id)
}

// spansDeep is how many spans are looked through for an agent.
const spansDeep = 64

// agentOf is the agent that a span ran under, and the call of a tool that is between the agent and
// the one above it; ok is false if no agent is above it.
func (t *traces) agentOf(b *Builder, span model.Key) (agent model.Key, call model.CallID, above bool) {
	call = model.CallID(model.NoRow)
	for range spansDeep {
		place, ok := t.spans[span]
		switch {
		case !ok:
			return agent, call, false
		case place.agent && agent != 0:
			return agent, call, true
		case place.agent:
			agent = span
		case agent != 0 && uint32(call) == model.NoRow && b.stand != nil && b.stand.bySpan[ofSession(span, b.ix.Sessions[place.session].Key)] != nil:
			call = b.stand.bySpan[ofSession(span, b.ix.Sessions[place.session].Key)].row
		}
		span = place.above
	}
	return agent, call, false
}

// nestAgents moves the messages of a session whose agents ran below others to threads of their own.
func (b *Builder) nestAgents(session uint32) {
	if b.traces.agents < 2 {
		return
	}
	for _, id := range b.traces.bySession[session] {
		b.nestAgent(id)
	}
}

// nestAgent moves a message to the thread of its agent, if that ran below another.
func (b *Builder) nestAgent(id model.ID) {
	t, h := b.traces, b.ix.Heads.Row(int(id))
	if h.Op != model.Say || t.agents < 2 {
		return
	}
	agent, call, below := t.agentOf(b, t.rows[id])
	if !below {
		return
	}
	row := b.threadRow(b.ix.Sessions[b.ix.Threads[h.Thread].Session].Key, agent, true)
	if row == h.Thread {
		return
	}
	th := &b.ix.Threads[row]
	th.Name, th.First = b.ix.Names[t.spans[agent].name], min(th.First, id)
	b.ix.Threads[h.Thread].Count--
	th.Count++
	h = b.amend(id)
	h.Thread, h.Flags = row, h.Flags|model.Sidechain
	if uint32(call) != model.NoRow && th.Call == model.CallID(model.NoRow) {
		b.tie(call, row)
	}
}

// agentEnded takes in when the agent of a whole trace ended. What was said later goes on.
func (b *Builder) agentEnded(g *gist, s *model.Session, session uint32) {
	if t := b.traces; t != nil && b.order == model.ByTime {
		t.ended[session] = max(t.ended[session], g.time)
		s.Ended = t.last[session] <= t.ended[session]
	}
}
