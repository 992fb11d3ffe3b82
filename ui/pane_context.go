package ui

import (
	tea "charm.land/bubbletea/v2"
)

// contextPane shows the context window over the run, and the requests at which it grew most.
type contextPane struct {
	h       *host
	tracker contextTracker
	table   table
	seen    *contextRun
}

const (
	jumpGrew = iota
	jumpTo
	jumpTime
	jumpAbout
	jumpPlace
)

func newContextPane(h *host) pane {
	p := &contextPane{h: h, tracker: contextTracker{h: h}}
	p.table = table{sortBy: -1, cells: p.cells, cmp: p.compare, cols: []tableColumn{
		jumpGrew:  {head: "grew by", width: 8, right: true},
		jumpTo:    {head: "to", width: 6, right: true, gap: 1},
		jumpTime:  {head: "time", width: 8, gap: 2, drop: 1},
		jumpAbout: {head: "the request that answered", width: 10, gap: 2, flex: 1},
		jumpPlace: {head: "#", width: 7, right: true, gap: 1},
	}}
	return p
}

// Name is the word of the pane.
func (p *contextPane) Name() string { return "context" }

// Refresh asks for the run when the conversation has changed.
func (p *contextPane) Refresh() tea.Cmd {
	p.tracker.wanted = true
	return p.tracker.refresh()
}

// Message takes it.
func (p *contextPane) Message(msg tea.Msg) tea.Cmd {
	cmd := p.tracker.message(msg)
	if r := p.tracker.run; r != nil && r != p.seen {
		p.seen = r
		p.table.reset(len(r.jumps))
	}
	return cmd
}

func (p *contextPane) compare(_, i, j int) int { return i - j }

func (p *contextPane) cells(row int, out []tableCell) {
	i := p.seen.jumps[row]
	pt := p.seen.points[i]
	out[jumpGrew] = tableCell{text: "+" + short(p.seen.grew(i)), ink: inkWarning}
	out[jumpTo] = tableCell{text: short(pt.n)}
	out[jumpTime] = tableCell{text: p.h.clock(pt.time), ink: inkDim}
	lines, _ := p.h.described.lines(pt.id)
	if len(lines) > 0 {
		out[jumpAbout] = tableCell{text: lines[0].Word + "  " + lines[0].About}
	}
	out[jumpPlace] = tableCell{text: placeOf(p.h.snap.Pos(pt.id)), ink: inkDim}
}

// Render draws the chart over the list.
func (p *contextPane) Render(w, h int, full, focus bool) []string {
	st := p.h.styles
	r := p.seen
	window := int64(0)
	if s := p.h.stats; s != nil && s.Context != nil {
		window = s.Context.Window
	}
	if r == nil || len(r.points) == 0 {
		text := " reading …"
		if r != nil {
			text = " no usage of requests was recorded"
		}
		return []string{paneTitle(p.h, w, focus, "Context", ""), st.line(w, groundNone, span{text: text, ink: inkDim})}
	}
	about := r.told(window)
	out := []string{paneTitle(p.h, w, focus, "Context", about)}
	lines := max(min(h/2-2, 12), 2)
	for _, spans := range r.chart(p.h, w-1, lines, window) {
		out = append(out, st.line(w, groundNone, spans...))
	}
	for _, m := range r.marks {
		if len(out) > h/2+4 {
			break
		}
		text := " ≡ compacted " + p.h.clock(m.time) + ": " + short(m.before) + " → " + short(m.after) + " tokens"
		if !m.compact {
			text = " → " + p.h.clock(m.time) + " " + oneLine(m.model)
		}
		out = append(out, st.line(w, groundNone, span{text: text, ink: inkDim}))
	}
	out = append(out, "")
	return append(out, p.table.render(st, w, h-len(out), focus)...)
}

// Key moves, or goes to a request.
func (p *contextPane) Key(key string, n int) (bool, tea.Cmd) {
	if key == "enter" {
		if row := p.table.row(); row >= 0 {
			p.h.request.goTo(p.seen.points[p.seen.jumps[row]].id, noCall)
			return true, nil
		}
		return true, noRow(p.h)
	}
	return p.table.key(p.h, key, n)
}

// Hints are the keys of the pane.
func (p *contextPane) Hints() []hint { return []hint{{"⏎", "goes there"}, {"j k", "move"}} }

// Click does nothing: the list moves with the chart's height.
func (p *contextPane) Click(x, y int, double bool) tea.Cmd { return nil }

// Wheel scrolls.
func (p *contextPane) Wheel(n int) { p.table.scroll(n) }
