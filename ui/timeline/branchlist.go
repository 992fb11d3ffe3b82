package timeline

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/human"
	"turns/ui/paint"
	"turns/ui/screen"
)

// branch is an abandoned branch of a session: its own messages, after those shared with the live
// branch.
type branch struct {
	session uint32     // its session in the file
	rows    []model.ID // its own messages
	from    *branch    // abandoned branch that it leaves; nil: the live one
	shared  int        // number of rows of from that it shares
	upTo    int        // position of the last shared live message; -1: none
	has     map[model.ID]bool
}

// branchesOf finds the abandoned branches of a session, in the order of their beginnings. A message
// continues the branch of its parent; if that branch already continues differently, and the message
// is not the result of a call, it begins another branch.
func branchesOf(s *model.Snapshot, session uint32) []*branch {
	var all []*branch
	of := map[model.ID]*branch{}
	place := map[model.ID]int{} // index in the rows of its branch
	var run *branch             // branch of the previous row, for formats that record no parents
	for n := range s.Rows() {
		id := s.Row(n)
		h := s.HeadRow(id)
		if h.Op != model.Say || !inMain(s, h, session) {
			continue
		}
		if h.Flags&(model.OffBranch|model.Rewound) == 0 {
			run = nil
			continue
		}
		parent := h.Parent
		b := of[parent]
		switch {
		case b != nil && h.Flags&model.HasResults == 0 && place[parent] < len(b.rows)-1 && !onlyResults(s, b.rows[place[parent]+1:]):
			b = &branch{session: session, from: b, shared: place[parent] + 1, upTo: b.upTo}
			all = append(all, b)
		case b == nil && run != nil && (h.Parent == model.NoID || h.Flags&model.HasResults != 0 || !isLiveMessage(s, parent)):
			b = run
		case b == nil:
			b = &branch{session: session, upTo: -1}
			if h.Parent != model.NoID && isLiveMessage(s, parent) {
				b.upTo = s.Pos(parent)
			}
			if b.upTo < 0 {
				b.upTo = liveBefore(s, n, session)
			}
			all = append(all, b)
		}
		of[id], place[id], run = b, len(b.rows), b
		b.rows = append(b.rows, id)
	}
	for _, b := range all {
		b.has = map[model.ID]bool{}
		most := len(b.rows)
		for f := b; f != nil; f, most = f.from, f.shared {
			for _, id := range f.rows[:most] {
				b.has[id] = true
			}
		}
	}
	return all
}

// onlyResults reports whether rows are only results of calls: parallel calls have several results,
// which are not branches.
func onlyResults(s *model.Snapshot, rows []model.ID) bool {
	return !slices.ContainsFunc(rows, func(id model.ID) bool { return s.HeadRow(id).Flags&model.HasResults == 0 })
}

// isLiveMessage reports whether a row is a message of the live branch.
func isLiveMessage(s *model.Snapshot, id model.ID) bool {
	h := s.HeadRow(id)
	return h.Op == model.Say && h.Flags&(model.OffBranch|model.Rewound) == 0
}

// inMain reports whether a message is in the main thread of a session.
func inMain(s *model.Snapshot, h *model.Head, session uint32) bool {
	threads := s.Threads()
	if int(h.Thread) >= len(threads) {
		return session == 0
	}
	return threads[h.Thread].Main && threads[h.Thread].Session == session
}

// liveBefore returns the position of the last live message of a session before a row, -1 for none.
func liveBefore(s *model.Snapshot, row int, session uint32) int {
	for n := row - 1; n >= 0; n-- {
		if id := s.Row(n); isLiveMessage(s, id) && s.Pos(id) >= 0 && inMain(s, s.HeadRow(id), session) {
			return s.Pos(id)
		}
	}
	return -1
}

// shows reports whether a message is on the branch. Messages of other sessions in the file always
// are.
func (b *branch) shows(s *model.Snapshot, id model.ID, h *model.Head) bool {
	if h.Flags&(model.OffBranch|model.Rewound) != 0 {
		return b.has[id]
	}
	return s.Pos(id) <= b.upTo || !inMain(s, h, b.session)
}

