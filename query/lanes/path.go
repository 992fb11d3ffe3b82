package lanes

import (
	"cmp"
	"slices"

	"turns/model"
	"turns/query/human"
)

// Critical is the critical path: the calls that the end of the session waited for.
type Critical struct {
	Time  human.Millis   `json:"total_seconds"`
	Calls int            `json:"calls"`
	Tools []CriticalTool `json:"tools"` // the longest first
	// what calls that one response made, and that ran one after another, would have saved in
	// parallel
	Saved human.Millis `json:"parallel_saves_seconds"`
}

// CriticalTool is the time for which the end waited for a tool.
type CriticalTool struct {
	Tool  string       `json:"tool_name"`
	Calls int          `json:"calls"`
	Time  human.Millis `json:"total_seconds"`
}

// lanePath is what a clock knows of the path through a lane. In a main lane, calls leave it as soon
// as the block in which they ran is over: a session has many. A subagent keeps all, because the
// call that started it decides which part of its time is on the path.
type lanePath struct {
	calls  []pathCall // in the order of their start
	block  span       // the last time in which calls ran, without cuts at records
	blocks []span     // of a subagent: all blocks before
	group  group      // of a main lane: the calls of the path that came last
}

// pathCall is a call that may be on the path.
type pathCall struct {
	span
	id model.CallID
}

// segment is a part of a call for which the end waited.
type segment struct {
	call pathCall
	part span
}

// group is segments of calls that one response made, one after another.
type group struct {
	made     model.ID
	segments []segment
	agents   bool // a call of them started a subagent
}

// pathWalk gathers the critical path.
type pathWalk struct {
	Critical
	byTool []CriticalTool // by the number of the name
	on     callSet
	active []pathCall // memory of segments
	found  []segment  // likewise
	later  []group    // of main lanes: those with subagents, which are not read yet
	open   []int32    // lanes that the walk is in
}

func newPathWalk(s *model.Snapshot) pathWalk {
	return pathWalk{byTool: make([]CriticalTool, len(s.Names())), on: make(callSet, s.CallCount()/64+1)}
}

// callSet is some calls of a snapshot, one bit each.
type callSet []uint64

func (s callSet) has(id model.CallID) bool { return s[id>>6]&(1<<(id&63)) != 0 }
func (s callSet) add(id model.CallID)      { s[id>>6] |= 1 << (id & 63) }

// begin adds a call.
func (l *lanePath) begin(c pathCall) {
	l.calls = append(l.calls, c)
	for i := len(l.calls) - 1; i > 0 && l.calls[i-1].from > c.from; i-- {
		l.calls[i-1], l.calls[i] = l.calls[i], l.calls[i-1]
	}
}

// ran adds a time in which calls ran.
func (c *Clock) ran(lane *laneClock, s span) {
	if lane.block.to == s.from {
		lane.block.to = s.to
		return
	}
	c.endBlock(lane)
	lane.block = s
}

// endBlock puts the calls of the last block of a main lane on the path.
func (c *Clock) endBlock(lane *laneClock) {
	switch {
	case lane.block.to == 0: // there is none
	case !lane.main:
		lane.blocks = append(lane.blocks, lane.block)
	default:
		p := &c.path
		p.found = p.segments(p.found[:0], lane.calls, lane.block, lane.block)
		for _, s := range p.found {
			p.Time += s.part.took()
			if made := c.snap.Call(s.call.id).Msg; made != lane.group.made {
				c.endGroup(lane)
				lane.group.made = made
			}
			lane.group.add(c.snap, s)
		}
		kept := lane.calls[:0]
		for _, call := range lane.calls {
			if call.to > lane.block.to {
				kept = append(kept, call)
			}
		}
		lane.calls = kept
	}
	lane.block = span{}
}

func (g *group) add(s *model.Snapshot, part segment) {
	g.segments = append(g.segments, part)
	g.agents = g.agents || s.Call(part.call.id).Child != 0
}

// endGroup counts the last calls of a main lane, or leaves that for when their subagents are read.
func (c *Clock) endGroup(lane *laneClock) {
	g := &lane.group
	if g.agents {
		c.path.later = append(c.path.later, *g)
		g.segments = nil
	} else {
		c.path.Saved += c.saved(g.segments)
	}
	g.segments, g.agents = g.segments[:0], false
}

