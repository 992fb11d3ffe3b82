package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
)

// updated takes over what the feed tells.
func (a *app) updated(msg updateMsg) tea.Cmd {
	if msg.feed != a.feed {
		return nil // of a session that was left
	}
	if msg.err != nil {
		if !isEOF(msg.err) {
			a.say("reading stopped: " + oneLine(msg.err.Error()))
			a.sayInk = inkError
		}
		a.h.state.Growing, a.h.state.Following, a.h.live = false, false, false
		a.list.gen++
		return a.list.moved()
	}
	u := msg.update
	old := a.h.snap
	if u.Snap == nil {
		u.Snap = old
	}
	event := u.Event
	was := a.h.state
	a.h.state = u
	// What is still being read for the first time is not new, and a file that nobody touched since it was opened has not grown.
	wasWritten := was.Indexed >= 1 && !was.Preview && (u.LastWrite.IsZero() || u.LastWrite.After(a.began))
	cmds := []tea.Cmd{a.next()}
	if event != "" {
		a.say(oneLine(event))
		a.sayInk = inkWarning
	}
	if u.Err != nil && (was.Err == nil || was.Err.Error() != u.Err.Error()) { // it stands in every state until it has passed
		a.say(oneLine(u.Err.Error()))
		a.sayInk = inkError
	}
	if u.Snap != nil && u.Snap != old {
		again := event == "APPEARED" && old != nil && old.Rows() > 0
		if again || strings.HasPrefix(event, "TRUNCATED") || strings.HasPrefix(event, "REPLACED") {
			word, _, _ := strings.Cut(oneLine(event), ",")
			a.list.restarted = word + " " + a.h.clock(a.h.opts.now().UnixMilli()) + ", read again"
		}
		cmds = append(cmds, a.newSnapshot(old, was.Preview && !u.Preview, wasWritten))
	}
	if old != nil && u.Snap != old && wasWritten {
		a.grew = true
	}
	if live := a.isLive(); live != a.h.live {
		a.h.live = live
		a.list.gen++
		if live && a.h.opts.Follow && a.h.snap != nil {
			a.list.follow = true
			a.list.toEnd()
		}
	}
	if u.Newer != "" && u.Newer != was.Newer && a.list.follow && a.h.opts.Open != nil {
		cmds = append(cmds, a.openNewest(u.Newer)) // who follows a folder is taken along
	}
	cmds = append(cmds, a.tick(), a.list.moved())
	return tea.Batch(cmds...)
}

// isLive reports whether somebody still writes: the reader asked to follow, it was seen to grow, or it was written to a moment ago. Any other
// file may be watched too, but what is open in it will not go on.
func (a *app) isLive() bool {
	u := &a.h.state
	return u.Growing && (a.h.opts.Follow || a.grew || !u.LastWrite.IsZero() && a.h.opts.now().Sub(u.LastWrite) < silentAfter)
}

