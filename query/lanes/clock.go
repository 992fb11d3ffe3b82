package lanes

import (
	"slices"

	"turns/model"
	"turns/query/describe"
	"turns/query/human"
)

// Kind is the work of an agent in a stretch of time.
type Kind uint8

// The kinds of stretches.
const (
	Idle  Kind = iota // no record of any work
	Model             // from a request to its answer
	Tools             // at least one call ran
	Asked             // a call waited for an answer of a person
	User              // from the end of a turn to the next prompt
)

var kindNames = [...]string{"idle", "model", "tools", "asked", "user"}

// String returns the word of the kind in JSON; idle for an unknown kind.
func (k Kind) String() string { return model.NameOf(kindNames[:], k, kindNames[Idle]) }

// MarshalText writes the kind as its word.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// TimeSplit is how the time was spent. Model is from a request to its answer, Tools the union
// of running calls except those that ask a human, Asked is the time of those, User from the end
// of a turn to the next prompt, Idle the rest.
type TimeSplit struct {
	Model human.Millis `json:"model_seconds"`
	Tools human.Millis `json:"tools_seconds"`
	Asked human.Millis `json:"asked_seconds"`
	User  human.Millis `json:"user_seconds"`
	Idle  human.Millis `json:"idle_seconds"`
}

// Whole returns the sum: the time from the first message to the last.
func (t *TimeSplit) Whole() human.Millis { return t.Model + t.Tools + t.Asked + t.User + t.Idle }

// Part is the time of a kind.
type Part struct {
	Kind Kind
	Took human.Millis
}

// Parts returns the time of each kind, the idle time last; [Asked] only if the agent asked.
func (t *TimeSplit) Parts() []Part {
	parts := []Part{{Tools, t.Tools}, {Model, t.Model}, {Asked, t.Asked}, {User, t.User}, {Idle, t.Idle}}
	return slices.DeleteFunc(parts, func(p Part) bool { return p.Kind == Asked && p.Took == 0 })
}

// add counts a stretch.
func (t *TimeSplit) add(k Kind, took human.Millis) {
	*[...]*human.Millis{Idle: &t.Idle, Model: &t.Model, Tools: &t.Tools, Asked: &t.Asked, User: &t.User}[k] += took
}

// plus adds the time of another split.
func (t *TimeSplit) plus(o *TimeSplit) {
	t.Model += o.Model
	t.Tools += o.Tools
	t.Asked += o.Asked
	t.User += o.User
	t.Idle += o.Idle
}

// Stretch is a part of an agent's time in which it did one thing.
type Stretch struct {
	Kind  Kind         `json:"kind"` // model, tools, asked, user or idle
	From  human.Stamp  `json:"start"`
	To    human.Stamp  `json:"end"`
	Took  human.Millis `json:"duration_seconds"`
	Index human.Index  `json:"index"` // the message that ended it
	ID    model.ID     `json:"-"`
}

// Clock follows a conversation message by message and divides the time between two records into
// stretches. It is the only rule for that: stats sums its stretches, lanes draw them.
type Clock struct {
	// of main threads, before counted messages: while a subagent works, its call is running
	Split TimeSplit

	snap   *model.Snapshot
	laneOf []int32 // by thread: its lane, -1 for none
	lanes  []laneClock
	last   []int64         // by thread: time of the last message
	asks   map[uint16]bool // the tools that ask a human
	cuts   []cut           // before the current message
	path   pathWalk
}

// cut is a stretch before the current message.
type cut struct {
	kind Kind
	span
}

// laneClock is the state of one lane: its time, its running calls and its critical path.
type laneClock struct {
	main    bool
	now     int64
	running []span // of calls, disjoint, ascending, none before now
	asking  []span // likewise, of calls that ask a human
	// when the model finished the response that made the last calls, judged by when they
	// started
	writing int64

	lanePath
}

type span struct{ from, to int64 }

func (s span) took() human.Millis { return human.Millis(s.to - s.from) }

// AskingTools returns the tools whose calls wait for a human, by the numbers of their names.
func AskingTools(s *model.Snapshot) map[uint16]bool {
	asks := map[uint16]bool{}
	for n, name := range s.Names() {
		if describe.AsksHuman(name) {
			asks[uint16(n)] = true
		}
	}
	return asks
}

// NewClock returns a clock for all threads of a snapshot, with a lane for the main thread of each
// session and for each subagent.
func NewClock(s *model.Snapshot) *Clock {
	threads := s.Threads()
	c := &Clock{snap: s, asks: AskingTools(s), path: newPathWalk(s), laneOf: make([]int32, len(threads)), last: make([]int64, len(threads))}
	main := map[uint32]int32{} // by session
	for i := range threads {
		n, ok := main[threads[i].Session]
		if !ok || !threads[i].Main {
			n = int32(len(c.lanes))
			c.lanes = append(c.lanes, laneClock{main: threads[i].Main})
			c.lanes[n].group.made = model.NoID
		}
		if c.laneOf[i] = n; threads[i].Main {
			main[threads[i].Session] = n
		}
	}
	return c
}

