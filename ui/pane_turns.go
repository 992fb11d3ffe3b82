package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
)

// turnsPane is the table of contents: a row per turn.
type turnsPane struct {
	h     *host
	table table
	seen  *query.TimelineAnswer
	cost  float64
	most  int64 // largest context, the full length of a bar
	costs bool  // any cost was recorded
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
	turnOutput
	turnCache
	turnCost
	turnContext
)

func newTurnsPane(h *host) pane {
	p := &turnsPane{h: h}
	p.table = table{sortBy: -1, cells: p.cells, cmp: p.compare, cols: []tableColumn{
		turnNumber:  {head: "#", width: 5, right: true},
		turnTime:    {name: "time", head: "time", width: 8, gap: 2, asc: true, drop: 8},
		turnPrompt:  {head: "prompt", width: 14, gap: 2, flex: 1},
		turnSteps:   {name: "steps", head: "steps", width: 5, right: true, gap: 1, drop: 6},
		turnCalls:   {name: "calls", head: "calls", width: 5, right: true, gap: 1},
		turnErrors:  {name: "errors", head: "err", width: 4, right: true, gap: 1},
		turnDur:     {name: "duration", head: "dur", width: 6, right: true, gap: 1},
		turnOutput:  {name: "output", head: "output", width: 6, right: true, gap: 2, drop: 4},
		turnCache:   {name: "cache", head: "cache", width: 5, right: true, gap: 2, drop: 5},
		turnCost:    {name: "cost", head: "cost", width: 6, right: true, gap: 1, drop: 3},
		turnContext: {name: "context", head: "context", width: 10, gap: 2, drop: 7},
	}}
	return p
}

// Name is the word of the pane.
func (p *turnsPane) Name() string { return "turns" }

// Refresh takes a new answer over.
func (p *turnsPane) Refresh() tea.Cmd {
	a := p.h.table
	if a == nil || a == p.seen {
		return nil
	}
	p.seen, p.cost, p.costs, p.most = a, 0, false, 0
	for i := range a.Turns {
		t := &a.Turns[i]
		if t.Cost != nil {
			p.cost += *t.Cost
			p.costs = true
		}
		p.most = max(p.most, t.Context)
	}
	p.table.cols[turnCost].hidden = !p.costs
	p.table.laid = 0
	cmd := p.table.reset(len(a.Turns))
	if !p.found {
		p.opened()
	}
	return cmd
}

// opened puts the cursor on the turn that the reader is in.
func (p *turnsPane) opened() {
	p.found = p.h.turns != nil && p.seen != nil
	if id, _ := p.h.rows.Selected(); p.found && id != model.NoID {
		for i := range p.seen.Turns {
			if p.seen.Turns[i].Number == p.h.turns.Turn(id) {
				p.table.selectRow(i)
			}
		}
	}
}

// Message takes an order over that was found in the background.
func (p *turnsPane) Message(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(sortedMsg); ok {
		p.table.sorted(m)
	}
	return nil
}

