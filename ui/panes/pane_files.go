package panes

import (
	"cmp"
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query/human"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

var _ interface {
	screen.Opener
	screen.Messenger
} = (*Files)(nil)

// Files are the files that the run read and edited, and the calls of one of them. They are gathered
// when somebody looks at the pane, since that reads the arguments of all calls.
type Files struct {
	drill
	files  []summary.FileStats  // as numbered in table
	of     *summary.ToolsAnswer // the answer for whose calls they were gathered
	wanted bool                 // somebody looks
	job    *screen.Job[*summary.FilesAnswer]
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

// newFiles is the pane of files.
func newFiles(h *screen.Host) *Files {
	p := &Files{}
	p.drill = drill{h: h, row: "file", rows: "files", name: func(row int) string { return p.files[row].Path }, open: p.enter}
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
	return screen.StartJob(h.Ctx, &p.job, func(ctx context.Context, _ func(done, total int64)) (*summary.FilesAnswer, error) {
		return summary.Files(ctx, sel, tokens)
	})
}

// Message takes what was gathered.
func (p *Files) Message(msg tea.Msg) tea.Cmd {
	p.drill.Message(msg)
	done, cmd := p.job.Message(msg)
	if done == nil {
		return cmd
	}
	if p.job, p.err = nil, done.Err; p.err != nil {
		return nil
	}
	name := p.named()
	p.files = done.Answer.Files
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
	return [...]int{
		fileName:   strings.Compare(a.Path, b.Path),
		fileReads:  cmp.Or(a.Reads-b.Reads, a.Edits-b.Edits),
		fileEdits:  cmp.Or(a.Edits-b.Edits, a.Reads-b.Reads),
		fileLines:  a.Added + a.Removed - b.Added - b.Removed,
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

func (p *Files) enter(row int) tea.Cmd {
	t := asTool(&p.files[row])
	p.Calls = newCallsView(p.h, &t)
	p.Calls.of = ofFiles
	p.Calls.Table.Cols[callOutcome].Drop = 0 // + and − are what one looks for
	p.Calls.Table.SortBy, p.Calls.Table.Desc = callIndex, false
	return p.Calls.Table.Sort(-1)
}
