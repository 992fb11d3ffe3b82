package label

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Set is the content of a store. It never changes.
type Set struct {
	all     []Line  // all lines of the store, including undone ones
	current []*Line // without undone ones, oldest first
	session map[string][]int32
	path    map[string][]int32
	opens   map[string][]int32 // by the hash of the first message

	nameless bool // an annotation is of a session without an id
}

// NewSet returns the set of the lines of a store, in any order; duplicates count once.
func NewSet(lines []Line) *Set {
	s := &Set{all: lines, current: make([]*Line, 0, len(lines)), session: map[string][]int32{}, path: map[string][]int32{}, opens: map[string][]int32{}}
	undone := make(map[string]bool)
	for i := range lines {
		if lines[i].Undo != "" {
			undone[lines[i].Undo] = true
		}
	}
	seen := make(map[string]bool, len(lines))
	for i := range lines {
		l := &lines[i]
		if l.Undo == "" && !undone[l.ID] && !seen[l.ID] {
			s.current = append(s.current, l)
		}
		seen[l.ID] = true
	}
	if earlier := func(a, b *Line) int { return a.Time.Compare(b.Time) }; !slices.IsSortedFunc(s.current, earlier) {
		slices.SortStableFunc(s.current, earlier)
	}
	for i := range s.current {
		s.index(int32(i))
	}
	return s
}

func (s *Set) index(i int32) {
	r := &s.current[i].Run
	s.nameless = s.nameless || r.Session == ""
	if r.Session != "" {
		s.session[r.Session] = append(s.session[r.Session], i)
	}
	if r.Path != "" {
		s.path[r.Path] = append(s.path[r.Path], i)
	}
	if first, _, _ := strings.Cut(r.Opens, "."); first != "" {
		s.opens[first] = append(s.opens[first], i)
	}
}

// With returns the set with more lines.
func (s *Set) With(lines ...Line) *Set {
	return NewSet(append(slices.Clip(s.Lines()), lines...))
}

// Lines returns all lines of the store in the order of writing. They must not be changed.
func (s *Set) Lines() []Line {
	if s == nil {
		return nil
	}
	return s.all
}

// Current returns the lines without undone ones, oldest first.
func (s *Set) Current() []*Line {
	if s == nil {
		return nil
	}
	return s.current
}

// Last returns the newest line of an author that was not undone, nil if there is none.
func (s *Set) Last(by string) *Line {
	current := s.Current()
	for i := len(current) - 1; i >= 0; i-- {
		if current[i].By == by {
			return current[i]
		}
	}
	return nil
}

// sure is the minimum length of an id that two sessions do not share by chance: numbers of tasks
// are shorter, generated ids are longer.
const sure = 16

// same reports whether two names are of one session. Sessions with equal openings are different if
// both have an id and the ids differ.
func (r *Run) same(o *Run) bool {
	if r.Session != "" && o.Session != "" {
		if r.Session != o.Session {
			return false
		}
		if r.bare() || o.bare() {
			return true
		}
		if len(r.Session) >= sure { // subagents have its id in separate files
			return r.Path == o.Path || r.Opens == "" || o.Opens == "" || sameOpening(r.Opens, o.Opens)
		}
	}
	samePlace := r.Path != "" && r.Path == o.Path && (r.Number == o.Number || r.Number == 0 || o.Number == 0)
	return samePlace || sameOpening(r.Opens, o.Opens)
}

// kin reports whether two sessions have the same id but are not the same: an annotation of one may
// be about a message that both have.
func (r *Run) kin(o *Run) bool {
	return r.Session != "" && r.Session == o.Session && len(r.Session) >= sure && !r.same(o)
}

// bare reports whether only the id of a session is known: another program named it.
func (r *Run) bare() bool { return r.Path == "" && r.Opens == "" }

// sameOpening reports whether one of two openings is a prefix of the other: a session that was
// labelled early has grown since.
func sameOpening(a, b string) bool {
	return a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// of returns the lines that may be about a session, in order.
func (s *Set) of(r *Run) []int32 {
	first, _, _ := strings.Cut(r.Opens, ".")
	var lists [][]int32
	for _, l := range [...][]int32{s.session[r.Session], s.path[r.Path], s.opens[first]} {
		if len(l) > 0 {
			lists = append(lists, l)
		}
	}
	if len(lists) == 1 {
		return lists[0]
	}
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// About returns the lines about a session.
func (s *Set) About(r *Run) []*Line {
	if s == nil || len(s.current) == 0 {
		return nil
	}
	var out []*Line
	for _, i := range s.of(r) {
		if l := s.current[i]; r.same(&l.Run) || l.At != nil && r.kin(&l.Run) {
			out = append(out, s.current[i])
		}
	}
	return out
}

// Used returns the labels and scores so far as they are typed, most frequent first.
func (s *Set) Used() []string {
	counts := map[string]int{}
	for i := range s.Current() {
		switch m := &s.current[i].Mark; m.Kind {
		case Label:
			counts[m.String()]++
		case Score:
			counts[m.Name+"="]++
		}
	}
	return byCount(counts)
}

func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
}
