package many

import (
	"context"
	"slices"

	"turns/model"
	"turns/query"
	"turns/query/runs"
	"turns/query/session"
	"turns/query/summary"
)

// Part is a named part of a session: one tool, or one model.
type Part struct {
	Key string
	Sums
	Took []uint32 // milliseconds of each timed call
}

// Run is the summary of a session for totals: its description, and its numbers in total, by tool
// and by model.
type Run struct {
	session.Session
	Task string
	// Fields are the short recorded fields of the session, such as version and trial.
	Fields []model.KeyValue
	Part   // for the complete session; its key is empty
	// The lists lack calls of subagents with separate transcripts, because those are sessions
	// as well. Tools are the calls of the session itself, AgentTools those of subagents inside
	// its transcript.
	Tools, AgentTools, Models []Part
	// Commits and Pulls are the commits at which the session began, and its pull requests.
	Commits, Pulls []string
	// Causes are the requests that missed the cache, by cause.
	Causes []Part
}

// AllTools returns the calls of the session and of the subagents inside its transcript.
func (r *Run) AllTools() []Part {
	if len(r.AgentTools) == 0 {
		return r.Tools
	}
	all := slices.Clone(r.Tools)
	for i := range r.AgentTools {
		from := &r.AgentTools[i]
		p := named(&all, from.Key)
		p.Took = append(slices.Clone(p.Took), from.Took...)
		p.Join(&from.Sums)
		p.N[Runs] = 1
	}
	return all
}

// Options are settings for the sums of a session.
type Options struct {
	Prices  summary.PriceTable
	Counter *query.Counter // nil: tokens of texts are not counted
}

// NewRun sums a selection of one conversation.
func NewRun(ctx context.Context, sel query.Selection, s session.Session, o Options) (*Run, error) {
	stats, err := summary.Stats(ctx, sel, o.Counter)
	if err != nil {
		return nil, err
	}
	r := &Run{Session: s}
	if sel.Len() > 0 {
		recorded := sel.Snap.Session(sel.IDs[0])
		r.Task = runs.Task(sel.Snap, recorded, s.Path)
		for _, f := range recorded.Fields {
			if len(f.Value) <= fieldMost && r.Field(f.Name) == "" {
				r.Fields = append(r.Fields, f)
			}
		}
	}
	r.stats(stats)
	turns := query.NewTurnIndex(sel.Snap)
	r.timeline(summary.Turns(sel, turns))
	r.calls(sel)
	costs := summary.Costs(sel, turns, summary.CostOptions{Prices: o.Prices, Messages: true})
	r.cost(costs, sel.Snap)
	cached, err := summary.CacheRows(ctx, sel, turns, o.Prices)
	if err != nil {
		return nil, err
	}
	r.misses(cached, costs.Messages)
	if r.Commits, r.Pulls, err = repository(ctx, sel.Snap); err != nil {
		return nil, err
	}
	if r.Last > r.Started && r.Started != 0 {
		r.Add(Took, r.Last-r.Started)
	}
	return r, nil
}

// fieldMost is the maximum length of a stored field: names and numbers are shorter, prompts longer.
const fieldMost = 100

