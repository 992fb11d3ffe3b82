package panes

import (
	"cmp"
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query/human"
	"turns/query/lang"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

// Files are the files that the run read and edited, and the calls of one of them. They are gathered
// when somebody looks at the pane, since that reads the arguments of all calls.
type Files struct {
	h     *screen.Host
	Table screen.Table
	calls *Calls // of the file that was entered; nil: the files

	files  []summary.FileStats  // as numbered in table
	of     *summary.ToolsAnswer // the answer for whose calls they were gathered
	wanted bool                 // somebody looks
	job    *screen.Job
	err    error
}

// filesTold is what was gathered, or why not.
type filesTold struct {
	answer *summary.FilesAnswer
	err    error
}

// Columns of the files.
const (
	fileName = iota
	fileReads
	fileEdits
	fileLines
	fileErrors
	fileTokens
	fileFirst
	fileLast
)

// NewFiles is the pane of files.
func NewFiles(h *screen.Host) *Files {
	p := &Files{h: h}
	p.Table = screen.Table{SortBy: fileTokens, Desc: true, Cells: p.cells, Cmp: p.compare, Cols: []screen.Column{
		fileName:   {Name: "file", Head: "file", Width: 12, Flex: 3, Asc: true, Paths: true},
		fileReads:  {Name: "reads", Head: "reads", Width: 5, Right: true, Gap: 1},
		fileEdits:  {Name: "edits", Head: "edits", Width: 5, Right: true, Gap: 1},
		fileLines:  {Name: "lines", Head: "+/−", Width: 9, Right: true, Gap: 1, Drop: 2},
		fileErrors: {Name: "errors", Head: "err", Width: 3, Right: true, Gap: 1, Drop: 1},
		fileTokens: {Name: "tokens", Head: "tok", Width: 5, Right: true, Gap: 1},
		fileFirst:  {Name: "first", Head: "first", Width: 6, Right: true, Gap: 2, Asc: true, Drop: 4},
		fileLast:   {Name: "last", Head: "last", Width: 6, Right: true, Gap: 1, Drop: 3},
	}}
	return p
}

// Name is the word of the pane.
func (p *Files) Name() string { return "files" }

// Opened begins to gather.
func (p *Files) Opened() { p.wanted = true }

// Refresh gathers again where the calls have changed that the tools answer for.
func (p *Files) Refresh() tea.Cmd {
	h := p.h
	if !p.wanted || h.Tools == nil || h.Tools == p.of || h.Snap == nil {
		return nil
	}
	p.of = h.Tools
	p.job.Stop()
	sel, tokens := h.Scope(), h.Tokens
	var cmd tea.Cmd
	p.job, cmd = screen.StartJob(h.Ctx, func(ctx context.Context, _ func(done, total int64)) any {
		answer, err := summary.Files(ctx, sel, tokens)
		return filesTold{answer, err}
	})
	return cmd
}

// Message takes what was gathered.
func (p *Files) Message(msg tea.Msg) tea.Cmd {
	if p.calls != nil {
		switch m := msg.(type) {
		case screen.SortedMsg:
			p.calls.Table.Sorted(m)
		case callTextMsg:
			p.calls.read(m)
		}
	}
	answer, cmd, of := p.job.Message(msg)
	if !of || answer == nil {
		return cmd
	}
	told := answer.(filesTold)
	p.job, p.err = nil, told.err
	if told.err != nil {
		return nil
	}
	name := ""
	if row := p.Table.Row(); row >= 0 {
		name = p.files[row].Path
	}
	p.files = told.answer.Files
	cmd = p.Table.Reset(len(p.files))
	for i := range p.files {
		if p.files[i].Path == name {
			p.Table.SelectRow(i)
		}
	}
	if p.calls != nil {
		list := make([]summary.ToolStats, len(p.files))
		for i := range p.files {
			list[i] = asTool(&p.files[i])
		}
		cmd = tea.Batch(cmd, p.calls.refresh(list))
	}
	return cmd
}

// asTool is a file as the list of calls knows a tool.
func asTool(f *summary.FileStats) summary.ToolStats {
	return summary.ToolStats{Name: f.Path, Rows: f.Rows, Calls: len(f.Rows), Errors: f.Errors}
}

func (p *Files) cells(row int, out []screen.Cell) {
	f := &p.files[row]
	out[fileName] = screen.Cell{Text: paint.OneLine(f.Path)}
	out[fileReads], out[fileEdits] = screen.NumberCell(f.Reads, paint.InkText), screen.NumberCell(f.Edits, paint.InkText)
	out[fileLines] = screen.Cell{Text: cmp.Or(f.Lines(), human.Zero), Ink: paint.InkDim}
	out[fileErrors] = screen.NumberCell(f.Errors, paint.InkError)
	out[fileTokens] = screen.Cell{Text: human.NotSaid, Ink: paint.InkDim}
	if f.Tokens != nil {
		out[fileTokens] = sizeCell(*f.Tokens)
	}
	out[fileFirst] = screen.Cell{Text: cmp.Or(paint.PlaceOf(f.First), "agent"), Ink: paint.InkDim}
	out[fileLast] = screen.Cell{Text: cmp.Or(paint.PlaceOf(f.Last), "agent"), Ink: paint.InkDim}
}

func (p *Files) compare(col, i, j int) int {
	a, b := &p.files[i], &p.files[j]
	switch col {
	case fileName:
		return strings.Compare(a.Path, b.Path)
	case fileReads:
		return cmp.Or(a.Reads-b.Reads, a.Edits-b.Edits)
	case fileEdits:
		return cmp.Or(a.Edits-b.Edits, a.Reads-b.Reads)
	case fileLines:
		return a.Added + a.Removed - b.Added - b.Removed
	case fileErrors:
		return a.Errors - b.Errors
	case fileFirst:
		return a.First - b.First
	case fileLast:
		return a.Last - b.Last
	}
	if a.Tokens == nil || b.Tokens == nil {
		return len(a.Rows) - len(b.Rows)
	}
	return cmp.Compare(*a.Tokens, *b.Tokens)
}

// Render draws the files, or the calls of one.
func (p *Files) Render(w, h int, full, focus bool) []string {
	if p.calls != nil {
		return p.calls.render(w, h, focus)
	}
	st, scope := p.h.Styles, ""
	if p.h.Narrowed() {
		scope = p.h.ScopeWord()
	}
	text := ""
	switch {
	case p.err != nil:
		text = " " + paint.OneLine(p.err.Error())
	case p.job != nil && len(p.files) == 0 || p.of == nil:
		text = " gathering …"
	case len(p.files) == 0:
		text = " no call names a file that it reads or edits"
	}
	out := []string{paneTitle(p.h, w, focus, "Files", (&summary.FilesAnswer{Files: p.files}).Headline(), p.Table.SortName(), scope)}
	if text != "" {
		return append(out, st.Line(w, paint.GroundNone, paint.Span{Text: text, Ink: paint.InkDim}))
	}
	return append(out, p.Table.Render(st, w, h-1, focus)...)
}

// Key moves, sorts, enters a file or makes a filter of it.
func (p *Files) Key(key string, n int) (bool, tea.Cmd) {
	if p.calls != nil {
		if ok, cmd := screen.Pressed(p.LeaveKeys(), key, n); ok {
			return true, cmd
		}
		ok, cmd := p.calls.key(key, n)
		return ok, tea.Batch(cmd, p.calls.fetch())
	}
	if handled, cmd := screen.Pressed(p.Keys(), key, n); handled {
		return true, cmd
	}
	return p.Table.Key(p.h, key, n)
}

// Keys are those that only this pane takes.
func (p *Files) Keys() []screen.Key {
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "its calls", Help: "the calls of the file", Do: p.enter},
		{Keys: []string{"+"}, Hint: "only these", Help: "only calls of the file", Do: p.like},
		{Keys: []string{"-"}, Hint: "without these", Help: "without calls of the file", Do: p.like},
		{Keys: []string{"x"}, Hint: "export this table", Help: "export the table", Do: func(int, string) tea.Cmd { return p.h.Ask(p.Table.Export("files")) }},
	}
}

