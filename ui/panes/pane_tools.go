package panes

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query/human"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

// Tools sums the calls up by tool, and lists the calls of one of them.
type Tools struct {
	drill
	seen  *summary.ToolsAnswer
	tools []summary.ToolStats // as numbered in table
	// tokens of all results and arguments, or bytes where they are not counted
	size    int64
	side    bool // drawn in the form of the side column
	untimed bool // no call has a duration
}

// Columns of the tool summary.
const (
	toolName = iota
	toolCalls
	toolErrors
	toolRate
	toolPending
	toolP50
	toolP95
	toolMax
	toolTotal
	toolArgs
	toolResults
	toolShare
	toolShareBar
	toolTimeBar
)

func newTools(h *screen.Host) *Tools {
	p := &Tools{}
	p.drill = drill{h: h, row: "tool", rows: "tools", name: func(row int) string { return p.tools[row].Name }, open: p.enter}
	p.Table = screen.Table{SortBy: toolTotal, Desc: true, Cells: p.cells, Cmp: p.compare, Cols: []screen.Column{
		toolName:     {Name: "tool", Head: "tool", Width: 10, Asc: true, Ends: true},
		toolCalls:    {Name: "calls", Head: "calls", Width: 5, Right: true, Gap: 1},
		toolErrors:   {Name: "errors", Head: "err", Width: 3, Right: true, Gap: 2},
		toolRate:     {Name: "error rate", Head: "err %", Width: 5, Right: true, Gap: 2, Drop: 8},
		toolPending:  {Name: "pending", Head: "pend", Width: 4, Right: true, Gap: 2, Drop: 6},
		toolP50:      {Name: "p50", Head: "p50", Width: 5, Right: true, Gap: 1, Drop: 4},
		toolP95:      {Name: "p95", Head: "p95", Width: 5, Right: true, Gap: 1},
		toolMax:      {Name: "longest", Head: "max", Width: 5, Right: true, Gap: 2, Drop: 9},
		toolTotal:    {Name: "total time", Head: "total", Width: 6, Right: true, Gap: 1},
		toolArgs:     {Name: "arguments", Head: "args", Width: 6, Right: true, Gap: 2, Drop: 7},
		toolResults:  {Name: "results", Head: "results", Width: 7, Right: true, Gap: 2, Drop: 3},
		toolShare:    {Name: "share", Head: "share", Width: 6, Right: true, Gap: 2, Drop: 2},
		toolShareBar: {Head: "of tokens", Width: 6, Gap: 1, Drop: 5, Flex: 1},
		toolTimeBar:  {Head: "", Width: 4, Gap: 1, Drop: 1},
	}}
	p.setForm(false)
	return p
}

// setForm chooses the columns of the side column or of a pane over the timeline.
func (p *Tools) setForm(side bool) {
	t := &p.Table
	p.side, t.Laid = side, 0
	for _, i := range []int{toolRate, toolPending, toolArgs, toolResults, toolShare, toolShareBar} {
		t.Cols[i].Hidden = side
	}
	t.Cols[toolTimeBar].Hidden = !side || p.untimed
	t.Cols[toolMax].Hidden = side || p.untimed
	gap, flex := 2, 0 // the bar takes what the names leave
	if side {
		gap, flex = 1, 1
	}
	t.Cols[toolName].Flex = flex
	for _, i := range []int{toolP50, toolP95, toolTotal} {
		t.Cols[i].Gap = gap
	}
}

// setTimed shows the columns of times, where any was recorded.
func (p *Tools) setTimed(timed bool) {
	t := &p.Table
	if p.untimed == !timed {
		return
	}
	p.untimed, t.Laid = !timed, 0
	for _, i := range []int{toolP50, toolP95, toolTotal} {
		t.Cols[i].Hidden = !timed
	}
	if !timed && t.SortBy == toolTotal {
		t.SortBy = toolCalls
	} else if timed && t.SortBy == toolCalls && t.Desc {
		t.SortBy = toolTotal
	}
	p.setForm(p.side)
}

// Name is the word of the pane.
func (p *Tools) Name() string { return "tools" }

