package panes

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/changes"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/summary"
	"turns/ui/paint"
	"turns/ui/screen"
)

var _ interface {
	screen.Opener
	screen.Messenger
} = (*Files)(nil)

// Files is the tree of the files changed by the session, then those only read, with the net change
// and the calls of each file. The pane computes them when it opens, because that reads the
// arguments of all calls.
type Files struct {
	drill
	l       timeline
	rows    []fileRow // as numbered in the table
	folders map[string]folderHead
	net     *changes.Answer      // of all files
	using   sync.Mutex           // guards net
	of      *summary.ToolsAnswer // the answer with the calls they were computed from
	wanted  bool                 // the pane was opened
	full    bool                 // the pane fills the middle
	job     *screen.Job[filesFound]
	err     error
	diff    *fileDiff    // displayed net change; nil: none
	call    model.CallID // call whose file to open; NoCall: none
}

// fileRow is a file: the calls that read and changed it, and its net change.
type fileRow struct {
	summary.FileStats
	change *changes.Change // nil: only read
}

// filesFound is the computed answer.
type filesFound struct {
	files *summary.FilesAnswer
	net   *changes.Answer
}

// Columns of the files.
const (
	fileName = iota
	fileState
	fileLines
	fileEdits
	fileReads
	fileErrors
	fileTokens
	fileFirst
	fileLast
)

// newFiles makes the files pane.
func newFiles(h *screen.Host, l timeline) *Files {
	p := &Files{l: l, call: screen.NoCall}
	p.drill = drill{h: h, row: "file", rows: "files", name: func(row int) string { return p.rows[row].Path }, open: p.enter}
	p.Table = screen.Table{SortBy: -1, Cells: p.cells, Cmp: p.compare, Group: p.folder, Cols: []screen.Column{
		fileName:   {Name: "file", Head: "file", Width: 20, Flex: 3, Asc: true, Paths: true},
		fileState:  {Name: "state", Head: "state", Width: 8, Flex: 2, Gap: 1, Asc: true},
		fileLines:  {Name: "lines", Head: "net +/−", Width: 9, Right: true, Gap: 1},
		fileEdits:  {Name: "edits", Head: "edits", Width: 5, Right: true, Gap: 1, Drop: 1},
		fileReads:  {Name: "reads", Head: "reads", Width: 5, Right: true, Gap: 1, Drop: 4},
		fileErrors: {Name: "errors", Head: "err", Width: 3, Right: true, Gap: 1, Drop: 3},
		fileTokens: {Name: "tokens", Head: "tok", Width: 5, Right: true, Gap: 1, Drop: 2},
		fileFirst:  {Name: "first", Head: "first", Width: 6, Right: true, Gap: 2, Asc: true, Drop: 5},
		fileLast:   {Name: "last", Head: "last", Width: 6, Right: true, Gap: 1, Drop: 4},
	}}
	return p
}

// Name returns the name of the pane.
func (p *Files) Name() string { return "files" }

// Opened lets Refresh compute the files.
func (p *Files) Opened() { p.wanted = true }

// Refresh recomputes the files after a change of the calls in scope.
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

// Message stores computed results.
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
	p.take(done.Answer)
	cmd = p.reset(len(p.rows), name)
	if p.Calls != nil {
		list := make([]summary.ToolStats, len(p.rows))
		for i := range p.rows {
			list[i] = asTool(&p.rows[i].FileStats)
		}
		cmd = tea.Batch(cmd, p.Calls.refresh(list))
	}
	return tea.Batch(cmd, p.openWanted())
}

