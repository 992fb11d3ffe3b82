package sessions

import (
	tea "charm.land/bubbletea/v2"

	"turns/query/session"
	"turns/ui/library"
	"turns/ui/screen"
)

// label asks what is to be said of the session.
func (d *List) label(s *session.Session) tea.Cmd {
	return d.H.Ask(screen.LabelRun{Session: *s, Done: d.relabel})
}

// relabel shows what is said of the sessions now.
func (d *List) relabel() {
	d.makeColumns(len(d.H.Said.Set.Said()) > 0)
	for i := range d.All {
		d.All[i].Labels = nil
	}
	library.LabelRows(d.H.Said.Set.Digest(), d.All)
}
