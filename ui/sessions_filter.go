package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query/lang"
	"turns/ui/screen"
)

// narrow shows the sessions that the filter and the title let through, and looks into those of which the list cannot tell.
func (d *sessions) narrow() tea.Cmd { return d.narrowTo(d.kept()) }

// narrowTo is narrow with the cursor on the session of a path, where it is still there.
func (d *sessions) narrowTo(keep string) tea.Cmd {
	f, err := lang.Parse(d.filter.Text)
	if err == nil {
		if d.parsed == nil || f.String() != d.parsed.String() {
			d.bodies.stop()
			d.bodies.halted = false
		}
		d.parsed = f
	}
	paths, sorting := d.sift(keep)
	if d.bodies.halted || len(paths) == 0 {
		return sorting
	}
	if d.bodies.running { // it goes on with what came since it began
		d.bodies.again = true
		return sorting
	}
	var terms []*lang.Filter
	for t := range d.parsed.Terms {
		if !answersTerm(t) || t.Key == lang.KeyAny {
			terms = append(terms, t.Filter())
		}
	}
	return tea.Batch(sorting, d.search(paths, terms))
}

// kept is the session that the cursor stays on: until the reader moves the one that is open, or was left.
func (d *sessions) kept() string {
	switch m := d.memory; {
	case d.moved:
		return d.path()
	case m.path != "":
		return m.path
	}
	return d.h.State.Path
}

// sift fills the table, and gives the sessions that have to be looked into.
func (d *sessions) sift(keep string) (unknown []string, sorting tea.Cmd) {
	d.shown = d.shown[:0]
	for i := range d.all {
		s := &d.all[i]
		if !d.pick.offers(s) || !fuzzy(d.title.Text, s.Title+" "+s.Project+" "+s.Agent) {
			continue
		}
		v := yes
		if !d.parsed.Empty() {
			v = d.holds(d.parsed.Root(), s)
		}
		switch v {
		case yes:
			d.shown = append(d.shown, i)
		case unsure:
			unknown = append(unknown, s.Path)
		}
	}
	sorting = d.table.Reset(len(d.shown))
	for n, i := range d.shown {
		if d.all[i].Path == keep {
			d.table.SelectRow(n)
		}
	}
	return unknown, sorting
}

// fuzzy reports whether each word of want is in s: as it stands, or its letters in their order near one another. Capitals do not matter.
func fuzzy(want, s string) bool {
	s = strings.ToLower(s)
	for _, word := range strings.Fields(strings.ToLower(want)) {
		if !strings.Contains(s, word) && !scattered(word, s) {
			return false
		}
	}
	return true
}

// scattered reports whether the letters of a word stand in s in their order, with no more letters between them than the word has.
func scattered(word, s string) bool {
	letters := []rune(word)
	for at, r := range s {
		if r != letters[0] {
			continue
		}
		n, room := 1, len(letters)
		for _, r := range s[at+utf8.RuneLen(r):] {
			if n == len(letters) || room < 0 {
				break
			}
			if r == letters[n] {
				n++
			} else if room--; unicode.IsSpace(r) {
				room -= 2
			}
		}
		if n == len(letters) && room >= 0 {
			return true
		}
	}
	return false
}

// verdict is whether a filter holds for a session, as far as is known.
type verdict uint8

const (
	no verdict = iota
	unsure
	yes
)

func verdictOf(ok bool) verdict {
	if ok {
		return yes
	}
	return no
}

// holds reports whether a filter holds for a session.
func (d *sessions) holds(n lang.Node, s *screen.SessionInfo) verdict {
	switch n := n.(type) {
	case *lang.And:
		v := yes
		for _, k := range n.Kids {
			v = min(v, d.holds(k, s))
		}
		return v
	case *lang.Or:
		v := no
		for _, k := range n.Kids {
			v = max(v, d.holds(k, s))
		}
		return v
	case *lang.Not:
		return yes - d.holds(n.Kid, s)
	case *lang.Term:
		if answersTerm(n) && d.term(n, s) {
			return yes
		}
		if answersTerm(n) && n.Key != lang.KeyAny {
			return no
		}
		return d.inBody(n, s)
	}
	return yes
}

// inBody is what is known of a term about messages: it holds for a session where it holds for one of them.
func (d *sessions) inBody(t *lang.Term, s *screen.SessionInfo) verdict {
	if hit, ok := d.bodies.known[bodyKey{s.Path, t.Filter().String()}]; ok {
		return verdictOf(hit.Found)
	}
	if d.h.Opts.Search == nil || d.bodies.halted {
		return no
	}
	return unsure
}

// answersTerm reports whether the list itself can tell whether a term holds. A word without a key is looked for in the list first, then in the sessions.
func answersTerm(t *lang.Term) bool {
	switch t.Key {
	case lang.KeyAny, lang.KeyTime, lang.KeyTokens, lang.KeyDur, lang.KeyTitle, lang.KeyProject, lang.KeyThread, lang.KeyName, lang.KeyModel,
		lang.KeySession, lang.KeyFile, lang.KeyID, lang.KeyEnd:
		return true
	case lang.KeyIs, lang.KeyHas:
		for i := range t.Values {
			switch t.Values[i].Text {
			case "error", "pending", "live":
			default:
				return false
			}
		}
		return true
	}
	return false
}

func (d *sessions) term(t *lang.Term, s *screen.SessionInfo) bool {
	switch t.Key {
	case lang.KeyTime:
		return t.HoldsTime(s.When, lang.TimeRef{Now: d.h.Opts.Time(), Loc: d.h.Zone})
	case lang.KeyTokens:
		return t.HoldsNum(float64(s.Tokens))
	case lang.KeyDur:
		return t.HoldsDur(s.Took)
	}
	for i := range t.Values {
		v := &t.Values[i]
		text := strings.ToLower(v.Text)
		var ok bool
		switch t.Key {
		case lang.KeyTitle:
			ok = strings.Contains(strings.ToLower(s.Title), text)
		case lang.KeyProject:
			ok = v.MatchPath(s.Project) || strings.Contains(strings.ToLower(s.Project), text)
		case lang.KeyThread, lang.KeyName, lang.KeyModel:
			ok = v.MatchWhole(s.Agent) || strings.Contains(strings.ToLower(s.Agent), text)
		case lang.KeySession, lang.KeyFile, lang.KeyID:
			ok = v.MatchPath(s.Path) || strings.Contains(s.Path, v.Text)
		case lang.KeyEnd:
			ok = endOf(s) == v.Text
		case lang.KeyIs, lang.KeyHas:
			ok = v.Text == "error" && s.Errors > 0 || v.Text == "pending" && s.Live || v.Text == "live" && s.Live
		default:
			ok = v.Form == lang.FormText && strings.Contains(strings.ToLower(s.Title+" "+s.Project+" "+s.Agent), text)
		}
		if ok {
			return true
		}
	}
	return false
}

// endOf is how a session ended as the key end: says it.
func endOf(s *screen.SessionInfo) string {
	switch {
	case s.Live:
		return "open"
	case s.Outcome == model.Failure || s.Outcome == model.TimedOut:
		return "failed"
	case s.Outcome == model.Stopped || s.Outcome == model.Cancelled:
		return "interrupted"
	case s.Outcome == model.Success:
		return "finished"
	case s.Outcome == model.Running:
		return "open"
	}
	return "unknown"
}
