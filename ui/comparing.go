package ui

import (
	tea "charm.land/bubbletea/v2"

	"turns/query/runs"
	"turns/ui/compare"
	"turns/ui/screen"
	"turns/ui/sessions"
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