// Field returns the recorded value of a name, "" if there is none. Long values are not stored.
func (r *Run) Field(name string) string {
	for _, f := range r.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

func (r *Run) stats(a *summary.StatsAnswer) {
	for n, count := range map[Number]int{
		Runs: 1, Messages: a.TotalMessages, Turns: a.Turns, Steps: a.Steps, Calls: a.ToolCalls, Errors: a.ToolErrors,
		Pending: a.PendingCalls, Orphans: a.OrphanResults,
	} {
		r.Add(n, int64(count))
	}
	r.addIf(Counted, a.TotalTokens)
	r.usage(&a.Usage, a.UnrecordedOutput)
	if t := a.Time; t.Model+t.Tools+t.User+t.Idle > 0 {
		r.Add(ModelTime, int64(t.Model))
		r.Add(ToolTime, int64(t.Tools))
		r.Add(UserTime, int64(t.User))
		r.Add(IdleTime, int64(t.Idle))
		r.Add(AskedTime, int64(t.Asked))
	}
}

func (r *Run) timeline(a *summary.TimelineAnswer) {
	r.Add(Stopped, 0)
	r.Add(Failed, 0)
	r.Add(InAgents, 0)
	for i := range a.Turns {
		t := &a.Turns[i]
		r.Add(InAgents, int64(t.AgentCalls))
		if t.Stopped {
			r.Add(Stopped, 1)
		}
		if t.Failed {
			r.Add(Failed, 1)
		}
	}
}

// calls assigns the calls to tools, and to the models that made them.
func (r *Run) calls(sel query.Selection) {
	snap := sel.Snap
	threads := snap.Threads()
	a := summary.ToolSummary(sel, nil)
	for n, list := range [...][]summary.ToolStats{a.Tools, a.InAgents} {
		tools := [...]*[]Part{&r.Tools, &r.AgentTools}[n]
		for i := range list {
			for _, id := range list[i].Rows {
				c := snap.Call(id)
				at, name := c.Msg, ""
				if at == model.NoID {
					at = c.Result
				} else {
					name = model.CleanLine(snap.Name(snap.HeadRow(at).Name))
				}
				if threads[snap.HeadRow(at).Thread].Apart {
					continue
				}
				r.weigh(c)
				for _, p := range [...]*Part{named(tools, list[i].Name), named(&r.Models, name)} {
					p.count(c)
					p.weigh(c)
				}
			}
		}
	}
}

// named returns the part with a name. It adds one if there is none.
func named(parts *[]Part, key string) *Part {
	i := slices.IndexFunc(*parts, func(p Part) bool { return p.Key == key })
	if i < 0 {
		i = len(*parts)
		*parts = append(*parts, Part{Key: key})
		(*parts)[i].Add(Runs, 1)
	}
	return &(*parts)[i]
}

func one(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// count counts a call.
func (p *Part) count(c *model.Call) {
	p.Add(Calls, one(c.Msg != model.NoID))
	p.Add(Orphans, one(c.Msg == model.NoID))
	p.Add(Errors, one(c.Outcome.Failed()))
	p.Add(Pending, one(query.Pending(c)))
}

// weigh adds the other known numbers of a counted call.
func (p *Part) weigh(c *model.Call) {
	p.Add(Denied, one(c.Outcome == model.Denied))
	p.Add(ArgsSize, int64(c.ArgsSize))
	p.Add(ResultSize, int64(c.ResultSize))
	if c.Took != model.NoTook {
		p.Add(Timed, 1)
		p.Add(DerivedTimes, one(c.Flags&model.TookDerived != 0))
		p.Add(TimedSum, int64(c.Took))
		p.Took = append(p.Took, c.Took)
	}
}

// cost records the total cost, and divides the cost of the responses.
func (r *Run) cost(a *summary.CostAnswer, snap *model.Snapshot) {
	r.spend(a.Own())
	for i := range a.Models {
		named(&r.Models, a.Models[i].Name).spend(a.Models[i].Cost)
	}
	for i := range a.Tools { // "(no tool)" is one, so that the parts sum to the whole
		named(&r.Tools, a.Tools[i].Name).spend(a.Tools[i].Cost)
	}
	for i := range a.Messages {
		m := &a.Messages[i]
		if snap.HeadRow(m.ID).Flags&model.Rewound != 0 { // it has a cost, but no counted tokens
			continue
		}
		missing := m.Missing
		if r.N[MissingOutput] == 0 { // a total of the session has its output
			missing = 0
		}
		named(&r.Models, m.Model).usage(&m.Usage, missing)
	}
	for i := range a.BeyondUsage {
		named(&r.Models, a.BeyondUsage[i].Model).usage(&a.BeyondUsage[i].Usage, 0)
	}
}

// misses adds the requests that missed the cache, in total and by cause. The cost of a cause is
// that of its requests.
func (r *Run) misses(cached *summary.CacheAnswer, costs []summary.MessageCost) {
	if !cached.Known() {
		return
	}
	spent := make(map[model.ID]*summary.Cost, len(costs))
	for i := range costs {
		spent[costs[i].ID] = &costs[i].Cost
	}
	r.Add(Misses, 0)
	r.Add(Again, 0)
	for i := range cached.Requests {
		row := &cached.Requests[i]
		if !row.Miss {
			continue
		}
		p := named(&r.Causes, string(*row.Cause))
		if c := spent[row.ID]; c != nil {
			p.spend(*c)
		}
		for _, sums := range [...]*Sums{&r.Sums, &p.Sums, &named(&r.Models, row.Model).Sums} {
			sums.Add(Misses, 1)
			sums.Add(Again, row.Again)
			if row.USD != nil {
				sums.AgainUSD += *row.USD
			} else {
				sums.Add(UnpricedMisses, 1)
			}
		}
	}
}

// spend adds a cost.
func (s *Sums) spend(c summary.Cost) {
	s.Add(Responses, int64(c.Responses))
	s.Add(Unpriced, int64(c.Unknown))
	s.Dollars += c.Dollars
	s.Estimated += c.Estimated
}

// usage adds recorded tokens, and an estimate of the missing output.
func (s *Sums) usage(u *query.UsageSum, missing int64) {
	s.N[MissingOutput] += missing
	s.addIf(Input, u.Input)
	s.addIf(CacheRead, u.CacheRead)
	s.addIf(CacheWrite, u.CacheWrite)
	s.addIf(Output, u.Output)
	s.addIf(Reasoning, u.Reasoning)
}