// newSnapshot shows a later state of the conversation, or another one that took its place.
func (a *app) newSnapshot(old *model.Snapshot, replaced, written bool) tea.Cmd {
	h, l := &a.h, a.list
	s := h.state.Snap
	h.snap, h.bodies.snap = s, s
	first := old == nil
	another := first || replaced || s.Version() < old.Version() || s.Rows() < old.Rows()
	row := 0
	if !first {
		row = l.rowOnScreenOf(old, another)
	}
	var key model.Key
	var cmds []tea.Cmd
	if another {
		if !first && int(l.curKey.id) < old.Rows() {
			key = old.HeadRow(l.curKey.id).Key
		}
		h.fetches.known = nil
		h.described.known.clear()
		h.bodies.held.clear()
		h.described.d = a.describerFor(s)
		l.threads, l.anyBranch, l.branchesOf, l.chosen = nil, false, 0, nil
		l.outline = &outline{}
		h.turns, h.table, h.turnOfPrompt, h.tools, h.stats, h.tokens, h.turnTokens = nil, nil, nil, nil, nil, nil, nil
		a.answers.gen++
		a.answers.busy, a.answers.version, a.answers.counted = false, 0, 0
		h.view.matcher, h.view.result = nil, nil
		if h.view.on {
			h.view.on = false
			w := h.view
			w.on = true
			a.waitingFilter = &w
		}
		clear(l.opened)
		clear(l.turnOpen)
		l.redraw()
	} else {
		for id := range s.Changed(old.Version()) {
			l.changed(id, old.Rows())
			if written && int(id) >= old.Rows() {
				cmds = append(cmds, a.news(id))
			}
		}
	}
	cmds = append(cmds, l.refreshOutline())
	a.fitColumns()
	switch {
	case first:
		a.firstPlace()
		if h.opts.Filter != "" {
			if cmd, err := a.applyFilter(h.opts.Filter); err == nil {
				cmds = append(cmds, cmd)
			} else {
				a.complain(oneLine(err.Error()))
			}
		}
	case another && a.placeLater:
		a.placeLater = false
		a.firstPlace()
	case another && l.follow:
		l.sync()
		l.toEnd()
	case another:
		a.findAgain(key)
		l.center(row)
		l.reveal()
	default:
		l.sync()
		if l.follow {
			l.toEnd()
		}
	}
	if h.view.on && h.view.version != s.Version() {
		cmds = append(cmds, a.runFilter(h.view))
	} else if a.waitingFilter != nil {
		w := *a.waitingFilter
		a.waitingFilter = nil
		cmds = append(cmds, a.runFilter(w))
	}
	return tea.Batch(append(cmds, a.ask(), a.refreshPanes())...)
}

func (a *app) describerFor(s *model.Snapshot) query.Describer {
	d := query.Describer{}
	if ss := s.Sessions(); len(ss) > 0 {
		d = query.NewDescriber(&ss[0])
	}
	if a.h.opts.Home != "" {
		d.Home = a.h.opts.Home
	}
	d.Zone = a.h.zone
	return d
}

// findAgain finds, in a conversation that took the place of another, the message that the cursor was on.
func (a *app) findAgain(key model.Key) {
	l, s := a.list, a.h.snap
	if key != 0 {
		// The same message is mostly where it was, or near.
		at := int(l.curKey.id)
		for d := range s.Rows() {
			for _, n := range [...]int{at - d, at + d} {
				if n >= 0 && n < s.Rows() && s.HeadRow(model.ID(n)).Key == key {
					l.curKey.id = model.ID(n)
					l.topKey = l.curKey
					l.sync()
					return
				}
			}
			if d > 200_000 {
				break
			}
		}
	}
	l.sync()
}

// firstPlace is where the screen begins: the place that was asked for, where the reader left, the end when following, else the top.
func (a *app) firstPlace() {
	l := a.list
	l.cur, _ = l.first()
	l.selectPlace(l.cur)
	l.setTop(l.cur)
	a.restore()
	switch at := a.h.opts.At; {
	case at == "end" || at == "" && a.h.opts.Follow:
		l.toEnd()
	case at != "" && a.h.state.Preview: // the window may not reach so far
		a.placeLater = true
	case at != "" && at[0] == '@':
		a.list.goTime(at[1:])
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
			a.complain("cannot go to " + oneLine(at) + ": write an index, or @22:41")
		} else {
			a.list.goIndex(n)
		}
	}
	l.past = nil
	l.reveal()
}

// news counts what came while the reader was elsewhere, marks where it begins, and rings the bell if that was asked for.
func (a *app) news(id model.ID) tea.Cmd {
	h := a.h.snap.HeadRow(id)
	if h.Op != model.Say && h.Op != model.End {
		return nil
	}
	bad := h.Flags&(model.HasFailure|model.APIError) != 0
	if !a.list.follow && h.Op == model.Say {
		if a.list.fresh == 0 {
			a.list.forgetItems(a.list.readMark)
			a.list.readMark = id
		}
		a.list.fresh++
		if bad {
			a.list.freshErrors++
		}
	}
	if a.bell && (bad || h.Op == model.End || a.endsTurn(h)) {
		return tea.Raw("\a")
	}
	return nil
}

