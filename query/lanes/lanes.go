package lanes

import (
	"cmp"
	"context"
	"io"
	"iter"
	"slices"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
)

// Answer is a session over time: its lanes, gaps, context sizes and critical path.
type Answer struct {
	Version int         `json:"version"`
	Format  string      `json:"format"`
	From    human.Stamp `json:"first_time"`
	To      human.Stamp `json:"last_time"`
	// of the main lanes: the time of a subagent is part of the call that started it
	Time  TimeSplit `json:"time"`
	Lanes []Lane    `json:"lanes"` // subagents below their parent
	// fill of the context at the requests of the main lanes
	Context []Fill            `json:"context"`
	Window  human.CountOrNull `json:"context_window"`
	// times of over a minute without activity in any lane
	Gaps     []Gap    `json:"gaps"`
	Critical Critical `json:"critical_path"`

	Zone  *time.Location `json:"-"` // of the times in the text; nil is UTC
	sel   query.Selection
	mains int // lanes of main threads
}

// Lane is the work of one agent over time.
type Lane struct {
	Name      string      `json:"name"` // main, or the task of the subagent
	Session   int         `json:"session"`
	Parent    *int        `json:"parent"` // its number in the list of lanes; null: a main lane
	Depth     int         `json:"depth"`
	StartedBy human.Index `json:"started_by"` // the message that started the subagent
	From      human.Stamp `json:"first_time"`
	To        human.Stamp `json:"last_time"`
	Time      TimeSplit   `json:"time"`
	Errors    int         `json:"tool_errors"` // with failed results without a call
	Stretches []Stretch   `json:"stretches"`   // without overlaps, in order
	Calls     []Call      `json:"calls"`       // in order of their start
	Rows      int         `json:"rows"`        // maximum number of parallel calls

	Made  int      `json:"-"` // its calls, with those without a time, without scripts
	First model.ID `json:"-"` // its first message with a time

	thread uint32
}

// Main reports whether the lane is of the main thread of its session.
func (l *Lane) Main() bool { return l.Parent == nil }

// LaneOf returns the number of the lane of a thread, -1 without one. Further main threads of a
// session share the lane of the first.
func (a *Answer) LaneOf(thread uint32) int {
	threads := a.sel.Snap.Threads()
	for i := range a.Lanes {
		lane := &a.Lanes[i]
		if lane.thread == thread || int(thread) < len(threads) && threads[thread].Main && lane.Main() && lane.Session == int(threads[thread].Session) {
			return i
		}
	}
	return -1
}

// Call is a tool call with the time in which it ran.
type Call struct {
	Tool     string           `json:"tool_name"`
	About    human.TextOrNull `json:"about"` // filled in by Describe
	Index    human.Index      `json:"index"`
	From     human.Stamp      `json:"start"`
	To       human.Stamp      `json:"end"`              // null: unknown
	Took     *human.Millis    `json:"duration_seconds"` // null: unknown
	Outcome  model.Outcome    `json:"outcome"`
	Row      int              `json:"row"`      // parallel calls have different rows
	Derived  bool             `json:"derived"`  // the duration is an upper bound
	Critical bool             `json:"critical"` // the end waited for it
	Lane     *int             `json:"lane"`     // of the subagent that it started

	ID  model.CallID `json:"-"`
	Msg model.ID     `json:"-"`
}

// End returns when the call ended, or when it began if its end is unknown.
func (c *Call) End() human.Stamp { return max(c.To, c.From) }

// Fill is the number of tokens in one request to the model.
type Fill struct {
	Time    human.Stamp `json:"time"`
	Index   human.Index `json:"index"`
	Session int         `json:"session"`
	Tokens  int64       `json:"tokens"`
	ID      model.ID    `json:"-"`
}

// Gap is a time without any work.
type Gap struct {
	From human.Stamp  `json:"start"`
	To   human.Stamp  `json:"end"`
	Took human.Millis `json:"duration_seconds"`
}

