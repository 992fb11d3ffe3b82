package panes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/runs"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

var _ interface {
	screen.Opener
	screen.Messenger
} = (*Turns)(nil)

// Turns is the table of contents: one row per turn, and on request the steps of one.
type Turns struct {
	h       *screen.Host
	Table   screen.Table
	columns []answer.Column[*summary.Turn]
	seen    *summary.TimelineAnswer
	cost    summary.Cost
	most    int64               // largest context, a full bar
	found   bool                // the cursor was set to the reader's turn
	taken   []int               // numbers of the turns selected with v, at most two, oldest first
	steps   *steps              // of the opened turn; nil: the turns are shown
	asked   *summary.CostAnswer // answer with the cost of the steps
}

func newTurns(h *screen.Host) screen.Pane {
	p := &Turns{h: h}
	p.Table.SortBy = -1
	p.describe(&summary.TimelineAnswer{})
	return p
}

// describe sets the columns of an answer. The size of the context is drawn as a bar.
func (p *Turns) describe(a *summary.TimelineAnswer) {
	p.columns = answer.Pick(a.Columns(), "turn", "time", "prompt", "steps", "calls", "errors", "duration", "asked", "output", "cache", "cost", "context")
	screen.Describe(&p.Table, p.columns, func(row int) *summary.Turn { return &p.seen.Turns[row] })
	p.Table.Cells = p.cells
	bar := &p.Table.Cols[p.Table.Column("context")]
	bar.Width, bar.Right = 10, false
}

// Name returns the name of the pane.
func (p *Turns) Name() string { return "turns" }

// Refresh adopts a new answer.
func (p *Turns) Refresh() tea.Cmd {
	a := p.h.Table
	if a == nil || a == p.seen && p.h.Cost == p.asked {
		return nil
	}
	p.asked = p.h.Cost
	again := p.refreshSteps(a)
	if a == p.seen {
		return again
	}
	p.seen, p.cost, p.most = a, a.Sum(), 0
	asked := false
	for i := range a.Turns {
		t := &a.Turns[i]
		p.most = max(p.most, t.Context)
		asked = asked || t.Asked > 0
	}
	p.describe(a)
	p.Table.Hide(!asked, "asked")
	p.Table.Hide(!p.cost.Known(), "cost")
	cmd := p.Table.Reset(len(a.Turns))
	if !p.found {
		p.Opened()
	}
	return tea.Batch(cmd, again)
}

// refreshSteps updates the steps of the open turn; if the turn is gone, it shows the turns.
func (p *Turns) refreshSteps(a *summary.TimelineAnswer) tea.Cmd {
	if p.steps == nil {
		return nil
	}
	for i := range a.Turns {
		if t := &a.Turns[i]; t.Number == p.steps.turn {
			return p.steps.refresh(t)
		}
	}
	p.steps = nil
	return nil
}

// Opened moves the cursor to the reader's turn.
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

// Message adopts an order computed in the background.
func (p *Turns) Message(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(screen.SortedMsg); ok {
		p.Table.Sorted(m)
		if p.steps != nil {
			p.steps.Table.Sorted(m)
		}
	}
	return nil
}

// title returns the prompt of a turn in one line, or the text of its first message.
func (p *Turns) title(t *summary.Turn) string {
	if id := opens(t); id != model.NoID {
		return p.h.FirstText(id)
	}
	return ""
}

func (p *Turns) cells(row int, out []screen.Cell) {
	t := &p.seen.Turns[row]
	screen.Fill(&p.Table, p.columns, t, out)
	if slices.Contains(p.taken, t.Number) {
		out[0].Lead = paint.Span{Text: "•", Ink: paint.InkMark}
	}
	out[1].Text = p.h.Clock(int64(t.Start))
	if out[2].Text = p.title(t); t.Prompt == model.NoID {
		out[2].Ink = paint.InkDim
	}
	most := p.most
	if st := p.h.Stats; st != nil && st.Context != nil {
		most = max(most, int64(st.Context.Window))
	}
	out[len(out)-1] = screen.Cell{Text: paint.Bar(float64(t.Context), float64(most), 10), Ink: paint.InkBar}
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
	if p.steps != nil {
		return p.steps.render(w, h, focus, p.prompt(p.steps.turn))
	}
	about := strings.Replace(p.seen.Headline(), " ", p.h.More()+" ", 1)
	if p.h.Narrowed() {
		about = "all " + about // the filter does not apply to turns
	}
	out := []string{paneTitle(p.h, w, focus, "Turns", about, p.Table.SortName())}
	if len(p.seen.Turns) == 0 {
		return append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " no turns", Ink: paint.InkDim}))
	}
	return append(out, p.Table.Render(st, w, h-1, focus)...)
}

