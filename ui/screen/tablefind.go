package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// openFind asks for a text to find; the cursor follows while it is typed.
func (t *Table) openFind(h *Host) {
	from, was := t.Cur, t.Find
	h.Ask(Show{&Prompt{H: h, Title: "Find", Label: "/", Help: "finds in the rows of this table; n and N go on", Live: func(text string) {
		t.Find, t.Cur = text, from
		if !t.Matches(from) {
			t.FindFrom(from, 1)
		}
	}, Done: func(text string, ok bool) tea.Cmd {
		switch {
		case !ok:
			t.Find, t.Cur = was, from
		case text == "":
			t.Find = was
			return t.findOn(h, 1)
		case !t.Matches(t.Cur):
			h.Complain("no row with " + text)
		}
		return nil
	}}})
}

func (t *Table) findOn(h *Host, dir int) tea.Cmd {
	if t.Find == "" {
		h.Complain("no search yet: " + h.Key("/") + " searches")
	} else if !t.FindFrom(t.Cur, dir) {
		h.Complain("no other row with " + t.Find)
	}
	return nil
}

// findLimit is the most rows searched at a time: their cells may have to be read.
const findLimit = 100_000

// FindFrom moves the cursor to the next (dir 1) or previous (-1) matching row, wrapping around; it
// returns false if none of the next 100 000 rows matches.
func (t *Table) FindFrom(from, dir int) bool {
	for i := 1; i < min(t.N, findLimit); i++ {
		place := ((from+dir*i)%t.N + t.N) % t.N
		if t.Matches(place) {
			t.MoveTo(place)
			return true
		}
	}
	return false
}

// Matches reports whether a cell of a row contains the searched text, ignoring case.
func (t *Table) Matches(place int) bool {
	if t.Find == "" || place < 0 || place >= t.N {
		return false
	}
	cells := make([]Cell, len(t.Cols))
	t.Cells(t.At(place), cells)
	return slices.ContainsFunc(cells, func(c Cell) bool { return strings.Contains(strings.ToLower(c.Text), strings.ToLower(t.Find)) })
}