// segments finds for which calls the end of a block waited, within a time.
func (p *pathWalk) segments(out []segment, calls []pathCall, block, in span) []segment {
	if len(calls) == 1 && block == in && calls[0].from <= in.from && calls[0].to >= in.to { // most blocks
		return append(out, segment{pathCall{span{in.from, in.to}, calls[0].id}, in})
	}
	next, active := 0, p.active[:0]
	for at, end := max(block.from, in.from), min(block.to, in.to); at < end; {
		for ; next < len(calls) && calls[next].from <= at; next++ {
			if calls[next].to > at {
				active = append(active, calls[next])
			}
		}
		active = slices.DeleteFunc(active, func(c pathCall) bool { return c.to <= at })
		call, ok := waitedFor(active, block.to)
		if !ok { // what ran is of no call that counts
			if at = end; next < len(calls) {
				at = min(at, calls[next].from)
			}
			continue
		}
		part := span{at, min(call.to, end)}
		out = append(out, segment{pathCall{span{max(call.from, in.from), part.to}, call.id}, part})
		at = part.to
	}
	p.active = active[:0]
	return out
}

// waitedFor chooses of the calls that run the one for which the end of a block waited: the last to
// end, but none that ran on behind the block.
func waitedFor(active []pathCall, end int64) (best pathCall, ok bool) {
	inside := false
	for _, c := range active {
		if in := c.to <= end; !ok || in && !inside || in == inside && c.to > best.to {
			best, inside, ok = c, in, true
		}
	}
	return best, ok
}

// saved counts the calls of a group, and returns what they would have taken less at once.
func (c *Clock) saved(segments []segment) human.Millis {
	if len(segments) == 1 {
		return c.onPath(segments[0].call.id, segments[0].part)
	}
	var sum, longest human.Millis
	for _, s := range segments {
		less := c.onPath(s.call.id, s.part)
		sum += s.part.took()
		longest = max(longest, s.call.took()-less)
	}
	return max(sum-longest, 0)
}

// onPath counts a part of a call. saved is what the subagent that it started would have taken less.
func (c *Clock) onPath(id model.CallID, part span) (saved human.Millis) {
	call := c.snap.Call(id)
	own := part.took()
	if call.Child != 0 {
		inner, less := c.throughAgent(c.laneOf[call.Child], part)
		own, saved = own-inner, less
	}
	t := &c.path.byTool[call.Tool]
	if !c.path.on.has(id) {
		c.path.on.add(id)
		t.Calls++
	}
	t.Time += own
	return saved
}

// throughAgent walks through the calls of a subagent within a time: how long the end waited for
// them, and what they would have taken less.
func (c *Clock) throughAgent(n int32, in span) (took, saved human.Millis) {
	lane := &c.lanes[n]
	if lane.main || slices.Contains(c.path.open, n) {
		return 0, 0
	}
	c.path.open = append(c.path.open, n)
	defer func() { c.path.open = c.path.open[:len(c.path.open)-1] }()
	first, _ := slices.BinarySearchFunc(lane.blocks, in.from, func(b span, from int64) int { return cmp.Compare(b.to, from+1) })
	var parts []segment
	for _, block := range lane.blocks[first:] {
		if block.from >= in.to {
			break
		}
		parts = c.path.segments(parts, lane.calls, block, in)
	}
	for from := 0; from < len(parts); {
		to := from
		for ; to < len(parts) && c.snap.Call(parts[to].call.id).Msg == c.snap.Call(parts[from].call.id).Msg; to++ {
			took += parts[to].part.took()
		}
		saved += c.saved(parts[from:to])
		from = to
	}
	return took, saved
}

// Critical returns the critical path of the messages that counted: the calls of the main lanes for
// which the end waited. While a subagent works, the path goes through its calls; the rest of its
// time is that of the call that started it. Ask once, after the last message.
func (c *Clock) Critical() Critical {
	for i := range c.lanes {
		c.endBlock(&c.lanes[i])
	}
	for i := range c.lanes {
		c.endGroup(&c.lanes[i])
	}
	p := &c.path
	for _, g := range p.later {
		p.Saved += c.saved(g.segments)
	}
	p.Tools = []CriticalTool{}
	for n, t := range p.byTool {
		if t.Calls > 0 {
			t.Tool = cmp.Or(c.snap.Name(uint16(n)), "unknown")
			p.Calls += t.Calls
			p.Tools = append(p.Tools, t)
		}
	}
	slices.SortFunc(p.Tools, func(x, y CriticalTool) int {
		return cmp.Or(cmp.Compare(y.Time, x.Time), cmp.Compare(x.Tool, y.Tool))
	})
	return p.Critical
}