// BranchList is the dialog to select a branch.
type BranchList struct {
	l       *List
	session uint32 // session of the cursor
	name    string // its name, if the file contains several
	All     []*branch
	Live    []model.ID // messages of its live branch
	table   screen.Table
}

// Columns of the branches. The first row is the live branch, the last one all of them.
const (
	branchMark = iota
	branchPrompt
	branchTime
	branchFork
	branchSize
)

func newBranchList(l *List) *BranchList {
	p := &BranchList{l: l}
	s := l.h.Snap
	if id, _ := l.Selected(); id != model.NoID {
		if t := l.Thread(s.HeadRow(id).Thread); t != nil {
			p.session = t.Session
		}
		if len(s.Sessions()) > 1 {
			p.name = l.sessionWord(id)
		}
	}
	p.All = branchesOf(s, p.session)
	for n := range s.Len() {
		if id := s.At(n); isLiveMessage(s, id) && inMain(s, s.HeadRow(id), p.session) {
			p.Live = append(p.Live, id)
		}
	}
	p.table = screen.Table{SortBy: -1, N: len(p.All) + 2, Cells: p.cells, Cols: []screen.Column{
		branchMark:   {Head: "", Width: 1},
		branchPrompt: {Head: "begins with", Width: 16, Gap: 1, Flex: 1},
		branchTime:   {Head: "time", Width: 19, Gap: 2, Drop: 1},
		branchFork:   {Head: "leaves at", Width: 9, Gap: 2, Right: true, Drop: 2},
		branchSize:   {Head: "messages", Width: 8, Gap: 2, Right: true},
	}}
	switch {
	case l.branches:
		p.table.Cur = p.table.N - 1
	case l.chosen != nil:
		for i, b := range p.All {
			if len(b.rows) > 0 && l.chosen.rows[0] == b.rows[0] {
				p.table.Cur = i + 1
			}
		}
	}
	return p
}

func (p *BranchList) cells(row int, out []screen.Cell) {
	l, s := p.l, p.l.h.Snap
	live := (l.chosen == nil || l.chosen.session != p.session) && !l.branches
	shown := live && row == 0 || l.branches && row == p.table.N-1 || row > 0 && row <= len(p.All) && l.chosen != nil && l.chosen.rows[0] == p.All[row-1].rows[0]
	if shown {
		out[branchMark] = screen.Cell{Text: "●", Ink: paint.InkAccent}
	}
	switch {
	case row == 0:
		from := s.Len() // where the first abandoned branch leaves it
		for _, b := range p.All {
			from = min(from, b.upTo)
		}
		after := slices.DeleteFunc(slices.Clone(p.Live), func(id model.ID) bool { return s.Pos(id) <= from })
		out[branchPrompt] = screen.Cell{Text: p.prompt(after[:min(len(after), 64)]), Lead: paint.Span{Text: "live  ", Ink: paint.InkOK}}
		if len(after) > 0 {
			out[branchTime] = p.time(after[0])
		}
		out[branchSize] = screen.Cell{Text: human.Count(len(p.Live))}
	case row == p.table.N-1:
		out[branchPrompt] = screen.Cell{Text: "all of them, one after another", Ink: paint.InkDim}
	default:
		b := p.All[row-1]
		out[branchPrompt] = screen.Cell{Text: p.prompt(b.rows)}
		if s.HeadRow(b.rows[0]).Flags&model.Rewound != 0 {
			out[branchPrompt].Lead = paint.Span{Text: "rewound  ", Ink: paint.InkWarning}
		}
		out[branchTime] = p.time(b.rows[0])
		out[branchFork] = screen.Cell{Text: human.Place(b.upTo), Ink: paint.InkDim}
		out[branchSize] = screen.Cell{Text: human.Count(len(b.rows))}
	}
}

