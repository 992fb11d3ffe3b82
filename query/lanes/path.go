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
	Tools []CriticalTool `json:"tools"` // longest first
	// time that parallel calls would have saved, over responses whose calls ran one after
	// another
	Saved human.Millis `json:"parallel_saves_seconds"`
}

// CriticalTool is the time for which the end waited for a tool.
type CriticalTool struct {
	Tool  string       `json:"tool_name"`
	Calls int          `json:"calls"`
	Time  human.Millis `json:"total_seconds"`
}

// lanePath is the state of the critical path of one lane. A main lane drops its calls at the end of
// each block, because a session has many. A subagent keeps all of them: the call that started it
// decides which part of its time is on the path.
type lanePath struct {
	calls  []pathCall // in the order of their start
	block  span       // the last time in which calls ran, without cuts at records
	blocks []span     // of a subagent: all earlier blocks
	group  group      // of a main lane: the latest calls on the path
}

// pathCall is a call that may be on the path, with a copy of the needed fields of its row: a
// session has many calls, and finding each row again costs more than the path itself.
type pathCall struct {
	span
	id    model.CallID
	made  model.ID // the response that made it
	child uint32   // the thread of the subagent that it started, 0 for none
	tool  uint16
}

func newPathCall(id model.CallID, c *model.Call, sp span) pathCall {
	return pathCall{span: sp, id: id, made: c.Msg, child: c.Child, tool: c.Tool}
}

// during returns the part of the call within a span.
func (c *pathCall) during(in span) pathCall {
	part := *c
	part.span = in
	return part
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

// pathWalk collects the critical path.
type pathWalk struct {
	Critical
	byTool []CriticalTool // by the number of the name
	on     callSet
	active []pathCall // memory of segments
	found  []segment  // likewise
	later  []group    // of main lanes: groups with subagents, counted at the end
	open   []int32    // lanes that the walk is in
}

func newPathWalk(s *model.Snapshot) pathWalk {
	return pathWalk{byTool: make([]CriticalTool, len(s.Names())), on: make(callSet, s.CallCount()/64+1)}
}

// callSet is some calls of a snapshot, one bit each.
type callSet []uint64

func (s callSet) has(id model.CallID) bool { return s[id>>6]&(1<<(id&63)) != 0 }
func (s callSet) add(id model.CallID)      { s[id>>6] |= 1 << (id & 63) }

// final returns the time up to which the path of a lane is known: calls that end by then cannot be
// on it. The path of a subagent is only known at the end.
func (l *laneClock) final() int64 {
	switch {
	case !l.main:
		return 0
	case l.block.to != 0:
		return l.block.from
	}
	return l.now
}

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
	case lane.block.to == 0: // no block yet
	case !lane.main:
		lane.blocks = append(lane.blocks, lane.block)
	default:
		p := &c.path
		if n := waitedFor(lane.calls, lane.block.from, lane.block.to); n >= 0 && lane.calls[n].to >= lane.block.to { // most blocks
			c.extend(lane, segment{lane.calls[n].during(lane.block), lane.block})
		} else {
			p.found = p.segments(p.found[:0], lane.calls, lane.block, lane.block)
			for _, s := range p.found {
				c.extend(lane, s)
			}
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

// extend adds a segment to the path of a main lane.
func (c *Clock) extend(lane *laneClock, s segment) {
	c.path.Time += s.part.took()
	if s.call.made != lane.group.made {
		c.endGroup(lane)
		lane.group.made = s.call.made
	}
	lane.group.segments = append(lane.group.segments, s)
	lane.group.agents = lane.group.agents || s.call.child != 0
}

// endGroup counts the latest calls of a main lane. If one of them started a subagent, Critical
// counts them, because the subagent's messages may follow later.
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

// segments returns the calls for which the end of a block waited, within the span in.
func (p *pathWalk) segments(out []segment, calls []pathCall, block, in span) []segment {
	next, active := 0, p.active[:0]
	for at, end := max(block.from, in.from), min(block.to, in.to); at < end; {
		for ; next < len(calls) && calls[next].from <= at; next++ {
			if calls[next].to > at {
				active = append(active, calls[next])
			}
		}
		active = slices.DeleteFunc(active, func(c pathCall) bool { return c.to <= at })
		n := waitedFor(active, at, block.to)
		if n < 0 { // these calls do not count
			if at = end; next < len(calls) {
				at = min(at, calls[next].from)
			}
			continue
		}
		call := &active[n]
		part := span{at, min(call.to, end)}
		out = append(out, segment{call.during(span{max(call.from, in.from), part.to}), part})
		at = part.to
	}
	p.active = active[:0]
	return out
}

// waitedFor returns which of the calls that run at a moment the end of a block waited for, -1 if
// there is none: the last to end, unless it continued after the block.
func waitedFor(calls []pathCall, at, end int64) (best int) {
	best = -1
	inside := false
	for i := range calls {
		c := &calls[i]
		if c.from > at || c.to <= at {
			continue
		}
		if in := c.to <= end; best < 0 || in && !inside || in == inside && c.to > calls[best].to {
			best, inside = i, in
		}
	}
	return best
}

// saved counts the calls of a group, and returns how much time running them in parallel would
// have saved.
func (c *Clock) saved(segments []segment) human.Millis {
	if len(segments) == 1 {
		return c.onPath(&segments[0])
	}
	var sum, longest human.Millis
	for _, s := range segments {
		less := c.onPath(&s)
		sum += s.part.took()
		longest = max(longest, s.call.took()-less)
	}
	return max(sum-longest, 0)
}

// onPath counts a part of a call. It returns the time that parallel calls would have saved in
// the subagent that the call started, 0 without a subagent.
func (c *Clock) onPath(s *segment) (saved human.Millis) {
	call := &s.call
	own := s.part.took()
	if call.child != 0 {
		inner, less := c.throughAgent(c.laneOf[call.child], s.part)
		own, saved = own-inner, less
	}
	t := &c.path.byTool[call.tool]
	if !c.path.on.has(call.id) {
		c.path.on.add(call.id)
		t.Calls++
	}
	t.Time += own
	return saved
}

// throughAgent counts the calls of a subagent within a span. It returns how long the end waited
// for them, and how much time running them in parallel would have saved.
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
		for ; to < len(parts) && parts[to].call.made == parts[from].call.made; to++ {
			took += parts[to].part.took()
		}
		saved += c.saved(parts[from:to])
		from = to
	}
	return took, saved
}

// Critical returns the critical path of the counted messages: the calls of the main lanes for which
// the end waited. While a subagent works, the path goes through its calls; the rest of its time is
// that of the call that started it. Call it once, after the last message.
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
