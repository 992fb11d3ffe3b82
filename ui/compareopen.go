package ui

import (
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"turns/query"
)

// lasting is a dialog from which a session can be opened, and that is shown again when the reader has seen enough of it.
type lasting interface {
	dialog
	// moveTo gives the dialog to the screen of the session.
	moveTo(h *host)
}

// beginComparing opens the comparison that the program was started for.
func (a *app) beginComparing() tea.Cmd {
	o := &a.h.opts
	if o.Compare[0] == "" || len(a.dialogs) > 0 {
		return nil
	}
	if o.CompareFolders {
		d := newFolders(&a.h, o.Compare[0], o.Compare[1])
		d.quits = true
		return a.opened(d)
	}
	d := newComparison(&a.h, o.Compare[0], o.Compare[1])
	d.quits = true
	return a.opened(d)
}

// whyNoCompare says why the run cannot be compared.
func (a *app) whyNoCompare() string {
	switch {
	case a.h.opts.Run == nil:
		return "no runs can be compared here"
	case a.h.state.Path == "" || a.h.state.Path == "-":
		return "a pipe cannot be read again to be compared"
	case a.h.opts.List == nil:
		return "no sessions to compare it with"
	}
	return ""
}

// pickOther asks for the run that the open one is compared with.
func (a *app) pickOther() tea.Cmd {
	d := newSessions(&a.h).(*sessions)
	d.pick = picking{with: a.h.state.Path}
	d.filter.set("")
	d.title.set("")
	return a.opened(d)
}

// placedMsg is a session that was opened at a place.
type placedMsg struct {
	feed Feed
	err  error
	at   string
	back []dialog // that the reader comes from
}

// openPlace shows a place of a session, and the dialogs again when the reader has left it.
func (a *app) openPlace(path, at string) tea.Cmd {
	back := slices.Clone(a.dialogs)
	if path == a.h.state.Path && a.h.snap != nil {
		a.dialogs, a.returnTo = nil, back
		a.closePane() // the timeline is what the reader wants to see
		n := 0
		for _, c := range at {
			n = n*10 + int(c-'0')
		}
		if at == "" {
			return nil
		}
		return a.goIndex(n)
	}
	open := a.h.opts.Open
	if open == nil {
		return a.complain("no session can be opened here")
	}
	a.saveNow()
	return func() tea.Msg {
		feed, err := open(path)
		return placedMsg{feed, err, at, back}
	}
}

// act shows it.
func (m placedMsg) act(a *app) tea.Cmd {
	cmd := openedMsg{feed: m.feed, err: m.err, past: a.pastSessions}.act(a)
	next := a.successor
	if next == nil {
		return cmd
	}
	next.h.opts.At = m.at
	for _, d := range m.back {
		if l, ok := d.(lasting); ok {
			l.moveTo(&next.h)
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

// moveTo gives the list to another screen.
func (d *sessions) moveTo(h *host) { d.h = h }

// picking are the sessions that were chosen in the list to be compared.
type picking struct {
	with   string   // the run that another one is chosen for; "": the list is the list
	marked []string // at most two, the older one first
}

// offers reports whether a session stands in the list: for a run that is open the others of its folder.
func (p *picking) offers(s *SessionInfo) bool {
	return p.with == "" || s.Path != p.with && filepath.Dir(s.Path) == filepath.Dir(p.with)
}

func (p *picking) title() string {
	if p.with != "" {
		return "Compare " + shortName(p.with) + " with"
	}
	return "Sessions"
}

// takeRow takes the session of the row, or lets it go; of three the last two are kept.
func (d *sessions) takeRow() tea.Cmd {
	s := d.cur()
	if s == nil {
		return d.none()
	}
	p := &d.pick
	if i := slices.Index(p.marked, s.Path); i >= 0 {
		p.marked = slices.Delete(p.marked, i, i+1)
	} else {
		p.marked = append(p.marked[max(len(p.marked)-1, 0):], s.Path)
	}
	d.table.moveTo(d.table.cur + 1)
	return nil
}

// compareTaken compares what was taken.
func (d *sessions) compareTaken() tea.Cmd {
	s, p := d.cur(), &d.pick
	switch {
	case s == nil:
		return d.none()
	case p.with != "":
		return d.open(0, "")
	case len(p.marked) == 2:
		return d.h.request.compare(p.marked[0], p.marked[1])
	case len(p.marked) == 1 && p.marked[0] != s.Path:
		return d.h.request.compare(p.marked[0], s.Path)
	}
	d.h.request.complain("D compares two sessions: v takes them")
	return nil
}

// openParts compares two parts of the open run.
func (a *app) openParts(names [2]string, runs [2]query.DiffRun) tea.Cmd {
	d := newComparison(&a.h, a.h.state.Path, a.h.state.Path)
	d.names, d.runs = names, runs
	return a.opened(d)
}

// openCompare compares two runs.
func (a *app) openCompare(x, y string) tea.Cmd {
	if a.h.opts.Run == nil {
		return a.complain("no runs can be compared here")
	}
	return a.opened(newComparison(&a.h, x, y))
}
