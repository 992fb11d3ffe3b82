package panes

import (
	"slices"
	"strings"

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
	of    string            // title of the table it was opened from: "Tools"
	tool  summary.ToolStats // or a file as one
	path  string            // of the changed file, if they are its calls
	Rows  []summary.CallRow
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

func newCallsView(h *screen.Host, of string, t *summary.ToolStats) *Calls {
	v := &Calls{h: h, of: of, tool: *t, shown: screen.NoCall}
	v.describe()
	v.Table.SortBy, v.Table.Desc, v.Table.N = v.Table.Column("duration"), true, len(v.Rows)
	return v
}

// describe sets the rows and columns to the calls of the tool.
func (v *Calls) describe() {
	v.snap = v.h.Snap
	rows, columns := summary.CallRows(v.snap, v.h.Tokens, v.tool.Rows), summary.CallColumns(v.h.Zone)
	screen.Describe(&v.Table, columns, func(i int) *summary.CallRow { return &rows[i] })
	about := v.Table.Column("about")
	v.Table.Cells = func(i int, out []screen.Cell) {
		row := rows[i]
		lines, _ := v.h.Described.Lines(row.Place())
		for k := range lines {
			if l := &lines[k]; l.Call == row.ID {
				row.Describe(l)
				row.About = v.aboutOf(l)
				v.Table.Cols[about].Head = v.head(l.Family)
			}
		}
		screen.Fill(&v.Table, columns, &row, out)
		glyph, ink := screen.OutcomeGlyph(row.State)
		out[about].Lead = paint.Span{Text: glyph + " ", Ink: ink}
	}
	v.Rows = rows
	if v.of == ofFiles {
		v.Table.Cols[v.Table.Column("outcome")].Drop = 0 // + and − matter most
	}
}

func (v *Calls) refresh(tools []summary.ToolStats) tea.Cmd {
	at := slices.IndexFunc(tools, func(t summary.ToolStats) bool { return t.Name == v.tool.Name && t.Orphan == v.tool.Orphan })
	if at < 0 {
		v.tool.Rows, v.tool.Errors = nil, 0
	} else {
		v.tool = tools[at]
	}
	v.describe()
	return v.Table.Reset(len(v.Rows))
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

// head is the name of the description column: the argument of the tool's family.
func (v *Calls) head(f describe.Family) string {
	if v.of == ofFiles {
		return "call"
	}
	switch f {
	case describe.FamilyShell:
		return "command"
	case describe.FamilyRead, describe.FamilyWrite:
		return "path"
	case describe.FamilySearch:
		return "pattern"
	}
	return "about"
}

func (v *Calls) render(w, h int, focus bool) []string {
	about := strings.Replace(v.tool.Headline(), " ", v.h.More()+" ", 1)
	out := []string{paneTitle(v.h, w, focus, v.of+" › "+paint.OneLine(v.tool.Name), about, v.Table.SortName(), v.h.ScopeWord())}
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
	if !v.open || row < 0 || v.Rows[row].ID == v.shown {
		return nil
	}
	v.shown, v.text, v.scroll = v.Rows[row].ID, nil, 0
	ctx, snap, id := v.h.Ctx, v.snap, v.shown
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
		{Keys: []string{"x"}, Hint: "export", Help: "export the table", Do: func(int, string) tea.Cmd { return v.h.Ask(v.Table.Export("calls-" + v.tool.Name)) }},
	}
}

func (v *Calls) enter(row int, _ string) tea.Cmd {
	v.h.Ask(screen.GoTo{ID: v.Rows[row].Place(), Call: v.Rows[row].ID})
	return nil
}

func (v *Calls) like(_ int, key string) tea.Cmd {
	return v.h.Ask(screen.AddTerm{Term: "tool:" + lang.Quote(v.tool.Name), Negate: key == "-"})
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