// gapLeast is the minimum length of a folded gap.
const gapLeast = human.Stamp(time.Minute / time.Millisecond)

// Of arranges a selection as lanes. It reads only heads, no texts, and skips messages without a
// time. It fails only if ctx ends.
func Of(ctx context.Context, sel query.Selection) (*Answer, error) {
	s := sel.Snap
	b := &builder{Coverage: query.NewCoverage(sel), snap: s}
	b.a = &Answer{Version: human.AnswerVersion, Format: s.Format(), Lanes: []Lane{}, Context: []Fill{}, Gaps: []Gap{}, sel: sel}
	b.arrange()
	if err := b.walk(ctx); err != nil {
		return nil, err
	}
	if err := b.calls(ctx); err != nil {
		return nil, err
	}
	b.drop()
	b.a.finish(s)
	b.critical()
	return b.a, nil
}

// builder makes an answer.
type builder struct {
	query.Coverage
	snap   *model.Snapshot
	a      *Answer
	laneOf []int // by thread: its lane in the answer, -1 for none
	clock  *Clock
}

// arrange makes a lane for each main thread, and below it those of its subagents.
func (b *builder) arrange() {
	threads := b.snap.Threads()
	b.laneOf = make([]int, len(threads))
	main := map[uint32]int{} // by session
	children := map[uint32][]uint32{}
	for i := range threads {
		if b.laneOf[i] = -1; !threads[i].Main {
			children[threads[i].Parent] = append(children[threads[i].Parent], uint32(i))
		}
	}
	var below func(thread uint32, parent, depth int)
	below = func(thread uint32, parent, depth int) {
		for _, child := range children[thread] {
			if b.laneOf[child] >= 0 {
				continue
			}
			n := b.add(child, depth)
			b.a.Lanes[n].Parent = &parent
			below(child, n, depth+1)
		}
	}
	for i := range threads {
		if !threads[i].Main {
			continue
		}
		if n, ok := main[threads[i].Session]; ok {
			b.laneOf[i] = n
		} else {
			main[threads[i].Session] = b.add(uint32(i), 0)
		}
		below(uint32(i), b.laneOf[i], 1)
	}
	b.clock = NewClock(b.snap)
}

// add makes the lane of a thread.
func (b *builder) add(thread uint32, depth int) int {
	th := &b.snap.Threads()[thread]
	lane := Lane{Name: "main", Session: int(th.Session), Depth: depth, StartedBy: -1, Stretches: []Stretch{}, Calls: []Call{}, thread: thread}
	if !th.Main {
		lane.Name = query.AgentName(b.snap, thread)
		if uint32(th.Call) != model.NoRow {
			lane.StartedBy = human.Index(b.snap.Pos(b.snap.Call(th.Call).Place()))
		}
	}
	b.laneOf[thread] = len(b.a.Lanes)
	b.a.Lanes = append(b.a.Lanes, lane)
	return b.laneOf[thread]
}

// walk follows the clocks of all lanes: those of the live messages, then of the subagents whose
// transcripts are separate files.
func (b *builder) walk(ctx context.Context) error {
	for i, id := range b.snap.LiveIDs() {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		b.message(id, b.All || b.Picked.Has(id))
	}
	for id := range Apart(&b.Coverage) {
		b.message(id, true)
	}
	return nil
}

// Apart returns the messages of subagents whose transcripts are separate files, in completely
// selected sessions.
func Apart(c *query.Coverage) iter.Seq[model.ID] {
	return func(yield func(model.ID) bool) {
		if !slices.ContainsFunc(c.Threads, func(th model.Thread) bool { return th.Apart }) {
			return
		}
		for row := range c.Snap.Rows() {
			id := c.Snap.Row(row)
			h := c.Snap.HeadRow(id)
			if c.Threads[h.Thread].Apart && h.IsMessage() && h.Flags&model.Rewound == 0 && c.WholeOf(h) && !yield(id) {
				return
			}
		}
	}
}

