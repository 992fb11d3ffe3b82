package sessions

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
)

// withoutFolded removes the subagents that are folded into their listed session. A list to choose a
// session for a comparison keeps them all.
func (d *List) withoutFolded(rows []int) []int {
	d.folded = 0
	if d.Pick.With != "" {
		return rows
	}
	listed := make(map[string]bool, len(rows))
	for _, i := range rows {
		listed[d.All[i].Path] = true
	}
	all := len(rows)
	rows = slices.DeleteFunc(rows, func(i int) bool {
		s := &d.All[i]
		root := d.family.Root(s)
		return root != s.Path && listed[root] && !d.opened[root]
	})
	d.folded = all - len(rows)
	return rows
}

// fold shows or hides the subagents of a session.
func (d *List) fold(s *session.Session) tea.Cmd {
	root := d.root(s)
	if len(d.family.Below(root)) == 0 {
		return d.H.Complain("this session has no transcripts of subagents")
	}
	d.opened[root.Path] = !d.opened[root.Path]
	return d.narrowTo(root.Path)
}

// familyCells draws the fold sign and the number of subagents of a session, and the indent of a
// subagent.
func (d *List) familyCells(s *session.Session, out []screen.Cell, title int) {
	if root := d.root(s); root != s {
		if title >= 0 {
			out[title].Lead = paint.Span{Text: "└ ", Ink: paint.InkDim}
		}
		return
	}
	below := d.family.Below(s)
	if len(below) == 0 || d.Pick.With != "" {
		return
	}
	if sign := "▸ "; out[0].Lead.Text == "  " {
		if d.opened[s.Path] {
			sign = "▾ "
		}
		out[0].Lead = paint.Span{Text: sign, Ink: paint.InkDim}
	}
	if title < 0 {
		return
	}
	w, all := d.Table.WidthOf(title), session.AgentsInWords(below)
	first, _, _ := strings.Cut(all, ",")
	for _, words := range []string{all, first} {
		count := "  " + words
		if room := w - paint.Width(count); room >= w/2 {
			out[title] = screen.Cell{Parts: []paint.Span{{Text: paint.Fit(out[title].Text, room), Ink: out[title].Ink}, {Text: count, Ink: paint.InkDim}}}
			return
		}
	}
}

// place is the position of a session in the list: next to its root.
type place struct {
	section section
	at      time.Time
	root    int // previous position of the root, to order equal times
	below   bool
	began   int64
}

func (d *List) placeOf(s *session.Session) place {
	root := d.root(s)
	return place{d.section(root), d.at(root), d.byPath[root.Path], root != s, s.Started}
}

// arrange sorts the sessions by section, then the newest first, each followed by its subagents.
func (d *List) arrange() {
	places := make(map[string]place, len(d.All))
	for i := range d.All {
		places[d.All[i].Path] = d.placeOf(&d.All[i])
	}
	slices.SortStableFunc(d.All, func(a, b session.Session) int {
		x, y := places[a.Path], places[b.Path]
		if x.root == y.root {
			return cmp.Or(compareBool(x.below, y.below), cmp.Compare(x.began, y.began))
		}
		return cmp.Or(cmp.Compare(x.section, y.section), y.at.Compare(x.at), cmp.Compare(x.root, y.root))
	})
	d.number()
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