// Refresh takes a new answer over.
func (p *Tools) Refresh() tea.Cmd {
	a := p.h.Tools
	if a == nil || a == p.seen {
		return nil
	}
	at := p.named()
	p.seen, p.tools, p.size = a, a.Tools, 0
	timed := a.Agents.Timed > 0
	for i := range p.tools {
		p.size += toolSize(&p.tools[i])
		timed = timed || p.tools[i].Timed > 0
	}
	p.setTimed(timed)
	p.Table.Cols[toolP50].Width, p.Table.Cols[toolP95].Width, p.Table.Cols[toolMax].Width, p.Table.Laid = 5, 5, 5, 0
	name := &p.Table.Cols[toolName]
	name.Want = 0
	for i := range p.tools { // 18m55s is wider than most
		name.Want = max(name.Want, min(paint.Width(paint.OneLine(p.tools[i].Name)), 40))
		for _, c := range [...]struct {
			col  int
			took human.Millis
		}{{toolP50, p.tools[i].P50}, {toolP95, p.tools[i].P95}, {toolMax, p.tools[i].Max}} {
			p.Table.Cols[c.col].Width = max(p.Table.Cols[c.col].Width, paint.Width(human.Took(c.took.Duration())))
		}
	}
	cmd := p.reset(len(p.tools), at)
	if p.Calls != nil {
		return tea.Batch(cmd, p.Calls.refresh(p.tools))
	}
	return cmd
}

func toolSize(t *summary.ToolStats) int64 {
	if t.ArgsTokens != nil {
		return *t.ArgsTokens + *t.ResultTokens
	}
	return t.ArgsSize + t.ResultSize
}

func toolParts(t *summary.ToolStats) (args, results int64) {
	if t.ArgsTokens != nil {
		return *t.ArgsTokens, *t.ResultTokens
	}
	return t.ArgsSize, t.ResultSize
}

func (p *Tools) cells(row int, out []screen.Cell) {
	t := &p.tools[row]
	p.fill(t, out)
	if p.size > 0 {
		out[toolShare] = screen.Cell{Text: human.Percent(toolSize(t), p.size)}
		out[toolShareBar] = p.shareBar(t)
	}
	if t.Asks {
		out[toolTimeBar] = screen.Cell{Text: "you", Ink: paint.InkDim}
		return
	}
	out[toolTimeBar] = screen.Cell{Text: paint.Bar(float64(t.Total), float64(p.longest()), 4), Ink: paint.InkBarTools}
}

// fill writes what one tool, or a sum of them, has in all columns but the shares.
func (p *Tools) fill(t *summary.ToolStats, out []screen.Cell) {
	took := func(m human.Millis) screen.Cell {
		switch {
		case t.Timed == 0 && t.Calls == 0:
			return screen.Cell{Text: human.Zero, Ink: paint.InkDim}
		case t.Timed == 0:
			return screen.Cell{Text: human.NotSaid, Ink: paint.InkDim}
		}
		return screen.Cell{Text: human.Took(m.Duration())}
	}
	out[toolName] = screen.Cell{Text: paint.OneLine(t.Name), Ink: paint.InkTool}
	calls := t.Calls
	if t.Orphan {
		out[toolName] = screen.Cell{Text: paint.OneLine(t.Name) + ", without a call", Ink: paint.InkWarning}
		calls = len(t.Rows)
	}
	out[toolCalls] = screen.Cell{Text: human.OrDot(calls, human.Count)}
	out[toolErrors] = screen.NumberCell(t.Errors, paint.InkError)
	out[toolRate] = screen.Cell{Text: human.Zero, Ink: paint.InkDim}
	if t.Errors > 0 {
		out[toolRate] = screen.Cell{Text: human.Percent(t.Errors, max(calls, 1))}
	}
	out[toolPending] = screen.NumberCell(t.Pending, paint.InkWarning)
	out[toolP50], out[toolP95], out[toolMax], out[toolTotal] = took(t.P50), took(t.P95), took(t.Max), took(t.Total)
	args, results := toolParts(t)
	out[toolArgs], out[toolResults] = sizeCell(args), sizeCell(results)
}

func sizeCell(n int64) screen.Cell {
	if n == 0 {
		return screen.Cell{Text: human.Zero, Ink: paint.InkDim}
	}
	return screen.Cell{Text: human.Short(n)}
}

func (p *Tools) largest() (n int64) {
	for i := range p.tools {
		n = max(n, toolSize(&p.tools[i]))
	}
	return n
}

func (p *Tools) longest() (n human.Millis) {
	for i := range p.tools {
		if !p.tools[i].Asks {
			n = max(n, p.tools[i].Total)
		}
	}
	return n
}

// shareBar draws a share as wide as there is room, and says of what it is one.
func (p *Tools) shareBar(t *summary.ToolStats) screen.Cell {
	w, head := p.Table.WidthOf(toolShareBar), "of tokens"
	if p.seen.All.ArgsTokens == nil {
		head = "of bytes"
	}
	if w < len(head) {
		head = strings.TrimPrefix(head, "of ")
	}
	p.Table.Cols[toolShareBar].Head = head
	return screen.Cell{Text: paint.Bar(float64(toolSize(t)), float64(p.largest()), min(w, 14)), Ink: paint.InkBar}
}

