package sessions

import (
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/query/human"
	"turns/query/session"
	"turns/ui/transcripts"
)

// listed applies an update of the sessions.
func (d *List) listed(m listedMsg) tea.Cmd {
	keep := d.kept()
	d.news = m.news
	d.Loaded = d.Loaded || m.news.Listed || m.done
	if m.done {
		d.err = m.err
		return d.narrowTo(keep)
	}
	moved := d.update()
	if d.aged() || moved {
		d.arrange()
	}
	d.drawn.Store(true)
	cmd := tea.Batch(d.narrowTo(keep), d.tick(), receive(d.H.Opts.BaseContext(), m.more))
	if d.over != nil {
		cmd = tea.Batch(cmd, d.over.show())
	}
	return cmd
}

// update applies the latest update, and reports whether sessions were added or belong in another
// place. Changed sessions will be searched again.
func (d *List) update() (moved bool) {
	stale, now := make(map[string]bool), d.H.Opts.Time()
	for i := range d.news.Sessions {
		s := &d.news.Sessions[i]
		row := d.byName(s.Path)
		if row == nil {
			d.byPath[s.Path] = len(d.All)
			d.All, moved = append(d.All, *s), true
			row = d.byName(s.Path)
		} else if d.Loaded && d.news.Counting == 0 && (row.Summary != s.Summary || !slices.Equal(row.Labels, s.Labels)) {
			stale[s.Path] = true
		}
		stage, at := row.Stage, d.at(row)
		s.Replaces(row)
		*row = *s
		d.family.Put(row)
		if root := d.root(row); root != row {
			moved = d.family.Settle(root, now) || moved
		} else {
			d.family.Settle(row, now)
		}
		moved = moved || row.Stage != stage || !d.at(row).Equal(at)
	}
	gone := make(map[string]bool, len(d.news.Gone))
	for _, path := range d.news.Gone {
		gone[path], stale[path] = true, true
		if s := d.byName(path); s != nil {
			d.family.Drop(s)
		}
	}
	if len(gone) > 0 {
		d.All = slices.DeleteFunc(d.All, func(s session.Session) bool { return gone[s.Path] })
		d.number()
	}
	maps.DeleteFunc(d.bodies.known, func(key bodyKey, _ transcripts.Hit) bool { return stale[key.path] })
	return moved || len(gone) > 0
}

// section is a part of the list. Sessions that run or need someone come first, each state under its
// heading; the others are grouped by day.
type section uint8

const (
	sectionNone section = iota
	sectionWaiting
	sectionStuck
	sectionRunning
	sectionFailed
	sectionIdle
	sectionDays
)

// headings are the headings of the sections; "" means one heading per day.
var headings = [...]string{
	sectionWaiting: "waiting for you", sectionStuck: human.Stuck.String(), sectionRunning: human.Running.String(),
	sectionFailed: human.Failed.String() + " today", sectionIdle: human.Idle.String() + ", your turn", sectionDays: "",
}

// sections maps the states of sessions to sections.
var sections = map[human.State]section{
	human.Waiting: sectionWaiting, human.Stuck: sectionStuck, human.Running: sectionRunning, human.Failed: sectionFailed, human.Idle: sectionIdle,
}

// section returns the section of a session. Subagents follow their parent, whose row shows what
// they need.
func (d *List) section(s *session.Session) section {
	part, now := sections[s.Stage], d.H.Opts.Time()
	switch {
	case part == sectionNone, d.family.Root(s) != s.Path,
		part == sectionFailed && (s.Last == 0 || !sameDate(time.UnixMilli(s.Last), now, d.H.Zone)), // a copied file is not a failure of today
		part == sectionIdle && !s.State().Live():
		return sectionDays
	}
	return part
}

// at returns the time by which a session is sorted. It is rounded for running sessions, so that
// they do not change places with every written line.
func (d *List) at(s *session.Session) time.Time {
	if s.Stage == human.Running {
		return s.When().Truncate(time.Minute)
	}
	return s.When()
}

// number rebuilds the index of the paths.
func (d *List) number() {
	clear(d.byPath)
	for i := range d.All {
		d.byPath[d.All[i].Path] = i
	}
}

// byName returns the session with a path, nil for none.
func (d *List) byName(path string) *session.Session {
	if i, ok := d.byPath[path]; ok {
		return &d.All[i]
	}
	return nil
}

// root returns the session that a row is grouped with: itself, or the parent of a subagent.
func (d *List) root(s *session.Session) *session.Session {
	if root := d.byName(d.family.Root(s)); root != nil {
		return root
	}
	return s
}

// sessionTickMsg redraws the ages of live sessions.
type sessionTickMsg struct{ list *List }

// tick redraws every second, but only while an age is shown. Updates that arrive more often redraw
// the ages as well.
func (d *List) tick() tea.Cmd {
	if d.ticking || !slices.ContainsFunc(d.All, func(s session.Session) bool { return sections[s.Stage] != sectionNone && !s.State().Since.IsZero() }) {
		return nil
	}
	d.ticking = true
	second := d.H.After(time.Second, sessionTickMsg{d})
	if second == nil { // a test's timer sends the message
		return nil
	}
	return func() tea.Msg {
		for {
			if msg := second(); msg == nil || !d.drawn.Swap(false) {
				return msg
			}
		}
	}
}

// ticked redraws the ages, and moves sessions whose state has changed with time.
func (d *List) ticked() tea.Cmd {
	d.ticking = false
	if !d.aged() {
		return d.tick()
	}
	keep := d.kept()
	d.arrange()
	return tea.Batch(d.narrowTo(keep), d.tick())
}

// aged updates the states to the current time, and reports whether any has changed.
func (d *List) aged() (news bool) {
	now := d.H.Opts.Time()
	for i := range d.All {
		if s := &d.All[i]; sections[s.Stage] != sectionNone {
			if root := d.root(s); root == s || s.At(now) {
				news = d.family.Settle(root, now) || news
			}
		}
	}
	return news
}
