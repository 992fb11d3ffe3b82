package panes

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query/answer"
	"turns/query/human"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

// Tools summarises the calls by tool, and lists the calls of one of them.
type Tools struct {
	drill
	seen    *summary.ToolsAnswer
	tools   []summary.ToolStats // as numbered in the table
	columns []answer.Column[*summary.ToolStats]
	side    bool // in the form of the side column
	untimed bool // no call has a duration
}

func newTools(h *screen.Host) *Tools {
	p := &Tools{}
	p.drill = drill{h: h, row: "tool", rows: "tools", name: func(row int) string { return p.tools[row].Name },
		apart: func(row int) bool { return p.tools[row].Orphan }, open: p.enter}
	p.Table.SortBy, p.Table.Desc = 8, true // by total time
	p.describe(&summary.ToolsAnswer{})
	return p
}

// describe sets the columns of an answer, followed by those with bars.
func (p *Tools) describe(a *summary.ToolsAnswer) {
	p.columns = a.Columns()
	screen.Describe(&p.Table, p.columns, func(row int) *summary.ToolStats { return &p.tools[row] })
	p.Table.Cells = p.cells
	p.Table.Cols = append(p.Table.Cols,
		screen.Column{Head: "of tokens", Width: 6, Gap: 1, Drop: 5, Flex: 1}, screen.Column{Head: "", Width: 4, Gap: 1, Drop: 1})
	p.setForm(p.side)
}

// setForm hides the columns that do not belong to the side column or to a pane over the timeline.
func (p *Tools) setForm(side bool) {
	t := &p.Table
	p.side, t.Laid = side, 0
	bars := len(p.columns)
	t.Hide(side, "error rate", "pending", "arguments", "results", "share")
	t.Hide(p.untimed, "p50", "p95", "total time")
	t.Hide(side || p.untimed, "longest")
	t.Cols[bars].Hidden, t.Cols[bars+1].Hidden = side, !side || p.untimed
	gap, flex := 2, 0 // the bar gets the room that the names leave
	if side {
		gap, flex = 1, 1
	}
	t.Cols[0].Flex = flex
	for _, name := range []string{"p50", "p95", "total time"} {
		t.Cols[t.Column(name)].Gap = gap
	}
}

// Name returns the name of the pane.
func (p *Tools) Name() string { return "tools" }

// Refresh adopts a new answer.
func (p *Tools) Refresh() tea.Cmd {
	a := p.h.Tools
	if a == nil || a == p.seen {
		return nil
	}
	at := p.named()
	p.seen, p.tools = a, a.Tools
	timed := a.Agents.Timed > 0
	for i := range p.tools {
		timed = timed || p.tools[i].Timed > 0
	}
	p.sortTimed(timed)
	p.describe(a)
	name := &p.Table.Cols[0]
	for i := range p.tools { // 18m55s is wider than most
		t := &p.tools[i]
		name.Want = max(name.Want, min(paint.Width(paint.OneLine(t.Name)), 40))
		for col, took := range map[string]human.Millis{"p50": t.P50, "p95": t.P95, "longest": t.Max} {
			c := &p.Table.Cols[p.Table.Column(col)]
			c.Width = max(c.Width, paint.Width(took.String()))
		}
	}
	cmd := p.reset(len(p.tools), at)
	if p.Calls != nil {
		return tea.Batch(cmd, p.Calls.refresh(p.tools))
	}
	return cmd
}

// sortTimed changes the default sort: by total time if any was recorded, otherwise by calls.
func (p *Tools) sortTimed(timed bool) {
	calls, total := p.Table.Column("calls"), p.Table.Column("total time")
	switch t := &p.Table; {
	case p.untimed == !timed:
	case !timed && t.SortBy == total:
		t.SortBy = calls
	case timed && t.SortBy == calls && t.Desc:
		t.SortBy = total
	}
	p.untimed = !timed
}

func (p *Tools) cells(row int, out []screen.Cell) {
	t := &p.tools[row]
	screen.Fill(&p.Table, p.columns, t, out)
	bars := len(p.columns)
	if p.seen.All.Size() > 0 {
		out[bars] = p.shareBar(t)
	}
	if t.Asks {
		out[bars+1] = screen.Cell{Text: "you", Ink: paint.InkDim}
		return
	}
	out[bars+1] = screen.Cell{Text: paint.Bar(float64(t.Total), float64(p.longest()), 4), Ink: paint.InkBarTools}
}

func (p *Tools) largest() (n int64) {
	for i := range p.tools {
		n = max(n, p.tools[i].Size())
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

// shareBar draws a share in the available width, and sets the head to what it is a share of.
func (p *Tools) shareBar(t *summary.ToolStats) screen.Cell {
	bars := len(p.columns)
	w, head := p.Table.WidthOf(bars), "of tokens"
	if p.seen.All.ArgsTokens == nil {
		head = "of bytes"
	}
	if w < len(head) {
		head = strings.TrimPrefix(head, "of ")
	}
	p.Table.Cols[bars].Head = head
	return screen.Cell{Text: paint.Bar(float64(t.Size()), float64(p.largest()), min(w, 14)), Ink: paint.InkBar}
}

// paneTitle is the first line of a pane: its name and subject, at the right its sort order and
// scope. If there is no room, the last parts of both sides are dropped.
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

// titleGap separates the parts of a title.
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

// foot is the row of the calls in subagents, which no other number includes.
func (p *Tools) foot(st *paint.Styles, w int) string {
	cells := make([]screen.Cell, len(p.Table.Cols))
	screen.Fill(&p.Table, p.columns, &p.seen.Agents, cells)
	for i := range cells {
		if cells[i].Ink == paint.InkText || i == 0 {
			cells[i].Ink = paint.InkDim
		}
	}
	return st.Line(w, paint.GroundNone, p.Table.Spans(paint.Span{Text: " "}, cells)...)
}

func (p *Tools) enter(row int) tea.Cmd {
	p.Calls = newCallsView(p.h, "Tools", &p.tools[row])
	return p.Calls.Table.Sort(-1)
}
