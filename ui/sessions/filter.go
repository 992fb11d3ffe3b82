package sessions

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"turns/query/lang"
	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
)

// Narrow lists the sessions that match the filter and the title, and searches those for which the
// list data is not enough.
func (d *List) Narrow() tea.Cmd { return d.narrowTo(d.kept()) }

// FilterBy filters the list. If that searches in the sessions, the cursor stays on the first match
// until the reader moves it, because matches arrive in any order.
func (d *List) FilterBy(text string) tea.Cmd {
	d.Filter.Set(text)
	return d.filterTyped()
}

// filtered describes the sessions of the list for the filter bar.
func (d *List) filtered() screen.Filtered {
	return screen.Filtered{
		Apply: func(text string) (tea.Cmd, error) {
			if _, err := lang.Parse(text); err != nil {
				return nil, err
			}
			typed := *d.Filter // text may be a part of it
			d.Filter.Set(text)
			cmd := d.filterTyped()
			*d.Filter = typed
			return cmd, nil
		},
		Version: func() (uint64, bool) { return uint64(len(d.All)), len(d.All) > 0 },
		Values: func(key lang.Key, rest *lang.Filter) func(context.Context) ([]lang.Candidate, error) {
			values := session.Values(d.All, key, rest, d.timeRef())
			return func(context.Context) ([]lang.Candidate, error) { return values, nil }
		},
		Cursor: true,
		Still: func() []paint.Span {
			if d.Filter.Text == "" {
				return []paint.Span{{Text: " " + d.H.Key("f"), Ink: paint.InkKey}, {Text: " to filter", Ink: paint.InkDim}}
			}
			return []paint.Span{{Text: screen.FilterLabel, Ink: paint.InkDim}, {Text: paint.OneLine(d.Filter.Text)}}
		},
	}
}

// timeRef is the reference of relative times in the filter.
func (d *List) timeRef() lang.TimeRef { return lang.TimeRef{Now: d.H.Opts.Time(), Loc: d.H.Zone} }

// filterTyped is FilterBy with the text of the filter line, whose cursor stays.
func (d *List) filterTyped() tea.Cmd {
	d.top = true
	return d.Narrow()
}

// narrowTo is Narrow with the cursor on the session of a path, if it still matches.
func (d *List) narrowTo(keep string) tea.Cmd {
	f, err := lang.Parse(d.Filter.Text)
	if err == nil {
		if d.parsed == nil || f.String() != d.parsed.String() {
			d.bodies.stop()
			d.bodies.halted = false
		}
		d.parsed = f
		d.sieve = session.NewFilter(f, d.timeRef())
	}
	d.aim()
	d.top = d.top && (len(d.sieve.Unanswered()) > 0 || d.Title.Text != "")
	paths, sorting := d.sift(keep)
	if d.bodies.halted || len(paths) == 0 {
		d.top = false
		return sorting
	}
	if d.bodies.running { // it continues with the sessions added since
		d.bodies.again = true
		return sorting
	}
	var terms []*lang.Filter
	for _, t := range d.sieve.Unanswered() {
		terms = append(terms, t.Filter())
	}
	if d.look.term != nil {
		terms = append(terms, d.look.term)
	}
	return tea.Batch(sorting, d.search(paths, terms))
}

// kept returns the path of the session for the cursor. Until the reader moves, that is the session
// last left, or the open one. While a new list loads, the cursor stays on its session: Enter must
// not open another one than a moment ago.
func (d *List) kept() string {
	switch m := d.memory; {
	case d.moved:
		return d.Path()
	case m.path != "":
		return m.path
	case d.Loaded && d.byName(d.H.State.Path) == nil:
		return d.Path()
	}
	return d.H.State.Path
}

// sift fills the table, and returns the sessions that need to be searched.
func (d *List) sift(keep string) (unknown []string, sorting tea.Cmd) {
	d.Shown = d.Shown[:0]
	var texts []int
	for i := range d.All {
		s := &d.All[i]
		if !d.Pick.offers(s) {
			continue
		}
		titled, v := d.titled(s), d.sieve.Holds(s, d.inMessages)
		if !titled && v != session.No {
			if verdict := d.searchVerdict(s); verdict != session.Yes {
				v = verdict
			}
		}
		switch {
		case v == session.Unsure:
			unknown = append(unknown, s.Path)
		case v == session.Yes && titled:
			d.Shown = append(d.Shown, i)
		case v == session.Yes:
			texts = append(texts, i)
		}
	}
	d.Shown = d.withoutFolded(d.Shown)
	d.look.titles = len(d.Shown)
	d.Shown = append(d.Shown, texts...)
	d.look.hits = len(texts) > 0
	for row := 0; row < d.look.titles && !d.look.hits; row++ {
		_, _, d.look.hits = d.hitOf(row)
	}
	sorting = d.Table.Reset(len(d.Shown))
	if d.top {
		d.Table.MoveTo(0)
		return unknown, sorting
	}
	for n, i := range d.Shown {
		if d.All[i].Path == keep {
			d.Table.SelectRow(n)
		}
	}
	return unknown, sorting
}

// Fuzzy reports whether s contains each word of want, either as it is or as letters in order near
// one another. It ignores case.
func Fuzzy(want, s string) bool {
	s = strings.ToLower(s)
	for word := range strings.FieldsSeq(strings.ToLower(want)) {
		if !strings.Contains(s, word) && !scattered(word, s) {
			return false
		}
	}
	return true
}

// scattered reports whether s contains the letters of a word in order, with at most as many other
// letters between them as the word has.
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

// inMessages returns what is known about a term on messages.
func (d *List) inMessages(t *lang.Term, s *session.Session) session.Verdict {
	return d.foundIn(s, t.Filter().String())
}

// foundIn returns the known result of a search in a session, Unsure before it is searched.
func (d *List) foundIn(s *session.Session, term string) session.Verdict {
	hit, ok := d.bodies.known[bodyKey{s.Path, term}]
	switch {
	case ok && hit.Found:
		return session.Yes
	case ok || d.H.Opts.Store == nil || d.bodies.halted:
		return session.No
	}
	return session.Unsure
}
