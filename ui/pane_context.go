package ui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
)

// contextPane shows what the model was given at the message that is selected: how full its window was over the run, and what filled it.
type contextPane struct {
	h      *host
	seen   *contextSeen // nil until the first was computed
	gen    int          // of what is computed; an older answer is thrown away
	busy   bool
	pinned model.ID // message that Enter went to: the pane stays with the one it came from
	lists  [contextLists]table
	list   contextList
	wasted contextWaste

	chartTop, chartLines int // where the chart, the names of the lists and the list lie, as drawn last
	tabsAt, listAt, w    int
}

// contextSeen is the context at a message, and over its thread. It is never changed.
type contextSeen struct {
	index  *query.ContextIndex
	snap   *model.Snapshot
	tokens *query.TokenColumn
	at     model.ID
	answer *query.ContextAnswer
	series *contextSeries
	turns  *query.TurnIndex
	growth []query.TurnGrowth // of turns; nil until they are looked at
	err    error
}

// contextMsg is what was computed.
type contextMsg struct {
	pane *contextPane
	gen  int
	seen *contextSeen
}

func newContextPane(h *host) pane {
	p := &contextPane{h: h, pinned: model.NoID}
	p.makeLists()
	return p
}

// Name is the word of the pane.
func (p *contextPane) Name() string { return "context" }

// Refresh asks again when the conversation or its counts have changed.
func (p *contextPane) Refresh() tea.Cmd { return p.follow() }

