package timeline

import (
	"fmt"
	"sort"

	"turns/query/human"
)

// howMuch describes how much was found, or the error.
func (l *List) howMuch() string {
	s := &l.find
	switch {
	case s.err != "":
		return s.err
	case !s.done:
		if n := len(s.hits); n > 0 { // they arrive in order
			text := human.Count(s.all(n)) + " so far"
			if place := human.Place(l.h.Snap.Pos(s.hits[n-1].id)); place != "" {
				text += ", up to " + place
			}
			return text
		}
		return fmt.Sprintf("0 so far, %d %%", s.part)
	case len(s.hits) == 0:
		return "no match"
	}
	at := l.hitAt()
	if at < len(s.hits) && l.isAt(s.hits[at]) {
		nth := 0
		if l.Cur.Slot == s.shown.Slot && l.Cur.Item == s.shown.Item {
			nth = min(s.nth, s.hits[at].n-1)
		}
		return fmt.Sprintf("%s of %s%s", human.Count(s.all(at)+nth+1), human.Count(s.all(len(s.hits))), s.wrap)
	}
	return human.Plural(s.all(len(s.hits)), "hit")
}

// all returns how often the text occurs in the first n rows with hits.
func (s *search) all(n int) (sum int) {
	for i := range s.hits[:n] {
		sum += s.hits[i].n
	}
	return sum
}

// hitSlots returns slots with hits, at most one for each line of the scroll bar.
func (l *List) hitSlots(lines, n int) []int {
	if l.find.Text == "" {
		return nil
	}
	var out []int
	hits := l.find.hits
	for i := range lines {
		lo, hi := (i*n+lines-1)/lines, ((i+1)*n+lines-1)/lines
		k := sort.Search(len(hits), func(k int) bool { return hits[k].slot >= lo })
		if k < len(hits) && hits[k].slot < hi {
			out = append(out, hits[k].slot)
		}
	}
	return out
}
