package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/ui/panes"
	"turns/ui/screen"
	"turns/ui/sessions"
	"turns/ui/take"
)

// resized lays the screen out again; the cursor's row stays on it.
func (a *app) resized() tea.Cmd {
	row := 0
	if a.h.Snap != nil { // another session may still be opened
		row = a.list.RowOnScreen()
	}
	a.arrange()
	if a.h.Snap != nil {
		a.list.Sync()
		if a.list.Follow {
			a.list.ToEnd()
		} else {
			a.list.Center(min(row, max(a.list.Rows-2, 0)))
			a.list.Reveal()
		}
	}
	return tea.Batch(a.refreshPanes(), a.list.Moved())
}

// arrange cuts the screen into its parts and fits the columns of the rows.
func (a *app) arrange() {
	side := a.columnOpen() || a.side != screen.PaneNone
	split := 0
	wide := slices.ContainsFunc(panes.Registry(), func(e panes.Entry) bool { return e.Kind == a.side && e.Wide })
	if a.stacked() {
		split = a.h0
		if a.h.Tools != nil {
			split = len(a.h.Tools.Tools) + len(a.h.Tools.InAgents) + 4
		}
	}
	second := a.lay.second
	a.lay = layOut(a.w, a.h0, side, wide, a.full && a.side != screen.PaneNone, a.whySecond(), split)
	a.fitColumns()
	if a.lay.second != second && a.cameTo != nil && !a.h.View.On {
		a.list.Restore(a.cameTo.Saved) // there are as many rows as when the place was left
	}
}

// stacked reports whether the side column shows tools over stats.
func (a *app) stacked() bool {
	return a.columnOpen() && (a.side == screen.PaneNone || !a.full && inColumn(a.side))
}

// inColumn reports whether a pane belongs to the column of tools and stats.
func inColumn(k screen.PaneKind) bool { return k == screen.PaneTools || k == screen.PaneStats }

// columnOpen reports whether the column of tools and stats is open on a screen of this width.
func (a *app) columnOpen() bool { return sideWidth(a.w, false) > 0 && a.columns[widthClass(a.w)] }

// setColumn opens or closes the column of tools and stats on screens of this width.
func (a *app) setColumn(open bool) {
	if sideWidth(a.w, false) > 0 && a.columns[widthClass(a.w)] != open {
		a.columns[widthClass(a.w)] = open
		a.keepColumns()
	}
}

// rearrange lays everything out anew and keeps the cursor on the screen.
func (a *app) rearrange() {
	a.arrange()
	if a.h.Snap != nil {
		a.list.Sync()
		a.list.Reveal()
	}
}

func (a *app) fitColumns() { a.list.Resize(a.lay.list.w, a.lay.list.h) }

// shown reports whether a pane is on the screen.
func (a *app) shown(k screen.PaneKind) bool {
	if a.lay.side.w == 0 {
		return false
	}
	if a.stacked() {
		return inColumn(k)
	}
	return a.side == k
}

// covered reports whether a pane lies over the timeline.
func (a *app) covered() bool { return a.lay.side.w > 0 && !a.lay.sideLine }

// focus gives the keys to a pane, or to the timeline.
func (a *app) focus(k screen.PaneKind) { a.h.Focus = k }

// showPane opens a pane and gives it the keys; the same key again closes it.
func (a *app) showPane(k screen.PaneKind) tea.Cmd {
	if a.h.Focus == k {
		return a.closePane()
	}
	a.side, a.h.Focus, a.full = k, k, wantsAll(k)
	if inColumn(k) {
		a.setColumn(true)
	}
	a.arrange()
	if a.lay.tiny || a.lay.side.w == 0 {
		a.side, a.h.Focus = screen.PaneNone, screen.PaneNone
		a.arrange()
		return a.complain("no room for a pane")
	}
	a.list.Sync()
	a.list.Reveal()
	if p, ok := a.panes[k].(screen.Opener); ok {
		p.Opened()
	}
	return tea.Batch(a.refreshPanes(), a.list.Moved())
}

// wantsAll reports whether a pane always has the whole middle.
func wantsAll(k screen.PaneKind) bool {
	return slices.ContainsFunc(panes.Registry(), func(e panes.Entry) bool { return e.Kind == k && e.Full })
}

// closePane closes the focused pane and gives the keys back to the timeline. The column of tools
// and stats closes with either of them, and stays when a pane closes that was shown in its place.
func (a *app) closePane() tea.Cmd {
	if inColumn(a.h.Focus) || inColumn(a.side) {
		a.setColumn(false)
	}
	a.side, a.h.Focus, a.full = screen.PaneNone, screen.PaneNone, false
	a.rearrange()
	// those that the pane hid may show an older view
	return tea.Batch(a.refreshPanes(), a.list.Moved())
}

