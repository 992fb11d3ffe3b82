package many

import (
	"turns/query"
	"turns/query/human"
	"turns/query/lanes"
	"turns/query/summary"
)

// Totals are the numbers of many sessions, or of parts of them, in JSON. The names are those of the
// answers about one session. A number that is unknown for all sessions is null.
type Totals struct {
	Sessions         *int64                 `json:"sessions"`
	TotalMessages    *int64                 `json:"total_messages"`
	Turns            *int64                 `json:"turns"`
	Steps            *int64                 `json:"steps"`
	TurnsInterrupted *int64                 `json:"turns_interrupted"`
	TurnsFailed      *int64                 `json:"turns_failed"`
	ToolCalls        *int64                 `json:"tool_calls"`
	ToolErrors       *int64                 `json:"tool_errors"`
	ErrorShare       *float64               `json:"error_share"` // of the calls; null: no calls
	DeniedCalls      *int64                 `json:"denied_calls"`
	PendingCalls     *int64                 `json:"pending_calls"`
	OrphanResults    *int64                 `json:"orphan_results"` // results without a call
	SubagentCalls    *int64                 `json:"subagent_calls"` // in the same transcript
	Usage            query.UsageSum         `json:"usage"`          // as recorded
	TotalTokens      *int64                 `json:"total_tokens"`   // counted texts; null: not counted
	Duration         *human.Millis          `json:"duration_seconds"`
	Time             *lanes.TimeSplit       `json:"time"`
	Durations        *summary.CallDurations `json:"durations"` // of calls
	ArgumentBytes    *int64                 `json:"argument_bytes"`
	ResultBytes      *int64                 `json:"result_bytes"`
	Cost             *summary.Cost          `json:"cost"` // null: unknown
	// Misses are requests that missed the prompt cache, as turns cost --cache lists them; null: no
	// transcript records cache reads.
	Misses   *int64   `json:"misses"`
	Again    *int64   `json:"written_again_tokens"`
	AgainUSD *float64 `json:"written_again_usd"` // estimated; null: unknown
}

// GroupTotals are the numbers of the sessions, or parts of sessions, that share a key.
type GroupTotals struct {
	Key *string `json:"key"` // null: unknown
	Totals
}

// TotalsAnswer is the output of stats, cost and timeline for many sessions.
type TotalsAnswer struct {
	Version int `json:"version"`
	Totals
	By     *string       `json:"by"`     // the key of the groups; null: not grouped
	Groups []GroupTotals `json:"groups"` // in the order of --sort
	Week   *Week         `json:"week"`   // of turns cost; null: no session of this week has a known cost
}

// ToolsTotals is the output of tools for many sessions, with the fields for one.
type ToolsTotals struct {
	Version     int                   `json:"version"`
	Sessions    int64                 `json:"sessions"`
	Tools       []summary.ToolNumbers `json:"tools"`        // calls of the sessions themselves
	InSubagents []summary.ToolNumbers `json:"in_subagents"` // calls of subagents in the same transcripts
}

// JSON returns the answer in the form of stats, cost and timeline.
func (a *Answer) JSON() *TotalsAnswer {
	out := &TotalsAnswer{Version: human.AnswerVersion, Totals: a.All.totals(), Groups: []GroupTotals{}}
	if a.By.Name != "" {
		out.By = &a.By.Name
	}
	for _, g := range a.Groups {
		row := GroupTotals{Totals: g.totals()}
		if g.Key != "" {
			row.Key = &g.Key
		}
		out.Groups = append(out.Groups, row)
	}
	return out
}

// ToolsJSON returns the answer by tool in the form of tools: the listed tools, in their order.
func (a *Answer) ToolsJSON() *ToolsTotals {
	out := &ToolsTotals{Version: human.AnswerVersion, Sessions: a.All.N[Runs]}
	for i, into := range [...]*[]summary.ToolNumbers{&out.Tools, &out.InSubagents} {
		*into = []summary.ToolNumbers{}
		for _, g := range a.Groups {
			if p := a.tools[i][g.Key]; p != nil {
				*into = append(*into, p.tool())
			}
		}
	}
	return out
}