// prompt returns the title of a turn by its number.
func (p *Turns) prompt(number int) string {
	for i := range p.seen.Turns {
		if t := &p.seen.Turns[i]; t.Number == number {
			return p.title(t)
		}
	}
	return ""
}

// Key moves, sorts, goes to a turn, opens its steps or adds it to the filter. Without selected
// turns, D compares the entire session.
func (p *Turns) Key(key string, n int) (bool, tea.Cmd) {
	if p.steps != nil {
		if handled, cmd := screen.Pressed(p.LeaveKeys(), key, n); handled {
			return true, cmd
		}
		return p.steps.key(key, n)
	}
	if key == "D" && len(p.taken) == 0 || key == "esc" && len(p.taken) > 0 {
		p.taken = nil
		return key == "esc", nil
	}
	if handled, cmd := screen.Pressed(p.Keys(), key, n); handled {
		return true, cmd
	}
	return p.Table.Key(p.h, key, n)
}

// Keys returns the keys of this pane only.
func (p *Turns) Keys() []screen.Key {
	on := func(do func(row int, key string) tea.Cmd) func(int, string) tea.Cmd { return p.Table.OnRow(p.h, do) }
	return []screen.Key{
		{Keys: []string{"enter"}, Hint: "jump", Help: "go to the turn", Do: on(p.enter)},
		{Keys: []string{"l", "right"}, Hint: "steps", Help: "open the steps of the turn, with the cost of each request", Do: on(p.open)},
		{Keys: []string{"+"}, Hint: "include", Help: "only this turn", Do: on(p.like)},
		{Keys: []string{"-"}, Hint: "exclude", Help: "without this turn", Do: on(p.like)},
		{Keys: []string{"v"}, Hint: "select", Help: "select the turn, to compare it with another", Do: on(p.take)},
		{Keys: []string{"D"}, Hint: "compare", Help: "compare the two selected turns, or the selected one with this", Do: on(p.compareTaken)},
		{Keys: []string{"x"}, Hint: "export", Help: "export the table", Do: func(int, string) tea.Cmd { return p.h.Ask(p.Table.Export("turns")) }},
	}
}

// LeaveKeys returns the keys that lead from the steps of a turn back to the turns.
func (p *Turns) LeaveKeys() []screen.Key {
	back := func(int, string) tea.Cmd { p.steps = nil; return nil }
	return []screen.Key{{Keys: []string{"h", "left", "esc", "q"}, Help: "back to the turns", Do: back}}
}

func (p *Turns) open(row int, _ string) tea.Cmd {
	p.steps, p.asked = newSteps(p.h, &p.seen.Turns[row]), p.h.Cost
	return nil
}

// take selects or unselects the turn of the row; a third drops the oldest.
func (p *Turns) take(row int, _ string) tea.Cmd {
	p.taken = screen.TakeTwo(p.taken, p.seen.Turns[row].Number)
	p.Table.MoveTo(p.Table.Cur + 1)
	return nil
}

// compareTaken compares the selected turns.
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

// Hints returns the keys of the pane.
func (p *Turns) Hints() []screen.Hint {
	if p.steps != nil {
		return screen.TableHints(&p.steps.Table, p.steps.Keys())
	}
	return screen.TableHints(&p.Table, p.Keys())
}

// Click selects a row or sorts; a double click goes to the turn or to the request.
func (p *Turns) Click(x, y int, double bool) tea.Cmd {
	hit, cmd := p.shown().Click(x, y-1)
	if hit && double {
		_, cmd = p.Key("enter", 0)
	}
	return cmd
}

// Wheel scrolls by n rows.
func (p *Turns) Wheel(n int) { p.shown().Scroll(n) }

// shown returns the visible table.
func (p *Turns) shown() *screen.Table {
	if p.steps != nil {
		return &p.steps.Table
	}
	return &p.Table
}

// opens returns the prompt of a turn, or its first message.
func opens(t *summary.Turn) model.ID {
	if t.Prompt == model.NoID && len(t.Messages) > 0 {
		return t.Messages[0]
	}
	return t.Prompt
}

// Sorted returns the table of the pane.
func (p *Turns) Sorted() *screen.Table { return &p.Table }