// uncover shows the timeline where a pane lies over it, and gives it the keys: who goes to a row
// wants to see it and go on from there.
func (a *app) uncover() {
	defer a.focus(screen.PaneNone)
	switch {
	case !a.covered():
	case a.full && sideWidth(a.w, false) > 0 && !wantsAll(a.side):
		a.full = false
		a.rearrange()
	default:
		a.closePane()
	}
}

// nextPane gives the keys to the next pane on the screen.
func (a *app) nextPane(dir int) tea.Cmd {
	ring := []screen.PaneKind{screen.PaneNone}
	order := panes.Registry()
	for i := range order {
		if a.shown(order[i].Kind) {
			ring = append(ring, order[i].Kind)
		}
	}
	if len(ring) == 1 {
		return a.showPane(screen.PaneTools)
	}
	if a.covered() {
		for i := range order {
			if order[i].Kind == a.side {
				return a.showPane(order[(i+dir+len(order))%len(order)].Kind)
			}
		}
	}
	for i, k := range ring {
		if k == a.h.Focus {
			a.h.Focus = ring[(i+dir+len(ring))%len(ring)]
			break
		}
	}
	if a.h.Focus == screen.PaneNone && inColumn(a.side) && a.columnOpen() {
		a.side = screen.PaneNone // the column stays, and esc does not close it
	}
	return a.list.Moved()
}

func (a *app) enterDetail() tea.Cmd {
	if _, ok := a.list.CurItem(); !ok {
		return a.complain("no row here")
	}
	if a.h.Focus == screen.PaneDetail {
		return a.complain("this is the detail: " + a.h.Key("J") + " and " + a.h.Key("K") + " go to the next and the previous item, " + a.h.Key("esc") + " goes back")
	}
	a.side, a.h.Focus = screen.PaneDetail, screen.PaneDetail
	a.rearrange()
	return a.list.Moved()
}

func (a *app) toggleDetail() tea.Cmd {
	if a.side == screen.PaneDetail {
		return a.closePane()
	}
	a.side = screen.PaneDetail
	a.arrange()
	a.h.Focus = screen.PaneNone
	if a.covered() {
		a.h.Focus = screen.PaneDetail
	}
	a.list.Sync()
	a.list.Reveal()
	return a.list.Moved()
}

func (a *app) scrollDetail(n int) tea.Cmd {
	if a.side != screen.PaneDetail {
		return a.complain("no detail open: " + a.h.Key("d") + " shows it")
	}
	if a.h.Focus == screen.PaneDetail {
		a.list.LineDownItems(n)
		return a.list.Moved()
	}
	a.panes[screen.PaneDetail].Wheel(n)
	return nil
}

func (a *app) zoom() tea.Cmd {
	if a.h.Focus == screen.PaneNone {
		if sideWidth(a.w, false) == 0 {
			return a.complain("the timeline has the whole screen: " + a.h.Key("t") + ", " + a.h.Key("s") + ", " + a.h.Key("@") + ", " + a.h.Key("w") + " or " + a.h.Key("d") + " open panes")
		}
		a.setColumn(a.side == screen.PaneNone && !a.columnOpen())
		a.side, a.full = screen.PaneNone, false
		a.rearrange()
		return tea.Batch(a.refreshPanes(), a.list.Moved())
	}
	a.side = a.h.Focus
	if sideWidth(a.w, false) == 0 {
		return a.complain("full screen: " + a.h.Key("esc") + " goes back")
	}
	a.full = !a.full
	a.rearrange()
	return a.panes[a.h.Focus].Refresh()
}

// fillMiddle shows the focused pane in its column, or over the full middle if on. Narrow
// screens have no columns, and it leaves them alone.
func (a *app) fillMiddle(on bool) tea.Cmd {
	if a.h.Focus == screen.PaneNone || sideWidth(a.w, false) == 0 {
		return nil
	}
	a.side, a.full = a.h.Focus, on
	a.rearrange()
	return nil
}

// fileChanges shows all changes of the file that the row edits.
func (a *app) fileChanges() tea.Cmd {
	_, call := a.h.Rows.Selected()
	if call == screen.NoCall {
		return a.complain("no row here that edits a file")
	}
	var cmds []tea.Cmd
	if a.h.Focus != screen.PaneFiles {
		cmds = append(cmds, a.showPane(screen.PaneFiles))
	}
	if p, ok := a.panes[screen.PaneFiles].(interface{ ShowCall(model.CallID) tea.Cmd }); ok && a.h.Focus == screen.PaneFiles {
		cmds = append(cmds, p.ShowCall(call))
	}
	return tea.Batch(cmds...)
}

func (a *app) refreshPanes() tea.Cmd {
	a.arrange()
	if a.h.Snap == nil {
		return nil
	}
	var cmds []tea.Cmd
	for _, e := range panes.Registry() {
		if a.shown(e.Kind) {
			cmds = append(cmds, a.panes[e.Kind].Refresh())
		}
	}
	return tea.Batch(cmds...)
}