// take arranges the files as a tree: changed files by folder, then files that were only read.
func (p *Files) take(found filesFound) {
	p.net, p.rows, p.folders = found.net, p.rows[:0], map[string]folderHead{}
	all := found.files.Files
	used := make([]bool, len(all))
	for _, folder := range found.net.Folders() {
		name := strings.TrimSuffix(folder.Path, "/") + "/"
		if folder.Path == "." {
			name = "./"
		}
		p.folders[folder.Path] = folderHead{paint.OneLine(name), titleGap + changes.PlusMinus(folder.Added, folder.Removed)}
		for _, c := range folder.Files {
			row := fileRow{FileStats: summary.FileStats{Path: c.Path, Edits: c.Edits, First: c.First, Last: c.Last}, change: c}
			if i := slices.IndexFunc(all, func(f summary.FileStats) bool { return found.net.Of(f.Path) == c }); i >= 0 {
				row.FileStats, used[i] = all[i], true
			}
			p.rows = append(p.rows, row)
		}
	}
	for i := range all {
		if !used[i] {
			p.rows = append(p.rows, fileRow{FileStats: all[i]})
		}
	}
}

// folderHead is the heading of a folder: its name and its net lines.
type folderHead struct{ name, lines string }

// folder returns the heading of a file's folder.
func (p *Files) folder(row int) string {
	if c := p.rows[row].change; c != nil {
		head := p.folders[path.Dir(c.Path)]
		return describe.ShortenPath(head.name, max(p.Table.Laid-1-paint.Width(head.lines), 8)) + head.lines
	}
	return "read, not changed"
}

// asTool presents a file as a tool to the list of calls.
func asTool(f *summary.FileStats) summary.ToolStats {
	return summary.ToolStats{Name: f.Path, Rows: f.Rows, Calls: len(f.Rows), Errors: f.Errors}
}

func (p *Files) cells(row int, out []screen.Cell) {
	f := &p.rows[row]
	name := changes.PathWord(f.Path)
	out[fileReads], out[fileEdits] = screen.NumberCell(f.Reads, paint.InkText), screen.NumberCell(f.Edits, paint.InkText)
	out[fileLines] = screen.Cell{Text: cmp.Or(f.Lines(), human.Zero), Ink: paint.InkDim}
	if c := f.change; c != nil {
		name = changes.PathWord(c.Path)
		if p.Table.SortBy < 0 {
			name = "  " + path.Base(name)
		}
		if c.From != "" {
			name += " ← " + paint.OneLine(path.Base(string(c.From)))
		}
		added, removed, _ := strings.Cut(changes.PlusMinus(c.Added, c.Removed), " ")
		room := p.Table.WidthOf(fileLines)
		out[fileLines] = screen.Cell{Text: added + " " + removed, Parts: []paint.Span{
			{Text: paint.Blanks(max(room-paint.Width(added+removed)-1, 0))}, {Text: added, Ink: paint.InkAdd}, {Text: " "}, {Text: removed, Ink: paint.InkDel},
		}}
		out[fileState] = screen.Cell{Text: c.Status.Letter() + " " + stateWord(c, p.Table.WidthOf(fileState)-2), Ink: paint.InkDim}
		if c.State == changes.Broken {
			out[fileState].Ink = paint.InkError
		}
	}
	out[fileName] = screen.Cell{Text: name}
	out[fileErrors] = screen.NumberCell(f.Errors, paint.InkError)
	out[fileTokens] = screen.Cell{Text: human.NotSaid, Ink: paint.InkDim}
	if f.Tokens != nil {
		out[fileTokens] = sizeCell(*f.Tokens)
	}
	out[fileFirst] = screen.Cell{Text: cmp.Or(paint.PlaceOf(int(f.First)), "agent"), Ink: paint.InkDim}
	out[fileLast] = screen.Cell{Text: cmp.Or(paint.PlaceOf(int(f.Last)), "agent"), Ink: paint.InkDim}
}

// stateWord describes the state of a file in w cells.
func stateWord(c *changes.Change, w int) string {
	said := c.Words()
	if n := len(c.Breaks); n > 0 && paint.Width(said) > w {
		b := &c.Breaks[n-1]
		said = c.State.String() + " " + paint.PlaceOf(int(b.After)) + " … " + paint.PlaceOf(int(b.Before))
	}
	if paint.Width(said) > w {
		return c.State.String()
	}
	return said
}

