package panes

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/lang"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

// Calls lists the calls of one tool or file.
type Calls struct {
	h     *screen.Host
	of    string // title of the table it was opened from: "Tools"
	name  string
	path  string // of the changed file, if they are its calls
	orph  bool
	Rows  []model.CallID
	errs  int
	snap  *model.Snapshot
	Table screen.Table

	// The result of the call under the cursor, shown in the lower half after J.
	open   bool
	shown  model.CallID
	text   []string // nil: not read yet
	scroll int
}

// callTextMsg carries the lines of a call's result.
type callTextMsg struct {
	view *Calls
	call model.CallID
	text []string
}

// resultBytes is the most text shown of a result; the detail shows all.
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

func newCallsView(h *screen.Host, t *summary.ToolStats) *Calls {
	v := &Calls{h: h, of: "Tools", name: t.Name, orph: t.Orphan, Rows: t.Rows, shown: screen.NoCall, errs: t.Errors, snap: h.Snap}
	v.Table = screen.Table{SortBy: callDur, Desc: true, N: len(t.Rows), Cells: v.cells, Cols: []screen.Column{
		callIndex:   {Name: "index", Head: "#", Width: 6, Right: true, Asc: true},
		callTime:    {Name: "time", Head: "time", Width: 8, Gap: 2, Asc: true, Drop: 3},
		callAbout:   {Head: "about", Width: 12, Flex: 3, Gap: 1},
		callOutcome: {Head: "outcome", Width: 10, Flex: 2, Gap: 2, Drop: 2},
		callDur:     {Name: "duration", Head: "dur", Width: 6, Right: true, Gap: 1},
		callTok:     {Name: "tokens", Head: "tok", Width: 5, Right: true, Gap: 2, Drop: 1},
	}}
	v.setCompare()
	return v
}

// setCompare sets an order that depends only on the current snapshot and counts, so it can run in
// the background.
func (v *Calls) setCompare() {
	rows, snap, tokens := v.Rows, v.snap, v.h.Tokens
	took := func(c *model.Call) int64 {
		if c.Took == model.NoTook {
			return -1
		}
		return int64(c.Took)
	}
	v.Table.Cmp = func(col, i, j int) int {
		a, b := snap.Call(rows[i]), snap.Call(rows[j])
		switch col {
		case callDur:
			return cmp.Compare(took(a), took(b))
		case callTok:
			x, _ := tokens.Call(rows[i])
			y, _ := tokens.Call(rows[j])
			return cmp.Compare(x.Result+x.Args, y.Result+y.Args)
		case callTime:
			return cmp.Compare(snap.HeadRow(a.Place()).Time, snap.HeadRow(b.Place()).Time)
		}
		return cmp.Compare(snap.RowNumber(a.Place()), snap.RowNumber(b.Place()))
	}
}

func (v *Calls) refresh(tools []summary.ToolStats) tea.Cmd {
	for i := range tools {
		if t := &tools[i]; t.Name == v.name && t.Orphan == v.orph {
			v.Rows, v.errs, v.snap = t.Rows, t.Errors, v.h.Snap
			v.setCompare()
			return v.Table.Reset(len(v.Rows))
		}
	}
	v.Rows, v.errs = nil, 0
	return v.Table.Reset(0)
}

func (v *Calls) cells(row int, out []screen.Cell) {
	id := v.Rows[row]
	c := v.snap.Call(id)
	at := c.Place()
	h := v.snap.HeadRow(at)
	index := "·" // in a subagent
	if pos := v.snap.Pos(at); pos >= 0 {
		index = strconv.Itoa(pos)
	}
	out[callIndex] = screen.Cell{Text: index, Ink: paint.InkDim}
	if h.Time != 0 {
		out[callTime] = screen.Cell{Text: v.h.Clock(h.Time), Ink: paint.InkDim}
	}
	state, about, outcome := c.Outcome, "", ""
	lines, _ := v.h.Described.Lines(at)
	for i := range lines {
		if lines[i].Call == id {
			about, outcome = v.aboutOf(&lines[i]), lines[i].Outcome
			state = lines[i].State
			v.setHead(lines[i].Family)
		}
	}
	if query.Pending(c) && !state.Failed() && state != model.Background {
		state = model.Running
	}
	glyph, k := screen.OutcomeGlyph(state)
	out[callAbout] = screen.Cell{Text: about, Lead: paint.Span{Text: glyph + " ", Ink: k}}
	k = paint.InkDim
	if state == model.Failure {
		k = paint.InkError
	}
	out[callOutcome] = screen.Cell{Text: outcome, Ink: k}
	if c.Took != model.NoTook {
		out[callDur] = screen.Cell{Text: human.Took(time.Duration(c.Took) * time.Millisecond)}
	} else {
		out[callDur] = screen.Cell{Text: human.NotSaid, Ink: paint.InkDim}
	}
	if n, ok := v.h.Tokens.Call(id); ok {
		out[callTok] = sizeCell(int64(n.Args) + int64(n.Result))
	}
}

