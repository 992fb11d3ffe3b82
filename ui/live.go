package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/describe"
	"turns/query/session"
	"turns/ui/config"
	"turns/ui/paint"
)

// updated shows an update of the feed.
func (a *app) updated(msg updateMsg) tea.Cmd {
	if msg.feed != a.feed {
		return nil // of a session that was closed
	}
	if msg.err != nil {
		if !isEOF(msg.err) {
			a.showStatusIn(paint.InkError, "reading stopped: "+msg.err.Error())
		}
		a.h.State.Growing, a.h.State.Following, a.h.Live, a.ended = false, false, false, true
		a.list.Invalidate()
		a.list.Moved()
		return a.lateKeys()
	}
	u := msg.update
	old := a.h.Snap
	if u.Snap == nil {
		u.Snap = old
	}
	was := a.h.State
	a.h.State = u
	// The first reading is not news, and a file not modified since it was opened has not grown.
	wasWritten := was.Indexed >= 1 && !was.Preview && (u.LastWrite.IsZero() || u.LastWrite.After(a.began))
	cmds := []tea.Cmd{a.next()}
	if event := u.Event.String(); event != "" {
		a.showStatusIn(paint.InkWarning, event)
	}
	if u.Err != nil && (was.Err == nil || was.Err.Error() != u.Err.Error()) {
		// stays in every state until it has expired
		a.showStatusIn(paint.InkError, u.Err.Error())
	}
	if u.Snap != nil && u.Snap != old {
		if u.Event.Restarts(old != nil && old.Rows() > 0) {
			a.list.Restart(u.Event.Word(), a.h.Opts.Time())
		}
		cmds = append(cmds, a.newSnapshot(old, was.Preview && !u.Preview, wasWritten))
	}
	if old != nil && u.Snap != old && wasWritten {
		a.grew = true
	}
	if live := a.isLive(); live != a.h.Live {
		a.h.Live = live
		a.list.Invalidate()
		if live && a.h.Opts.Follow && a.h.Snap != nil {
			a.list.FollowEnd()
		}
	}
	if u.Newer != "" && u.Newer != was.Newer && a.list.Follow && a.h.Opts.Store != nil {
		cmds = append(cmds, a.openNewest(u.Newer)) // follow the newest session of the folder
	}
	if a.h.Snap != nil {
		cmds = append(cmds, a.lateKeys())
	}
	cmds = append(cmds, a.bell.rings(), a.tick())
	a.list.Moved()
	return tea.Batch(cmds...)
}

// isLive reports whether the session is still being written: with --follow, if it has grown, or if
// a list would show it as live.
func (a *app) isLive() bool {
	return a.h.State.Growing && (a.h.Opts.Follow || a.grew || session.Live(a.h.About(), a.h.Opts.Time()))
}

// newSnapshot shows a later state of the session, or another one that replaced it.
func (a *app) newSnapshot(old *model.Snapshot, replaced, written bool) tea.Cmd {
	h, l := a.h, a.list
	s := h.State.Snap
	h.Show(s)
	first := old == nil
	another := first || replaced || s.Version() < old.Version() || s.Rows() < old.Rows()
	row := 0
	if another && !first {
		row = l.RowAfterRestart()
	}
	var key model.Key
	var cmds []tea.Cmd
	stay := a.remembered.waits()
	if another {
		if !first && int(l.CurKey.ID) < old.Rows() {
			key = old.HeadRow(l.CurKey.ID).Key
		}
		h.Reset(a.describerFor(s))
		a.answers.reset()
		a.filtering.restart()
		l.Reset()
	} else {
		for id := range s.Changed(old.Version()) {
			l.Changed(id, old.Rows())
			if written && int(id) >= old.Rows() {
				cmds = append(cmds, a.news(id))
			}
		}
	}
	cmds = append(cmds, l.RefreshOutline())
	a.fitColumns()
	switch {
	case first:
		cmds = append(cmds, a.firstPlace())
		if h.Opts.Filter != "" {
			if cmd, err := a.filtering.apply(h.Opts.Filter); err == nil {
				cmds = append(cmds, cmd)
			} else {
				a.complain(paint.OneLine(err.Error()))
			}
		}
	case another && a.placeLater:
		a.placeLater = false
		a.remembered.forget()
		cmds = append(cmds, a.firstPlace())
	case another && l.Follow:
		l.Sync()
		l.ToEnd()
	case another && a.remembered.pending() && !h.State.Preview:
		l.FindAgain(key)
		l.Center(row)
		l.Reveal()
		if stay {
			a.remembered.wait()
		}
		cmds = append(cmds, a.remembered.restore())
	case another:
		l.FindAgain(key)
		l.Center(row)
		l.Reveal()
	default:
		l.Sync()
		if l.Follow {
			l.ToEnd()
		}
	}
	return tea.Batch(append(cmds, a.labelled.look(another), a.filtering.resume(), a.answers.start(), a.refreshPanes())...)
}

func (a *app) describerFor(s *model.Snapshot) describe.Describer {
	d := describe.Describer{}
	if ss := s.Sessions(); len(ss) > 0 {
		d = describe.NewDescriber(&ss[0])
	}
	if a.h.Opts.Home != "" {
		d.Home = a.h.Opts.Home
	}
	d.Zone = a.h.Zone
	return d
}

// firstPlace goes to the first place shown: the requested one, the reader's last one, the end when
// following, otherwise the top.
func (a *app) firstPlace() tea.Cmd {
	l := a.list
	if !a.remembered.pending() {
		l.Begin()
	}
	cmd := a.remembered.restore()
	if unrecognised(a.h) {
		l.OpenRecords()
	}
	switch at := a.h.Opts.At; {
	case at == "end" || at == "" && a.h.Opts.Follow:
		l.ToEnd()
	case at != "" && a.h.State.Preview: // the preview may not include the place
		a.placeLater = true
	case at != "" && at[0] == '@':
		a.list.GoTime(at[1:])
	case at != "":
		n := 0
		for _, c := range at {
			if c < '0' || c > '9' {
				n = -1
				break
			}
			n = min(n*10+int(c-'0'), 1<<30)
		}
		if n < 0 {
			a.complain("cannot go to " + paint.OneLine(at) + ": write an index, or @22:41")
		} else {
			a.list.GoIndex(n)
		}
	}
	l.ForgetJumps()
	l.Reveal()
	if v := config.ViewNamed(a.h.Opts.Views, a.h.Opts.View); v != nil && v.Of == config.ViewOfSession && !a.h.State.Preview {
		cmd = tea.Batch(cmd, a.takeSessionView(v))
	}
	if a.placeLater {
		return cmd
	}
	return tea.Batch(cmd, l.Arm(a.h.Opts.Search))
}

// news counts the messages that arrived while the reader was elsewhere, marks the first of them,
// and rings the bell on errors, if it is on.
func (a *app) news(id model.ID) tea.Cmd {
	h := a.h.Snap.HeadRow(id)
	if h.Op != model.Say && h.Op != model.End {
		return nil
	}
	bad := h.Flags&(model.HasFailure|model.APIError) != 0
	if h.Op == model.Say {
		a.list.News(id, bad)
	}
	if bad {
		return a.bell.ring()
	}
	return nil
}

// tick redraws every second, but only while an age is shown.
func (a *app) tick() tea.Cmd {
	if st := a.h.Doing(); a.ticking || st.Since.IsZero() && st.Doing != session.Silent {
		return nil
	}
	a.ticking = true
	return a.h.After(time.Second, tickMsg{})
}
