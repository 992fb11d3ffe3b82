package panes

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/window"
	"turns/ui/paint"
	"turns/ui/screen"
)

var _ screen.Messenger = (*Context)(nil)

// Context shows the model's context at the selected message: its contents, and the fill of the
// window over the session.
type Context struct {
	h      *screen.Host
	Seen   *contextSeen // nil until first computed
	gen    int          // of the computation; older results are dropped
	busy   bool
	pinned model.ID // message that Enter went to; the pane still shows the one before
	lists  [contextLists]screen.Table
	List   contextList
	Wasted contextWaste

	// positions of the chart, the list names and the list in the last frame
	ChartTop, chartLines int
	TabsAt, ListAt, W    int
}

// contextSeen is the context at a message, and over its thread. It is immutable.
type contextSeen struct {
	index  *window.Index
	snap   *model.Snapshot
	tokens *query.TokenColumn
	At     model.ID
	answer *window.Answer
	Series *contextSeries
	turns  *query.TurnIndex
	growth []window.TurnGrowth // of turns; nil until requested
	err    error
}

// contextMsg carries a computed context.
type contextMsg struct {
	pane *Context
	gen  int
	seen *contextSeen
}

func newContext(h *screen.Host) screen.Pane {
	p := &Context{h: h, pinned: model.NoID}
	for l := range p.lists {
		p.lists[l].SortBy = -1
	}
	p.describe(&contextSeen{})
	return p
}

// Name returns the name of the pane.
func (p *Context) Name() string { return "context" }

// Refresh recomputes the context after a change of the session or its token counts.
func (p *Context) Refresh() tea.Cmd { return p.Follow() }

// place returns the message whose context is shown: the selected one, or the nearest before it, or
// after it.
func (p *Context) place() model.ID {
	s := p.h.Snap
	id, _ := p.h.Rows.Selected()
	if id == model.NoID || int(id) >= s.Rows() {
		return model.NoID
	}
	if id == p.pinned && p.Seen != nil && p.Seen.At != model.NoID && int(p.Seen.At) < s.Rows() {
		return p.Seen.At
	}
	p.pinned = model.NoID
	is := func(row int) bool { return s.HeadRow(s.Row(row)).Op == model.Say }
	at := s.RowNumber(id)
	for row := at; row >= 0; row-- {
		if is(row) {
			return s.Row(row)
		}
	}
	for row := at + 1; row < s.Rows(); row++ {
		if is(row) {
			return s.Row(row)
		}
	}
	return model.NoID
}

// Follow returns the command that updates the pane to the selection, nil if it is current. Only one
// runs at a time; the next one uses the selection at its start.
func (p *Context) Follow() tea.Cmd {
	h := p.h
	if h.Snap == nil || h.State.Preview || p.busy {
		return nil
	}
	at, old := p.place(), p.Seen
	growth := p.List == listGrowth
	if old != nil && old.snap == h.Snap && old.tokens == h.Tokens && old.At == at && (!growth || old.growth != nil || h.Turns == nil) {
		return p.waste()
	}
	p.busy = true
	p.gen++
	gen, ctx, next := p.gen, h.Ctx, contextSeen{snap: h.Snap, tokens: h.Tokens, At: at, turns: h.Turns}
	return func() tea.Msg {
		next.compute(ctx, old, growth)
		return contextMsg{p, gen, &next}
	}
}

// compute finds the context and reuses the results of old.
func (c *contextSeen) compute(ctx context.Context, old *contextSeen, growth bool) {
	switch {
	case old == nil:
		c.index = window.NewIndex(c.snap, c.tokens)
	case old.snap == c.snap && old.tokens == c.tokens:
		c.index, c.Series = old.index, old.Series
		if old.turns == c.turns {
			c.growth = old.growth
		}
	default:
		c.index = old.index.Extend(c.snap, c.tokens)
	}
	if growth && c.growth == nil && c.turns != nil {
		c.growth = c.index.Growth(c.turns)
	}
	if c.At == model.NoID {
		return
	}
	if c.answer, c.err = c.index.Context(c.At, window.Options{Largest: contextLargest}); c.err != nil {
		return
	}
	if c.err = c.answer.Describe(ctx, c.snap); c.err != nil {
		return
	}
	if thread := c.snap.HeadRow(c.At).Thread; c.Series == nil || c.Series.thread != thread {
		c.Series = newContextSeries(c.index, c.snap, thread)
	}
}

