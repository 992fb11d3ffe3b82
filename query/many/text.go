package many

import (
	"fmt"
	"slices"
	"strings"

	"turns/query/human"
	"turns/query/summary"
)

// Column is a column of an answer: one Number, or computed from several.
type Column struct {
	Name   string // in JSON, as the answers about one run have it, and to sort by
	Head   string
	Number func(g *Group) float64
	Cell   func(g *Group) string
}

// sum is a column with a number.
func sum(n Number, name, head string, cell func(int64) string) Column {
	return Column{
		name, head,
		func(g *Group) float64 { return float64(g.N[n]) },
		func(g *Group) string {
			if !g.Has(n) {
				return human.NotSaid
			}
			return cell(g.N[n])
		},
	}
}

// percentile is a column of how long calls took.
func percentile(p int64, name, head string) Column {
	at := func(g *Group) (human.Millis, bool) {
		ranks, ok := g.took.ranks(p)
		if !ok {
			return 0, false
		}
		return ranks[0], true
	}
	return Column{
		name, head,
		func(g *Group) float64 { ms, _ := at(g); return float64(ms) },
		func(g *Group) string {
			if ms, ok := at(g); ok {
				return ms.String()
			}
			return human.NotSaid
		},
	}
}

func count(n int64) string   { return human.Count(n) }
func zeroDot(n int64) string { return human.OrDot(n, count) }
func tokens(n int64) string  { return human.Short(n) }
func took(n int64) string    { return human.Millis(n).String() }

// ended is what may have failed: calls, and results whose call was not recorded.
func ended(g *Group) int64 { return g.N[Calls] + g.N[Orphans] }

func share(g *Group) float64 {
	if ended(g) == 0 {
		return 0
	}
	return float64(g.N[Errors]) / float64(ended(g))
}

func cost(g *Group) summary.Cost {
	return summary.Cost{Dollars: g.Dollars, Estimated: g.Estimated, Responses: int(g.N[Responses]), Unknown: int(g.N[Unpriced])}
}

// columns are all there are; the numbers in JSON are those of the answers about one run.
func columns() []Column {
	return []Column{
		sum(Runs, "sessions", "sessions", count),
		sum(Messages, "total_messages", "messages", count),
		sum(Turns, "turns", "turns", count),
		sum(Steps, "steps", "steps", count),
		sum(Stopped, "turns_interrupted", "stopped", zeroDot),
		sum(Failed, "turns_failed", "failed", zeroDot),
		sum(Responses, "responses_with_usage", "responses", count),
		sum(Unpriced, "responses_without_cost", "no price", zeroDot),
		sum(Calls, "tool_calls", "calls", count),
		sum(Errors, "tool_errors", "errors", zeroDot),
		{"error_share", "%", share, func(g *Group) string {
			if ended(g) == 0 {
				return human.NotSaid
			}
			return human.Percent(g.N[Errors], ended(g))
		}},
		sum(Denied, "denied_calls", "denied", zeroDot),
		sum(Pending, "pending_calls", "pending", zeroDot),
		sum(Orphans, "orphan_results", "orphans", zeroDot),
		sum(InAgents, "subagent_calls", "in agents", zeroDot),
		sum(Input, "input_tokens", "input", tokens),
		sum(CacheRead, "cache_read_tokens", "cache read", tokens),
		sum(CacheWrite, "cache_write_tokens", "cache write", tokens),
		sum(Output, "output_tokens", "output", tokens),
		sum(Reasoning, "reasoning_tokens", "reasoning", tokens),
		sum(Counted, "total_tokens", "tokens", tokens),
		sum(Took, "duration_seconds", "time", took),
		sum(ModelTime, "model_seconds", "model", took),
		sum(ToolTime, "tools_seconds", "tools", took),
		sum(UserTime, "user_seconds", "user", took),
		sum(IdleTime, "idle_seconds", "idle", took),
		sum(Timed, "known", "timed", count),
		percentile(50, "p50_seconds", "p50"),
		percentile(95, "p95_seconds", "p95"),
		percentile(100, "max_seconds", "max"),
		sum(TimedSum, "total_seconds", "total time", took),
		sum(ArgsSize, "argument_bytes", "args size", bytes),
		sum(ResultSize, "result_bytes", "result size", bytes),
		sum(Misses, "misses", "misses", zeroDot),
		sum(Again, "written_again_tokens", "written again", tokens),
		{"written_again_usd", "price", func(g *Group) float64 { return g.AgainUSD }, func(g *Group) string { return g.againCost().String() }},
		{"usd", "cost", func(g *Group) float64 { return g.Dollars }, func(g *Group) string { return cost(g).String() }},
		{"estimated_usd", "estimated", func(g *Group) float64 { return g.Estimated }, func(g *Group) string { return human.Money(g.Estimated) }},
	}
}