func (a *app) whyNoFilter() string {
	if !a.h.View.On {
		return "no filter is on: " + a.h.Key("f") + " makes one"
	}
	return ""
}

func (a *app) whyNoFollow() string {
	if !a.h.Live {
		return "this file is not followed: turns -f does"
	}
	return ""
}

func (a *app) whyNoSessions() string {
	if a.h.Opts.Store == nil {
		return "no session list here"
	}
	return ""
}

func (a *app) toggleScope() tea.Cmd {
	a.h.Whole = !a.h.Whole
	a.say("tools and stats over " + a.h.Scope().Scope())
	return tea.Batch(a.ask(), a.list.Moved())
}

func (a *app) toggleFollow() tea.Cmd {
	l := a.list
	if l.Follow {
		l.LineUp(1)
		a.say("follow is off")
		return a.list.Moved()
	}
	l.FollowEnd()
	return a.list.Moved()
}

func (a *app) toggleBell() tea.Cmd {
	a.bell = !a.bell
	a.say(map[bool]string{true: "bell on an error, and when the session waits for you or is stuck", false: "bell off"}[a.bell])
	return a.list.Moved()
}

func (a *app) toggleMouse() tea.Cmd {
	a.mouseOff = !a.mouseOff
	a.say(map[bool]string{true: "mouse off: the terminal selects", false: "mouse on"}[a.mouseOff])
	return a.list.Moved()
}

func (a *app) startTaking() tea.Cmd {
	if !a.list.Untake() {
		a.list.Take()
	}
	return nil
}

// escape goes one layer back.
func (a *app) escape() tea.Cmd {
	l := a.list
	a.hush()
	switch {
	case l.Untake():
	case l.SearchText() != "":
		l.ClearSearch()
	case a.full, a.h.Focus != screen.PaneNone, a.side != screen.PaneNone:
		return a.closePane()
	case a.bar.Field.Text != "":
		cmd := a.setFilter("")
		a.say("the filter is gone: f and ↑ bring it back")
		return cmd
	}
	return nil
}

func (a *app) quitOne() tea.Cmd {
	if a.full || a.h.Focus != screen.PaneNone || a.side != screen.PaneNone {
		return a.closePane()
	}
	if a.goBack() {
		return nil
	}
	if a.fromSessions && a.h.Opts.Store != nil {
		return a.backToSessions()
	}
	return tea.Quit
}

// stop ends what runs in the background; when nothing does, the program.
func (a *app) stop() tea.Cmd {
	if how := a.list.StopSearch(); how != "" {
		return a.complain("search " + how)
	}
	if a.filtering.busy {
		a.stopFilter()
		return a.complain("filter stopped")
	}
	if a.h.Fetches.Stop() {
		return a.complain("fetching stopped")
	}
	if a.desk.Stop() {
		return a.complain("export stopped")
	}
	if a.desk.StopOwn() {
		return a.complain("command stopped")
	}
	return tea.Quit
}

func (a *app) editFilter() tea.Cmd {
	if !a.lay.filter && !a.lay.tiny {
		return a.complain("no room for the filter line")
	}
	return a.bar.Edit()
}

// paste gives what was pasted to the field that is open, at once: letter by letter each would
// filter anew.
func (a *app) paste(text string) tea.Cmd {
	if text == "" || !a.bar.Active() && len(a.dialogs) == 0 && !a.list.Searching() {
		return nil
	}
	return a.key(tea.KeyPressMsg{Code: tea.KeyExtended, Text: text})
}

func (a *app) openExport() tea.Cmd { return a.opened(take.NewDialog(a.desk)) }

// opened shows a dialog; one that computes something begins.
func (a *app) opened(d screen.Dialog) tea.Cmd {
	a.dialogs = append(a.dialogs, d)
	if b, ok := d.(screen.Beginner); ok {
		return b.Begin()
	}
	return nil
}

func (a *app) openSessions() tea.Cmd { return a.opened(sessions.New(a.h, a.listed)) }

// backToSessions shows the list that turns begins with, and that q comes back to.
func (a *app) backToSessions() tea.Cmd {
	d := sessions.New(a.h, a.listed)
	d.First = true
	return a.opened(d)
}

// openHelp shows the keys, those of the focused pane or of the list that lies over the screen
// first.
func (a *app) openHelp() tea.Cmd {
	over := ""
	if n := len(a.dialogs); n > 0 {
		over = groupOf(a.dialogs[n-1])
	}
	a.dialogs = append(a.dialogs, newHelp(a.h, func(g *screen.KeyGroup) bool {
		if over != "" {
			return g.Name == over
		}
		return a.h.Focus != screen.PaneNone && slices.Contains(g.Kinds, a.h.Focus)
	}))
	return nil
}
