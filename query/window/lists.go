package window

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/query/answer"
	"turns/query/human"
)

// LargestColumns returns the columns of the largest items.
func (a *Answer) LargestColumns() []answer.Column[*Item] {
	type column = answer.Column[*Item]
	tokens := func(it *Item) int64 { return it.Tokens }
	return []column{
		tokensColumn(column{}, tokens),
		shareColumn(tokens, a.Counted),
		barOf(tokens, mostOf(a.Largest, tokens)),
		placeColumn((*Item).Place),
		{Name: "role", Head: "role", Cell: func(it *Item) answer.Cell { return answer.Cell{Text: it.Role} }},
		{Name: "what", Head: "what", Width: 10, Gap: 2, Drop: 7, Cell: func(it *Item) answer.Cell {
			if it.Tool == "" {
				return answer.Cell{Text: it.Role, Tone: answer.Dim}
			}
			return answer.Cell{Text: string(it.Tool)}
		}},
		// the item matters more than its size
		{Name: "about", Head: "about", Room: 80, Width: 16, Gap: 1, Flex: 1, Cell: func(it *Item) answer.Cell { return answer.Cell{Text: it.About} }},
	}
}

// KindShare is the tokens of a kind, by its number in [Kinds].
type KindShare struct {
	Kind   int
	Tokens int64
}

// Kinds returns the kinds of tokens that occur.
func (a *Answer) Kinds() (list []KindShare) {
	for i, n := range a.Tokens.ByKind() {
		if n > 0 {
			list = append(list, KindShare{i, n})
		}
	}
	return list
}

// KindColumns returns the columns of the kinds of tokens.
func (a *Answer) KindColumns() []answer.Column[*KindShare] {
	type column = answer.Column[*KindShare]
	tokens := func(k *KindShare) int64 { return k.Tokens }
	return []column{
		{Name: "kind", Head: "kind", Width: 12, Cell: func(k *KindShare) answer.Cell { return answer.Cell{Text: Kinds[k.Kind]} }},
		tokensColumn(column{}, tokens),
		shareColumn(tokens, a.Counted),
		barOf(tokens, a.Counted),
	}
}

// FirstTools returns the first n rows of the results by tool, of which the last is the sum of the
// rest.
func (a *Answer) FirstTools(n int) []ToolShare {
	if len(a.Tools) <= n || n == 0 {
		return a.Tools[:min(n, len(a.Tools))]
	}
	list := slices.Clone(a.Tools[:n])
	rest := ToolShare{Tool: human.TextOrNull(human.Count(len(a.Tools)-n+1) + " other tools")}
	for _, t := range a.Tools[n-1:] {
		rest.Tokens += t.Tokens
	}
	list[n-1] = rest
	return list
}

// ToolColumns returns the columns of the results by tool.
func (a *Answer) ToolColumns() []answer.Column[*ToolShare] {
	type column = answer.Column[*ToolShare]
	tokens := func(t *ToolShare) int64 { return t.Tokens }
	bar := barOf(tokens, mostOf(a.Tools, tokens))
	bar.Drop = 0
	return []column{
		{Name: "tool", Head: "results of", Room: 40, Width: 12, Gap: 2, Flex: 1, Cell: func(t *ToolShare) answer.Cell { return answer.Cell{Text: string(t.Tool)} }},
		tokensColumn(column{}, tokens),
		shareColumn(tokens, a.Tokens.Results),
		bar,
	}
}

// GrowthColumns returns the columns of the growth by turn.
func GrowthColumns() []answer.Column[*TurnGrowth] {
	type column = answer.Column[*TurnGrowth]
	measured := func(g *TurnGrowth) int64 {
		if g.Measured == nil {
			return -1
		}
		return *g.Measured
	}
	return []column{
		{Name: "turn", Head: "turn", Kind: answer.Number, Width: 5, Asc: true, Order: answer.By(func(g *TurnGrowth) int { return g.Turn }),
			Cell: func(g *TurnGrowth) answer.Cell { return answer.Cell{Text: strconv.Itoa(g.Turn), Tone: answer.Dim} }},
		{Name: "added", Head: "added", Kind: answer.Number, Width: 7, Order: answer.By(func(g *TurnGrowth) int64 { return g.Sum }), Cell: func(g *TurnGrowth) answer.Cell {
			c := answer.Tokens(g.Sum)
			if g.Sum > 0 {
				c.Text = "+" + c.Text
			}
			return c
		}},
		tokensColumn(column{Name: "results", Width: 7, Gap: 1, Drop: 6, Stays: true}, func(g *TurnGrowth) int64 { return g.Added.Results }),
		{Name: "measured", Head: "measured", Kind: answer.Number, Width: 8, Gap: 1, Drop: 4, Stays: true, Order: answer.By(measured), Cell: func(g *TurnGrowth) answer.Cell {
			if g.Measured == nil {
				return answer.Unknown
			}
			return answer.Tokens(*g.Measured)
		}},
		placeColumn((*TurnGrowth).Place),
		{Name: "compactions", Cell: func(g *TurnGrowth) (c answer.Cell) {
			if g.Compacted > 0 {
				c.Text = human.Plural(g.Compacted, "compaction")
			}
			return c
		}},
	}
}

