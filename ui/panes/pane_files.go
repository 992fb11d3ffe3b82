package panes

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/answer"
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

// newFiles makes the files pane.
func newFiles(h *screen.Host, l timeline) *Files {
	p := &Files{l: l, call: screen.NoCall}
	p.drill = drill{h: h, row: "file", rows: "files", name: func(row int) string { return p.rows[row].Path }, open: p.enter}
	p.Table = screen.Table{SortBy: -1, Group: p.folder}
	screen.Describe(&p.Table, p.columns(), func(row int) *fileRow { return &p.rows[row] })
	fill := p.Table.Cells
	p.Table.Cells = func(row int, out []screen.Cell) {
		if fill(row, out); p.rows[row].change != nil && p.Table.SortBy < 0 {
			out[0].Lead.Text = "  " // below its folder
		}
	}
	return p
}

// columns returns those of the net changes, then those of the calls.
func (p *Files) columns() []answer.Column[*fileRow] {
	net := answer.On(answer.Pick(changes.Columns(), "file", "status", "state", "lines"), func(r *fileRow) *changes.Change { return r.change })
	calls := answer.On(answer.Pick(summary.FileColumns(), "file", "lines", "edits", "reads", "errors", "tokens", "first", "last"),
		func(r *fileRow) *summary.FileStats { return &r.FileStats })
	file, lines := &net[0], &net[3]
	changedFile, changedLines := file.Cell, lines.Cell
	lines.Head = "net +/−"
	file.Order, lines.Order = calls[0].Order, answer.By((*fileRow).netLines)
	file.Cell = func(r *fileRow) answer.Cell {
		if r.change == nil {
			return answer.Cell{Text: changes.PathWord(r.Path)}
		}
		c := changedFile(r)
		if p.Table.SortBy >= 0 { // without folders
			c.Text = changes.PathWord(r.change.Path)
		}
		return c
	}
	lines.Cell = func(r *fileRow) answer.Cell {
		if r.change == nil {
			return calls[1].Cell(r)
		}
		return changedLines(r)
	}
	return append(net, calls[2:]...)
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

// netLines returns the number of changed lines, for sorting.
func (f *fileRow) netLines() int {
	if f.change != nil {
		return f.change.Added + f.change.Removed
	}
	return f.Added + f.Removed
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
	hint, calls := "diff", "calls"
	if row := p.Table.Row(); row >= 0 && row < len(p.rows) && p.rows[row].change == nil {
		hint, calls = calls, "" // both keys list the calls
	}
	return []screen.Key{
		{Keys: []string{"enter", "l", "right"}, Hint: hint, Help: "open the net change of the file, or its calls if the agent only read it", Do: p.Table.OnRow(p.h, func(row int, _ string) tea.Cmd { return p.openDiff(row) })},
		{Keys: []string{"c"}, Hint: calls, Help: "the calls of the file", Do: p.Table.OnRow(p.h, func(row int, _ string) tea.Cmd { return p.enter(row) })},
	}
}

// callKeys returns the keys of a file's calls that the calls of a tool lack.
func (p *Files) callKeys() []screen.Key {
	table := &screen.Table{}
	if p.Calls != nil {
		table = &p.Calls.Table
	}
	hint := "diff"
	if row := table.Row(); row >= 0 && p.changedBy(p.Calls.Rows[row].ID) < 0 {
		hint = "jump"
	}
	return []screen.Key{{Keys: []string{"enter", "l", "right"}, Hint: hint, Help: "open the diff of the call, or jump to a call without a diff", Do: table.OnRow(p.h, p.openCall)}}
}

// CallKeys returns the keys of a file's calls.
func (p *Files) CallKeys() []screen.Key { return append(p.callKeys(), (&Calls{}).Keys()[1:]...) }

// openCall shows what a call changed in the file.
func (p *Files) openCall(row int, key string) tea.Cmd {
	id := p.Calls.Rows[row].ID
	i := p.changedBy(id)
	if i < 0 {
		return p.Calls.enter(row, key)
	}
	calls := p.Calls
	opened := p.openDiff(i)
	p.Calls = calls // leaving the diff returns to the calls
	for at, step := range p.diff.steps {
		if p.rows[i].change.File.Versions[step].Call == id {
			p.diff.at, p.diff.last = at, true
		}
	}
	return tea.Batch(opened, p.diff.start())
}

// changedBy returns the row of the file that a listed call changed, -1 if it changed none.
func (p *Files) changedBy(id model.CallID) int {
	return slices.IndexFunc(p.rows, func(r fileRow) bool {
		return r.change != nil && r.change.Path == p.Calls.path && r.change.Has(id)
	})
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
	p.Calls = newCallsView(p.h, ofFiles, &t)
	if c := p.rows[row].change; c != nil {
		p.Calls.path = c.Path
	}
	p.Calls.Table.SortBy, p.Calls.Table.Desc = p.Calls.Table.Column("index"), false
	return p.Calls.Table.Sort(-1)
}
