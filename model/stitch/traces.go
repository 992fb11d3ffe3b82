package stitch

import "turns/model"

// The spans above an agent's own show which other agent it ran below. A span is sent when it ends,
// so the upper ones arrive last. Messages then move to the threads of their agents.

// traces has the places of spans, by their keys.
type traces struct {
	spans map[model.Key]spanPlace
	rows  map[model.ID]model.Key // the first span that reported a message
	// messages in rows, by session
	bySession map[uint32][]model.ID
	ended     map[uint32]int64 // end of the last agent of a session, Unix ms
	last      map[uint32]int64 // time of the latest message of a session
	agents    int
}

// spanPlace is a span and its parent span.
type spanPlace struct {
	above   model.Key
	agent   bool
	name    uint16 // of the agent
	session uint32
}

// traced records a fact's place in its trace.
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

// tracedRow records that a fact made a message.
func (b *Builder) tracedRow(g *gist, id model.ID) {
	if g.op != model.Say || g.span == 0 {
		return
	}
	b.traces.rows[id] = g.span
	session := b.ix.Threads[b.ix.Heads.Row(int(id)).Thread].Session
	b.traces.bySession[session] = append(b.traces.bySession[session], id)
}

// spansDeep limits the search upwards for an agent.
const spansDeep = 64

// agentOf returns the agent that a span ran under, and the tool call between that agent and the
// next one above. above is false if no agent is above it.
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
		case agent != 0 && uint32(call) == model.NoRow && b.spans != nil && b.spans.bySpan[ofSession(span, b.ix.Sessions[place.session].Key)] != nil:
			call = b.spans.bySpan[ofSession(span, b.ix.Sessions[place.session].Key)].row
		}
		span = place.above
	}
	return agent, call, false
}

// nestAgents moves the messages of agents that ran below others to separate threads.
func (b *Builder) nestAgents(session uint32) {
	if b.traces.agents < 2 {
		return
	}
	for _, id := range b.traces.bySession[session] {
		b.nestAgent(id)
	}
}

// nestAgent moves a message to the thread of its agent, if that agent ran below another.
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

// agentEnded records the end of the agent of an entire trace. Later messages continue the session.
func (b *Builder) agentEnded(g *gist, s *model.Session, session uint32) {
	if t := b.traces; t != nil && b.order == model.ByTime {
		t.ended[session] = max(t.ended[session], g.time)
		s.Ended = t.last[session] <= t.ended[session]
	}
}
