package sessions

import (
	"cmp"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/query/session"
	"turns/ui/library"
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
	stale := make(map[string]bool)
	for i := range d.news.Sessions {
		s := &d.news.Sessions[i]
		at, known := d.byPath[s.Path]
		if !known {
			d.All, moved = append(d.All, *s), true
			continue
		}
		was := &d.All[at]
		if d.Loaded && d.news.Counting == 0 && !was.Same(s) {
			stale[s.Path] = true
		}
		moved = moved || was.Stage != s.Stage || !was.When().Equal(s.When())
		*was = *s
	}
	gone := make(map[string]bool, len(d.news.Gone))
	for _, path := range d.news.Gone {
		gone[path], stale[path] = true, true
	}
	if len(gone) > 0 {
		d.All = slices.DeleteFunc(d.All, func(s session.Session) bool { return gone[s.Path] })
	}
	maps.DeleteFunc(d.bodies.known, func(key bodyKey, _ library.Hit) bool { return stale[key.path] })
	return moved || len(gone) > 0
}

// headings are what the sessions stand under that go on or need somebody, those that need
// somebody first; the others stand under their days.
var headings = map[session.Stage]string{
	session.WaitsForHuman: "waits for you", session.Stuck: "stuck", session.HasFailed: "failed", session.Works: "works",
}

// failedFor is how long what has failed stands before what came later.
const failedFor = 24 * time.Hour

// stage is what a session stands under: of what needs nobody the last.
func (d *List) stage(s *session.Session) session.Stage {
	stage := s.Stage
	if stage == session.HasFailed && d.H.Opts.Time().Sub(s.When()) > failedFor || headings[stage] == "" {
		return session.Gone
	}
	return stage
}

// arrange puts the sessions in their order: who needs somebody first, and the newest first.
func (d *List) arrange() {
	slices.SortStableFunc(d.All, func(a, b session.Session) int {
		return cmp.Or(cmp.Compare(d.stage(&a), d.stage(&b)), b.When().Compare(a.When()))
	})
	d.byPath = make(map[string]int, len(d.All))
	for i := range d.All {
		d.byPath[d.All[i].Path] = i
	}
}

// sessionTickMsg asks for a frame with the ages of what is live.
type sessionTickMsg struct{ list *List }

// tick draws once a second while an age is shown, and not at all otherwise. News that come more
// often draw the ages, too.
func (d *List) tick() tea.Cmd {
	if d.ticking || !slices.ContainsFunc(d.All, func(s session.Session) bool { return !s.State().Since.IsZero() }) {
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
		if s := &d.All[i]; headings[s.Stage] != "" {
			news = s.At(now) || news
		}
	}
	return news
}