// LeaveKeys lead from the calls of a file back to the files.
func (p *Files) LeaveKeys() []screen.Key {
	return []screen.Key{{Keys: []string{"h", "left", "esc", "q"}, Help: "back to the files", Do: func(int, string) tea.Cmd { p.calls = nil; return nil }}}
}

func (p *Files) like(_ int, key string) tea.Cmd {
	row := p.Table.Row()
	if row < 0 {
		return screen.NoRow(p.h)
	}
	return p.h.Ask(screen.AddTerm{Term: "file:" + lang.Quote(p.files[row].Path), Negate: key == "-"})
}

func (p *Files) enter(int, string) tea.Cmd {
	row := p.Table.Row()
	if row < 0 {
		return screen.NoRow(p.h)
	}
	t := asTool(&p.files[row])
	p.calls = newCallsView(p.h, &t)
	p.calls.of = "Files"
	p.calls.Table.SortBy, p.calls.Table.Desc = callIndex, false
	return p.calls.Table.Sort(-1)
}

// Hints are the keys of the pane.
func (p *Files) Hints() []screen.Hint {
	if p.calls != nil {
		return screen.TableHints(&p.calls.Table, p.calls.Keys())
	}
	return append(screen.TableHints(&p.Table, p.Keys()), screen.Hint{Key: "=", Text: "scope"})
}

// Click selects a row or sorts; a double click enters.
func (p *Files) Click(x, y int, double bool) tea.Cmd {
	t := &p.Table
	if p.calls != nil {
		t = &p.calls.Table
	}
	hit, cmd := t.Click(x, y-1)
	if hit && double {
		_, cmd = p.Key("enter", 0)
	}
	return cmd
}

// Wheel scrolls.
func (p *Files) Wheel(n int) {
	if p.calls != nil {
		p.calls.Table.Scroll(n)
		return
	}
	p.Table.Scroll(n)
}
