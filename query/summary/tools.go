package summary

import (
	"slices"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
)

// ToolsAnswer has the calls of a selection by tool, in the order of first use.
type ToolsAnswer struct {
	Tools    []ToolStats // of the main threads; entries of orphan results in their places
	InAgents []ToolStats // of subagents, counted separately
	All      ToolStats   // sum of Tools; of orphans only the errors
	Agents   ToolStats   // sum of InAgents, in the same way
	sel      query.Selection
}

// ToolStats is one tool. Rows are its calls in order; of an Orphan entry, the results of that name
// without a call. Sums have no rows.
type ToolStats struct {
	Name          string
	Orphan        bool
	Asks          bool // asks a human: its time is not part of any sum
	Agent         bool // of subagents
	Apart         bool // of subagents in separate transcripts: not part of any sum here
	Rows          []model.CallID
	Calls         int // 0 for an Orphan entry
	Errors        int
	Denied        int // of Errors
	Pending       int
	Timed         int // calls with a known duration
	Derived       int // part of Timed with an upper bound
	P50, P95, Max human.Millis
	Total         human.Millis
	ArgsSize      int64 // bytes
	ResultSize    int64
	ArgsTokens    *int64 // nil: not counted
	ResultTokens  *int64

	took    []uint32
	orphans int // of a sum: its results without a call
}

// ToolSummary summarises the calls of a selection, counted like [query.Coverage.Part], and its
// orphan results. It reads no texts. tokens may be nil.
func ToolSummary(sel query.Selection, tokens *query.TokenColumn) *ToolsAnswer {
	w := toolWalk{Coverage: query.NewCoverage(sel), tokens: tokens, place: map[toolKey]int{}}
	for i := range sel.Snap.CallCount() {
		w.call(model.CallID(i))
	}
	a := &ToolsAnswer{
		Tools: []ToolStats{}, InAgents: []ToolStats{}, sel: sel,
		All: ToolStats{Name: "all"}, Agents: ToolStats{Name: "in agents", Agent: true},
	}
	for i := range w.tools {
		t := &w.tools[i]
		if t.Agent {
			a.Agents.join(t)
			t.percentiles()
			a.InAgents = append(a.InAgents, *t)
		} else {
			a.All.join(t)
			t.percentiles()
			a.Tools = append(a.Tools, *t)
		}
	}
	a.All.percentiles()
	a.Agents.percentiles()
	return a
}

// toolKey identifies an entry.
type toolKey struct {
	name                 uint16
	orphan, agent, apart bool
}

type toolWalk struct {
	query.Coverage
	tokens *query.TokenColumn
	place  map[toolKey]int
	tools  []ToolStats
	last   toolKey // cached with its place: neighbouring calls often use the same tool
	lastAt int
}

func (w *toolWalk) call(id model.CallID) {
	c := w.Snap.Call(id)
	part, at := w.Part(id)
	if part != query.Own && part != query.Apart {
		return
	}
	key := toolKey{c.Tool, c.Msg == model.NoID, !w.Threads[w.Snap.HeadRow(at).Thread].Main, part == query.Apart}
	if len(w.tools) == 0 || key != w.last {
		i, ok := w.place[key]
		if !ok {
			i = len(w.tools)
			w.place[key] = i
			w.tools = append(w.tools, ToolStats{Name: query.ToolName(w.Snap, c), Asks: describe.AsksHuman(w.Snap.Name(c.Tool)), Orphan: key.orphan, Agent: key.agent, Apart: key.apart})
		}
		w.last, w.lastAt = key, i
	}
	t := &w.tools[w.lastAt]
	t.add(id, c)
	if tokens, ok := w.tokens.Call(id); ok {
		t.addTokens(int64(tokens.Args), int64(tokens.Result))
	}
}

func (t *ToolStats) add(id model.CallID, c *model.Call) {
	t.Rows = append(t.Rows, id)
	if !t.Orphan {
		t.Calls++
	}
	if c.Outcome.Failed() {
		t.Errors++
	}
	if c.Outcome == model.Denied {
		t.Denied++
	}
	if query.Pending(c) {
		t.Pending++
	}
	t.ArgsSize += int64(c.ArgsSize)
	t.ResultSize += int64(c.ResultSize)
	if c.Took == model.NoTook {
		return
	}
	t.Timed++
	if c.Flags&model.TookDerived != 0 {
		t.Derived++
	}
	t.Total += human.Millis(c.Took)
	t.took = append(t.took, c.Took)
}

func (t *ToolStats) addTokens(args, results int64) {
	if t.ArgsTokens == nil {
		t.ArgsTokens, t.ResultTokens = new(int64), new(int64)
	}
	*t.ArgsTokens += args
	*t.ResultTokens += results
}

// join adds the calls of another tool to a sum.
func (t *ToolStats) join(o *ToolStats) {
	t.Errors += o.Errors // results without a call may also have failed
	if o.Orphan {
		t.orphans += len(o.Rows)
		return
	}
	t.orphans += o.orphans
	t.Calls += o.Calls
	t.Denied += o.Denied
	t.Pending += o.Pending
	if !o.Asks {
		t.Timed += o.Timed
		t.Derived += o.Derived
		t.Total += o.Total
		t.took = append(t.took, o.took...)
	}
	t.ArgsSize += o.ArgsSize
	t.ResultSize += o.ResultSize
	if o.ArgsTokens != nil {
		t.addTokens(*o.ArgsTokens, *o.ResultTokens)
	}
}

// percentiles replaces the collected durations by their percentiles.
func (t *ToolStats) percentiles() {
	if len(t.took) > 0 {
		sortNumbers(t.took)
		t.P50, t.P95 = human.Millis(nearestRank(t.took, 50)), human.Millis(nearestRank(t.took, 95))
		t.Max = human.Millis(t.took[len(t.took)-1])
	}
	t.took = nil
}

// sortNumbers is a radix sort. For a million durations it takes a tenth of the time of a comparison
// sort.
func sortNumbers(list []uint32) {
	if len(list) < 1024 {
		slices.Sort(list)
		return
	}
	largest := slices.Max(list)
	from, to := list, make([]uint32, len(list))
	for shift := 0; shift < 32 && largest>>shift > 0; shift += 11 {
		var count [1 << 11]int
		for _, x := range from {
			count[x>>shift&(1<<11-1)]++
		}
		at := 0
		for i, n := range count {
			count[i] = at
			at += n
		}
		for _, x := range from {
			d := x >> shift & (1<<11 - 1)
			to[count[d]] = x
			count[d]++
		}
		from, to = to, from
	}
	copy(list, from)
}

// nearestRank returns the p-th percentile of ascending numbers: the smallest of them that at least
// p percent do not exceed.
func nearestRank(sorted []uint32, p int) uint32 {
	rank := (p*len(sorted) + 99) / 100
	return sorted[max(rank, 1)-1]
}