// Next moves the clock to the next message, and adds the calls that it made. asked is the
// duration of a response since the message before it in its thread; 0 for unknown. counts
// includes the time before the message in Split.
func (c *Clock) Next(h *model.Head, counts bool) (asked int64) {
	c.cuts = c.cuts[:0]
	if h.Time == 0 {
		return 0
	}
	if last := c.last[h.Thread]; last != 0 && h.Responds() {
		asked = max(h.Time-last, 0)
	}
	c.last[h.Thread] = max(c.last[h.Thread], h.Time)
	lane := &c.lanes[c.laneOf[h.Thread]]
	if lane.now != 0 {
		c.cut(lane, h)
	}
	lane.now = max(lane.now, h.Time)
	if counts {
		c.count(lane)
	}
	if h.Flags&model.HasCalls != 0 && h.Flags&model.HasResults == 0 {
		for row := h.LastCall; row != model.NoRow; {
			call := c.snap.Call(model.CallID(row))
			c.call(lane, model.CallID(row), call, h, counts)
			row = call.Prev
		}
	}
	return asked
}

// count adds the stretches of the current message.
func (c *Clock) count(lane *laneClock) {
	for i := range c.cuts {
		s := &c.cuts[i]
		if lane.main {
			c.Split.add(s.kind, s.took())
		}
		if s.kind == Tools {
			c.ran(lane, s.span)
		}
	}
}

// cut divides the time since the last record of the lane. A wait for a person wins over calls
// that run meanwhile.
func (c *Clock) cut(lane *laneClock, h *model.Head) {
	rest := Idle
	switch {
	case h.Responds():
		rest = Model
	case h.Role == model.User && h.Flags&model.Prompt != 0:
		rest = User
	}
	at, end := lane.now, h.Time
	asking, running := lane.asking, lane.running
	for at < end {
		asking, running = after(asking, at), after(running, at)
		ask, run := begins(asking, end), begins(running, end)
		switch {
		case ask <= at:
			at = c.put(Asked, at, min(asking[0].to, end))
		case run <= at:
			at = c.put(Tools, at, min(running[0].to, ask, end))
		default:
			next := min(ask, run)
			if rest != Model {
				at = c.put(Model, at, min(lane.writing, next))
			}
			at = c.put(rest, at, next)
		}
	}
	lane.asking, lane.running = keep(lane.asking, end), keep(lane.running, end)
}

// put adds a stretch, unless it has no length, and returns its end.
func (c *Clock) put(k Kind, from, to int64) int64 {
	if to <= from {
		return from
	}
	c.cuts = append(c.cuts, cut{k, span{from, to}})
	return to
}

// after returns the spans without those that end by a moment.
func after(spans []span, at int64) []span {
	for len(spans) > 0 && spans[0].to <= at {
		spans = spans[1:]
	}
	return spans
}

// begins returns when the first span begins, or end if that is earlier or there are no spans.
func begins(spans []span, end int64) int64 {
	if len(spans) == 0 {
		return end
	}
	return min(spans[0].from, end)
}

// keep is after, but reuses the memory of spans.
func keep(spans []span, at int64) []span {
	if len(spans) == 0 {
		return spans
	}
	rest := after(spans, at)
	return spans[:copy(spans, rest)]
}

// callSpan returns when a call ran. ok is false if the transcript has no duration for it.
func callSpan(s *model.Snapshot, c *model.Call, made *model.Head) (sp span, ok bool) {
	if c.Took == model.NoTook || made.Time == 0 {
		return span{}, false
	}
	from := made.Time
	if c.Result != model.NoID && c.Result != c.Msg {
		if end := s.HeadRow(c.Result).Time; end != 0 {
			from = max(from, end-int64(c.Took))
		}
	}
	return span{from, from + int64(c.Took)}, true
}

// call records when a call ran. Call it after the message that made the call.
func (c *Clock) call(lane *laneClock, id model.CallID, call *model.Call, made *model.Head, counts bool) {
	sp, ok := callSpan(c.snap, call, made)
	if !ok || call.Took == 0 {
		return
	}
	if call.Flags&model.TookDerived != 0 && (lane.writing <= made.Time || sp.from < lane.writing) {
		// a message has the time of its first record, but its calls may be in later records
		lane.writing = sp.from
	}
	// If times go back, as in sessions recorded one after another, most calls are over: no later
	// stretch contains them.
	asks := c.asks[call.Tool]
	switch {
	case sp.to <= lane.now:
	case asks:
		lane.asking = addSpan(lane.asking, sp)
	default:
		lane.running = addSpan(lane.running, sp)
	}
	if counts && !asks && sp.to > lane.final() {
		lane.begin(newPathCall(id, call, sp))
	}
}

// addSpan adds a span to a list of disjoint, ascending spans. It merges overlaps.
func addSpan(spans []span, s span) []span {
	i, _ := slices.BinarySearchFunc(spans, s.from, func(x span, from int64) int {
		if x.to < from {
			return -1
		}
		return 1
	})
	j := i
	for j < len(spans) && spans[j].from <= s.to {
		s.from, s.to = min(s.from, spans[j].from), max(s.to, spans[j].to)
		j++
	}
	return slices.Replace(spans, i, j, s)
}
