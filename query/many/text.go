package many

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"turns/query/answer"
	"turns/query/human"
	"turns/query/summary"
)

// Column is a column of an answer. Its name in JSON is that of answers about one session.
type Column = answer.Column[*Group]

// number returns a column with a number, sorted by it.
func number(json, head string, of func(g *Group) float64, cell func(g *Group) string) Column {
	return Column{Name: head, Head: head, JSON: json, Kind: answer.Number, Gap: 2, Order: answer.By(of), Cell: func(g *Group) answer.Cell {
		return answer.Cell{Text: cell(g)}
	}}
}

// sum returns a column with a sum.
func sum(n Number, json, head string, cell func(int64) string) Column {
	c := number(json, head, func(g *Group) float64 { return float64(g.N[n]) }, nil)
	c.Cell = func(g *Group) answer.Cell {
		switch {
		case !g.Has(n):
			return answer.Unknown
		case n == Errors && g.N[n] > 0:
			return answer.Cell{Text: cell(g.N[n]), Tone: answer.Bad}
		}
		return answer.Cell{Text: cell(g.N[n])}
	}
	return c
}

// output returns the column of output tokens, with an estimate of missing ones.
func output() Column {
	c := sum(Output, "output_tokens", "output", tokens)
	c.Order = answer.By(func(g *Group) int64 { return g.N[Output] + g.N[MissingOutput] })
	recorded := c.Cell
	c.Cell = func(g *Group) answer.Cell {
		if g.N[MissingOutput] == 0 {
			return recorded(g)
		}
		return summary.OutputCell(g.known(Output), g.N[MissingOutput])
	}
	return c
}

// percentile returns a column with a percentile of the durations of calls.
func percentile(p int64, json, head string) Column {
	at := func(g *Group) (human.Millis, bool) {
		ranks, ok := g.took.ranks(p)
		if !ok {
			return 0, false
		}
		return ranks[0], true
	}
	c := number(json, head, func(g *Group) float64 { ms, _ := at(g); return float64(ms) }, nil)
	c.Cell = func(g *Group) answer.Cell { return answer.Took(at(g)) }
	return c
}

func count(n int64) string   { return human.Count(n) }
func zeroDot(n int64) string { return human.OrDot(n, count) }
func tokens(n int64) string  { return human.Short(n) }
func took(n int64) string    { return human.Millis(n).String() }

// ended returns the number of calls and results without a call, which may have failed.
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

// columns returns all columns; the numbers in JSON are those of the answers about one session.
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
		number("error_share", "%", share, func(g *Group) string {
			if ended(g) == 0 {
				return human.NotSaid
			}
			return human.Percent(g.N[Errors], ended(g))
		}),
		sum(Denied, "denied_calls", "denied", zeroDot),
		sum(Pending, "pending_calls", "pending", zeroDot),
		sum(Orphans, "orphan_results", "orphans", zeroDot),
		sum(InAgents, "subagent_calls", "in agents", zeroDot),
		sum(Input, "input_tokens", "input", tokens),
		sum(CacheRead, "cache_read_tokens", "cache read", tokens),
		sum(CacheWrite, "cache_write_tokens", "cache write", tokens),
		output(),
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
		number("written_again_usd", "price", func(g *Group) float64 { return g.AgainUSD }, func(g *Group) string { return g.againCost().String() }),
		number("usd", "cost", func(g *Group) float64 { return g.Dollars }, func(g *Group) string { return cost(g).String() }),
		number("estimated_usd", "estimated", func(g *Group) float64 { return g.Estimated }, func(g *Group) string { return human.Money(g.Estimated) }),
	}
}

func bytes(n int64) string { return human.Short(n) + "B" }

func columnNames() []string {
	all := columns()
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].JSON
	}
	return names
}

// columnNamed returns the column with a name or heading.
func columnNamed(name string) (Column, bool) {
	all := columns()
	i := slices.IndexFunc(all, func(c Column) bool { return c.JSON == name || c.Head == name || c.JSON == formerNames[name] })
	if i < 0 {
		return Column{}, false
	}
	return all[i], true
}

// Columns returns the key of the groups and the columns with some names in JSON. Without enough
// room, the last are dropped first, but never the one called stays.
func (a *Answer) Columns(names []string, stays string) []Column {
	key := func(g *Group) string {
		if g == &a.All {
			return "all"
		}
		return cmp.Or(g.Key, human.NotSaid)
	}
	list := []Column{{Name: a.By.Name, Head: a.By.Name, Width: 16, Flex: 1, Asc: true, Room: 1000,
		Cell: func(g *Group) answer.Cell { return answer.Cell{Text: key(g)} }, Order: answer.By(func(g *Group) string { return g.Key })}}
	for i, name := range names {
		c, ok := columnNamed(name)
		if !ok {
			continue
		}
		if name != stays {
			c.Drop = i
		}
		for _, g := range append(slices.Clone(a.Groups), &a.All) {
			c.Width = max(c.Width, len(c.Head), human.Width(c.Cell(g).Text))
		}
		list = append(list, c)
	}
	return list
}

// Shape is a command's view of many sessions.
type Shape struct {
	By      string   // "" shows all sessions together
	Sort    string   // name of a column
	Needs   Number   // groups without this number are hidden
	Columns []string // of the table; JSON has all
}

// Shapes returns the views of the commands, by their names. cause is the view of turns cost
// --by cause.
func Shapes() map[string]Shape {
	return map[string]Shape{
		"stats":    {"", "sessions", Runs, strings.Fields("sessions total_messages turns tool_calls tool_errors error_share pending_calls output_tokens usd duration_seconds")},
		"tools":    {"tool", "tool_calls", Calls, strings.Fields("sessions tool_calls tool_errors error_share denied_calls pending_calls p50_seconds p95_seconds max_seconds total_seconds argument_bytes result_bytes")},
		"cost":     {"model", "usd", Responses, strings.Fields("sessions responses_with_usage responses_without_cost input_tokens cache_read_tokens cache_write_tokens output_tokens usd")},
		"cause":    {"cause", "written_again_usd", Misses, strings.Fields("sessions misses written_again_tokens written_again_usd usd")},
		"timeline": {"day", "key", Runs, strings.Fields("sessions turns steps tool_calls tool_errors subagent_calls turns_interrupted turns_failed duration_seconds")},
	}
}

// Doc describes the sums: a row for each group and one for the total. On a narrow terminal the
// first columns and the cost remain.
func (a *Answer) Doc(names []string) *answer.Doc {
	d := &answer.Doc{}
	d.AddTable("", answer.Of(a.Columns(names, "usd"), append(slices.Clone(a.Groups), &a.All)...))
	priced := slices.Contains(names, "usd") && a.All.Estimated > 0
	sized := slices.Contains(names, "output_tokens") && a.All.N[MissingOutput] > 0
	switch {
	case priced && sized:
		d.Note("~ is estimated: costs by prices, output by the size of the text")
	case priced:
		d.Note("~ is estimated by prices")
	case sized:
		d.Note("~ is estimated by the size of the text")
	}
	return d
}

// String returns the numbers of sessions and calls.
func (a *Answer) String() string {
	return fmt.Sprintf("%s, %s", human.Plural(a.All.N[Runs], "session"), human.Plural(a.All.N[Calls], "call"))
}
