package ui

import (
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/sessions"
	"turns/ui/transcripts"
)

// journey records how the reader reached this session.
type journey struct {
	returnTo     []screen.Dialog // dialogs the session was opened from; leaving it shows them again
	pastSessions []string        // paths of the sessions that [ returns to
	fromSessions bool
	successor    *app // replaces this app after another session was opened
}

// openSession shows another session, without the jumps, marks and filter of this one.
func (a *app) openSession(path string, follow bool) tea.Cmd {
	if a.h.Opts.Store == nil {
		return a.complain("no other session can be opened here")
	}
	return a.openPath(path, a.leaving(), a.h.Opts.Store.Watch, follow)
}

// openNewest follows a session of the list, and moves to newer ones.
func (a *app) openNewest(path string) tea.Cmd {
	if a.h.Opts.Store == nil {
		return a.openSession(path, true)
	}
	return a.openPath(path, a.leaving(), a.h.Opts.Store.WatchNewest, true)
}

// leaving returns the sessions that [ goes back to from the next one.
func (a *app) leaving() []string {
	if a.h.State.Path == "" {
		return a.pastSessions
	}
	return append(slices.Clip(a.pastSessions), a.h.State.Path)
}

// saveNow saves the state of the session, and that of an open list, before the reader leaves.
func (a *app) saveNow() {
	for _, d := range append(a.inFront(), a.returnTo...) {
		if _, list := d.(*sessions.List); list {
			_ = a.h.Opts.Reads.KeepList(a.h.Opts.Time().UnixMilli())
		}
	}
	a.remembered.saveNow()
}

// openPast goes back to the previous session.
func (a *app) openPast() tea.Cmd {
	n := len(a.pastSessions) - 1
	if n < 0 {
		return a.complain("no jump to go back")
	}
	return a.openPath(a.pastSessions[n], a.pastSessions[:n], a.h.Opts.Store.Watch, false)
}

func (a *app) openPath(path string, past []string, open func(context.Context, string) (transcripts.Feed, error), follow bool) tea.Cmd {
	a.saveNow()
	ctx := a.h.Opts.BaseContext()
	return func() tea.Msg {
		feed, err := open(ctx, path)
		return openedMsg{feed, err, past, follow}
	}
}

type openedMsg struct {
	feed   transcripts.Feed
	err    error
	past   []string // sessions that [ goes back to from this one
	follow bool     // show the end
}

// begin shows an opened session.
func (a *app) begin(m openedMsg) tea.Cmd {
	if m.err != nil {
		return a.complain("cannot open: " + paint.OneLine(m.err.Error()))
	}
	a.cancel()
	for _, d := range a.returnTo { // the reader cannot return to them
		if e, ok := d.(screen.Ender); ok {
			e.End()
		}
	}
	o := a.h.Opts
	o.Filter, o.At, o.Search, o.Width, o.Height, o.Follow = "", "", "", a.w, a.h0, m.follow
	next := newApp(o.BaseContext(), m.feed, o)
	next.ground, next.fromSessions, next.mouseOff, next.bell.on = a.ground, true, a.mouseOff, a.bell.on
	next.pastSessions, next.listed, next.desk.Exports = m.past, a.listed, a.desk.Exports
	next.h.Timer = a.h.Timer
	next.setTheme()
	a.successor = next
	return tea.Batch(next.next(), next.resized())
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