// aboutOf describes a call. In the list of one file, that is the tool and its arguments other than
// the path.
func (v *Calls) aboutOf(line *describe.Line) string {
	if v.of != ofFiles {
		return line.About
	}
	rest := line.About
	if from, to := line.Path[0], line.Path[1]; to > from && to <= len(rest) {
		rest = rest[:from] + rest[to:]
	}
	return strings.TrimSpace(line.Word + " " + strings.TrimSpace(rest))
}

// ofFiles is the value of Calls.of for the calls of a file.
const ofFiles = "Files"

// setHead names the description column after the argument of the tool's family.
func (v *Calls) setHead(f describe.Family) {
	head := "about"
	if v.of == ofFiles {
		f, head = describe.NoFamily, "call"
	}
	switch f {
	case describe.FamilyShell:
		head = "command"
	case describe.FamilyRead, describe.FamilyWrite:
		head = "path"
	case describe.FamilySearch:
		head = "pattern"
	}
	v.Table.Cols[callAbout].Head = head
}

func (v *Calls) render(w, h int, focus bool) []string {
	about := human.Plural(len(v.Rows), "call", "calls") + v.h.More()
	if v.orph {
		about = human.Plural(len(v.Rows), "result without a call", "results without a call")
	}
	if v.errs > 0 {
		about += "   " + human.Plural(v.errs, "error", "errors")
	}
	out := []string{paneTitle(v.h, w, focus, v.of+" › "+paint.OneLine(v.name), about, v.Table.SortName(), v.h.ScopeWord())}
	if !v.open || h < 10 {
		return append(out, v.Table.Render(v.h.Styles, w, h-1, focus)...)
	}
	upper := max(min(h/2, v.Table.N+2), 4)
	out = paint.Fill(append(out, v.Table.Render(v.h.Styles, w, upper-1, focus)...), w, upper)
	return append(out, v.result(w, h-upper)...)
}

// result draws the result of the call under the cursor.
func (v *Calls) result(w, h int) []string {
	st := v.h.Styles
	head := " result"
	if v.text != nil {
		head += ", " + human.Plural(len(v.text), "line", "lines")
	}
	out := []string{st.Line(w, paint.GroundNone, paint.Span{Text: "─" + head + " ", Ink: paint.InkDim}, paint.Span{Text: strings.Repeat("─", max(w-paint.Width(head)-2, 0)), Ink: paint.InkBorder})}
	if v.text == nil {
		return append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " reading …", Ink: paint.InkDim}))
	}
	v.scroll = max(min(v.scroll, len(v.text)-h+1), 0)
	for i := v.scroll; i < len(v.text) && len(out) < h; i++ {
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: " " + v.text[i]}))
	}
	return out
}

// fetch returns the command that reads the result under the cursor, if it is visible.
func (v *Calls) fetch() tea.Cmd {
	row := v.Table.Row()
	if !v.open || row < 0 || v.Rows[row] == v.shown {
		return nil
	}
	v.shown, v.text, v.scroll = v.Rows[row], nil, 0
	ctx, snap, id := v.h.Ctx, v.snap, v.Rows[row]
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
			lines[i] = paint.Expand(lines[i])
		}
		return callTextMsg{v, id, lines}
	}
}

// read stores a result.
func (v *Calls) read(m callTextMsg) {
	if m.view == v && m.call == v.shown {
		v.text = m.text
	}
}

func (v *Calls) key(key string, n int) (bool, tea.Cmd) {
	if handled, cmd := screen.Pressed(v.Keys(), key, n); handled {
		return true, cmd
	}
	return v.Table.Key(v.h, key, n)
}

// Keys returns the keys of this table only.
func (v *Calls) Keys() []screen.Key {
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "jump", Help: "go to the call in the timeline", Do: v.Table.OnRow(v.h, v.enter)},
		{Keys: []string{"J"}, Hint: "result", Help: "show the result of the call; again scrolls it", Do: v.scrollDown},
		{Keys: []string{"K"}, Help: "scroll the result back; at its beginning, close it", Do: v.scrollUp},
		{Keys: []string{"+"}, Help: "only calls of the tool", Do: v.like},
		{Keys: []string{"-"}, Help: "without calls of the tool", Do: v.like},
		{Keys: []string{"x"}, Hint: "export", Help: "export the table", Do: func(int, string) tea.Cmd { return v.h.Ask(v.Table.Export("calls-" + v.name)) }},
	}
}

func (v *Calls) enter(row int, _ string) tea.Cmd {
	v.h.Ask(screen.GoTo{ID: v.snap.Call(v.Rows[row]).Place(), Call: v.Rows[row]})
	return nil
}

func (v *Calls) like(_ int, key string) tea.Cmd {
	return v.h.Ask(screen.AddTerm{Term: "tool:" + lang.Quote(v.name), Negate: key == "-"})
}

func (v *Calls) scrollDown(n int, _ string) tea.Cmd {
	if v.Table.Row() < 0 {
		return screen.NoRow(v.h)
	}
	if v.open {
		v.scroll += max(n, 1)
	}
	v.open = true
	return nil
}

func (v *Calls) scrollUp(n int, _ string) tea.Cmd {
	switch {
	case !v.open:
		v.h.Complain("results are hidden: " + v.h.Key("J") + " shows it")
	case v.scroll == 0:
		v.open, v.shown = false, screen.NoCall
	}
	v.scroll = max(v.scroll-max(n, 1), 0)
	return nil
}
