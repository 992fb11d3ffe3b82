package ui

import (
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/query/session"
	"turns/ui/library"
)

// listed takes news of the sessions.
func (d *sessions) listed(m listedMsg) tea.Cmd {
	keep := d.kept()
	d.news = m.news
	d.loaded = d.loaded || m.news.Listed || m.done
	if m.done {
		d.err = m.err
		return d.narrowTo(keep)
	}
	if d.update() {
		d.arrange()
	}
	return tea.Batch(d.narrowTo(keep), d.tick(), receive(d.h.Ctx, m.more))
}

// update brings the sessions up to date with the news, and reports whether there are others than before, or some belong elsewhere. Those that
// have changed are searched again.
func (d *sessions) update() (moved bool) {
	stale := make(map[string]bool)
	for i := range d.news.Sessions {
		s := &d.news.Sessions[i]
		at, known := d.byPath[s.Path]
		if !known {
			d.all, moved = append(d.all, *s), true
			continue
		}
		was := &d.all[at]
		if d.loaded && d.news.Counting == 0 && *was != *s {
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
		d.all = slices.DeleteFunc(d.all, func(s session.Session) bool { return gone[s.Path] })
	}
	maps.DeleteFunc(d.bodies.known, func(key bodyKey, _ library.Hit) bool { return stale[key.path] })
	return moved || len(gone) > 0
}

// arrange puts the sessions in their order: the newest first, of a day those that are live.
func (d *sessions) arrange() {
	slices.SortStableFunc(d.all, func(a, b session.Session) int {
		if a.Live != b.Live && sameDate(a.When(), b.When(), d.h.Zone) {
			if a.Live {
				return -1
			}
			return 1
		}
		return b.When().Compare(a.When())
	})
	d.byPath = make(map[string]int, len(d.all))
	for i := range d.all {
		d.byPath[d.all[i].Path] = i
	}
}

// sessionTickMsg asks for a frame with the ages of what is live.
type sessionTickMsg struct{ list *sessions }

// tick draws once a second while an age is shown, and not at all otherwise.
func (d *sessions) tick() tea.Cmd {
	if d.ticking || !slices.ContainsFunc(d.all, func(s session.Session) bool { return !s.State().Since.IsZero() }) {
		return nil
	}
	d.ticking = true
	return d.h.After(time.Second, sessionTickMsg{d})
}