// partSums sums up parts of sessions by name.
type partSums map[string]*Group

func (s *partSums) add(parts []Part) {
	if *s == nil {
		*s = partSums{}
	}
	for i := range parts {
		g := (*s)[parts[i].Key]
		if g == nil {
			g = &Group{Key: parts[i].Key}
			(*s)[g.Key] = g
		}
		g.add(&parts[i])
	}
}

func (s *Sums) known(n Number) *int64 {
	if !s.Has(n) {
		return nil
	}
	return &s.N[n]
}

func (g *Group) totals() Totals {
	t := Totals{
		Sessions: g.known(Runs), TotalMessages: g.known(Messages), Turns: g.known(Turns), Steps: g.known(Steps),
		TurnsInterrupted: g.known(Stopped), TurnsFailed: g.known(Failed), ToolCalls: g.known(Calls), ToolErrors: g.known(Errors),
		DeniedCalls: g.known(Denied), PendingCalls: g.known(Pending), OrphanResults: g.known(Orphans), SubagentCalls: g.known(InAgents),
		TotalTokens: g.known(Counted), ArgumentBytes: g.known(ArgsSize), ResultBytes: g.known(ResultSize), Durations: g.durations(),
	}
	if g.N[Calls] > 0 {
		share := share(g)
		t.ErrorShare = &share
	}
	var usage query.UsageTally
	for place, n := range [query.UsageNumbers]Number{query.UsageInput: Input, query.UsageCacheRead: CacheRead, query.UsageCacheWrite: CacheWrite,
		query.UsageOutput: Output, query.UsageReasoning: Reasoning} {
		if g.Has(n) {
			usage.N[place] = g.N[n]
			usage.Known |= 1 << place
		}
	}
	t.Usage = usage.Sum()
	if g.Has(Took) {
		took := human.Millis(g.N[Took])
		t.Duration = &took
	}
	if g.Has(ModelTime) {
		t.Time = &lanes.TimeSplit{
			Model: human.Millis(g.N[ModelTime]), Tools: human.Millis(g.N[ToolTime]), Asked: human.Millis(g.N[AskedTime]),
			User: human.Millis(g.N[UserTime]), Idle: human.Millis(g.N[IdleTime]),
		}
	}
	t.Cost = cost(g).OrNull()
	t.Misses, t.Again = g.known(Misses), g.known(Again)
	if again := g.againCost(); again.Known() {
		t.AgainUSD = &again.Dollars
	}
	return t
}

func (g *Group) durations() *summary.CallDurations {
	ranks, ok := g.took.ranks(50, 95, 100)
	if !ok {
		return nil
	}
	return &summary.CallDurations{
		P50: ranks[0], P95: ranks[1], Max: ranks[2], Total: human.Millis(g.N[TimedSum]), Known: g.N[Timed], Derived: g.N[DerivedTimes],
	}
}

// tool returns the row of a tool.
func (g *Group) tool() summary.ToolNumbers {
	return summary.ToolNumbers{
		Name: g.Key, Calls: g.N[Calls], Errors: g.N[Errors], Denied: g.N[Denied], Pending: g.N[Pending], Orphans: g.N[Orphans], Sessions: g.N[Runs],
		Durations: g.durations(), ArgsSize: g.N[ArgsSize], ResSize: g.N[ResultSize],
	}
}

// formerNames maps old names of columns, which scripts may still sort by.
var formerNames = map[string]string{
	"runs": "sessions", "agent_calls": "subagent_calls",
	"arguments_bytes": "argument_bytes", "results_bytes": "result_bytes", "duration": "duration_seconds", "total_duration": "total_seconds",
	"model_time": "model_seconds", "tool_time": "tools_seconds", "user_time": "user_seconds", "idle_time": "idle_seconds", "timed": "known",
}
