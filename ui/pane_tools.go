package ui

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query"
)

// toolsPane sums the calls up by tool, and lists the calls of one of them.
type toolsPane struct {
	h       *host
	table   table
	seen    *query.ToolsAnswer
	tools   []query.ToolStats // as numbered in table
	size    int64             // tokens of all results and arguments, or bytes where they are not counted
	side    bool              // drawn in the form of the side column
	untimed bool              // no call has a duration
	calls   *callsView        // of the tool that was entered; nil: the summary
	top     int               // lines above the table, for the mouse
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

func newToolsPane(h *host) *toolsPane {
	p := &toolsPane{h: h}
	p.table = table{sortBy: toolTotal, desc: true, cells: p.cells, cmp: p.compare, cols: []tableColumn{
		toolName:     {name: "tool", head: "tool", width: 10, flex: 3, asc: true, ends: true},
		toolCalls:    {name: "calls", head: "calls", width: 5, right: true, gap: 1},
		toolErrors:   {name: "errors", head: "err", width: 3, right: true, gap: 2},
		toolRate:     {name: "error rate", head: "err %", width: 5, right: true, gap: 2, drop: 8},
		toolPending:  {name: "pending", head: "pend", width: 4, right: true, gap: 2, drop: 6},
		toolP50:      {name: "p50", head: "p50", width: 5, right: true, gap: 1, drop: 4},
		toolP95:      {name: "p95", head: "p95", width: 5, right: true, gap: 1},
		toolMax:      {name: "longest", head: "max", width: 5, right: true, gap: 2, drop: 9},
		toolTotal:    {name: "total time", head: "total", width: 6, right: true, gap: 1},
		toolArgs:     {name: "arguments", head: "args", width: 6, right: true, gap: 2, drop: 7},
		toolResults:  {name: "results", head: "results", width: 7, right: true, gap: 2, drop: 3},
		toolShare:    {name: "share", head: "share", width: 6, right: true, gap: 2, drop: 2},
		toolShareBar: {head: "of tokens", width: 9, gap: 1, drop: 5, flex: 1},
		toolTimeBar:  {head: "", width: 4, gap: 1, drop: 1},
	}}
	p.setForm(false)
	return p
}

// setForm chooses the columns of the side column or of a pane over the timeline.
func (p *toolsPane) setForm(side bool) {
	t := &p.table
	p.side, t.laid = side, 0
	for _, i := range []int{toolRate, toolPending, toolArgs, toolResults, toolShare, toolShareBar} {
		t.cols[i].hidden = side
	}
	t.cols[toolTimeBar].hidden = !side || p.untimed
	t.cols[toolMax].hidden = side || p.untimed
	gap := 2
	if side {
		gap = 1
	}
	for _, i := range []int{toolP50, toolP95, toolTotal} {
		t.cols[i].gap = gap
	}
}

// setTimed shows the columns of times, where any was recorded.
func (p *toolsPane) setTimed(timed bool) {
	t := &p.table
	if p.untimed == !timed {
		return
	}
	p.untimed, t.laid = !timed, 0
	for _, i := range []int{toolP50, toolP95, toolTotal} {
		t.cols[i].hidden = !timed
	}
	if !timed && t.sortBy == toolTotal {
		t.sortBy = toolCalls
	} else if timed && t.sortBy == toolCalls && t.desc {
		t.sortBy = toolTotal
	}
	p.setForm(p.side)
}

// Name is the word of the pane.
func (p *toolsPane) Name() string { return "tools" }

// Refresh takes a new answer over.
func (p *toolsPane) Refresh() tea.Cmd {
	a := p.h.tools
	if a == nil || a == p.seen {
		return nil
	}
	name := ""
	if row := p.table.row(); row >= 0 {
		name = p.tools[row].Name
	}
	p.seen, p.tools, p.size = a, a.Tools, 0
	timed := a.Agents.Timed > 0
	for i := range p.tools {
		p.size += toolSize(&p.tools[i])
		timed = timed || p.tools[i].Timed > 0
	}
	p.setTimed(timed)
	cmd := p.table.reset(len(p.tools))
	for i := range p.tools {
		if p.tools[i].Name == name {
			p.table.selectRow(i)
		}
	}
	if p.calls != nil {
		return tea.Batch(cmd, p.calls.refresh(p.tools))
	}
	return cmd
}

// Message takes an order over that was found in the background.
func (p *toolsPane) Message(msg tea.Msg) tea.Cmd {
	if p.calls == nil {
		return nil
	}
	switch m := msg.(type) {
	case sortedMsg:
		p.calls.table.sorted(m)
	case callTextMsg:
		p.calls.read(m)
	}
	return nil
}

func toolSize(t *query.ToolStats) int64 {
	if t.ArgsTokens != nil {
		return *t.ArgsTokens + *t.ResultTokens
	}
	return t.ArgsSize + t.ResultSize
}

func toolParts(t *query.ToolStats) (args, results int64) {
	if t.ArgsTokens != nil {
		return *t.ArgsTokens, *t.ResultTokens
	}
	return t.ArgsSize, t.ResultSize
}

func (p *toolsPane) cells(row int, out []tableCell) {
	t := &p.tools[row]
	p.fill(t, out)
	if p.size > 0 {
		out[toolShare] = tableCell{text: query.Percent(toolSize(t), p.size)}
		out[toolShareBar] = tableCell{text: bar(float64(toolSize(t)), float64(p.largest()), p.barWidth()), ink: inkBar}
	}
	out[toolTimeBar] = tableCell{text: bar(float64(t.Total), float64(p.longest()), 4), ink: inkBarTools}
}

// fill writes what one tool, or a sum of them, has in all columns but the shares.
func (p *toolsPane) fill(t *query.ToolStats, out []tableCell) {
	took := func(m query.Millis) tableCell {
		switch {
		case t.Timed == 0 && t.Calls == 0:
			return tableCell{text: query.Zero, ink: inkDim}
		case t.Timed == 0:
			return tableCell{text: query.NotSaid, ink: inkDim}
		}
		return tableCell{text: took(m.Duration())}
	}
	out[toolName] = tableCell{text: oneLine(t.Name), ink: inkTool}
	calls := t.Calls
	if t.Orphan {
		out[toolName] = tableCell{text: oneLine(t.Name) + ", without a call", ink: inkWarning}
		calls = len(t.Rows)
	}
	out[toolCalls] = tableCell{text: count(calls)}
	out[toolErrors] = numberCell(t.Errors, inkError)
	out[toolRate] = tableCell{text: query.Zero, ink: inkDim}
	if t.Errors > 0 {
		out[toolRate] = tableCell{text: query.Percent(t.Errors, max(calls, 1))}
	}
	out[toolPending] = numberCell(t.Pending, inkWarning)
	out[toolP50], out[toolP95], out[toolMax], out[toolTotal] = took(t.P50), took(t.P95), took(t.Max), took(t.Total)
	args, results := toolParts(t)
	out[toolArgs], out[toolResults] = sizeCell(args), sizeCell(results)
}

func sizeCell(n int64) tableCell {
	if n == 0 {
		return tableCell{text: query.Zero, ink: inkDim}
	}
	return tableCell{text: short(n)}
}

func (p *toolsPane) largest() (n int64) {
	for i := range p.tools {
		n = max(n, toolSize(&p.tools[i]))
	}
	return n
}

func (p *toolsPane) longest() (n query.Millis) {
	for i := range p.tools {
		n = max(n, p.tools[i].Total)
	}
	return n
}

func (p *toolsPane) barWidth() int {
	for at, i := range p.table.shown {
		if i == toolShareBar {
			return min(p.table.widths[at], 14)
		}
	}
	return 9
}

func (p *toolsPane) compare(col, i, j int) int {
	a, b := &p.tools[i], &p.tools[j]
	argsA, resultsA := toolParts(a)
	argsB, resultsB := toolParts(b)
	switch col {
	case toolName:
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	case toolCalls:
		return a.Calls - b.Calls
	case toolErrors:
		return cmp.Or(a.Errors-b.Errors, a.Calls-b.Calls)
	case toolRate:
		return cmp.Compare(a.Errors*max(len(b.Rows), 1), b.Errors*max(len(a.Rows), 1))
	case toolPending:
		return a.Pending - b.Pending
	case toolP50:
		return cmp.Compare(a.P50, b.P50)
	case toolP95:
		return cmp.Compare(a.P95, b.P95)
	case toolMax:
		return cmp.Compare(a.Max, b.Max)
	case toolTotal:
		return cmp.Compare(a.Total, b.Total)
	case toolArgs:
		return cmp.Compare(argsA, argsB)
	case toolResults:
		return cmp.Compare(resultsA, resultsB)
	}
	return cmp.Compare(toolSize(a), toolSize(b))
}

// paneTitle is the first line of a pane: its name and what it is about, at the right how it is sorted and what it answers for.
func paneTitle(h *host, w int, focus bool, name, about string, right ...string) string {
	k := inkHeading
	if focus {
		k = inkAccent
	}
	left := []span{{text: " "}, {text: name, ink: k}}
	if about != "" {
		left = append(left, span{text: "   " + about})
	}
	var end []span
	for _, r := range right {
		if r != "" {
			end = append(end, span{text: r + "   ", ink: inkDim})
		}
	}
	if n := len(end); n > 0 {
		end[n-1].text = strings.TrimRight(end[n-1].text, " ") + " "
	}
	if restWidth(left)+restWidth(end) > w && len(end) > 0 {
		end = end[:1]
		end[0].text = strings.TrimRight(end[0].text, " ") + " "
	}
	return h.styles.spread(w, groundNone, left, end)
}

// Render draws the summary, or the calls of a tool.
func (p *toolsPane) Render(w, h int, full, focus bool) []string {
	if p.seen == nil {
		p.Refresh()
	}
	if p.calls != nil {
		return p.calls.render(w, h, full, focus)
	}
	if side := w < 60; side != p.side {
		p.setForm(side)
	}
	p.top = 1
	st := p.h.styles
	if p.seen == nil {
		return []string{paneTitle(p.h, w, focus, "Tools", ""), st.line(w, groundNone, span{text: " counting …", ink: inkDim})}
	}
	p.table.cols[toolShareBar].head = "of tokens"
	if p.seen.All.ArgsTokens == nil {
		p.table.cols[toolShareBar].head = "of bytes"
	}
	about, scope := "", ""
	if !p.side {
		about = thousands(p.seen.All.Calls) + p.h.more() + " calls of " + plural(len(p.tools), "tool", "tools")
		scope = p.h.scopeWord()
	} else if p.h.view.on && !p.h.whole {
		about = p.h.scopeWord()
	}
	out := []string{paneTitle(p.h, w, focus, "Tools", about, p.table.sortName(), scope)}
	if len(p.tools) == 0 {
		return append(out, st.line(w, groundNone, span{text: " no tool calls", ink: inkDim}))
	}
	agents := len(p.seen.InAgents) > 0
	room := h - 1
	if agents && room > 4 {
		room--
	}
	out = append(out, p.table.render(st, w, room, focus)...)
	if agents && len(out) < h {
		out = append(out, p.foot(st, w))
	}
	return out
}

// foot is the row of what ran in subagents: it is in no other number.
func (p *toolsPane) foot(st *styles, w int) string {
	cells := make([]tableCell, len(p.table.cols))
	p.fill(&p.seen.Agents, cells)
	cells[toolName] = tableCell{text: "in agents", ink: inkDim}
	for i := range cells {
		if cells[i].ink == inkText {
			cells[i].ink = inkDim
		}
	}
	cells[toolShare] = tableCell{text: "apart", ink: inkDim}
	return st.line(w, groundNone, p.table.spans(span{text: " "}, cells)...)
}

// Key moves, sorts, enters a tool or makes a filter of it.
func (p *toolsPane) Key(key string, n int) (bool, tea.Cmd) {
	if p.calls != nil {
		ok, cmd := pressed(p.leaveKeys(), key, n)
		if ok {
			return true, cmd
		}
		ok, cmd = p.calls.key(key, n)
		return ok, tea.Batch(cmd, p.calls.fetch())
	}
	if handled, cmd := pressed(p.keys(), key, n); handled {
		return true, cmd
	}
	return p.table.key(p.h, key, n)
}

// keys are those that only this pane takes.
func (p *toolsPane) keys() []paneKey {
	return []paneKey{
		{keys: []string{"enter", "l", "right"}, hint: "its calls", help: "the calls of the tool", do: p.enter},
		{keys: []string{"+"}, hint: "only these", help: "only calls of the tool", do: p.like},
		{keys: []string{"-"}, hint: "without these", help: "without calls of the tool", do: p.like},
		{keys: []string{"x"}, hint: "export this table", help: "export the table", do: func(int, string) tea.Cmd { return p.h.ask(p.table.export("tools")) }},
	}
}

// leaveKeys lead from the calls of a tool back to the summary.
func (p *toolsPane) leaveKeys() []paneKey {
	return []paneKey{{keys: []string{"h", "left", "esc", "q"}, help: "back to the tools", do: func(int, string) tea.Cmd { p.calls = nil; return nil }}}
}

func (p *toolsPane) like(_ int, key string) tea.Cmd {
	row := p.table.row()
	if row < 0 {
		return noRow(p.h)
	}
	return p.h.ask(AddTerm{"tool:" + query.Quote(p.tools[row].Name), key == "-"})
}

func (p *toolsPane) enter(int, string) tea.Cmd {
	row := p.table.row()
	if row < 0 {
		return noRow(p.h)
	}
	p.calls = newCallsView(p.h, &p.tools[row])
	return p.calls.table.sort(-1)
}

// Hints are the keys of the pane.
func (p *toolsPane) Hints() []hint {
	if p.calls != nil {
		return tableHints(&p.calls.table, p.calls.keys())
	}
	return append(tableHints(&p.table, p.keys()), hint{"=", "scope"})
}

// Click selects a row or sorts; a double click enters.
func (p *toolsPane) Click(x, y int, double bool) tea.Cmd {
	t := &p.table
	if p.calls != nil {
		t = &p.calls.table
	}
	hit, cmd := t.click(x, y-1)
	if hit && double {
		_, cmd = p.Key("enter", 0)
	}
	return cmd
}

// Wheel scrolls.
func (p *toolsPane) Wheel(n int) {
	if p.calls != nil {
		p.calls.table.scroll(n)
		return
	}
	p.table.scroll(n)
}