// endsTurn reports whether a message leaves the next word to the reader.
func (a *app) endsTurn(h *model.Head) bool {
	return h.Role == model.Assistant && h.Flags&(model.HasCalls|model.Partial|model.Sidechain) == 0 && h.Flags&model.HasWords != 0
}

// open is what the run is waiting for.
type openWork struct {
	text  string
	since int64 // Unix ms; 0 unknown
	ink   ink
	glyph string
	moves bool // its age is shown and moves
}

// silentAfter is when something that is open counts as silent.
const silentAfter = 5 * time.Minute

// copiedAfter is how long after its last record a file may still be written by the run that it tells of.
const copiedAfter = time.Hour

// doing says what the run does, from its last messages.
func (a *app) doing() openWork {
	h := &a.h
	s := h.snap
	if s == nil || s.Len() == 0 {
		return openWork{}
	}
	ss := h.session()
	last := s.HeadRow(s.At(s.Len() - 1))
	if !h.live || !h.opts.Follow && last.Time != 0 && h.state.LastWrite.Sub(time.UnixMilli(last.Time)) > copiedAfter {
		return a.ended(ss, last) // a file that was written long after what it tells is a copy
	}
	var w openWork
	var calls int
	var tool string
	var since int64
	for n := s.Len() - 1; n >= 0 && n > s.Len()-64; n-- {
		id := s.At(n)
		head := s.HeadRow(id)
		if head.Flags&model.HasCalls == 0 {
			if head.Flags&model.Prompt != 0 {
				break
			}
			continue
		}
		for _, c := range s.Calls(id) {
			if c.Result == model.NoID && !c.Outcome.Failed() && c.Outcome != model.Background && c.Outcome != model.Success {
				calls++
				tool, since = s.Name(c.Tool), head.Time
			}
		}
	}
	switch {
	case calls == 1:
		_, word, _ := query.FamilyOf(tool)
		w = openWork{text: oneLine(word) + " running", since: since}
	case calls > 1:
		w = openWork{text: plural(calls, "call", "calls") + " running", since: since}
	case ss.Ended:
		return a.ended(ss, last)
	case last.Role == model.Assistant && last.Flags&model.Partial == 0:
		w = openWork{text: "waits for you", since: last.Time}
	default:
		w = openWork{text: "model", since: last.Time}
	}
	w.ink, w.glyph, w.moves = inkRunning, "●", true
	if w.text == "waits for you" {
		w.ink = inkUser
	} else if write := h.state.LastWrite; !write.IsZero() && h.opts.now().Sub(write) > silentAfter {
		return openWork{text: "silent " + took(h.opts.now().Sub(write).Truncate(time.Minute)), ink: inkWarning, glyph: "◌", moves: true}
	}
	if w.since == 0 {
		w.moves = false
	}
	return w
}

// ended says how a run ended.
func (a *app) ended(ss *model.Session, last *model.Head) openWork {
	s := a.h.snap
	if all := s.Sessions(); len(all) > 1 {
		return sessionsEnded(all)
	}
	if !ss.Ended {
		if last.Flags&model.Interrupted != 0 {
			return openWork{text: "interrupted", ink: inkWarning, glyph: "■"}
		}
		if ss.Stop == model.StopEnd && last.Role == model.Assistant {
			return openWork{text: a.endText("finished", last), ink: inkOK, glyph: "✓"}
		}
		return openWork{text: "ended?", ink: inkDim}
	}
	reason := cut(oneLine(ss.Reason), 40)
	text := reason
	if ss.Scored && !strings.Contains(text, "reward") {
		text = strings.TrimSpace(text + " reward " + trimFloat(ss.Score))
	}
	switch {
	case ss.Outcome == model.Stopped || ss.Outcome == model.Cancelled:
		return openWork{text: "interrupted", ink: inkWarning, glyph: "■"}
	case ss.Outcome.Failed():
		return openWork{text: "ended: " + text, ink: inkError, glyph: "✗"}
	case text == "" || reason == "end_turn" || reason == "completed" || reason == "success":
		return openWork{text: a.endText("finished", last), ink: inkOK, glyph: "✓"}
	}
	return openWork{text: text, ink: inkOK, glyph: "✓"}
}

