package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/ui/config"
	"turns/ui/paint"
	"turns/ui/panes"
	"turns/ui/screen"
	"turns/ui/timeline"
)

// stage arranges the timeline and the panes on the screen.
type stage struct {
	h     *screen.Host
	list  *timeline.List
	panes map[screen.PaneKind]screen.Pane

	lay   layout
	w, h0 int // size of the terminal
	sized bool
	// the pane next to or over the timeline; PaneNone: the tools and stats column, if open
	side    screen.PaneKind
	columns map[int]bool // width classes with an open tools and stats column
	full    bool         // the focused pane fills the middle
	// second reports whether the filter line needs a second line
	second func() bool
	cameTo *savedState // the restored place, until the reader moves
}

// resized lays the screen out again and keeps the cursor's row visible.
func (s *stage) resized() tea.Cmd {
	row := 0
	if s.h.Snap != nil { // another session may still be opening
		row = s.list.RowOnScreen()
	}
	s.arrange()
	if s.h.Snap != nil {
		s.list.Sync()
		if s.list.Follow {
			s.list.ToEnd()
		} else {
			s.list.Center(min(row, max(s.list.Rows-2, 0)))
			s.list.Reveal()
		}
	}
	cmd := s.refreshPanes()
	s.list.Moved()
	return cmd
}

// arrange divides the screen and fits the columns of the rows.
func (s *stage) arrange() {
	side := s.columnOpen() || s.side != screen.PaneNone
	split := 0
	wide := slices.ContainsFunc(panes.Registry(), func(e panes.Entry) bool { return e.Kind == s.side && e.Wide })
	if s.stacked() {
		split = s.h0
		if s.h.Tools != nil {
			split = len(s.h.Tools.Tools) + len(s.h.Tools.InAgents) + 4
		}
	}
	second := s.lay.second
	s.lay = layOut(s.w, s.h0, side, wide, s.full && s.side != screen.PaneNone, s.second(), split)
	s.fitColumns()
	if s.lay.second != second && s.cameTo != nil && !s.h.View.On {
		s.list.Restore(s.cameTo.Saved) // there are as many rows as when the place was saved
	}
}

// stacked reports whether the side column shows tools over stats.
func (s *stage) stacked() bool {
	return s.columnOpen() && (s.side == screen.PaneNone || !s.full && inColumn(s.side))
}

// columnOpen reports whether the tools and stats column is open at this screen width.
func (s *stage) columnOpen() bool { return sideWidth(s.w, false) > 0 && s.columns[widthClass(s.w)] }

// setColumn opens or closes the tools and stats column at this screen width.
func (s *stage) setColumn(open bool) {
	if sideWidth(s.w, false) > 0 && s.columns[widthClass(s.w)] != open {
		s.columns[widthClass(s.w)] = open
		s.keepColumns()
	}
}

// rearrange lays the screen out again and keeps the cursor visible.
func (s *stage) rearrange() {
	s.arrange()
	if s.h.Snap != nil {
		s.list.Sync()
		s.list.Reveal()
	}
}

func (s *stage) fitColumns() { s.list.Resize(s.lay.list.w, s.lay.list.h) }

// shown reports whether a pane is on the screen.
func (s *stage) shown(k screen.PaneKind) bool {
	if s.lay.side.w == 0 {
		return false
	}
	if s.stacked() {
		return inColumn(k)
	}
	return s.side == k
}

// covered reports whether a pane covers the timeline.
func (s *stage) covered() bool { return s.lay.side.w > 0 && !s.lay.sideLine }

// focus sets the focused pane; PaneNone is the timeline.
func (s *stage) focus(k screen.PaneKind) { s.h.Focus = k }

// showPane opens and focuses a pane; if it is focused already, it closes the pane.
func (s *stage) showPane(k screen.PaneKind) tea.Cmd {
	if s.h.Focus == k {
		return s.closePane()
	}
	s.side, s.h.Focus, s.full = k, k, wantsAll(k)
	if inColumn(k) {
		s.setColumn(true)
	}
	s.arrange()
	if s.lay.tiny || s.lay.side.w == 0 {
		s.side, s.h.Focus = screen.PaneNone, screen.PaneNone
		s.arrange()
		return s.h.Complain("no room for a pane")
	}
	s.list.Sync()
	s.list.Reveal()
	if p, ok := s.panes[k].(screen.Opener); ok {
		p.Opened()
	}
	cmd := s.refreshPanes()
	s.list.Moved()
	return cmd
}

