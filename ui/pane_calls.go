package ui

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
)

// callsView lists the calls of one tool.
type callsView struct {
	h     *host
	name  string
	orph  bool
	rows  []model.CallID
	errs  int
	snap  *model.Snapshot
	table table

	// The result of the call under the cursor, shown in the lower half once J was pressed.
	open   bool
	shown  model.CallID
	text   []string // nil: not read yet
	scroll int
}

// callTextMsg is the result of a call as lines.
type callTextMsg struct {
	view *callsView
	call model.CallID
	text []string
}

// resultBytes is how much of a result is shown here; the detail shows all of it.
const resultBytes = 256 << 10

// Columns of the calls of a tool.
const (
	callIndex = iota
	callTime
	callAbout
	callOutcome
	callDur
	callTok
)

func newCallsView(h *host, t *query.ToolStats) *callsView {
	v := &callsView{h: h, name: t.Name, orph: t.Orphan, rows: t.Rows, shown: noCall, errs: t.Errors, snap: h.snap}
	v.table = table{sortBy: callDur, desc: true, n: len(t.Rows), cells: v.cells, cols: []tableColumn{
		callIndex:   {name: "index", head: "#", width: 6, right: true, asc: true},
		callTime:    {name: "time", head: "time", width: 8, gap: 2, asc: true, drop: 3},
		callAbout:   {head: "about", width: 12, flex: 3, gap: 1},
		callOutcome: {head: "outcome", width: 10, flex: 2, gap: 2, drop: 2},
		callDur:     {name: "duration", head: "dur", width: 6, right: true, gap: 1},
		callTok:     {name: "tokens", head: "tok", width: 5, right: true, gap: 2, drop: 1},
	}}
	v.setCompare()
	return v
}

// setCompare makes the order of the calls a function of the snapshot and the counts of now, so that it can run in the background.
func (v *callsView) setCompare() {
	rows, snap, tokens := v.rows, v.snap, v.h.tokens
	took := func(c *model.Call) int64 {
		if c.Took == model.NoTook {
			return -1
		}
		return int64(c.Took)
	}
	v.table.cmp = func(col, i, j int) int {
		a, b := snap.Call(rows[i]), snap.Call(rows[j])
		switch col {
		case callDur:
			return cmp.Compare(took(a), took(b))
		case callTok:
			x, _ := tokens.Call(rows[i])
			y, _ := tokens.Call(rows[j])
			return cmp.Compare(x.Result+x.Args, y.Result+y.Args)
		case callTime:
			return cmp.Compare(snap.HeadRow(callPlace(a)).Time, snap.HeadRow(callPlace(b)).Time)
		}
		return cmp.Compare(snap.RowNumber(callPlace(a)), snap.RowNumber(callPlace(b)))
	}
}

// callPlace is the message whose rows a call is among.
func callPlace(c *model.Call) model.ID {
	if c.Msg == model.NoID {
		return c.Result
	}
	return c.Msg
}

func (v *callsView) refresh(tools []query.ToolStats) tea.Cmd {
	for i := range tools {
		if t := &tools[i]; t.Name == v.name && t.Orphan == v.orph {
			v.rows, v.errs, v.snap = t.Rows, t.Errors, v.h.snap
			v.setCompare()
			return v.table.reset(len(v.rows))
		}
	}
	v.rows, v.errs = nil, 0
	return v.table.reset(0)
}

func (v *callsView) cells(row int, out []tableCell) {
	id := v.rows[row]
	c := v.snap.Call(id)
	at := callPlace(c)
	h := v.snap.HeadRow(at)
	index := "·" // within a subagent
	if pos := v.snap.Pos(at); pos >= 0 {
		index = strconv.Itoa(pos)
	}
	out[callIndex] = tableCell{text: index, ink: inkDim}
	if h.Time != 0 {
		out[callTime] = tableCell{text: v.h.clock(h.Time), ink: inkDim}
	}
	state, about, outcome := c.Outcome, "", ""
	lines, _ := v.h.described.lines(at)
	for i := range lines {
		if lines[i].Call == id {
			about, outcome = lines[i].About, lines[i].Outcome
			state = lines[i].State
			v.setHead(lines[i].Family)
		}
	}
	glyph, k := stateGlyph(state, query.Pending(c))
	out[callAbout] = tableCell{text: about, lead: span{text: glyph + " ", ink: k}}
	k = inkDim
	if state == model.Failure {
		k = inkError
	}
	out[callOutcome] = tableCell{text: outcome, ink: k}
	if c.Took != model.NoTook {
		out[callDur] = tableCell{text: took(time.Duration(c.Took) * time.Millisecond)}
	} else {
		out[callDur] = tableCell{text: query.NotSaid, ink: inkDim}
	}
	if n, ok := v.h.tokens.Call(id); ok {
		out[callTok] = sizeCell(int64(n.Args) + int64(n.Result))
	}
}

// setHead names the column of what calls are about after what they take.
func (v *callsView) setHead(f query.Family) {
	head := "about"
	switch f {
	case query.FamilyShell:
		head = "command"
	case query.FamilyRead, query.FamilyWrite:
		head = "path"
	case query.FamilySearch:
		head = "pattern"
	}
	v.table.cols[callAbout].head = head
}

