package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"turns/ui/screen"
	"turns/ui/sessions"
	"turns/ui/take"
)

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
	a.showText("tools and stats over " + a.h.Scope().Scope())
	cmd := a.answers.start()
	a.list.Moved()
	return cmd
}

func (a *app) toggleFollow() tea.Cmd {
	l := a.list
	if l.Follow {
		l.LineUp(1)
		a.showText("follow is off")
		a.list.Moved()
		return nil
	}
	l.FollowEnd()
	a.list.Moved()
	return nil
}

func (a *app) toggleBell() tea.Cmd {
	a.showText(a.bell.toggle())
	a.list.Moved()
	return nil
}

func (a *app) toggleMouse() tea.Cmd {
	a.mouseOff = !a.mouseOff
	a.showText(map[bool]string{true: "mouse off: the terminal selects", false: "mouse on"}[a.mouseOff])
	a.list.Moved()
	return nil
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
		cmd := a.filtering.set("")
		a.showText("the filter is gone: f and ↑ bring it back")
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

// stop cancels background work; if none is running, it ends the program.
func (a *app) stop() tea.Cmd {
	if how := a.list.StopSearch(); how != "" {
		return a.complain("search " + how)
	}
	if a.filtering.busy {
		a.filtering.stop()
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

// paste passes pasted text to the open field in one piece: letter by letter, each letter would
// start a filter.
func (a *app) paste(text string) tea.Cmd {
	if text == "" || !a.bar.Active() && len(a.dialogs) == 0 && !a.list.Searching() {
		return nil
	}
	return a.key(tea.KeyPressMsg{Code: tea.KeyExtended, Text: text})
}

func (a *app) openExport() tea.Cmd { return a.opened(take.NewDialog(a.desk)) }

// opened shows a dialog and starts its computation, if it has one.
func (a *app) opened(d screen.Dialog) tea.Cmd {
	a.dialogs = append(a.dialogs, d)
	if b, ok := d.(screen.Beginner); ok {
		return b.Begin()
	}
	return nil
}

func (a *app) openSessions() tea.Cmd { return a.opened(sessions.New(a.h, a.listed)) }

// backToSessions shows the session list that turns starts with and that q returns to.
func (a *app) backToSessions() tea.Cmd {
	d := sessions.New(a.h, a.listed)
	d.First = true
	return a.opened(d)
}

// openHelp shows the keys. Those of the focused pane or of the list on top appear first.
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