// title is the prompt in one line, or what the turn begins with.
func (p *turnsPane) title(t *query.Turn) string {
	id := t.Prompt
	if id == model.NoID && len(t.Messages) > 0 {
		id = t.Messages[0]
	}
	if id == model.NoID {
		return ""
	}
	lines, _ := p.h.described.lines(id)
	for i := range lines {
		if lines[i].About != "" {
			return lines[i].About
		}
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

func (p *turnsPane) cells(row int, out []tableCell) {
	t := &p.seen.Turns[row]
	none := tableCell{text: query.NotSaid, ink: inkDim}
	out[turnNumber] = tableCell{text: strconv.Itoa(t.Number), ink: inkDim}
	if slices.Contains(p.taken, t.Number) {
		out[turnNumber].lead = span{text: "•", ink: inkMark}
	}
	out[turnTime] = tableCell{text: p.h.clock(int64(t.Start)), ink: inkDim}
	out[turnPrompt] = tableCell{text: p.title(t)}
	if t.Prompt == model.NoID {
		out[turnPrompt].ink = inkDim
	}
	out[turnSteps] = numberCell(len(t.Steps), inkText)
	out[turnCalls] = numberCell(t.Calls, inkText)
	out[turnErrors] = numberCell(t.Errors, inkError)
	switch {
	case t.Failed:
		out[turnErrors] = tableCell{text: "✗", ink: inkError}
		if t.Errors > 0 {
			out[turnErrors].text = count(t.Errors) + "✗"
		}
	case t.Stopped && t.Errors == 0:
		out[turnErrors] = tableCell{text: "■", ink: inkWarning}
	case t.Stopped:
		out[turnErrors].text = count(t.Errors) + "■"
	}
	out[turnDur], out[turnOutput], out[turnCache], out[turnCost] = none, none, none, none
	if t.Took > 0 || t.Start != 0 {
		out[turnDur] = tableCell{text: took(t.Took.Duration())}
	}
	if t.Usage.Output != nil {
		out[turnOutput] = tableCell{text: short(*t.Usage.Output)}
	}
	if share := cacheShare(&t.Usage); share >= 0 {
		out[turnCache] = tableCell{text: fmt.Sprintf("%.0f %%", share*100)}
	}
	if t.Miss {
		out[turnCache] = tableCell{text: "miss", ink: inkWarning}
	}
	if t.Cost != nil {
		out[turnCost] = tableCell{text: query.Money(*t.Cost)}
	}
	most := p.most
	if st := p.h.stats; st != nil && st.Context != nil {
		most = max(most, st.Context.Window)
	}
	out[turnContext] = tableCell{text: bar(float64(t.Context), float64(most), 10), ink: inkBar}
}

func (p *turnsPane) compare(col, i, j int) int {
	a, b := &p.seen.Turns[i], &p.seen.Turns[j]
	number := func(n *int64) int64 {
		if n == nil {
			return -1
		}
		return *n
	}
	switch col {
	case turnTime:
		return cmp.Compare(a.Start, b.Start)
	case turnSteps:
		return len(a.Steps) - len(b.Steps)
	case turnCalls:
		return a.Calls - b.Calls
	case turnErrors:
		return a.Errors - b.Errors
	case turnDur:
		return cmp.Compare(a.Took, b.Took)
	case turnOutput:
		return cmp.Compare(number(a.Usage.Output), number(b.Usage.Output))
	case turnCache:
		return cmp.Compare(cacheShare(&a.Usage), cacheShare(&b.Usage))
	case turnCost:
		x, y := -1.0, -1.0
		if a.Cost != nil {
			x = *a.Cost
		}
		if b.Cost != nil {
			y = *b.Cost
		}
		return cmp.Compare(x, y)
	case turnContext:
		return cmp.Compare(a.Context, b.Context)
	}
	return 0
}

// Render draws the table.
func (p *turnsPane) Render(w, h int, full, focus bool) []string {
	if p.seen == nil {
		p.Refresh()
	}
	st := p.h.styles
	if p.seen == nil {
		return []string{paneTitle(p.h, w, focus, "Turns", ""), st.line(w, groundNone, span{text: " counting …", ink: inkDim})}
	}
	about := plural(len(p.seen.Turns), "turn", "turns") + p.h.more()
	if p.costs {
		about += "   " + query.Money(p.cost)
	}
	out := []string{paneTitle(p.h, w, focus, "Turns", about, p.table.sortName())}
	if len(p.seen.Turns) == 0 {
		return append(out, st.line(w, groundNone, span{text: " no turns", ink: inkDim}))
	}
	return append(out, p.table.render(st, w, h-1, focus)...)
}

// Key moves, sorts, goes to a turn or makes a filter of it. Where none was taken D compares the whole run.
func (p *turnsPane) Key(key string, n int) (bool, tea.Cmd) {
	if key == "D" && len(p.taken) == 0 || key == "esc" && len(p.taken) > 0 {
		p.taken = nil
		return key == "esc", nil
	}
	if handled, cmd := pressed(p.keys(), key, n); handled {
		return true, cmd
	}
	return p.table.key(p.h, key, n)
}

// keys are those that only this pane takes.
func (p *turnsPane) keys() []paneKey {
	return []paneKey{
		{keys: []string{"enter", "l", "right"}, hint: "to the turn", help: "go to the turn", do: p.enter},
		{keys: []string{"+"}, hint: "only this turn", help: "only this turn", do: p.like},
		{keys: []string{"-"}, hint: "without it", help: "without this turn", do: p.like},
		{keys: []string{"v"}, help: "take the turn, to be compared with another", do: func(int, string) tea.Cmd { return p.take() }},
		{keys: []string{"D"}, hint: "compare two", label: "v D", help: "compare the two turns that v took, or the one with this", do: func(int, string) tea.Cmd { return p.compareTaken() }},
		{keys: []string{"x"}, hint: "export this table", help: "export the table", do: func(int, string) tea.Cmd { return p.h.ask(p.table.export("turns")) }},
	}
}

// take takes the turn of the row, or lets it go; of three the last two are kept.
func (p *turnsPane) take() tea.Cmd {
	row := p.table.row()
	if row < 0 {
		return noRow(p.h)
	}
	n := p.seen.Turns[row].Number
	if i := slices.Index(p.taken, n); i >= 0 {
		p.taken = slices.Delete(p.taken, i, i+1)
	} else {
		p.taken = append(p.taken[max(len(p.taken)-1, 0):], n)
	}
	p.table.moveTo(p.table.cur + 1)
	return nil
}

// compareTaken compares what was taken.
func (p *turnsPane) compareTaken() tea.Cmd {
	row := p.table.row()
	if row < 0 {
		return noRow(p.h)
	}
	pair := p.taken
	if n := p.seen.Turns[row].Number; len(pair) == 1 && pair[0] != n {
		pair = append(pair[:1:1], n)
	}
	if len(pair) < 2 {
		p.h.complain("D compares two turns: v takes them")
		return nil
	}
	var names [2]string
	var runs [2]query.DiffRun
	for i, n := range pair {
		names[i] = fmt.Sprintf("turn %d", n)
		for t := range p.seen.Turns {
			if turn := &p.seen.Turns[t]; turn.Number == n {
				runs[i] = query.DiffRun{Selection: query.Selection{Snap: p.h.snap, IDs: turn.Messages}, Tokens: p.h.tokens, Turns: p.h.turns}
			}
		}
	}
	return p.h.ask(CompareParts{names, runs})
}

func (p *turnsPane) enter(int, string) tea.Cmd {
	row := p.table.row()
	if row < 0 {
		return noRow(p.h)
	}
	t := &p.seen.Turns[row]
	id := t.Prompt
	if id == model.NoID && len(t.Messages) > 0 {
		id = t.Messages[0]
	}
	p.h.ask(GoTo{id, noCall})
	return nil
}

func (p *turnsPane) like(_ int, key string) tea.Cmd {
	row := p.table.row()
	if row < 0 {
		return noRow(p.h)
	}
	return p.h.ask(AddTerm{"turn:" + strconv.Itoa(p.seen.Turns[row].Number), key == "-"})
}

// Hints are the keys of the pane.
func (p *turnsPane) Hints() []hint {
	return tableHints(&p.table, p.keys())
}

// Click selects a row or sorts; a double click goes to the turn.
func (p *turnsPane) Click(x, y int, double bool) tea.Cmd {
	hit, cmd := p.table.click(x, y-1)
	if hit && double {
		_, cmd = p.Key("enter", 0)
	}
	return cmd
}

// Wheel scrolls.
func (p *turnsPane) Wheel(n int) { p.table.scroll(n) }
