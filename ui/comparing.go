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

// beginComparing opens the comparison that the program was started for.
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

// whyNoCompare says why the run cannot be compared.
func (a *app) whyNoCompare() string {
	switch {
	case a.h.Opts.Store == nil:
		return "no sessions to compare here"
	case a.h.State.Path == "" || a.h.State.Path == "-":
		return "a pipe cannot be read again to be compared"
	}
	return ""
}

// pickOther asks for the run that the open one is compared with.
func (a *app) pickOther() tea.Cmd {
	d := sessions.New(a.h, a.listed)
	d.Pick = sessions.Picking{With: a.h.State.Path}
	d.Filter.Set("")
	d.Title.Set("")
	return a.opened(d)
}

// placedMsg is a session that was opened at a place.
type placedMsg struct {
	feed transcripts.Feed
	err  error
	to   screen.OpenPlace
	back []screen.Dialog // that the reader comes from
}

// openPlace shows a place of a session, and the dialogs again when the reader has left it.
func (a *app) openPlace(to screen.OpenPlace) tea.Cmd {
	back := slices.DeleteFunc(slices.Clone(a.dialogs), func(d screen.Dialog) bool {
		_, lasting := d.(screen.Lasting)
		return !lasting
	})
	if to.Path == a.h.State.Path && a.h.Snap != nil {
		a.dialogs, a.returnTo = nil, back
		a.closePane() // the timeline is what the reader wants to see
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

// place shows it.
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

// goBack shows the dialogs again that the session was opened from; ok is false for none.
func (a *app) goBack() (ok bool) {
	if len(a.returnTo) == 0 {
		return false
	}
	a.dialogs, a.returnTo = a.returnTo, nil
	return true
}

// openParts compares two parts of the open run.
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

// whyNoThreads says why nothing is known of the folder of the session.
func (a *app) whyNoThreads() string {
	switch {
	case a.h.Opts.Store == nil:
		return "the sessions of a folder cannot be read here"
	case a.h.State.Path == "" || a.h.State.Path == "-":
		return "a pipe has no folder"
	}
	return ""
}

// openThreads shows what the sessions of the folder left open.
func (a *app) openThreads() tea.Cmd { return a.opened(compare.NewThreads(a.h, a.h.State.Path, false)) }
