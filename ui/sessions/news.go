package sessions

import (
	"cmp"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

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

// headings are what the sessions stand under that go on or need somebody, those that need
// somebody first; the others stand under their days.
var headings = map[session.Stage]string{
	session.WaitsForHuman: "waits for you", session.Stuck: "stuck", session.HasFailed: "failed", session.Works: "works",
}

// failedFor is how long what has failed stands before what came later.
const failedFor = 24 * time.Hour

// stage is what a session stands under: of what needs nobody the last. Of a subagent the line of
// its run tells.
func (d *List) stage(s *session.Session) session.Stage {
	stage := s.Stage
	if headings[stage] != "" && d.family.Root(s) != s.Path {
		return session.Gone
	}
	if stage == session.HasFailed && d.H.Opts.Time().Sub(s.When()) > failedFor || headings[stage] == "" {
		return session.Gone
	}
	return stage
}

// at is when a session stands in the list. Those that work do not change places at each line that
// they write.
func (d *List) at(s *session.Session) time.Time {
	if s.Stage == session.Works {
		return s.When().Truncate(time.Minute)
	}
	return s.When()
}

// arrange puts the sessions in their order: who needs somebody first, and the newest first.
func (d *List) arrange() {
	slices.SortStableFunc(d.All, func(a, b session.Session) int {
		return cmp.Or(cmp.Compare(d.stage(&a), d.stage(&b)), d.at(&b).Compare(d.at(&a)))
	})
	d.number()
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
	if d.ticking || !slices.ContainsFunc(d.All, func(s session.Session) bool { return headings[s.Stage] != "" && !s.State().Since.IsZero() }) {
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
			if root := d.root(s); root == s || s.At(now) {
				news = d.family.Stand(root, now) || news
			}
		}
	}
	return news
}