func bytes(n int64) string { return human.Short(n) + "B" }

func columnNames() []string {
	all := columns()
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return names
}

// columnNamed is a column by its name, or by what stands over it.
func columnNamed(name string) (Column, bool) {
	all := columns()
	i := slices.IndexFunc(all, func(c Column) bool { return c.Name == name || c.Head == name || c.Name == formerNames[name] })
	if i < 0 {
		return Column{}, false
	}
	return all[i], true
}

// Columns are those of some names.
func Columns(names []string) []Column {
	var list []Column
	for _, name := range names {
		if c, ok := columnNamed(name); ok {
			list = append(list, c)
		}
	}
	return list
}

// Shape is a command's view of many sessions.
type Shape struct {
	By      string   // "" shows the runs together
	Sort    string   // by which column
	Needs   Number   // groups without this number are left out
	Columns []string // of the table; JSON has all
}

// Shapes are what commands show, by their names. That of cause is the view of turns cost --by
// cause.
func Shapes() map[string]Shape {
	return map[string]Shape{
		"stats":    {"", "sessions", Runs, strings.Fields("sessions total_messages turns tool_calls tool_errors error_share pending_calls output_tokens usd duration_seconds")},
		"tools":    {"tool", "tool_calls", Calls, strings.Fields("sessions tool_calls tool_errors error_share denied_calls pending_calls p50_seconds p95_seconds max_seconds total_seconds argument_bytes result_bytes")},
		"cost":     {"model", "usd", Responses, strings.Fields("sessions responses_with_usage responses_without_cost input_tokens cache_read_tokens cache_write_tokens output_tokens usd")},
		"cause":    {"cause", "written_again_usd", Misses, strings.Fields("sessions misses written_again_tokens written_again_usd usd")},
		"timeline": {"day", "key", Runs, strings.Fields("sessions turns steps tool_calls tool_errors subagent_calls turns_interrupted turns_failed duration_seconds")},
	}
}

// Print writes the answer for people: a row for each group and one for the total. On a narrow
// terminal the first columns and the cost remain.
func (a *Answer) Print(b *human.Page, names []string) {
	shown, heads := Columns(names), []string{a.By.Name}
	for i := range shown {
		drop := i
		if shown[i].Name == "usd" {
			drop = 0
		}
		heads = append(heads, ">"+shown[i].Head+strings.Repeat("?", drop))
	}
	t := human.NewTable(heads...)
	row := func(key string, g *Group) {
		cells := []string{key}
		for i := range shown {
			cells = append(cells, shown[i].Cell(g))
		}
		t.Add(cells...)
	}
	for _, g := range a.Groups {
		row(g.name(), g)
	}
	row("all", &a.All)
	t.Write(b)
	if slices.Contains(names, "usd") && a.All.Estimated > 0 {
		b.WriteString("~ is estimated by prices\n")
	}
}

func (g *Group) name() string {
	if g.Key == "" {
		return human.NotSaid
	}
	return human.OneLine(g.Key, max(60, len(g.Key)))
}

// String is how many runs there are.
func (a *Answer) String() string {
	return fmt.Sprintf("%s, %s", human.Plural(a.All.N[Runs], "session"), human.Plural(a.All.N[Calls], "call"))
}
