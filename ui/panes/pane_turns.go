package panes

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/runs"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

var _ interface {
	screen.Opener
	screen.Messenger
} = (*Turns)(nil)

// Turns is the table of contents: a row per turn.
type Turns struct {
	h     *screen.Host
	Table screen.Table
	seen  *summary.TimelineAnswer
	cost  summary.Cost
	most  int64 // largest context, the full length of a bar
	found bool  // the cursor was put on the turn that the reader is in
	taken []int // numbers of the turns that v took, at most two, the older one first
}

// Columns of the turns.
const (
	turnNumber = iota
	turnTime
	turnPrompt
	turnSteps
	turnCalls
	turnErrors
	turnDur
	turnAsked
	turnOutput
	turnCache
	turnCost
	turnContext
)

func newTurns(h *screen.Host) screen.Pane {
	p := &Turns{h: h}
	p.Table = screen.Table{SortBy: -1, Cells: p.cells, Cmp: p.compare, Cols: []screen.Column{
		turnNumber:  {Head: "#", Width: 5, Right: true},
		turnTime:    {Name: "time", Head: "time", Width: 8, Gap: 2, Asc: true, Drop: 8},
		turnPrompt:  {Head: "prompt", Width: 14, Gap: 2, Flex: 1},
		turnSteps:   {Name: "steps", Head: "steps", Width: 5, Right: true, Gap: 1, Drop: 6},
		turnCalls:   {Name: "calls", Head: "calls", Width: 5, Right: true, Gap: 1},
		turnErrors:  {Name: "errors", Head: "err", Width: 4, Right: true, Gap: 1},
		turnDur:     {Name: "duration", Head: "dur", Width: 6, Right: true, Gap: 1},
		turnAsked:   {Name: "asked", Head: "asked", Width: 6, Right: true, Gap: 1, Drop: 2, Hidden: true},
		turnOutput:  {Name: "output", Head: "output", Width: 6, Right: true, Gap: 2, Drop: 4},
		turnCache:   {Name: "cache", Head: "cache", Width: 5, Right: true, Gap: 2, Drop: 5},
		turnCost:    {Name: "cost", Head: "cost", Width: 8, Right: true, Gap: 1, Drop: 3},
		turnContext: {Name: "context", Head: "context", Width: 10, Gap: 2, Drop: 7},
	}}
	return p
}

// Name is the word of the pane.
func (p *Turns) Name() string { return "turns" }

// Refresh takes a new answer over.
func (p *Turns) Refresh() tea.Cmd {
	a := p.h.Table
	if a == nil || a == p.seen {
		return nil
	}
	p.seen, p.cost, p.most = a, a.Sum(), 0
	asked := false
	for i := range a.Turns {
		t := &a.Turns[i]
		p.most = max(p.most, t.Context)
		asked = asked || t.Asked > 0
	}
	p.Table.Cols[turnAsked].Hidden = !asked
	p.Table.Cols[turnCost].Hidden = !p.cost.Known()
	p.Table.Laid = 0
	cmd := p.Table.Reset(len(a.Turns))
	if !p.found {
		p.Opened()
	}
	return cmd
}

// Opened puts the cursor on the turn that the reader is in.
func (p *Turns) Opened() {
	p.found = p.h.Turns != nil && p.seen != nil
	if id, _ := p.h.Rows.Selected(); p.found && id != model.NoID {
		for i := range p.seen.Turns {
			if p.seen.Turns[i].Number == p.h.Turns.Turn(id) {
				p.Table.SelectRow(i)
			}
		}
	}
}

// Message takes an order over that was found in the background.
func (p *Turns) Message(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(screen.SortedMsg); ok {
		p.Table.Sorted(m)
	}
	return nil
}

// title is the prompt in one line, or what the turn begins with.
func (p *Turns) title(t *summary.Turn) string {
	if id := opens(t); id != model.NoID {
		return p.h.Says(id)
	}
	return ""
}

// cacheShare is how much of what was asked was read from the cache, -1 where that was not recorded.
func cacheShare(u *query.UsageSum) float64 {
	if u.CacheRead == nil {
		return -1
	}
	all := *u.CacheRead
	for _, n := range [...]*int64{u.Input, u.CacheWrite} {
		if n != nil {
			all += *n
		}
	}
	if all == 0 {
		return -1
	}
	return float64(*u.CacheRead) / float64(all)
}

