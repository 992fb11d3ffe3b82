package panes

import (
	"cmp"
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

// steps lists the requests of a turn: one per step, then those of subagents and of undone
// responses.
type steps struct {
	h     *screen.Host
	turn  int
	rows  []stepRow
	cost  summary.Cost
	Table screen.Table
}

// stepRow is a request to the model.
type stepRow struct {
	id    model.ID
	step  int // number in the turn, -1 for none
	calls int
	usage query.UsageSum
	cost  summary.Cost
}

// Columns of the steps.
const (
	stepNumber = iota
	stepIndex
	stepTime
	stepAbout
	stepCalls
	stepNew
	stepCached
	stepOutput
	stepCache
	stepCost
)

func newSteps(h *screen.Host, t *summary.Turn) *steps {
	v := &steps{h: h, turn: t.Number}
	v.Table = screen.Table{SortBy: -1, Cells: v.cells, Cmp: v.compare, Cols: []screen.Column{
		stepNumber: {Head: "step", Width: 5, Right: true},
		stepIndex:  {Head: "#", Width: 6, Right: true, Drop: 5},
		stepTime:   {Name: "time", Head: "time", Width: 8, Gap: 2, Asc: true, Drop: 8},
		stepAbout:  {Head: "response", Width: 12, Gap: 2, Flex: 1},
		stepCalls:  {Name: "calls", Head: "calls", Width: 5, Right: true, Gap: 1, Drop: 6},
		stepNew:    {Name: "new", Head: "new", Width: 6, Right: true, Gap: 1, Drop: 2},
		stepCached: {Name: "cached", Head: "cached", Width: 6, Right: true, Gap: 1, Drop: 4},
		stepOutput: {Name: "output", Head: "output", Width: 6, Right: true, Gap: 1, Drop: 3},
		stepCache:  {Name: "cache", Head: "cache", Width: 5, Right: true, Gap: 2, Drop: 7},
		stepCost:   {Name: "cost", Head: "cost", Width: 9, Right: true, Gap: 1},
	}}
	v.refresh(t)
	return v
}

// refresh updates the steps of a turn and the cost of their requests.
func (v *steps) refresh(t *summary.Turn) tea.Cmd {
	at := make(map[model.ID]int, len(t.Steps))
	v.rows, v.cost = v.rows[:0], summary.Cost{}
	for _, s := range t.Steps {
		at[s.Message] = len(v.rows)
		v.rows = append(v.rows, stepRow{id: s.Message, step: v.stepOf(s.Message), calls: s.Calls})
	}
	if a := v.h.Cost; a != nil {
		for i := range a.Messages {
			m := &a.Messages[i]
			if m.Turn != t.Number {
				continue
			}
			n, ok := at[m.ID]
			if !ok {
				n = len(v.rows)
				v.rows = append(v.rows, stepRow{id: m.ID, step: -1})
			}
			v.rows[n].usage, v.rows[n].cost = m.Usage, m.Cost
			v.cost.Add(m.Cost)
		}
	}
	v.Table.Cols[stepCost].Hidden, v.Table.Laid = !v.cost.Known(), 0
	return v.Table.Reset(len(v.rows))
}

func (v *steps) stepOf(id model.ID) int {
	if v.h.Turns == nil {
		return -1
	}
	return v.h.Turns.Step(id)
}

// fresh returns the uncached tokens of a prompt, -1 if they were not recorded.
func (r *stepRow) fresh() (n int64) {
	n = -1
	for _, part := range [...]*int64{r.usage.Input, r.usage.CacheWrite} {
		if part != nil {
			n = max(n, 0) + *part
		}
	}
	return n
}

func (v *steps) cells(row int, out []screen.Cell) {
	r, snap := &v.rows[row], v.h.Snap
	none := screen.Cell{Text: human.NotSaid, Ink: paint.InkDim}
	tokens := func(n int64) screen.Cell {
		if n < 0 {
			return none
		}
		return screen.Cell{Text: human.Short(n)}
	}
	known := func(n *int64) screen.Cell {
		if n == nil {
			return none
		}
		return tokens(*n)
	}
	out[stepNumber], out[stepIndex], out[stepTime] = none, none, none
	if r.step >= 0 {
		out[stepNumber] = screen.Cell{Text: strconv.Itoa(r.step), Ink: paint.InkDim}
	}
	if pos := snap.Pos(r.id); pos >= 0 {
		out[stepIndex] = screen.Cell{Text: strconv.Itoa(pos), Ink: paint.InkDim}
	}
	if h := snap.HeadRow(r.id); h.Time != 0 {
		out[stepTime] = screen.Cell{Text: v.h.Clock(h.Time), Ink: paint.InkDim}
	}
	out[stepAbout] = screen.Cell{Text: v.h.Says(r.id)}
	if r.step < 0 {
		out[stepAbout].Ink = paint.InkDim
	}
	out[stepCalls] = screen.NumberCell(r.calls, paint.InkText)
	out[stepNew], out[stepCached], out[stepOutput] = tokens(r.fresh()), known(r.usage.CacheRead), known(r.usage.Output)
	out[stepCache], out[stepCost] = none, none
	if read, whole := summary.Cached(&r.usage); whole > 0 {
		out[stepCache] = screen.Cell{Text: human.Percent(read, whole)}
	}
	if v.h.Cached.Miss(r.id) != "" {
		out[stepCache] = screen.Cell{Text: "miss", Ink: paint.InkWarning}
	}
	if r.cost.Known() {
		out[stepCost] = screen.Cell{Text: r.cost.String()}
	}
}

func (v *steps) compare(col, i, j int) int {
	a, b := &v.rows[i], &v.rows[j]
	number := func(n *int64) int64 {
		if n == nil {
			return -1
		}
		return *n
	}
	snap := v.h.Snap
	return [...]int{
		stepTime:   cmp.Compare(snap.HeadRow(a.id).Time, snap.HeadRow(b.id).Time),
		stepCalls:  a.calls - b.calls,
		stepNew:    cmp.Compare(a.fresh(), b.fresh()),
		stepCached: cmp.Compare(number(a.usage.CacheRead), number(b.usage.CacheRead)),
		stepOutput: cmp.Compare(number(a.usage.Output), number(b.usage.Output)),
		stepCache:  cmp.Compare(summary.CacheShare(&a.usage), summary.CacheShare(&b.usage)),
		stepCost:   cmp.Compare(a.cost.Dollars, b.cost.Dollars),
	}[col]
}

func (v *steps) render(w, h int, focus bool, prompt string) []string {
	about := human.Plural(len(v.rows), "request", "requests")
	if v.cost.Known() {
		about += titleGap + v.cost.String()
	}
	name := fmt.Sprintf("Turn %d", v.turn)
	if room := w - paint.Width(name+about) - 26; room >= 10 && prompt != "" {
		name += " › " + paint.Cut(paint.OneLine(prompt), room)
	}
	out := []string{paneTitle(v.h, w, focus, name, about, v.Table.SortName())}
	if len(v.rows) == 0 {
		return append(out, v.h.Styles.Line(w, paint.GroundNone, paint.Span{Text: " no requests", Ink: paint.InkDim}))
	}
	return append(out, v.Table.Render(v.h.Styles, w, h-1, focus)...)
}

func (v *steps) key(key string, n int) (bool, tea.Cmd) {
	if handled, cmd := screen.Pressed(v.Keys(), key, n); handled {
		return true, cmd
	}
	return v.Table.Key(v.h, key, n)
}

// Keys returns the keys of this table only.
func (v *steps) Keys() []screen.Key {
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "jump", Help: "go to the request, whose detail says what it cost", Do: v.Table.OnRow(v.h, v.enter)},
		{Keys: []string{"x"}, Hint: "export", Help: "export the table", Do: func(int, string) tea.Cmd {
			return v.h.Ask(v.Table.Export(fmt.Sprintf("turn-%d", v.turn)))
		}},
	}
}

func (v *steps) enter(row int, _ string) tea.Cmd {
	v.h.Ask(screen.GoTo{ID: v.rows[row].id, Call: screen.NoCall})
	return nil
}