// message moves the clock of its lane to a message.
func (b *builder) message(id model.ID, picked bool) {
	h := b.snap.HeadRow(id)
	b.clock.Next(h, picked)
	n := b.laneOf[h.Thread]
	if n < 0 || h.Time == 0 || !picked {
		return
	}
	lane := &b.a.Lanes[n]
	if lane.From == 0 {
		lane.From, lane.First = human.Stamp(h.Time), id
	}
	lane.From, lane.To = min(lane.From, human.Stamp(h.Time)), max(lane.To, human.Stamp(h.Time))
	for _, s := range b.clock.cuts {
		lane.Time.add(s.kind, s.took())
		lane.Stretches = append(lane.Stretches, Stretch{s.kind, human.Stamp(s.from), human.Stamp(s.to), s.took(), human.Index(b.snap.Pos(id)), id})
	}
	if lane.Main() && h.Responds() {
		if tokens, ok := query.ContextOf(b.snap, id); ok {
			b.a.Context = append(b.a.Context, Fill{human.Stamp(h.Time), human.Index(b.snap.Pos(id)), lane.Session, tokens, id})
		}
	}
}

// calls puts the calls into the lanes of the messages that made them.
func (b *builder) calls(ctx context.Context) error {
	for i := range b.snap.CallCount() {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id := model.CallID(i)
		c := b.snap.Call(id)
		part, at := b.Part(id)
		if _, again := c.First(); again || part != query.Own && part != query.Apart && part != query.Carrier {
			continue
		}
		if n := b.laneOf[b.snap.HeadRow(at).Thread]; n >= 0 && part != query.Carrier {
			var count query.CallCount
			count.Add(c)
			b.a.Lanes[n].Made += count.Calls
			b.a.Lanes[n].Errors += count.Errors
		}
		if c.Msg != model.NoID {
			b.call(id, c)
		}
	}
	for i := range b.a.Lanes {
		b.a.Lanes[i].stack()
	}
	return nil
}

func (b *builder) call(id model.CallID, c *model.Call) {
	made := b.snap.HeadRow(c.Msg)
	n := b.laneOf[made.Thread]
	if n < 0 || made.Time == 0 {
		return
	}
	lane := &b.a.Lanes[n]
	call := Call{
		Tool: query.ToolName(b.snap, c), Index: human.Index(b.snap.Pos(c.Msg)), From: human.Stamp(made.Time), Outcome: c.Outcome,
		Derived: c.Flags&model.TookDerived != 0, ID: id, Msg: c.Msg,
	}
	if sp, ok := callSpan(b.snap, c, made); ok {
		took := human.Millis(c.Took)
		call.From, call.To, call.Took = human.Stamp(sp.from), human.Stamp(sp.to), &took
	}
	if c.Child != 0 && b.laneOf[c.Child] >= 0 {
		child := b.laneOf[c.Child]
		call.Lane = &child
	}
	lane.Calls = append(lane.Calls, call)
}

// critical marks the calls of the critical path.
func (b *builder) critical() {
	b.a.Critical = b.clock.Critical()
	for i := range b.a.Lanes {
		calls := b.a.Lanes[i].Calls
		for c := range calls {
			calls[c].Critical = b.clock.path.on.has(calls[c].ID)
		}
	}
}

// stack puts calls that ran in parallel into different rows.
func (l *Lane) stack() {
	slices.SortStableFunc(l.Calls, func(x, y Call) int { return cmp.Compare(x.From, y.From) })
	var ends []human.Stamp // of the last call of each row
	for i := range l.Calls {
		c := &l.Calls[i]
		c.Row = len(ends)
		for row, end := range ends {
			if end <= c.From {
				c.Row = row
				break
			}
		}
		if c.Row == len(ends) {
			ends = append(ends, 0)
		}
		ends[c.Row] = c.End()
	}
	l.Rows = len(ends)
}

