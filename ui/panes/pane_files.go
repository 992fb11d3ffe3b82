package panes

import (
	"cmp"
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query/changes"
	"turns/query/human"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

var _ interface {
	screen.Opener
	screen.Messenger
} = (*Files)(nil)

// Files are the files that the session read and changed, the net change of one of them, and its
// calls. They are gathered when somebody looks at the pane, since that reads the arguments of all
// calls.
type Files struct {
	drill
	l       timeline
	files   []summary.FileStats  // as numbered in table
	changes []*changes.Change    // of them; nil for a file that was only read
	net     *changes.Answer      // of all
	of      *summary.ToolsAnswer // the answer for whose calls they were gathered
	wanted  bool                 // somebody looks
	job     *screen.Job[filesFound]
	err     error
	diff    *fileDiff // net change that is shown; nil: none
}

// filesFound is what was gathered.
type filesFound struct {
	files *summary.FilesAnswer
	net   *changes.Answer
}

// Columns of the files.
const (
	fileName = iota
	fileReads
	fileEdits
	fileLines
	fileState
	fileErrors
	fileTokens
	fileFirst
	fileLast
)

// newFiles is the pane of files.
func newFiles(h *screen.Host, l timeline) *Files {
	p := &Files{l: l}
	p.drill = drill{h: h, row: "file", rows: "files", name: func(row int) string { return p.files[row].Path }, open: p.enter}
	p.Table = screen.Table{SortBy: fileTokens, Desc: true, Cells: p.cells, Cmp: p.compare, Cols: []screen.Column{
		fileName:   {Name: "file", Head: "file", Width: 12, Flex: 3, Asc: true, Paths: true},
		fileReads:  {Name: "reads", Head: "reads", Width: 5, Right: true, Gap: 1},
		fileEdits:  {Name: "edits", Head: "edits", Width: 5, Right: true, Gap: 1},
		fileLines:  {Name: "lines", Head: "net +/−", Width: 9, Right: true, Gap: 1, Drop: 1},
		fileState:  {Name: "state", Head: "state", Width: 11, Gap: 2, Asc: true, Drop: 3},
		fileErrors: {Name: "errors", Head: "err", Width: 3, Right: true, Gap: 1, Drop: 2},
		fileTokens: {Name: "tokens", Head: "tok", Width: 5, Right: true, Gap: 1},
		fileFirst:  {Name: "first", Head: "first", Width: 6, Right: true, Gap: 2, Asc: true, Drop: 5},
		fileLast:   {Name: "last", Head: "last", Width: 6, Right: true, Gap: 1, Drop: 4},
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
	return screen.StartJob(h.Ctx, &p.job, func(ctx context.Context, _ func(done, total int64)) (found filesFound, err error) {
		if found.files, err = summary.Files(ctx, sel, tokens); err != nil {
			return found, err
		}
		history, err := changes.Of(ctx, sel.Snap, nil)
		if err == nil {
			found.net, err = history.Answer(ctx, sel)
		}
		return found, err
	})
}

// Message takes what was gathered.
func (p *Files) Message(msg tea.Msg) tea.Cmd {
	p.drill.Message(msg)
	if p.diff != nil {
		if cmd := p.diff.take(msg); cmd != nil {
			return cmd
		}
	}
	done, cmd := p.job.Message(msg)
	if done == nil {
		return cmd
	}
	if p.job, p.err = nil, done.Err; p.err != nil {
		return nil
	}
	name := p.named()
	p.files, p.net = done.Answer.files.Files, done.Answer.net
	p.changes = make([]*changes.Change, len(p.files))
	for i := range p.files {
		p.changes[i] = p.net.Of(p.files[i].Path)
	}
	cmd = p.reset(len(p.files), name)
	if p.Calls != nil {
		list := make([]summary.ToolStats, len(p.files))
		for i := range p.files {
			list[i] = asTool(&p.files[i])
		}
		cmd = tea.Batch(cmd, p.Calls.refresh(list))
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
	out[fileState] = screen.Cell{}
	if c := p.changes[row]; c != nil {
		out[fileLines].Text = changes.PlusMinus(c.Added, c.Removed)
		out[fileState] = screen.Cell{Text: c.Status.Letter() + " " + c.State.String(), Ink: paint.InkDim}
		if c.State == changes.Broken {
			out[fileState].Ink = paint.InkError
		}
	}
	out[fileErrors] = screen.NumberCell(f.Errors, paint.InkError)
	out[fileTokens] = screen.Cell{Text: human.NotSaid, Ink: paint.InkDim}
	if f.Tokens != nil {
		out[fileTokens] = sizeCell(*f.Tokens)
	}
	out[fileFirst] = screen.Cell{Text: cmp.Or(paint.PlaceOf(int(f.First)), "agent"), Ink: paint.InkDim}
	out[fileLast] = screen.Cell{Text: cmp.Or(paint.PlaceOf(int(f.Last)), "agent"), Ink: paint.InkDim}
}

func (p *Files) compare(col, i, j int) int {
	a, b := &p.files[i], &p.files[j]
	tokens := len(a.Rows) - len(b.Rows)
	if a.Tokens != nil && b.Tokens != nil {
		tokens = cmp.Compare(*a.Tokens, *b.Tokens)
	}
	net := func(row int) int {
		if c := p.changes[row]; c != nil {
			return c.Added + c.Removed
		}
		return p.files[row].Added + p.files[row].Removed
	}
	state := func(row int) int {
		if c := p.changes[row]; c != nil {
			return 1 + int(c.State)
		}
		return 0
	}
	return [...]int{
		fileName:   strings.Compare(a.Path, b.Path),
		fileReads:  cmp.Or(a.Reads-b.Reads, a.Edits-b.Edits),
		fileEdits:  cmp.Or(a.Edits-b.Edits, a.Reads-b.Reads),
		fileLines:  net(i) - net(j),
		fileState:  state(j) - state(i),
		fileErrors: a.Errors - b.Errors,
		fileTokens: tokens,
		fileFirst:  int(a.First - b.First),
		fileLast:   int(a.Last - b.Last),
	}[col]
}

// Render draws the files, or the calls of one.
func (p *Files) Render(w, h int, full, focus bool) []string {
	if p.Calls != nil {
		return p.Calls.render(w, h, focus)
	}
	if p.diff != nil {
		return p.diff.render(w, h, focus)
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

// Key scrolls the net change of a file, opens it, or lists the calls.
func (p *Files) Key(key string, n int) (bool, tea.Cmd) {
	if p.Calls == nil && p.diff != nil {
		if ok, cmd := p.diff.marking(key); ok {
			return true, cmd
		}
		return screen.Pressed(p.DiffKeys(), key, n)
	}
	if p.Calls == nil {
		if ok, cmd := screen.Pressed(p.ownKeys(), key, n); ok {
			return true, cmd
		}
	}
	return p.drill.Key(key, n)
}

// ownKeys are those of the list of files that other lists of calls do not have.
func (p *Files) ownKeys() []screen.Key {
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "diff", Help: "open the net change of the file, or the calls of a file that was only read", Do: p.Table.OnRow(p.h, func(row int, _ string) tea.Cmd { return p.openDiff(row) })},
		{Keys: []string{"c"}, Hint: "calls", Help: "the calls of the file", Do: p.Table.OnRow(p.h, func(row int, _ string) tea.Cmd { return p.enter(row) })},
	}
}

// Keys are those that only this pane takes.
func (p *Files) Keys() []screen.Key { return append(p.ownKeys(), p.drill.Keys()[1:]...) }

// DiffKeys are those of the net change of a file.
func (p *Files) DiffKeys() []screen.Key {
	back := func(int, string) tea.Cmd { p.diff = nil; return nil }
	d := p.diff
	if d == nil {
		d = &fileDiff{viewer: newViewer(p.h, p.l, "this diff")}
	}
	return append([]screen.Key{{Keys: []string{"h", "left", "esc", "q"}, Help: "back to the files", Do: back}}, d.scrollKeys()...)
}

// Hints are the keys of the pane.
func (p *Files) Hints() []screen.Hint {
	switch {
	case p.Calls != nil:
		return p.drill.Hints()
	case p.diff != nil:
		return screen.HintsOf(p.DiffKeys())
	}
	return append(screen.TableHints(&p.Table, p.Keys()), screen.Hint{Key: "=", Text: "scope"})
}

// Click selects a row or sorts; a double click enters.
func (p *Files) Click(x, y int, double bool) tea.Cmd {
	if p.Calls == nil && p.diff != nil {
		return nil
	}
	hit, cmd := p.shown().Click(x, y-1)
	if hit && double {
		_, cmd = p.Key("enter", 0)
	}
	return cmd
}

// Wheel scrolls.
func (p *Files) Wheel(n int) {
	if p.Calls == nil && p.diff != nil {
		p.diff.Wheel(n)
		return
	}
	p.drill.Wheel(n)
}

// openDiff shows the net change of a file.
func (p *Files) openDiff(row int) tea.Cmd {
	c := p.changes[row]
	if c == nil {
		return p.enter(row)
	}
	p.diff = &fileDiff{viewer: newViewer(p.h, p.l, "this diff"), change: c}
	return p.diff.start(p.net)
}

func (p *Files) enter(row int) tea.Cmd {
	t := asTool(&p.files[row])
	p.Calls = newCallsView(p.h, &t)
	p.Calls.of = ofFiles
	p.Calls.Table.Cols[callOutcome].Drop = 0 // + and − are what one looks for
	p.Calls.Table.SortBy, p.Calls.Table.Desc = callIndex, false
	return p.Calls.Table.Sort(-1)
}