// closePane closes the focused pane and focuses the timeline. The tools and stats column closes
// with either of its panes, but not with a pane shown in its place.
func (s *stage) closePane() tea.Cmd {
	if inColumn(s.h.Focus) || inColumn(s.side) {
		s.setColumn(false)
	}
	s.side, s.h.Focus, s.full = screen.PaneNone, screen.PaneNone, false
	s.rearrange()
	// previously hidden panes may show an older view
	cmd := s.refreshPanes()
	s.list.Moved()
	return cmd
}

// uncover shows and focuses the timeline if a pane covers it: a reader who goes to a row wants to
// see it and continue from there.
func (s *stage) uncover() {
	defer s.focus(screen.PaneNone)
	switch {
	case !s.covered():
	case s.full && sideWidth(s.w, false) > 0 && !wantsAll(s.side):
		s.full = false
		s.rearrange()
	default:
		s.closePane()
	}
}

// nextPane focuses the next pane on the screen.
func (s *stage) nextPane(dir int) tea.Cmd {
	ring := []screen.PaneKind{screen.PaneNone}
	order := panes.Registry()
	for i := range order {
		if s.shown(order[i].Kind) {
			ring = append(ring, order[i].Kind)
		}
	}
	if len(ring) == 1 {
		return s.showPane(screen.PaneTools)
	}
	if s.covered() {
		for i := range order {
			if order[i].Kind == s.side {
				return s.showPane(order[(i+dir+len(order))%len(order)].Kind)
			}
		}
	}
	for i, k := range ring {
		if k == s.h.Focus {
			s.h.Focus = ring[(i+dir+len(ring))%len(ring)]
			break
		}
	}
	if s.h.Focus == screen.PaneNone && inColumn(s.side) && s.columnOpen() {
		s.side = screen.PaneNone // the column stays, and esc does not close it
	}
	s.list.Moved()
	return nil
}

func (s *stage) enterDetail() tea.Cmd {
	if _, ok := s.list.CurItem(); !ok {
		return s.h.Complain("no row here")
	}
	if s.h.Focus == screen.PaneDetail {
		return s.h.Complain("this is the detail: " + s.h.Key("J") + " and " + s.h.Key("K") + " go to the next and the previous item, " + s.h.Key("esc") + " goes back")
	}
	s.side, s.h.Focus = screen.PaneDetail, screen.PaneDetail
	s.rearrange()
	s.list.Moved()
	return nil
}

func (s *stage) toggleDetail() tea.Cmd {
	if s.side == screen.PaneDetail {
		return s.closePane()
	}
	s.side = screen.PaneDetail
	s.arrange()
	s.h.Focus = screen.PaneNone
	if s.covered() {
		s.h.Focus = screen.PaneDetail
	}
	s.list.Sync()
	s.list.Reveal()
	s.list.Moved()
	return nil
}

func (s *stage) scrollDetail(n int) tea.Cmd {
	if s.side != screen.PaneDetail {
		return s.h.Complain("no detail open: " + s.h.Key("d") + " shows it")
	}
	if s.h.Focus == screen.PaneDetail {
		s.list.LineDownItems(n)
		s.list.Moved()
		return nil
	}
	s.panes[screen.PaneDetail].Wheel(n)
	return nil
}

func (s *stage) zoom() tea.Cmd {
	if s.h.Focus == screen.PaneNone {
		if sideWidth(s.w, false) == 0 {
			return s.h.Complain("the timeline has the whole screen: " + s.h.Key("t") + ", " + s.h.Key("s") + ", " + s.h.Key("@") + ", " + s.h.Key("w") + " or " + s.h.Key("d") + " open panes")
		}
		s.setColumn(s.side == screen.PaneNone && !s.columnOpen())
		s.side, s.full = screen.PaneNone, false
		s.rearrange()
		cmd := s.refreshPanes()
		s.list.Moved()
		return cmd
	}
	s.side = s.h.Focus
	if sideWidth(s.w, false) == 0 {
		return s.h.Complain("full screen: " + s.h.Key("esc") + " goes back")
	}
	s.full = !s.full
	s.rearrange()
	return s.panes[s.h.Focus].Refresh()
}

// fillMiddle shows the focused pane over the middle, or in its column if on is false. It does
// nothing on narrow screens, which have no columns.
func (s *stage) fillMiddle(on bool) tea.Cmd {
	if s.h.Focus == screen.PaneNone || sideWidth(s.w, false) == 0 {
		return nil
	}
	s.side, s.full = s.h.Focus, on
	s.rearrange()
	return nil
}