// drop removes lanes without a time.
func (b *builder) drop() {
	to := make([]int, len(b.a.Lanes)) // the new number of each lane
	kept := b.a.Lanes[:0]
	for i := range b.a.Lanes {
		lane := &b.a.Lanes[i]
		if to[i] = -1; lane.From == 0 && len(lane.Calls) == 0 {
			continue
		}
		to[i] = len(kept)
		kept = append(kept, *lane)
	}
	b.a.Lanes = kept
	renamed := func(n *int) *int {
		if n == nil || to[*n] < 0 {
			return nil
		}
		return &to[*n]
	}
	for i := range kept {
		if kept[i].Parent != nil {
			// if the parent was dropped, the subagent moves below the first lane
			kept[i].Parent = cmp.Or(renamed(kept[i].Parent), new(int))
		}
		for c := range kept[i].Calls {
			kept[i].Calls[c].Lane = renamed(kept[i].Calls[c].Lane)
		}
	}
}

// finish computes the totals, the context window and the gaps from the lanes.
func (a *Answer) finish(s *model.Snapshot) {
	for i := range a.Lanes {
		lane := &a.Lanes[i]
		if lane.From != 0 && (a.From == 0 || lane.From < a.From) {
			a.From = lane.From
		}
		a.To = max(a.To, lane.To)
		if lane.Main() {
			a.mains++
			a.Time.plus(&lane.Time)
		}
	}
	most := int64(0)
	for _, f := range a.Context {
		most = max(most, f.Tokens)
	}
	if n := len(a.Context); n > 0 {
		last := s.HeadRow(a.Context[n-1].ID)
		a.Window = human.CountOrNull(query.WindowFor(&s.Sessions()[a.Context[n-1].Session], s.Name(last.Name), 0, query.Evidence{Largest: most}).Least())
	}
	a.findGaps()
}

// findGaps finds the times in which no model and no tool ran.
func (a *Answer) findGaps() {
	var busy []Stretch
	for i := range a.Lanes {
		for _, s := range a.Lanes[i].Stretches {
			if s.Kind == Model || s.Kind == Tools {
				busy = append(busy, s)
			}
		}
	}
	slices.SortFunc(busy, func(x, y Stretch) int { return cmp.Compare(x.From, y.From) })
	at := a.From
	gap := func(to human.Stamp) {
		if to-at > gapLeast && at != 0 {
			a.Gaps = append(a.Gaps, Gap{at, to, human.Millis(to - at)})
		}
	}
	for _, s := range busy {
		gap(s.From)
		at = max(at, s.To)
	}
	gap(a.To)
}

// Describe sets the subjects of calls and the tasks of subagents. It reads their texts.
func (a *Answer) Describe(ctx context.Context) error {
	s := a.sel.Snap
	pairs := query.NewPairs(s)
	for i := range a.Lanes {
		lane := &a.Lanes[i]
		for n := range lane.Calls {
			call := &lane.Calls[n]
			about, err := subject(ctx, pairs, call.ID)
			if err != nil {
				return err
			}
			call.About = human.TextOrNull(about)
			if call.Lane != nil && about != "" {
				a.Lanes[*call.Lane].Name = about
			}
		}
	}
	return nil
}

// subject returns a short description of a call, "" if it has no arguments to describe.
func subject(ctx context.Context, pairs *query.Pairs, id model.CallID) (string, error) {
	c, err := pairs.Read(ctx, id)
	if err != nil || c.Call == nil {
		return "", err
	}
	d := describe.NewDescriber(pairs.Snap.Session(c.Row.Place()))
	return human.OneLine(d.Row(&c).About, 200), nil
}

// WriteJSON writes the answer.
func (a *Answer) WriteJSON(_ context.Context, w io.Writer) error { return query.WriteJSON(w, a) }
