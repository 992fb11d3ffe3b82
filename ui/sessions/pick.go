package sessions

import (
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// Picking holds the sessions selected for a comparison.
type Picking struct {
	With   string   // path of the session to compare with a chosen one; "": the normal list
	marked []string // at most two, the older selection first
}

// offers reports whether a session is in the list: to choose one for a comparison, only the others
// in its folder.
func (p *Picking) offers(s *session.Session) bool {
	return p.With == "" || s.Path != p.With && filepath.Dir(s.Path) == filepath.Dir(p.With)
}

func (p *Picking) title() string {
	if p.With != "" {
		return "Compare " + paint.ShortName(p.With) + " with"
	}
	return "Sessions"
}

// MoveTo moves the list to another screen.
func (d *List) MoveTo(h *screen.Host) {
	d.H, d.ticking = h, false
	d.Bar.MoveTo(h)
	h.Opts.Reads.Mark(d.All) // the user may have read one of them
}

// takeRow selects or unselects the session of the row; a third drops the oldest.
func (d *List) takeRow(s *session.Session) tea.Cmd {
	d.Pick.marked = screen.TakeTwo(d.Pick.marked, s.Path)
	d.moveTo(d.Table.Cur + 1)
	return nil
}

// compareTaken compares the selected sessions.
func (d *List) compareTaken(s *session.Session) tea.Cmd {
	p := &d.Pick
	switch {
	case p.With != "":
		return d.open(s)
	case len(p.marked) == 2:
		return d.H.Ask(screen.Compare{A: p.marked[0], B: p.marked[1]})
	case len(p.marked) == 1 && p.marked[0] != s.Path:
		return d.H.Ask(screen.Compare{A: p.marked[0], B: s.Path})
	}
	return d.H.Complain(d.H.Key("D") + " compares two sessions: " + d.H.Key("v") + " selects them")
}

// Group is the name of the list's keys.
func (d *List) Group() string { return "Session list" }

// KeyGroups returns the keys of the tables over the list.
func KeyGroups() []screen.KeyGroup {
	s, t := &Sums{}, &Troubles{}
	return []screen.KeyGroup{{Name: s.Group(), Keys: s.Keys()}, {Name: t.Group(), Keys: t.Keys()}}
}

// label asks for a label for the session.
func (d *List) label(s *session.Session) tea.Cmd {
	return d.H.Ask(screen.LabelRun{Session: *s, Done: d.relabel})
}

// relabel shows the current labels of the sessions.
func (d *List) relabel() {
	d.makeColumns(len(d.H.Labelled.Set.Current()) > 0)
	for i := range d.All {
		d.All[i].Labels = nil
	}
	transcripts.LabelRows(d.H.Labelled.Set.Digest(), d.All)
}