// netLines returns the number of changed lines, for sorting.
func (f *fileRow) netLines() int {
	if f.change != nil {
		return f.change.Added + f.change.Removed
	}
	return f.Added + f.Removed
}

// rank returns a number for the state of a file, for sorting.
func (f *fileRow) rank() int {
	if f.change != nil {
		return 1 + int(f.change.State)
	}
	return 0
}

func (p *Files) compare(col, i, j int) int {
	a, b := &p.rows[i], &p.rows[j]
	tokens := len(a.Rows) - len(b.Rows)
	if a.Tokens != nil && b.Tokens != nil {
		tokens = cmp.Compare(*a.Tokens, *b.Tokens)
	}
	return [...]int{
		fileName:   strings.Compare(a.Path, b.Path),
		fileReads:  cmp.Or(a.Reads-b.Reads, a.Edits-b.Edits),
		fileEdits:  cmp.Or(a.Edits-b.Edits, a.Reads-b.Reads),
		fileLines:  a.netLines() - b.netLines(),
		fileState:  b.rank() - a.rank(),
		fileErrors: a.Errors - b.Errors,
		fileTokens: tokens,
		fileFirst:  int(a.First - b.First),
		fileLast:   int(a.Last - b.Last),
	}[col]
}

// headline summarises the tree.
func (p *Files) headline() string {
	if p.net == nil {
		return ""
	}
	s := p.net.Headline()
	if n := len(p.rows) - len(p.net.Files); n > 0 {
		s += "   " + human.Count(n) + " only read"
	}
	return s
}

// Render draws the files, or the calls of one.
func (p *Files) Render(w, h int, full, focus bool) []string {
	p.full = full
	if p.diff != nil {
		return p.diff.render(w, h, focus)
	}
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
	case p.job != nil && len(p.rows) == 0 || p.of == nil:
		text = " gathering …"
	case len(p.rows) == 0:
		text = " no call names a file that it reads or edits"
	}
	order := ""
	if p.Table.SortBy >= 0 {
		order = p.Table.SortName()
	}
	out := []string{paneTitle(p.h, w, focus, "Changes", p.headline(), order, scope)}
	if text != "" {
		return append(out, st.Line(w, paint.GroundNone, paint.Span{Text: text, Ink: paint.InkDim}))
	}
	return append(out, p.Table.Render(st, w, h-1, focus)...)
}

// Key scrolls the net change of a file, opens it, or lists the calls.
func (p *Files) Key(key string, n int) (bool, tea.Cmd) {
	if p.diff != nil {
		return p.diff.key(key, n, p.leaveDiff)
	}
	if p.Calls != nil {
		if ok, cmd := screen.Pressed(p.callKeys(), key, n); ok {
			return true, cmd
		}
	}
	if p.Calls == nil {
		if ok, cmd := screen.Pressed(p.ownKeys(), key, n); ok {
			return true, cmd
		}
	}
	return p.drill.Key(key, n)
}

// ownKeys returns the keys of the file list that other drill tables lack.
func (p *Files) ownKeys() []screen.Key {
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: "diff", Help: "open the net change of the file, or its calls if the agent only read it", Do: p.Table.OnRow(p.h, func(row int, _ string) tea.Cmd { return p.openDiff(row) })},
		{Keys: []string{"c"}, Hint: "calls", Help: "the calls of the file", Do: p.Table.OnRow(p.h, func(row int, _ string) tea.Cmd { return p.enter(row) })},
	}
}

// callKeys returns the keys of a file's calls that the calls of a tool lack.
func (p *Files) callKeys() []screen.Key {
	table := &screen.Table{}
	if p.Calls != nil {
		table = &p.Calls.Table
	}
	return []screen.Key{{Keys: []string{"enter", "l", "right"}, Hint: "diff", Help: "open the diff of the call, or jump to a call without a diff", Do: table.OnRow(p.h, p.openCall)}}
}

