package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// openFind asks for what to look for; the cursor goes along while it is typed.
func (t *table) openFind(h *host) {
	from, was := t.cur, t.find
	h.ask(Show{&promptDialog{h: h, title: "Find", label: "/", help: "finds in the rows of this table; n and N go on", live: func(text string) {
		t.find, t.cur = text, from
		if !t.matches(from) {
			t.findFrom(from, 1)
		}
	}, done: func(text string, ok bool) tea.Cmd {
		switch {
		case !ok:
			t.find, t.cur = was, from
		case text == "":
			t.find = was
			return t.findOn(h, 1)
		case !t.matches(t.cur):
			h.complain("no row with " + text)
		}
		return nil
	}}})
}

func (t *table) findOn(h *host, dir int) tea.Cmd {
	if t.find == "" {
		h.complain("nothing was searched for: / searches")
	} else if !t.findFrom(t.cur, dir) {
		h.complain("no other row with " + t.find)
	}
	return nil
}

// findLimit is how many rows are looked at in one go: their cells may have to be read.
const findLimit = 100_000

func (t *table) findFrom(from, dir int) bool {
	for i := 1; i < min(t.n, findLimit); i++ {
		place := ((from+dir*i)%t.n + t.n) % t.n
		if t.matches(place) {
			t.moveTo(place)
			return true
		}
	}
	return false
}

func (t *table) matches(place int) bool {
	if t.find == "" || place < 0 || place >= t.n {
		return false
	}
	cells := make([]tableCell, len(t.cols))
	t.cells(t.at(place), cells)
	for i := range cells {
		if strings.Contains(strings.ToLower(cells[i].text), strings.ToLower(t.find)) {
			return true
		}
	}
	return false
}
