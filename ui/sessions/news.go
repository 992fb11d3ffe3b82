package sessions

import (
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
	if d.update() {
		d.arrange()
	}
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
		moved = moved || was.Live != s.Live || !was.When().Equal(s.When())
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

// arrange puts the sessions in their order: the newest first, of a day those that are live.
func (d *List) arrange() {
	slices.SortStableFunc(d.All, func(a, b session.Session) int {
		if a.Live != b.Live && sameDate(a.When(), b.When(), d.H.Zone) {
			if a.Live {
				return -1
			}
			return 1
		}
		return b.When().Compare(a.When())
	})
	d.byPath = make(map[string]int, len(d.All))
	for i := range d.All {
		d.byPath[d.All[i].Path] = i
	}
}

// sessionTickMsg asks for a frame with the ages of what is live.
type sessionTickMsg struct{ list *List }

// tick draws once a second while an age is shown, and not at all otherwise.
func (d *List) tick() tea.Cmd {
	if d.ticking || !slices.ContainsFunc(d.All, func(s session.Session) bool { return !s.State().Since.IsZero() }) {
		return nil
	}
	d.ticking = true
	return d.H.After(time.Second, sessionTickMsg{d})
}