// CallKeys returns the keys of a file's calls.
func (p *Files) CallKeys() []screen.Key { return append(p.callKeys(), (&Calls{}).Keys()[1:]...) }

// openCall shows what a call changed in the file.
func (p *Files) openCall(row int, key string) tea.Cmd {
	id := p.Calls.Rows[row]
	for i := range p.rows {
		c := p.rows[i].change
		if c == nil || c.Path != p.Calls.path || !c.Has(id) {
			continue
		}
		calls := p.Calls
		opened := p.openDiff(i)
		p.Calls = calls // leaving the diff returns to the calls
		for at, step := range p.diff.steps {
			if c.File.Versions[step].Call == id {
				p.diff.at, p.diff.last = at, true
			}
		}
		return tea.Batch(opened, p.diff.start())
	}
	return p.Calls.enter(row, key)
}

// Keys returns the keys of this pane only.
func (p *Files) Keys() []screen.Key { return append(p.ownKeys(), p.drill.Keys()[1:]...) }

// DiffKeys returns the keys of the net change of a file.
func (p *Files) DiffKeys() []screen.Key {
	d := p.diff
	if d == nil {
		d = &fileDiff{viewer: newViewer(p.h, p.l, "this diff")}
	}
	return d.keys(p.leaveDiff)
}

// leaveDiff returns to the tree and restores its width.
func (p *Files) leaveDiff(int, string) tea.Cmd {
	wide := p.diff.wide
	p.diff.job.Stop()
	p.diff = nil
	return p.h.Ask(screen.FillMiddle{On: wide})
}

// Hints returns the keys of the pane.
func (p *Files) Hints() []screen.Hint {
	switch {
	case p.diff != nil:
		return screen.HintsOf(p.DiffKeys())
	case p.Calls != nil:
		return append(screen.HintsOf(p.callKeys()), p.drill.Hints()[1:]...)
	}
	return append(screen.TableHints(&p.Table, p.Keys()), screen.Hint{Key: "=", Text: "scope"})
}

// Click selects a row or sorts; a double click enters.
func (p *Files) Click(x, y int, double bool) tea.Cmd {
	if p.diff != nil {
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
	if p.diff != nil {
		p.diff.Wheel(n)
		return
	}
	p.drill.Wheel(n)
}

// openDiff shows the net change of a file in the full width.
func (p *Files) openDiff(row int) tea.Cmd {
	c := p.rows[row].change
	if c == nil {
		return p.enter(row)
	}
	p.Calls = nil
	p.diff = newFileDiff(p, c)
	p.diff.wide = p.full
	return tea.Batch(p.h.Ask(screen.FillMiddle{On: true}), p.diff.start())
}

// ShowCall opens the net change of the file that a call edits, once the files are computed.
func (p *Files) ShowCall(id model.CallID) tea.Cmd {
	p.call = id
	if p.job != nil || p.net == nil {
		return nil
	}
	return p.openWanted()
}

// openWanted opens the file of ShowCall.
func (p *Files) openWanted() tea.Cmd {
	if p.call == screen.NoCall {
		return nil
	}
	id := p.call
	p.call = screen.NoCall
	for row := range p.rows {
		if c := p.rows[row].change; c != nil && c.Has(id) {
			p.Table.SelectRow(row)
			return p.openDiff(row)
		}
	}
	return p.h.Complain("this row changes no file")
}

func (p *Files) enter(row int) tea.Cmd {
	t := asTool(&p.rows[row].FileStats)
	p.Calls = newCallsView(p.h, &t)
	p.Calls.of = ofFiles
	if c := p.rows[row].change; c != nil {
		p.Calls.path = c.Path
	}
	p.Calls.Table.Cols[callOutcome].Drop = 0 // + and − matter most
	p.Calls.Table.SortBy, p.Calls.Table.Desc = callIndex, false
	return p.Calls.Table.Sort(-1)
}
