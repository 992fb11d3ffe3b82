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

// listed takes news of the sessions.
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

// update brings the sessions up to date with the news, and reports whether there are others than
// before, or some belong elsewhere. Those that have changed are searched again.
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
			moved = d.family.Stand(root, now) || moved
		} else {
			d.family.Stand(row, now)
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

// section is a part of the list: sessions that go on or need somebody come first, under a heading,
// the others under their days.
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

// headings are the words over the sections, "" for those with another one for each day.
var headings = [...]string{
	sectionWaiting: "waiting for you", sectionStuck: human.Stuck.String(), sectionRunning: human.Running.String(),
	sectionFailed: human.Failed.String() + " today", sectionIdle: human.Idle.String() + ", your turn", sectionDays: "",
}

// sections say where the sessions of a state belong.
var sections = map[human.State]section{
	human.Waiting: sectionWaiting, human.Stuck: sectionStuck, human.Running: sectionRunning, human.Failed: sectionFailed, human.Idle: sectionIdle,
}

// section is the part of the list that a session belongs to. Subagents follow their parent, whose
// row says what they need.
func (d *List) section(s *session.Session) section {
	part, now := sections[s.Stage], d.H.Opts.Time()
	switch {
	case part == sectionNone, d.family.Root(s) != s.Path,
		part == sectionFailed && !sameDate(s.When(), now, d.H.Zone),
		part == sectionIdle && !s.State().Live():
		return sectionDays
	}
	return part
}

// at is when a session stands in the list. Those that work do not change places at each line that
// they write.
func (d *List) at(s *session.Session) time.Time {
	if s.Stage == human.Running {
		return s.When().Truncate(time.Minute)
	}
	return s.When()
}

// number says again where each session stands.
func (d *List) number() {
	clear(d.byPath)
	for i := range d.All {
		d.byPath[d.All[i].Path] = i
	}
}

// byName is the session of a path, nil for none.
func (d *List) byName(path string) *session.Session {
	if i, ok := d.byPath[path]; ok {
		return &d.All[i]
	}
	return nil
}

// root is the session that one is told of with: itself, or the run of a subagent.
func (d *List) root(s *session.Session) *session.Session {
	if root := d.byName(d.family.Root(s)); root != nil {
		return root
	}
	return s
}

// sessionTickMsg asks for a frame with the ages of what is live.
type sessionTickMsg struct{ list *List }

// tick draws once a second while an age is shown, and not at all otherwise. News that come more
// often draw the ages, too.
func (d *List) tick() tea.Cmd {
	if d.ticking || !slices.ContainsFunc(d.All, func(s session.Session) bool { return sections[s.Stage] != sectionNone && !s.State().Since.IsZero() }) {
		return nil
	}
	d.ticking = true
	second := d.H.After(time.Second, sessionTickMsg{d})
	if second == nil { // a timer of somebody else's sends it
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

// ticked draws the ages anew, and moves what stands otherwise by now.
func (d *List) ticked() tea.Cmd {
	d.ticking = false
	if !d.aged() {
		return d.tick()
	}
	keep := d.kept()
	d.arrange()
	return tea.Batch(d.narrowTo(keep), d.tick())
}

// aged says how all stand by now, and whether one stands otherwise than before.
func (d *List) aged() (news bool) {
	now := d.H.Opts.Time()
	for i := range d.All {
		if s := &d.All[i]; sections[s.Stage] != sectionNone {
			if root := d.root(s); root == s || s.At(now) {
				news = d.family.Stand(root, now) || news
			}
		}
	}
	return news
}