// prompt returns the text of the first prompt among messages, otherwise of the first message.
func (p *BranchList) prompt(ids []model.ID) string {
	if len(ids) == 0 {
		return ""
	}
	prompt := slices.IndexFunc(ids, func(id model.ID) bool {
		h := p.l.h.Snap.HeadRow(id)
		return h.Role == model.User && h.Flags&(model.HasResults|model.Injected) == 0
	})
	return p.l.h.FirstText(ids[max(prompt, 0)])
}

func (p *BranchList) time(id model.ID) screen.Cell {
	return screen.Cell{Text: human.DayAndTime(p.l.h.Snap.HeadRow(id).Time, p.l.h.Zone), Ink: paint.InkDim}
}

// Group is empty: the dialog has only the keys of every table.
func (p *BranchList) Group() string { return "" }

// Key moves, or shows the branch of the row.
func (p *BranchList) Key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch name := screen.KeyName(msg); name {
	case "esc", "q", "B", "ctrl+c":
		return true, nil
	case "enter", "l", "right":
		return true, p.choose()
	default:
		if handled, cmd := p.table.Key(p.l.h, name, 0); handled {
			return false, cmd
		}
		p.l.h.Complain(p.l.h.Key(name) + " does nothing here: " + p.l.h.Key("enter") + " shows the branch")
	}
	return false, nil
}

func (p *BranchList) choose() tea.Cmd {
	switch row := p.table.Row(); {
	case row == 0:
		return p.l.showBranch(nil, false, "the live branch")
	case row == p.table.N-1:
		return p.l.showBranch(nil, true, "all branches")
	default:
		return p.l.showBranch(p.All[row-1], false, "not the live branch: "+p.l.h.Key("B")+" chooses")
	}
}

// Click selects a row; a double click shows its branch.
func (p *BranchList) Click(x, y int, double bool) (done bool, cmd tea.Cmd) {
	hit, cmd := p.table.Click(x-2, y-1)
	if hit && double {
		return true, p.choose()
	}
	return false, cmd
}

// Wheel scrolls by n rows.
func (p *BranchList) Wheel(n int) { p.table.Scroll(n) }

// Hints returns the keys of the dialog.
func (p *BranchList) Hints() []screen.Hint {
	return []screen.Hint{{Key: "⏎", Text: "show it"}, {Key: "j k", Text: "choose"}, {Key: "esc", Text: "close"}}
}

// Render draws the box.
func (p *BranchList) Render(w, h int) []string {
	bw := min(w, 100)
	if bw < 24 || h < 5 {
		return nil
	}
	st := p.l.h.Styles
	rows := p.table.Render(st, bw-4, min(p.table.N+1, h-2), true)
	title := "Branches"
	if p.name != "" {
		title += "   " + p.name
	}
	return paint.FrameBox(st, bw, title, "", rows)
}

// ChooseBranch opens the list of branches.
func (l *List) ChooseBranch() tea.Cmd {
	p := newBranchList(l)
	if len(p.All) == 0 {
		text := "no other branch in this conversation"
		if p.name != "" && l.branched() {
			text += ", but in others of the file"
		}
		return l.h.Complain(text)
	}
	if l.h.View.On {
		return l.h.Complain("a filter looks at the live branch: & switches it off")
	}
	return l.h.Ask(screen.Show{Dialog: p})
}

// showBranch shows one branch, nil for the live one, or with all the messages of all branches.
func (l *List) showBranch(b *branch, all bool, status string) tea.Cmd {
	row := l.RowOnScreen()
	l.chosen, l.branches = b, all
	l.Redraw()
	if b != nil { // to its first message
		l.CurKey = screen.RowKey{ID: b.rows[0]}
	}
	l.keepCursorAt(max(row, 3))
	l.h.ShowStatus(status)
	l.Moved()
	return nil
}

// offBranch reports whether a message is not on the shown branch.
func (l *List) offBranch(id model.ID, h *model.Head) bool {
	left := h.Flags&(model.OffBranch|model.Rewound) != 0
	switch {
	case l.branches:
		return false
	case l.chosen == nil || l.View().On:
		return left
	case left:
		return !l.chosen.has[id]
	}
	t := l.Thread(h.Thread)
	return (t == nil || t.Main) && !l.chosen.shows(l.h.Snap, id, h)
}
