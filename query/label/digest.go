package label

import "slices"

// Digest is the content of a store without the places in sessions. A list of sessions needs only
// that, and it is small enough to cache for a store of any length. It never changes.
type Digest struct {
	Marks []Mark  // each once
	Runs  []Run   // each once, without its opening
	What  []int32 // marks in order, as indexes of Marks
	Of    []int32 // their runs, as indexes of Runs
	Whole []bool  // whether the mark is about the session, not a part of it

	about         [][]int32 // by run, in What
	session, path map[string][]int32
}

// Digest returns the digest of a set, for lists of sessions.
func (s *Set) Digest() *Digest {
	d := &Digest{}
	runs, marks := map[Run]int32{}, map[Mark]int32{}
	for _, l := range s.Current() {
		run := l.Run
		run.Opens = ""
		d.Of = append(d.Of, numberOf(runs, &d.Runs, run))
		d.What = append(d.What, numberOf(marks, &d.Marks, l.Mark))
		d.Whole = append(d.Whole, l.At == nil)
	}
	d.Index()
	return d
}

// numberOf returns the index of a value in a list. It appends a new value.
func numberOf[T comparable](known map[T]int32, list *[]T, v T) int32 {
	n, ok := known[v]
	if !ok {
		n = int32(len(*list))
		known[v], *list = n, append(*list, v)
	}
	return n
}

// Index prepares a stored digest. It reports whether the digest is valid.
func (d *Digest) Index() bool {
	outside := func(list []int32, n int) bool {
		return slices.ContainsFunc(list, func(i int32) bool { return i < 0 || int(i) >= n })
	}
	if len(d.What) != len(d.Of) || len(d.Whole) != len(d.Of) || outside(d.What, len(d.Marks)) || outside(d.Of, len(d.Runs)) {
		return false
	}
	d.session, d.path = make(map[string][]int32, len(d.Runs)), make(map[string][]int32, len(d.Runs))
	for i := range d.Runs {
		if r := &d.Runs[i]; r.Session != "" {
			d.session[r.Session] = append(d.session[r.Session], int32(i))
		}
		if r := &d.Runs[i]; r.Path != "" {
			d.path[r.Path] = append(d.path[r.Path], int32(i))
		}
	}
	counts := make([]int, len(d.Runs))
	for _, run := range d.Of {
		counts[run]++
	}
	d.about = make([][]int32, len(d.Runs))
	for i, free := 0, make([]int32, len(d.Of)); i < len(counts); i++ {
		d.about[i], free = free[:0:counts[i]], free[counts[i]:]
	}
	for i, run := range d.Of {
		d.about[run] = append(d.about[run], int32(i))
	}
	return true
}

// Len returns the number of marks.
func (d *Digest) Len() int {
	if d == nil {
		return 0
	}
	return len(d.What)
}

// About returns the marks of a session and its messages in order, nil for none. wanted decides
// which of the labelled sessions match.
func (d *Digest) About(r *Run, wanted func(labelled *Run) bool) []Mark {
	about := d.of(r, wanted)
	if about == nil {
		return nil
	}
	current := make([]Mark, 0, len(about))
	for _, i := range about {
		current = append(current, d.Marks[d.What[i]])
	}
	return current
}

// Verdict returns the last verdict on a complete session: Good, Bad, or "" for none. Verdicts about
// single messages do not count.
func (d *Digest) Verdict(r *Run, wanted func(labelled *Run) bool) string {
	for _, i := range slices.Backward(d.of(r, wanted)) {
		if m := &d.Marks[d.What[i]]; m.Kind == Verdict && d.Whole[i] {
			return m.Name
		}
	}
	return ""
}

// of returns the lines about a session, in order, as indexes of What; nil if the digest is empty.
func (d *Digest) of(r *Run, wanted func(labelled *Run) bool) []int32 {
	if d.Len() == 0 {
		return nil
	}
	runs := slices.Concat(d.session[r.Session], d.path[r.Path])
	slices.Sort(runs)
	about := []int32{}
	for _, n := range slices.Compact(runs) {
		switch run := &d.Runs[n]; {
		case !r.same(run) || !wanted(run):
		case len(about) == 0:
			about = d.about[n]
		default:
			about = slices.Concat(about, d.about[n])
			slices.Sort(about)
		}
	}
	return about
}