// Message stores computed results.
func (p *Context) Message(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case contextMsg:
		if msg.pane != p || msg.gen != p.gen {
			return nil
		}
		p.busy, p.Seen = false, msg.seen
		return tea.Batch(p.describe(p.Seen), p.Follow())
	case screen.SortedMsg:
		for i := range p.lists {
			p.lists[i].Sorted(msg)
		}
	default:
		return p.takeWaste(msg)
	}
	return nil
}

// Render draws the chart, the numbers of the message and one of the lists.
func (p *Context) Render(w, h int, full, focus bool) []string {
	st := p.h.Styles
	p.W, p.TabsAt, p.ListAt, p.chartLines = w, -1, -1, 0
	if p.Seen == nil || p.Seen.answer == nil {
		text := " reading …"
		switch {
		case p.Seen != nil && p.Seen.err != nil:
			text = " " + paint.OneLine(p.Seen.err.Error())
		case p.Seen != nil:
			text = " no messages"
		}
		return []string{paneTitle(p.h, w, focus, "Context", ""), st.Line(w, paint.GroundNone, paint.Span{Text: text, Ink: paint.InkDim})}
	}
	a := p.Seen.answer
	counted := ""
	switch {
	case p.h.Counts != "":
		counted = "counting"
	case a.Encoding == "":
		counted = "estimated"
	case w >= 60:
		counted = "tokens " + strings.TrimSuffix(string(a.Encoding), "_base")
	}
	out := []string{paneTitle(p.h, w, focus, "Context", p.title(), counted)}
	p.ChartTop = len(out)
	for _, spans := range p.Seen.Series.Chart(p.h, w-1, p.chartHeight(h), int64(a.Window), a.ID) {
		out = append(out, st.Line(w, paint.GroundNone, spans...))
	}
	p.chartLines = len(out) - p.ChartTop
	numbers := p.numbers(w, h >= 30)
	if room := h - len(out) - 4; len(numbers) > room {
		numbers = numbers[:max(room, 0)]
	}
	for _, spans := range numbers {
		out = append(out, st.Line(w, paint.GroundNone, spans...))
	}
	if h >= 20 {
		out = append(out, "")
	}
	p.TabsAt = len(out)
	out = append(out, p.tabs(w, focus))
	p.ListAt = len(out)
	return append(out, p.drawList(w, h-len(out), focus)...)
}

// title shows the message and how full the window was there.
func (p *Context) title() string {
	a := p.Seen.answer
	text := human.Place(int(a.Index))
	if a.Index < 0 {
		text = "outside the session"
		if a.Agent != "" {
			text = paint.OneLine(string(a.Agent))
		}
	}
	for _, l := range a.FillLines() {
		text += titleGap + answer.Facts(l)
	}
	return text
}

func (p *Context) chartHeight(h int) int {
	switch {
	case h < 12:
		return 2
	case h < 20:
		return 4
	}
	return min(h/3-1, 16)
}

// numbers shows the data of the message's context, with a bar per kind if there is room.
func (p *Context) numbers(w int, roomy bool) [][]paint.Span {
	a := p.Seen.answer
	var out [][]paint.Span
	if roomy && w >= 100 {
		out = p.kindTable(w)
	} else {
		out = paint.Flow(w, p.legend())
	}
	if roomy {
		out = append([][]paint.Span{nil}, append(out, nil)...)
	}
	about := []answer.Line{{Label: string(a.Note)}}
	if a.Note == "" {
		about[0] = a.MessagesLine()
	}
	out = append(out, paint.Flow(w, screen.Facts(append(about, a.LeftLines()...)...))...)
	sizes := a.SizeLines(human.Short)
	if miss := p.h.Cached.Miss(p.response()); miss != "" {
		sizes = append(sizes, answer.Line{Number: "✗ " + miss, Tone: answer.Warn})
	}
	return append(out, paint.Flow(w, screen.Facts(sizes...))...)
}

// response returns the message with the measured request, NoID for none.
func (p *Context) response() model.ID {
	if at := int(p.Seen.answer.Response); at >= 0 && at < p.Seen.snap.Len() {
		return p.Seen.snap.At(at)
	}
	return model.NoID
}

// legend shows the occurring kinds of tokens with their sign in the chart.
func (p *Context) legend() [][]paint.Span {
	a := p.Seen.answer
	kinds, columns := a.Kinds(), a.KindColumns()
	out := make([][]paint.Span, len(kinds))
	for i := range kinds {
		k := &kinds[i]
		out[i] = []paint.Span{p.kindSign(k.Kind), dim(" " + columns[0].Cell(k).Text + " "), {Text: columns[1].Cell(k).Text}}
	}
	return out
}

func (p *Context) kindSign(kind int) paint.Span {
	if letters(p.h) {
		return paint.Span{Text: string(kindMarks[kind].letter), Ink: paint.InkText}
	}
	return paint.Span{Text: "█", Ink: kindMarks[kind].ink}
}