// RepeatColumns returns the columns of repeated calls.
func RepeatColumns() []answer.Column[*RepeatedCall] {
	type column = answer.Column[*RepeatedCall]
	return []column{
		toolColumn(func(r *RepeatedCall) human.TextOrNull { return r.Tool }),
		answer.Counts(column{Name: "times", Head: "times", Width: 5, Gap: 1}, answer.Plain, func(r *RepeatedCall) int { return r.Times }),
		answer.Counts(column{Name: "same", Head: "same", Width: 4, Gap: 1, Drop: 4}, answer.Warn, func(r *RepeatedCall) int { return r.Same }),
		tokensColumn(column{}, func(r *RepeatedCall) int64 { return r.Tokens }),
		placeColumn((*RepeatedCall).Place),
		aboutColumn(func(r *RepeatedCall) human.TextOrNull { return r.About }),
		{Name: "messages", Head: "messages", Room: 40, Drop: 1, Cell: func(r *RepeatedCall) answer.Cell {
			return answer.Cell{Text: strings.Trim(fmt.Sprint(r.At), "[]")}
		}},
	}
}

// UnusedColumns returns the columns of results that no later message refers to.
func UnusedColumns() []answer.Column[*UnusedResult] {
	return []answer.Column[*UnusedResult]{
		toolColumn(func(u *UnusedResult) human.TextOrNull { return u.Tool }),
		placeColumn((*UnusedResult).Place),
		tokensColumn(answer.Column[*UnusedResult]{}, func(u *UnusedResult) int64 { return u.Tokens }),
		aboutColumn(func(u *UnusedResult) human.TextOrNull { return u.About }),
	}
}

// tokensColumn completes a column of tokens.
func tokensColumn[T any](c answer.Column[T], tokens func(T) int64) answer.Column[T] {
	if c.Name == "" {
		c.Name, c.Width = "tokens", 7
	}
	c.Head, c.Kind, c.Order = c.Name, answer.Number, answer.By(tokens)
	c.Cell = func(t T) answer.Cell { return answer.Tokens(tokens(t)) }
	return c
}

func shareColumn[T any](tokens func(T) int64, whole int64) answer.Column[T] {
	return answer.Column[T]{Name: "share", Head: "share", Kind: answer.Number, Width: 5, Gap: 1, Drop: 5, Stays: true, Cell: func(t T) answer.Cell {
		return answer.Cell{Text: human.Percent(tokens(t), whole), Tone: answer.Dim}
	}}
}

// barOf returns the column of bars, which a number of tokens fills.
func barOf[T any](tokens func(*T) int64, full int64) answer.Column[*T] {
	return answer.Column[*T]{Name: "bar", Kind: answer.Bar, Width: 10, Gap: 1, Drop: 8, Cell: func(t *T) answer.Cell {
		return answer.Cell{Part: float64(tokens(t)) / float64(max(full, 1))}
	}}
}

// mostOf returns the tokens of the first row, which has most.
func mostOf[T any](rows []T, tokens func(*T) int64) int64 {
	if len(rows) == 0 {
		return 0
	}
	return tokens(&rows[0])
}

func toolColumn[T any](tool func(T) human.TextOrNull) answer.Column[T] {
	return answer.Column[T]{Name: "what", Head: "tool", Room: 30, Width: 10, Gap: 2, Drop: 7, Stays: true, Cell: func(t T) answer.Cell {
		return answer.Cell{Text: string(tool(t))}
	}}
}

func aboutColumn[T any](about func(T) human.TextOrNull) answer.Column[T] {
	return answer.Column[T]{Name: "about", Head: "about", Width: 10, Gap: 1, Flex: 1, Cell: func(t T) answer.Cell {
		return answer.Cell{Text: string(about(t))}
	}}
}

// placeColumn returns the column of the messages that rows lead to.
func placeColumn[T any](place func(T) answer.Place) answer.Column[T] {
	index := func(t T) int { return place(t).Index }
	return answer.Column[T]{Name: "place", Head: "message", Kind: answer.Number, Width: 7, Gap: 1, Asc: true, Order: answer.By(index), Cell: func(t T) answer.Cell {
		return answer.At(index(t))
	}}
}

// noCall is the call of places that are messages.
const noCall = model.CallID(model.NoRow)

// Place returns the message.
func (it *Item) Place() answer.Place {
	return answer.Place{ID: it.ID, Call: noCall, Index: int(it.Index)}
}

// Place returns the first message of the turn.
func (g *TurnGrowth) Place() answer.Place {
	return answer.Place{ID: g.ID, Call: noCall, Index: int(g.Index)}
}

// Place returns the last of the calls.
func (r *RepeatedCall) Place() answer.Place {
	last := len(r.Calls) - 1
	return answer.Place{ID: r.ID, Call: r.Calls[last], Index: r.At[last]}
}

// Place returns the call.
func (u *UnusedResult) Place() answer.Place {
	return answer.Place{ID: u.ID, Call: u.Call, Index: int(u.Index)}
}