func (p *Turns) cells(row int, out []screen.Cell) {
	t := &p.seen.Turns[row]
	none := screen.Cell{Text: human.NotSaid, Ink: paint.InkDim}
	out[turnNumber] = screen.Cell{Text: strconv.Itoa(t.Number), Ink: paint.InkDim}
	if slices.Contains(p.taken, t.Number) {
		out[turnNumber].Lead = paint.Span{Text: "•", Ink: paint.InkMark}
	}
	out[turnTime] = screen.Cell{Text: p.h.Clock(int64(t.Start)), Ink: paint.InkDim}
	out[turnPrompt] = screen.Cell{Text: p.title(t)}
	if t.Prompt == model.NoID {
		out[turnPrompt].Ink = paint.InkDim
	}
	out[turnSteps] = screen.NumberCell(len(t.Steps), paint.InkText)
	out[turnCalls] = screen.NumberCell(t.Calls, paint.InkText)
	out[turnErrors] = screen.NumberCell(t.Errors, paint.InkError)
	switch {
	case t.Failed:
		out[turnErrors] = screen.Cell{Text: "✗", Ink: paint.InkError}
		if t.Errors > 0 {
			out[turnErrors].Text = human.OrDot(t.Errors, human.Count) + "✗"
		}
	case t.Stopped && t.Errors == 0:
		out[turnErrors] = screen.Cell{Text: "■", Ink: paint.InkWarning}
	case t.Stopped:
		out[turnErrors].Text = human.OrDot(t.Errors, human.Count) + "■"
	}
	out[turnAsked] = screen.Cell{}
	if t.Asked > 0 {
		out[turnAsked] = screen.Cell{Text: human.Took(t.Asked.Duration()), Ink: paint.InkWarning}
	}
	out[turnDur], out[turnOutput], out[turnCache], out[turnCost] = none, none, none, none
	if t.Took > 0 || t.Start != 0 {
		out[turnDur] = screen.Cell{Text: human.Took(t.Took.Duration())}
	}
	if t.Usage.Output != nil {
		out[turnOutput] = screen.Cell{Text: human.Short(*t.Usage.Output)}
	}
	if share := cacheShare(&t.Usage); share >= 0 {
		out[turnCache] = screen.Cell{Text: fmt.Sprintf("%.0f %%", share*100)}
	}
	if t.Miss {
		out[turnCache] = screen.Cell{Text: "miss", Ink: paint.InkWarning}
	}
	if c := t.WhatItCost(); c.Known() {
		out[turnCost] = screen.Cell{Text: c.String()}
	}
	most := p.most
	if st := p.h.Stats; st != nil && st.Context != nil {
		most = max(most, int64(st.Context.Window))
	}
	out[turnContext] = screen.Cell{Text: paint.Bar(float64(t.Context), float64(most), 10), Ink: paint.InkBar}
}

func (p *Turns) compare(col, i, j int) int {
	a, b := &p.seen.Turns[i], &p.seen.Turns[j]
	number := func(n *int64) int64 {
		if n == nil {
			return -1
		}
		return *n
	}
	return [...]int{
		turnTime:    cmp.Compare(a.Start, b.Start),
		turnSteps:   len(a.Steps) - len(b.Steps),
		turnCalls:   a.Calls - b.Calls,
		turnErrors:  a.Errors - b.Errors,
		turnDur:     cmp.Compare(a.Took, b.Took),
		turnAsked:   cmp.Compare(a.Asked, b.Asked),
		turnOutput:  cmp.Compare(number(a.Usage.Output), number(b.Usage.Output)),
		turnCache:   cmp.Compare(cacheShare(&a.Usage), cacheShare(&b.Usage)),
		turnCost:    cmp.Compare(a.WhatItCost().Dollars, b.WhatItCost().Dollars),
		turnContext: cmp.Compare(a.Context, b.Context),
	}[col]
}

// Render draws the table.
func (p *Turns) Render(w, h int, full, focus bool) []string {
	if p.seen == nil {
		p.Refresh()
	}
	st := p.h.Styles
	if p.seen == nil {
		return []string{paneTitle(p.h, w, focus, "Turns", ""), st.Line(w, paint.GroundNone, paint.Span{Text: " counting …", Ink: paint.InkDim})}
	}
	about := human.Plural(len(p.seen.Turns), "turn", "turns") + p.h.More()
	if p.cost.Known() {
		about += "   " + p.cost.String()
	}
	if p.h.Narrowed() {
		about = "all " + about // not only those of the filter
	}
	out := []string{paneTitle(p.h, w, focus, "Turns", about, p.Table.SortName())}
	if len(p.seen.Turns) == 0 {
		return append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " no turns", Ink: paint.InkDim}))
	}
	return append(out, p.Table.Render(st, w, h-1, focus)...)
}