// kindTable draws one line with a bar per kind, next to the results by tool.
func (p *Context) kindTable(w int) [][]paint.Span {
	a, half := p.Seen.answer, w/2
	kinds := a.Kinds()
	tools := a.FirstTools(len(kinds))
	left, right := shareTable(half-4, a.KindColumns(), kinds), shareTable(w-half-4, a.ToolColumns(), tools)
	out := make([][]paint.Span, len(kinds))
	for i := range kinds {
		kind := kinds[i].Kind
		out[i] = paint.FitSpans(left(i, p.kindSign(kind), kindMarks[kind].ink), half)
		if i < len(tools) {
			out[i] = append(out[i], right(i, paint.Span{Text: "  "}, paint.InkBar)...)
		}
	}
	return out
}

// shareTable returns a function that draws a row in w cells: its name, tokens and share, and a bar
// of a colour.
func shareTable[T any](w int, columns []answer.Column[*T], rows []T) func(i int, sign paint.Span, bar paint.Ink) []paint.Span {
	var t screen.Table
	name := columns[0].Name
	screen.Describe(&t, answer.Pick(columns, name, "tokens", "share", "bar"), func(i int) *T { return &rows[i] })
	t.Cols[0].Width, t.Cols[0].Ends, t.Cols[0].Flex = min(max(w/4, 12), 20), true, 0
	t.Cols[3].Flex, t.Cols[3].Gap = 1, 2
	t.LayOut(w)
	cells := make([]screen.Cell, len(t.Cols))
	return func(i int, sign paint.Span, bar paint.Ink) []paint.Span {
		t.Cells(i, cells)
		cells[2].Ink, cells[3].Ink = paint.InkDim, bar
		return append([]paint.Span{{Text: " "}, sign}, t.Spans(paint.Span{Text: " "}, cells)...)
	}
}

// Key moves in the list, goes to a row or switches the list.
func (p *Context) Key(key string, n int) (bool, tea.Cmd) {
	if handled, cmd := screen.Pressed(p.Keys(), key, n); handled {
		return true, cmd
	}
	return p.lists[p.List].Key(p.h, key, n)
}

// Keys returns the keys of this pane only.
func (p *Context) Keys() []screen.Key {
	return []screen.Key{
		{Keys: []string{"enter"}, Hint: "jump", Help: "jump to the message of the row; the pane stays with its own", Do: func(int, string) tea.Cmd { return p.goRow() }},
		{Keys: []string{"l", "right"}, Hint: "lists", Label: "h l", Help: "next list: what fills it most, growth, repeated calls, results not named again, tools", Do: func(int, string) tea.Cmd { return p.show(p.List + 1) }},
		{Keys: []string{"h", "left"}, Help: "previous list", Do: func(int, string) tea.Cmd { return p.show(p.List - 1) }},
		{Keys: []string{"+"}, Hint: "only these", Help: "show only the messages sent with it", Do: func(int, string) tea.Cmd { return p.onlySeen() }},
		{Keys: []string{"x"}, Hint: "export", Help: "export the list", Do: func(int, string) tea.Cmd {
			return p.h.Ask(p.lists[p.List].Export("context-" + contextListNames[p.List]))
		}},
	}
}

// Hints returns the keys of the pane.
func (p *Context) Hints() []screen.Hint {
	t := &p.lists[p.List]
	if t.N == 0 && p.Seen != nil && p.Seen.Series != nil {
		return []screen.Hint{{Key: "h l", Text: "lists"}}
	}
	return screen.TableHints(t, p.Keys())
}

// Click goes to the clicked place of the chart or row of the list, or switches to the clicked list.
func (p *Context) Click(x, y int, double bool) tea.Cmd {
	switch {
	case p.Seen == nil || p.Seen.Series == nil:
	case y >= p.ChartTop && y < p.ChartTop+p.chartLines:
		if id, ok := p.Seen.Series.at(x, p.W-1); ok {
			p.h.Ask(screen.GoTo{ID: id, Call: screen.NoCall})
		}
	case y == p.TabsAt:
		for l, at := range p.TabPlaces(p.W) {
			if x >= at.From && x < at.to {
				return p.show(contextList(l))
			}
		}
	case y >= p.ListAt && p.ListAt >= 0:
		hit, cmd := p.lists[p.List].Click(x, y-p.ListAt)
		if hit {
			return p.goRow()
		}
		return cmd
	}
	return nil
}

// Wheel scrolls the list.
func (p *Context) Wheel(n int) { p.lists[p.List].Scroll(n) }