// fileChanges shows all changes of the file that the row edits.
func (s *stage) fileChanges() tea.Cmd {
	_, call := s.h.Rows.Selected()
	if call == screen.NoCall {
		return s.h.Complain("no row here that edits a file")
	}
	var cmds []tea.Cmd
	if s.h.Focus != screen.PaneFiles {
		cmds = append(cmds, s.showPane(screen.PaneFiles))
	}
	if p, ok := s.panes[screen.PaneFiles].(interface{ ShowCall(model.CallID) tea.Cmd }); ok && s.h.Focus == screen.PaneFiles {
		cmds = append(cmds, p.ShowCall(call))
	}
	return tea.Batch(cmds...)
}

func (s *stage) refreshPanes() tea.Cmd {
	s.arrange()
	if s.h.Snap == nil {
		return nil
	}
	var cmds []tea.Cmd
	for _, e := range panes.Registry() {
		if s.shown(e.Kind) {
			cmds = append(cmds, s.panes[e.Kind].Refresh())
		}
	}
	return tea.Batch(cmds...)
}

// sideLines returns the lines of the side column: one pane, or tools over stats.
func (s *stage) sideLines(w, h int) []string {
	if s.h.Snap == nil {
		return paint.Fill(nil, w, h)
	}
	one := func(k screen.PaneKind, h int) []string {
		out := s.panes[k].Render(w, h, s.full || s.covered(), s.h.Focus == k)
		for i := range out {
			out[i] = paint.Pad(out[i], w)
		}
		return paint.Fill(out, w, h)
	}
	if !s.stacked() {
		return one(s.side, h)
	}
	top := s.lay.sideSplit
	if top == 0 {
		if s.h.Focus == screen.PaneStats {
			return one(screen.PaneStats, h)
		}
		return one(screen.PaneTools, h)
	}
	lines := one(screen.PaneTools, top)
	lines = append(lines, paint.Blanks(w))
	return append(lines, one(screen.PaneStats, h-top-1)...)
}

// restorePane opens the saved pane if there is room for it.
func (s *stage) restorePane(p savedPane) {
	if s.panes[p.Side] != nil {
		s.side = p.Side
	}
	if s.panes[p.Focus] != nil && (p.Focus == p.Side || p.Side == screen.PaneNone) {
		s.h.Focus, s.full = p.Focus, p.Full
	}
	s.arrange()
	if s.lay.tiny || s.side != screen.PaneNone && s.lay.side.w == 0 || s.h.Focus != screen.PaneNone && !s.shown(s.h.Focus) {
		s.side, s.h.Focus, s.full = screen.PaneNone, screen.PaneNone, false
		s.arrange()
	}
	if p, ok := s.panes[s.side].(screen.Opener); ok {
		p.Opened()
	}
}

// recallColumns reads in which width classes the tools and stats column is open.
func (s *stage) recallColumns() {
	if dir := s.h.Opts.StateDir; dir == "" || !readJSON(dir, columnsName, &s.columns) || s.columns == nil {
		s.columns = map[int]bool{}
	}
}

// keepColumns writes the file of recallColumns. If that fails, the choice applies until turns ends.
func (s *stage) keepColumns() {
	if dir := s.h.Opts.StateDir; dir != "" {
		_ = writeJSON(dir, columnsName, s.columns)
	}
}

// showViewPane opens the pane of a view. For a view without one it closes the open pane.
func (s *stage) showViewPane(v *config.View) tea.Cmd {
	kind := screen.PaneKind(v.Pane)
	var cmd tea.Cmd
	switch {
	case kind == screen.PaneNone && s.side != screen.PaneNone:
		cmd = s.closePane()
	case kind == screen.PaneNone || s.panes[kind] == nil:
	case s.h.Focus != kind:
		cmd = s.showPane(kind)
	}
	if s.side == kind && kind != screen.PaneNone {
		if p, ok := s.panes[kind].(screen.Sorted); ok && v.Sort != "" {
			cmd = tea.Batch(cmd, p.Sorted().SortByName(v.Sort, v.Desc))
		}
		if s.full != v.Full && !wantsAll(kind) {
			s.full = v.Full
			s.arrange()
		}
		if !v.Focus && !s.full {
			s.h.Focus = screen.PaneNone
		}
	}
	return cmd
}

// followContext updates the visible context pane to the selection. It runs after every message,
// because the selection changes in many ways.
func (s *stage) followContext() tea.Cmd {
	if p, ok := s.panes[screen.PaneContext].(*panes.Context); ok && s.shown(screen.PaneContext) {
		return p.Follow()
	}
	return nil
}

// inColumn reports whether a pane belongs to the column of tools and stats.
func inColumn(k screen.PaneKind) bool { return k == screen.PaneTools || k == screen.PaneStats }

// wantsAll reports whether a pane always fills the middle.
func wantsAll(k screen.PaneKind) bool {
	return slices.ContainsFunc(panes.Registry(), func(e panes.Entry) bool { return e.Kind == k && e.Full })
}
