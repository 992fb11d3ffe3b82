package ui

import (
	"slices"
	"strconv"
	"turns/query/runs"

	tea "charm.land/bubbletea/v2"

	"turns/ui/compare"
	"turns/ui/screen"
	"turns/ui/sessions"
	"turns/ui/transcripts"
)

// beginComparing opens the comparison requested on the command line.
func (a *app) beginComparing() tea.Cmd {
	o := &a.h.Opts
	if o.Trials != nil && len(a.dialogs) == 0 {
		d := compare.NewTrials(a.h, *o.Trials)
		d.Quits = true
		return a.opened(d)
	}
	if o.Compare[0] == "" || len(a.dialogs) > 0 {
		return nil
	}
	if o.CompareFolders {
		d := compare.NewFolders(a.h, o.Compare[0], o.Compare[1])
		d.Quits = true
		return a.opened(d)
	}
	d := compare.NewRuns(a.h, o.Compare[0], o.Compare[1])
	d.Quits = true
	return a.opened(d)
}

// whyNoCompare returns why the session cannot be compared, "" if it can.
func (a *app) whyNoCompare() string {
	switch {
	case a.h.Opts.Store == nil:
		return "no sessions to compare here"
	case a.h.State.Path == "" || a.h.State.Path == "-":
		return "a pipe cannot be read again to be compared"
	}
	return ""
}

// pickOther asks for the session to compare with the open one.
func (a *app) pickOther() tea.Cmd {
	d := sessions.New(a.h, a.listed)
	d.Pick = sessions.Picking{With: a.h.State.Path}
	d.Filter.Set("")
	d.Title.Set("")
	return a.opened(d)
}

// placedMsg is the result of opening a session at a place.
type placedMsg struct {
	feed transcripts.Feed
	err  error
	to   screen.OpenPlace
	back []screen.Dialog // dialogs to return to
}

// openPlace shows a place of a session. The dialogs return when the reader leaves it.
func (a *app) openPlace(to screen.OpenPlace) tea.Cmd {
	back := slices.DeleteFunc(slices.Clone(a.dialogs), func(d screen.Dialog) bool {
		_, lasting := d.(screen.Lasting)
		return !lasting
	})
	if to.Path == a.h.State.Path && a.h.Snap != nil {
		a.dialogs, a.returnTo = nil, back
		a.closePane() // show the timeline
		var cmd tea.Cmd
		if n, err := strconv.Atoi(to.At); err == nil {
			cmd = a.list.GoIndex(n)
		}
		return tea.Batch(cmd, a.list.Arm(to.Search))
	}
	lib, ctx := a.h.Opts.Store, a.h.Opts.BaseContext()
	if lib == nil {
		return a.complain("no session can be opened here")
	}
	a.saveNow()
	return func() tea.Msg {
		feed, err := lib.Watch(ctx, to.Path)
		return placedMsg{feed, err, to, back}
	}
}

// place shows the opened session at its place.
func (a *app) place(m placedMsg) tea.Cmd {
	cmd := a.begin(openedMsg{feed: m.feed, err: m.err, past: a.pastSessions})
	next := a.successor
	if next == nil {
		return cmd
	}
	next.h.Opts.At, next.h.Opts.Search = m.to.At, m.to.Search
	for _, d := range m.back {
		if l, ok := d.(screen.Lasting); ok {
			l.MoveTo(next.h)
			next.returnTo = append(next.returnTo, l)
		}
	}
	return cmd
}

// goBack shows the dialogs the session was opened from; ok is false if there are none.
func (a *app) goBack() (ok bool) {
	if len(a.returnTo) == 0 {
		return false
	}
	a.dialogs, a.returnTo = a.returnTo, nil
	return true
}

// openParts compares two parts of the open session.
func (a *app) openParts(names [2]string, runs [2]runs.DiffRun) tea.Cmd {
	d := compare.NewRuns(a.h, a.h.State.Path, a.h.State.Path)
	d.Names, d.Runs = names, runs
	return a.opened(d)
}

// openCompare compares two sessions.
func (a *app) openCompare(m screen.Compare) tea.Cmd {
	if a.h.Opts.Store == nil {
		return a.complain("no sessions can be compared here")
	}
	d := compare.NewRuns(a.h, m.A, m.B)
	d.Apart = m.Apart
	return a.opened(d)
}

// whyNoThreads returns why the folder of the session cannot be read, "" if it can.
func (a *app) whyNoThreads() string {
	switch {
	case a.h.Opts.Store == nil:
		return "the sessions of a folder cannot be read here"
	case a.h.State.Path == "" || a.h.State.Path == "-":
		return "a pipe has no folder"
	}
	return ""
}

// openThreads shows the unfinished work of the sessions in the folder.
func (a *app) openThreads() tea.Cmd { return a.opened(compare.NewThreads(a.h, a.h.State.Path, false)) }