// place is the message whose context is shown: the selected one, or where that is none, the one before it.
func (p *contextPane) place() model.ID {
	s := p.h.snap
	id, _ := p.h.rows.Selected()
	if id == model.NoID || int(id) >= s.Rows() {
		return model.NoID
	}
	if id == p.pinned && p.seen != nil && p.seen.at != model.NoID && int(p.seen.at) < s.Rows() {
		return p.seen.at
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

// follow is the command that computes what the pane shows where that is not what it shows. One runs at a time: the next begins with what is
// selected when it has ended.
func (p *contextPane) follow() tea.Cmd {
	h := p.h
	if h.snap == nil || h.state.Preview || p.busy {
		return nil
	}
	at, old := p.place(), p.seen
	growth := p.list == listGrowth
	if old != nil && old.snap == h.snap && old.tokens == h.tokens && old.at == at && (!growth || old.growth != nil || h.turns == nil) {
		return p.waste()
	}
	p.busy = true
	p.gen++
	gen, ctx, next := p.gen, h.ctx, contextSeen{snap: h.snap, tokens: h.tokens, at: at, turns: h.turns}
	return func() tea.Msg {
		next.compute(ctx, old, growth)
		return contextMsg{p, gen, &next}
	}
}

// compute finds the context, with what the one before knows already.
func (c *contextSeen) compute(ctx context.Context, old *contextSeen, growth bool) {
	switch {
	case old == nil:
		c.index = query.NewContextIndex(c.snap, c.tokens)
	case old.snap == c.snap && old.tokens == c.tokens:
		c.index, c.series = old.index, old.series
		if old.turns == c.turns {
			c.growth = old.growth
		}
	default:
		c.index = old.index.Extend(c.snap, c.tokens)
	}
	if growth && c.growth == nil && c.turns != nil {
		c.growth = c.index.Growth(c.turns)
	}
	if c.at == model.NoID {
		return
	}
	if c.answer, c.err = c.index.Context(c.at, query.ContextOptions{Largest: contextLargest}); c.err != nil {
		return
	}
	if c.err = c.answer.Describe(ctx, c.snap); c.err != nil {
		return
	}
	if thread := c.snap.HeadRow(c.at).Thread; c.series == nil || c.series.thread != thread {
		c.series = newContextSeries(c.index, c.snap, thread)
	}
}

// Message takes what was computed.
func (p *contextPane) Message(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case contextMsg:
		if msg.pane != p || msg.gen != p.gen {
			return nil
		}
		p.busy, p.seen = false, msg.seen
		return tea.Batch(p.fillLists(), p.follow())
	case sortedMsg:
		for i := range p.lists {
			p.lists[i].sorted(msg)
		}
	case jobMsg:
		return p.wasteTold(msg)
	}
	return nil
}

// Render draws the chart, the numbers of the message and one of the lists.
func (p *contextPane) Render(w, h int, full, focus bool) []string {
	st := p.h.styles
	p.w, p.tabsAt, p.listAt, p.chartLines = w, -1, -1, 0
	if p.seen == nil || p.seen.answer == nil {
		text := " reading …"
		switch {
		case p.seen != nil && p.seen.err != nil:
			text = " " + oneLine(p.seen.err.Error())
		case p.seen != nil:
			text = " no messages"
		}
		return []string{paneTitle(p.h, w, focus, "Context", ""), st.line(w, groundNone, span{text: text, ink: inkDim})}
	}
	a := p.seen.answer
	counted := ""
	switch {
	case p.h.counts != "":
		counted = "counting"
	case a.Encoding == "":
		counted = "estimated"
	case w >= 60:
		counted = "tokens " + strings.TrimSuffix(a.Encoding, "_base")
	}
	out := []string{paneTitle(p.h, w, focus, "Context", p.title(), counted)}
	p.chartTop = len(out)
	for _, spans := range p.seen.series.chart(p.h, w-1, p.chartHeight(h), a.Window, a.ID) {
		out = append(out, st.line(w, groundNone, spans...))
	}
	p.chartLines = len(out) - p.chartTop
	numbers := p.numbers(w, h >= 30)
	if room := h - len(out) - 4; len(numbers) > room {
		numbers = numbers[:max(room, 0)]
	}
	for _, spans := range numbers {
		out = append(out, st.line(w, groundNone, spans...))
	}
	if h >= 20 {
		out = append(out, "")
	}
	p.tabsAt = len(out)
	out = append(out, p.tabs(w, focus))
	p.listAt = len(out)
	return append(out, p.drawList(w, h-len(out), focus)...)
}

// title says which message it is about, and how full the window was there.
func (p *contextPane) title() string {
	a := p.seen.answer
	text := placeOf(a.Index)
	if a.Index < 0 {
		text = "off the run"
		if a.Agent != "" {
			text = "agent " + oneLine(a.Agent)
		}
	}
	n := a.Counted
	if a.Measured != nil {
		n = *a.Measured
	}
	text += "   " + short(n)
	if a.Window > 0 {
		text += " of " + short(a.Window) + ", " + percent(int(n), int(a.Window))
	}
	return text
}

func (p *contextPane) chartHeight(h int) int {
	switch {
	case h < 12:
		return 2
	case h < 20:
		return 4
	}
	return min(h/3-1, 16)
}

// numbers are what is known of the message's context; a bar for each kind where there is room.
func (p *contextPane) numbers(w int, roomy bool) [][]span {
	a := p.seen.answer
	var out [][]span
	if roomy && w >= 100 {
		out = p.kindTable(w)
	} else {
		out = flow(w, p.legend())
	}
	if roomy {
		out = append([][]span{nil}, append(out, nil)...)
	}
	what := "given to "
	if a.Role != model.Assistant.String() {
		what = "as it stands at "
	}
	in := []span{{text: what + placeOf(a.Index), ink: inkDim}, {text: "  " + plural(a.Messages, "message", "messages")}}
	if a.Note != "" {
		in = []span{{text: a.Note, ink: inkDim}}
	}
	about := [][]span{in}
	if left := leftOut(&a.Left); left != "" {
		about = append(about, []span{{text: "left out ", ink: inkDim}, {text: left}})
	}
	if a.Compactions > 0 {
		about = append(about, []span{{text: plural(a.Compactions, "compaction", "compactions") + " before", ink: inkWarning}})
	}
	out = append(out, flow(w, about)...)
	return append(out, flow(w, p.sizes())...)
}

// sizes are counted and measured beside each other, then what of it came from the cache, and the window.
func (p *contextPane) sizes() [][]span {
	a := p.seen.answer
	word := "counted "
	if a.Encoding == "" {
		word = "estimated "
	}
	out := [][]span{{{text: word, ink: inkDim}, {text: short(a.Counted)}}}
	if a.Measured == nil {
		out = append(out, []span{{text: "measured ", ink: inkDim}, {text: query.NotSaid, ink: inkDim}})
	} else {
		at := []span{{text: "measured ", ink: inkDim}, {text: short(*a.Measured)}}
		if a.Response >= 0 && a.Response != a.Index {
			at = append(at, span{text: " at " + placeOf(a.Response), ink: inkDim})
		}
		out = append(out, at)
		if *a.Unaccounted > 0 {
			out = append(out, []span{{text: "░ ", ink: inkDim}, {text: short(*a.Unaccounted)}, {text: " not recorded", ink: inkDim}})
		}
		if a.CacheRead != nil {
			k := inkText
			if *a.CacheRead == 0 {
				k = inkWarning
			}
			out = append(out, []span{{text: "cache ", ink: inkDim}, {text: percent(int(*a.CacheRead), int(*a.Measured)), ink: k}, {text: " read", ink: inkDim}})
		}
		if a.CacheWrite != nil && *a.CacheWrite > 0 {
			out = append(out, []span{{text: short(*a.CacheWrite)}, {text: " written", ink: inkDim}})
		}
	}
	if a.Window > 0 {
		out = append(out, []span{{text: "window ", ink: inkDim}, {text: short(a.Window)}, {text: ", " + a.WindowFrom, ink: inkDim}})
	} else {
		out = append(out, []span{{text: "window not known", ink: inkDim}})
	}
	return out
}

// leftOut says what stands before the message and was not given to the model.
func leftOut(l *query.ContextLeft) string {
	text := ""
	add := func(n int, what string) {
		if n > 0 {
			if text != "" {
				text += ", "
			}
			text += thousands(n) + " " + what
		}
	}
	add(l.Compacted, "compacted")
	add(l.Rewound, "rewound")
	add(l.OffBranch, "of other branches")
	add(l.Invalidated, "invalidated")
	add(l.Superseded, "superseded")
	add(l.Archived, "archived")
	add(l.Failed, "failed requests")
	add(l.Agents, "of other agents")
	return text
}

// legend names the kinds of tokens that there are, with the sign they have in the chart.
func (p *contextPane) legend() [][]span {
	a := p.seen.answer
	var out [][]span
	for i, n := range a.Tokens.ByKind() {
		if n > 0 {
			out = append(out, []span{p.kindSign(i), {text: " " + query.ContextKinds[i] + " ", ink: inkDim}, {text: short(n)}})
		}
	}
	return out
}

func (p *contextPane) kindSign(kind int) span {
	if letters(p.h) {
		return span{text: string(contextLetters[kind]), ink: inkText}
	}
	return span{text: "█", ink: contextInks[kind]}
}

// kindTable is a line for each kind with a bar, and beside it the results by tool.
func (p *contextPane) kindTable(w int) [][]span {
	a := p.seen.answer
	half := w / 2
	var out [][]span
	for i, n := range a.Tokens.ByKind() {
		if n == 0 {
			continue
		}
		out = append(out, append([]span{{text: " "}, p.kindSign(i)}, barSpans(half-3, query.ContextKinds[i], n, a.Counted, contextInks[i])...))
	}
	for i := range out {
		out[i] = append(fitSpans(out[i], half), span{text: "  "})
	}
	most := int64(0)
	for _, t := range a.Tools {
		most += t.Tokens
	}
	for i := range a.Tools {
		if i == len(out) {
			break
		}
		name := oneLine(a.Tools[i].Tool)
		n := a.Tools[i].Tokens
		if i == len(out)-1 && i+1 < len(a.Tools) {
			name, n = fmt.Sprintf("%d other tools", len(a.Tools)-i), 0
			for _, t := range a.Tools[i:] {
				n += t.Tokens
			}
		}
		out[i] = append(out[i], barSpans(w-half-4, name, n, most, inkBar)...)
	}
	return out
}

// barSpans are a name, a number, its share and that as a bar, in w cells.
func barSpans(w int, name string, n, whole int64, k ink) []span {
	const numbers = 6 + 1 + 5 + 2
	names := min(max(w/4, 12), 20)
	return []span{{text: " " + fit(cutMiddle(name, names), names)}, {text: fitRight(short(n), 6)}, {text: " " + fitRight(percent(int(n), int(whole)), 5) + "  ", ink: inkDim},
		{text: bar(float64(n), float64(whole), w-1-names-numbers), ink: k}}
}

// Key moves in the list, goes to a row or shows another list.
func (p *contextPane) Key(key string, n int) (bool, tea.Cmd) {
	if handled, cmd := pressed(p.keys(), key, n); handled {
		return true, cmd
	}
	return p.lists[p.list].key(p.h, key, n)
}

// keys are those that only this pane takes.
func (p *contextPane) keys() []paneKey {
	return []paneKey{
		{keys: []string{"enter"}, hint: "goes there", help: "go to what the row stands for; the pane stays with its message", do: func(int, string) tea.Cmd { return p.goRow() }},
		{keys: []string{"l", "right"}, hint: "lists", label: "h l", help: "next list: what fills it most, growth, repeated calls, results not named again, tools", do: func(int, string) tea.Cmd { return p.show(p.list + 1) }},
		{keys: []string{"h", "left"}, help: "previous list", do: func(int, string) tea.Cmd { return p.show(p.list - 1) }},
		{keys: []string{"+"}, hint: "only what was in it", help: "filter by the messages that the model was given there", do: func(int, string) tea.Cmd { return p.onlySeen() }},
		{keys: []string{"x"}, hint: "export", help: "export the list", do: func(int, string) tea.Cmd {
			return p.h.ask(p.lists[p.list].export("context-" + contextListNames[p.list]))
		}},
	}
}

// Hints are the keys of the pane.
func (p *contextPane) Hints() []hint {
	t := &p.lists[p.list]
	if t.n == 0 && p.seen != nil && p.seen.series != nil {
		return []hint{{"h l", "lists"}}
	}
	return tableHints(t, p.keys())
}

// Click goes to the place in the chart or the row of the list that was clicked, or shows the list whose name was.
func (p *contextPane) Click(x, y int, double bool) tea.Cmd {
	switch {
	case p.seen == nil || p.seen.series == nil:
	case y >= p.chartTop && y < p.chartTop+p.chartLines:
		if id, ok := p.seen.series.at(x, p.w-1); ok {
			p.h.ask(GoTo{id, noCall})
		}
	case y == p.tabsAt:
		for l, at := range p.tabPlaces(p.w) {
			if x >= at.from && x < at.to {
				return p.show(contextList(l))
			}
		}
	case y >= p.listAt && p.listAt >= 0:
		hit, cmd := p.lists[p.list].click(x, y-p.listAt)
		if hit {
			return p.goRow()
		}
		return cmd
	}
	return nil
}

// Wheel scrolls the list.
func (p *contextPane) Wheel(n int) { p.lists[p.list].scroll(n) }