// stateGlyph is the glyph of how a call ended.
func stateGlyph(o model.Outcome, pending bool) (string, ink) {
	switch {
	case o == model.Failure:
		return "✗", inkError
	case o == model.Denied:
		return "⊘", inkWarning
	case o == model.Stopped || o == model.Cancelled || o == model.TimedOut:
		return "■", inkWarning
	case pending && o != model.Background:
		return "◌", inkDim
	}
	return "✓", inkOK
}

func (v *callsView) render(w, h int, full, focus bool) []string {
	about := plural(len(v.rows), "call", "calls") + v.h.more()
	if v.orph {
		about = plural(len(v.rows), "result without a call", "results without a call")
	}
	if v.errs > 0 {
		about += "   " + plural(v.errs, "error", "errors")
	}
	out := []string{paneTitle(v.h, w, focus, "Tools › "+oneLine(v.name), about, v.table.sortName(), v.h.scopeWord())}
	if !v.open || h < 10 {
		return append(out, v.table.render(v.h.styles, w, h-1, focus)...)
	}
	upper := max(min(h/2, v.table.n+2), 4)
	out = fill(append(out, v.table.render(v.h.styles, w, upper-1, focus)...), w, upper)
	return append(out, v.result(w, h-upper)...)
}

// result is what the call under the cursor gave.
func (v *callsView) result(w, h int) []string {
	st := v.h.styles
	head := " result"
	if v.text != nil {
		head += ", " + plural(len(v.text), "line", "lines")
	}
	out := []string{st.line(w, groundNone, span{text: "─" + head + " ", ink: inkDim}, span{text: strings.Repeat("─", max(w-width(head)-2, 0)), ink: inkBorder})}
	if v.text == nil {
		return append(out, st.line(w, groundNone, span{text: " reading …", ink: inkDim}))
	}
	v.scroll = max(min(v.scroll, len(v.text)-h+1), 0)
	for i := v.scroll; i < len(v.text) && len(out) < h; i++ {
		out = append(out, st.line(w, groundNone, span{text: " " + v.text[i]}))
	}
	return out
}

// fetch is the command that reads the result under the cursor, where it is shown.
func (v *callsView) fetch() tea.Cmd {
	row := v.table.row()
	if !v.open || row < 0 || v.rows[row] == v.shown {
		return nil
	}
	v.shown, v.text, v.scroll = v.rows[row], nil, 0
	ctx, snap, id := v.h.ctx, v.snap, v.rows[row]
	return func() tea.Msg {
		c, err := query.ReadCall(ctx, snap, id)
		text := "no result"
		switch {
		case err != nil:
			text = "cannot be read: " + err.Error()
		case c.Result != nil:
			text = c.Result.Text
		}
		if len(text) > resultBytes {
			text = text[:resultBytes] + "\n… the detail shows all of it"
		}
		lines := strings.Split(strings.TrimRight(model.Printed(text), "\n"), "\n")
		for i := range lines {
			lines[i] = expand(lines[i])
		}
		return callTextMsg{v, id, lines}
	}
}

// read takes a result.
func (v *callsView) read(m callTextMsg) {
	if m.view == v && m.call == v.shown {
		v.text = m.text
	}
}

func (v *callsView) key(key string, n int) (bool, tea.Cmd) {
	if handled, cmd := pressed(v.keys(), key, n); handled {
		return true, cmd
	}
	return v.table.key(v.h, key, n)
}

// keys are those that only this table takes.
func (v *callsView) keys() []paneKey {
	return []paneKey{
		{keys: []string{"enter", "l", "right"}, hint: "to the call", help: "go to the call in the timeline", do: v.enter},
		{keys: []string{"J"}, hint: "its result", help: "show the result of the call; again scrolls it", do: v.scrollDown},
		{keys: []string{"K"}, help: "scroll the result back; at its beginning, close it", do: v.scrollUp},
		{keys: []string{"+"}, help: "only calls of the tool", do: v.like},
		{keys: []string{"-"}, help: "without calls of the tool", do: v.like},
		{keys: []string{"x"}, hint: "export", help: "export the table", do: func(int, string) tea.Cmd { return v.h.ask(v.table.export("calls-" + v.name)) }},
	}
}

func (v *callsView) enter(int, string) tea.Cmd {
	row := v.table.row()
	if row < 0 {
		return noRow(v.h)
	}
	v.h.ask(GoTo{callPlace(v.snap.Call(v.rows[row])), v.rows[row]})
	return nil
}

func (v *callsView) like(_ int, key string) tea.Cmd {
	return v.h.ask(AddTerm{"tool:" + query.Quote(v.name), key == "-"})
}

func (v *callsView) scrollDown(n int, _ string) tea.Cmd {
	if v.table.row() < 0 {
		return noRow(v.h)
	}
	if v.open {
		v.scroll += max(n, 1)
	}
	v.open = true
	return nil
}

func (v *callsView) scrollUp(n int, _ string) tea.Cmd {
	switch {
	case !v.open:
		v.h.complain("no result is shown: J shows it")
	case v.scroll == 0:
		v.open, v.shown = false, noCall
	}
	v.scroll = max(v.scroll-max(n, 1), 0)
	return nil
}