func (p *Tools) compare(col, i, j int) int {
	a, b := &p.tools[i], &p.tools[j]
	argsA, resultsA := toolParts(a)
	argsB, resultsB := toolParts(b)
	return [...]int{
		toolName:    strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
		toolCalls:   a.Calls - b.Calls,
		toolErrors:  cmp.Or(a.Errors-b.Errors, a.Calls-b.Calls),
		toolRate:    cmp.Compare(a.Errors*max(len(b.Rows), 1), b.Errors*max(len(a.Rows), 1)),
		toolPending: a.Pending - b.Pending,
		toolP50:     cmp.Compare(a.P50, b.P50),
		toolP95:     cmp.Compare(a.P95, b.P95),
		toolMax:     cmp.Compare(a.Max, b.Max),
		toolTotal:   cmp.Compare(a.Total, b.Total),
		toolArgs:    cmp.Compare(argsA, argsB),
		toolResults: cmp.Compare(resultsA, resultsB),
		toolShare:   cmp.Compare(toolSize(a), toolSize(b)),
	}[col]
}

// paneTitle is the first line of a pane: its name and what it is about, at the right how it is
// sorted and what it answers for. Where there is no room the last parts of both sides go first.
func paneTitle(h *screen.Host, w int, focus bool, name, about string, right ...string) string {
	k := paint.InkHeading
	if focus {
		k = paint.InkAccent
	}
	right = slices.DeleteFunc(right, func(r string) bool { return r == "" })
	end := strings.Join(right, titleGap)
	need := func() int { return paint.Width(name+titleGap+about+end) + 3 }
	if need() > w && len(right) > 0 {
		end = right[0]
	}
	for need() > w && strings.Contains(about, titleGap) {
		about = about[:strings.LastIndex(about, titleGap)]
	}
	left := []paint.Span{{Text: " "}, {Text: name, Ink: k}}
	if about != "" {
		left = append(left, paint.Span{Text: titleGap + about})
	}
	if end == "" {
		return h.Styles.Spread(w, paint.GroundNone, left, nil)
	}
	return h.Styles.Spread(w, paint.GroundNone, left, []paint.Span{{Text: end + " ", Ink: paint.InkDim}})
}

// titleGap stands between the parts of a title.
const titleGap = "   "

// Render draws the summary, or the calls of a tool.
func (p *Tools) Render(w, h int, full, focus bool) []string {
	if p.seen == nil {
		p.Refresh()
	}
	if p.Calls != nil {
		return p.Calls.render(w, h, focus)
	}
	if side := w < 60; side != p.side {
		p.setForm(side)
	}
	st := p.h.Styles
	if p.seen == nil {
		return []string{paneTitle(p.h, w, focus, "Tools", ""), st.Line(w, paint.GroundNone, paint.Span{Text: " counting …", Ink: paint.InkDim})}
	}
	about, scope := "", ""
	if !p.side {
		about = strings.Replace(p.seen.Headline(), " ", p.h.More()+" ", 1)
		scope = p.h.ScopeWord()
	} else if p.h.Narrowed() {
		about, _, _ = strings.Cut(p.h.ScopeWord(), " message") // there is no room for the word
	}
	out := []string{paneTitle(p.h, w, focus, "Tools", about, p.Table.SortName(), scope)}
	if len(p.tools) == 0 {
		return append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " no tool calls", Ink: paint.InkDim}))
	}
	agents := len(p.seen.InAgents) > 0
	room := h - 1
	if agents && room > 4 {
		room--
	}
	out = append(out, p.Table.Render(st, w, room, focus)...)
	if agents && len(out) < h {
		out = append(out, p.foot(st, w))
	}
	return out
}

// foot is the row of what ran in subagents: it is in no other number.
func (p *Tools) foot(st *paint.Styles, w int) string {
	cells := make([]screen.Cell, len(p.Table.Cols))
	p.fill(&p.seen.Agents, cells)
	cells[toolName] = screen.Cell{Text: "in agents", Ink: paint.InkDim}
	for i := range cells {
		if cells[i].Ink == paint.InkText {
			cells[i].Ink = paint.InkDim
		}
	}
	cells[toolShare] = screen.Cell{Text: "apart", Ink: paint.InkDim}
	return st.Line(w, paint.GroundNone, p.Table.Spans(paint.Span{Text: " "}, cells)...)
}

func (p *Tools) enter(row int) tea.Cmd {
	p.Calls = newCallsView(p.h, &p.tools[row])
	return p.Calls.Table.Sort(-1)
}