// Key moves, sorts, goes to a turn or makes a filter of it. Where none was taken D compares the
// whole run.
func (p *Turns) Key(key string, n int) (bool, tea.Cmd) {
	if key == "D" && len(p.taken) == 0 || key == "esc" && len(p.taken) > 0 {
		p.taken = nil
		return key == "esc", nil
	}
	if handled, cmd := screen.Pressed(p.Keys(), key, n); handled {
		return true, cmd
	}
	return p.Table.Key(p.h, key, n)
}

// Keys are those that only this pane takes.
func (p *Turns) Keys() []screen.Key {
	on := func(do func(row int, key string) tea.Cmd) func(int, string) tea.Cmd { return p.Table.OnRow(p.h, do) }
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "jump", Help: "go to the turn", Do: on(p.enter)},
		{Keys: []string{"+"}, Hint: "include", Help: "only this turn", Do: on(p.like)},
		{Keys: []string{"-"}, Hint: "exclude", Help: "without this turn", Do: on(p.like)},
		{Keys: []string{"v"}, Hint: "select", Help: "select the turn, to compare it with another", Do: on(p.take)},
		{Keys: []string{"D"}, Hint: "compare", Help: "compare the two selected turns, or the selected one with this", Do: on(p.compareTaken)},
		{Keys: []string{"x"}, Hint: "export", Help: "export the table", Do: func(int, string) tea.Cmd { return p.h.Ask(p.Table.Export("turns")) }},
	}
}

// take takes the turn of the row, or lets it go; of three the last two are kept.
func (p *Turns) take(row int, _ string) tea.Cmd {
	p.taken = screen.TakeTwo(p.taken, p.seen.Turns[row].Number)
	p.Table.MoveTo(p.Table.Cur + 1)
	return nil
}

// compareTaken compares what was taken.
func (p *Turns) compareTaken(row int, _ string) tea.Cmd {
	pair := p.taken
	if n := p.seen.Turns[row].Number; len(pair) == 1 && pair[0] != n {
		pair = append(pair[:1:1], n)
	}
	if len(pair) < 2 {
		return p.h.Complain(p.h.Key("D") + " compares two turns: " + p.h.Key("v") + " selects them")
	}
	var names [2]string
	var sides [2]runs.DiffRun
	for i, n := range pair {
		names[i] = fmt.Sprintf("turn %d", n)
		for t := range p.seen.Turns {
			if turn := &p.seen.Turns[t]; turn.Number == n {
				sides[i] = runs.DiffRun{Selection: query.Selection{Snap: p.h.Snap, IDs: turn.Messages}, Tokens: p.h.Tokens, Turns: p.h.Turns, Prices: p.h.Opts.Prices}
			}
		}
	}
	return p.h.Ask(screen.CompareParts{Names: names, Runs: sides})
}

func (p *Turns) enter(row int, _ string) tea.Cmd {
	p.h.Ask(screen.GoTo{ID: opens(&p.seen.Turns[row]), Call: screen.NoCall})
	return nil
}

func (p *Turns) like(row int, key string) tea.Cmd {
	return p.h.Ask(screen.AddTerm{Term: "turn:" + strconv.Itoa(p.seen.Turns[row].Number), Negate: key == "-"})
}

// Hints are the keys of the pane.
func (p *Turns) Hints() []screen.Hint {
	return screen.TableHints(&p.Table, p.Keys())
}

// Click selects a row or sorts; a double click goes to the turn.
func (p *Turns) Click(x, y int, double bool) tea.Cmd {
	hit, cmd := p.Table.Click(x, y-1)
	if hit && double {
		_, cmd = p.Key("enter", 0)
	}
	return cmd
}

// Wheel scrolls by n rows.
func (p *Turns) Wheel(n int) { p.Table.Scroll(n) }

// opens is the prompt of a turn, or its first message.
func opens(t *summary.Turn) model.ID {
	if t.Prompt == model.NoID && len(t.Messages) > 0 {
		return t.Messages[0]
	}
	return t.Prompt
}

// Sorted is the table of the pane.
func (p *Turns) Sorted() *screen.Table { return &p.Table }