// sessionsEnded says of a file of many conversations how many of them went well.
func sessionsEnded(all []model.Session) openWork {
	said, passed, ended := 0, 0, 0
	for i := range all {
		if all[i].Count == 0 { // the log itself, about its conversations
			continue
		}
		said++
		if all[i].Ended {
			ended++
			if !all[i].Outcome.Failed() {
				passed++
			}
		}
	}
	if ended == 0 {
		return openWork{text: plural(said, "conversation", "conversations"), ink: inkDim}
	}
	return openWork{text: fmt.Sprintf("%s of %s passed", thousands(passed), plural(said, "conversation", "conversations")), ink: inkDim}
}

func (a *app) endText(word string, last *model.Head) string {
	s := a.h.snap
	if last.Time != 0 {
		word += " " + a.h.clock(last.Time)
		if first := s.HeadRow(s.At(0)).Time; first != 0 && last.Time > first {
			word += " after " + took(time.Duration(last.Time-first)*time.Millisecond)
		}
	}
	return word
}

// tick draws once a second while an age is shown, and not at all otherwise.
func (a *app) tick() tea.Cmd {
	if a.ticking || !a.doing().moves {
		return nil
	}
	a.ticking = true
	return a.h.After(time.Second, tickMsg{})
}

// openSession shows another session; the jumps, marks and filter of this one stay behind.
func (a *app) openSession(path string, follow bool) tea.Cmd {
	if a.h.opts.Open == nil {
		return a.complain("no other session can be opened here")
	}
	return a.openPath(path, a.leaving(), a.h.opts.Open, follow)
}

// openNewest follows a session of the list, and is taken along to newer ones.
func (a *app) openNewest(path string) tea.Cmd {
	if a.h.opts.OpenNewest == nil {
		return a.openSession(path, true)
	}
	return a.openPath(path, a.leaving(), a.h.opts.OpenNewest, true)
}

// leaving are the sessions that [ goes back to from another one.
func (a *app) leaving() []string {
	if a.h.state.Path == "" {
		return a.pastSessions
	}
	return append(slices.Clip(a.pastSessions), a.h.state.Path)
}

// openPast goes back to the session before.
func (a *app) openPast() tea.Cmd {
	n := len(a.pastSessions) - 1
	if n < 0 {
		return a.complain("no jump to go back")
	}
	return a.openPath(a.pastSessions[n], a.pastSessions[:n], a.h.opts.Open, false)
}

func (a *app) openPath(path string, past []string, open func(string) (Feed, error), follow bool) tea.Cmd {
	a.saveNow()
	return func() tea.Msg {
		feed, err := open(path)
		return openedMsg{feed, err, past, follow}
	}
}

type openedMsg struct {
	feed   Feed
	err    error
	past   []string // sessions that [ goes back to from there
	follow bool     // its end is wanted
}

// begin shows the session that was opened.
func (a *app) begin(m openedMsg) tea.Cmd {
	if m.err != nil {
		return a.complain("cannot open: " + oneLine(m.err.Error()))
	}
	a.cancel()
	o := a.h.opts
	o.Filter, o.At, o.Width, o.Height, o.Follow = "", "", a.w, a.h0, m.follow
	next := newApp(o.context(), m.feed, o)
	next.isDark, next.behind, next.fromSessions, next.mouseOff, next.bell = a.isDark, a.behind, true, a.mouseOff, a.bell
	next.pastSessions, next.listed, next.desk.exports = m.past, a.listed, a.desk.exports
	next.h.timer = a.h.timer
	next.setTheme(next.theme())
	a.successor = next
	return tea.Batch(next.next(), next.resized())
}
