package changes

import (
	"cmp"
	"slices"

	"turns/model"
	"turns/query"
	"turns/query/patch"
)

// Certainty is the confidence in the author of a line.
type Certainty uint8

// The certainties. A line is certain if the last version of a session has it, with the lines around
// it; likely if a session wrote the same text at another place or in a file of unknown content, or
// if several sessions wrote it.
const (
	Unknown Certainty = iota
	Likely
	Certain
)

var certaintyNames = [...]string{"unknown", "likely", "certain"}

// String returns the certainty as one word.
func (c Certainty) String() string { return model.NameOf(certaintyNames[:], c, "unknown") }

// MarshalText writes the certainty by its name.
func (c Certainty) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the name of a certainty; an unknown name becomes Unknown.
func (c *Certainty) UnmarshalText(text []byte) error {
	*c = Certainty(max(slices.Index(certaintyNames[:], string(text)), 0))
	return nil
}

// Origin is a call of a session that wrote a line.
type Origin struct {
	Trail  *Trail
	Author *Author
}

// LineBlame has the author of a line of a file.
type LineBlame struct {
	Certainty Certainty
	Origin             // of the line; its Trail is nil if unknown
	Also      []*Trail // other sessions that wrote the same line
}

// Blame finds the author of each line of a file by content: it matches lines with the last
// version of each session. match reports which files of the sessions may be this file. A line
// that no session wrote has no author.
func Blame(match FileMatch, lines []string, trails []*Trail) []LineBlame {
	trails = slices.Clone(trails)
	slices.SortStableFunc(trails, func(a, b *Trail) int { return cmp.Compare(b.Started, a.Started) })
	b := blamer{lines: lines, found: make([][]claim, len(lines)), out: make([]LineBlame, len(lines))}
	for _, t := range trails {
		for i := range t.Files {
			if f := &t.Files[i]; match(f.Path, f.Rel) {
				b.align(t, f)
			}
		}
	}
	b.settle()
	b.moved(trails, match)
	b.fill()
	return b.out
}

// claim is the claim that a line of the file comes from a session.
type claim struct {
	Origin
	support Certainty // how well the lines around it, in both, show that it is the same line
}

type blamer struct {
	lines []string
	found [][]claim // by line, newest session first
	out   []LineBlame
}

// align claims the lines of the file that match the last version of a session.
func (b *blamer) align(t *Trail, f *TrailFile) {
	pairs := patch.LinePairs(f.Final, b.lines)
	for from := 0; from < len(pairs); {
		to := from + 1
		for to < len(pairs) && pairs[to].A == pairs[to-1].A+1 && pairs[to].B == pairs[to-1].B+1 {
			to++
		}
		b.claimRun(t, f, pairs[from:to])
		from = to
	}
}

// reach is the distance from a recognisable line within which other lines are also certain.
const reach = 3

// claimRun claims lines that are consecutive in both.
func (b *blamer) claimRun(t *Trail, f *TrailFile, run []query.AlignedPair) {
	known := make([]int, 0, len(run)) // positions of recognisable lines in the run
	for i, p := range run {
		if distinctive(b.lines[p.B]) {
			known = append(known, i)
		}
	}
	next := 0
	for i, p := range run {
		for next < len(known) && known[next] < i {
			next++
		}
		by := f.Origins[p.A]
		if by < 0 {
			continue
		}
		c := claim{Origin: Origin{t, &f.Authors[by]}}
		below := next < len(known) && known[next]-i <= reach && f.Origins[run[known[next]].A] == by
		above := next > 0 && i-known[next-1] <= reach && f.Origins[run[known[next-1]].A] == by
		switch {
		case distinctive(b.lines[p.B]), below && above:
			c.support = Certain
		case len(known) > 0: // with equal ends of neighbours, either may be the new one
			c.support = Likely
		}
		b.found[p.B] = append(b.found[p.B], c)
	}
}

// settle decides between claims: the newest session with known versions wins over one that wrote a
// file of unknown previous content.
func (b *blamer) settle() {
	for i, claims := range b.found {
		if len(claims) == 0 {
			continue
		}
		best := 0
		for j := range claims {
			if claims[best].Author.Weak && !claims[j].Author.Weak {
				best = j
			}
		}
		if claims[best].Author.Weak { // the first that wrote it
			best = len(claims) - 1
		}
		o := &b.out[i]
		o.Origin = claims[best].Origin
		o.Certainty = Certain
		for j := range claims {
			if j != best && claims[j].Trail != o.Trail {
				o.Also = append(o.Also, claims[j].Trail)
				o.Certainty = Likely
			}
		}
		o.Certainty = min(o.Certainty, max(claims[best].support, Likely))
	}
	for i := range b.out { // a single bracket or empty line is not evidence
		o := &b.out[i]
		supported := slices.ContainsFunc(b.found[i], func(c claim) bool { return c.Trail == o.Trail && c.support > Unknown })
		if o.Trail != nil && !supported && !b.near(i) {
			*o = LineBlame{}
		}
	}
}

// near reports whether a recognisable line nearby is from the same session.
func (b *blamer) near(i int) bool {
	for _, step := range [...]int{-1, 1} {
		for n := 1; n <= reach; n++ {
			j := i + n*step
			if j < 0 || j >= len(b.lines) {
				break
			}
			if distinctive(b.lines[j]) && b.out[j].Trail == b.out[i].Trail {
				return true
			}
		}
	}
	return false
}

// written is a line that a session wrote.
type written struct {
	trail *Trail
	file  *TrailFile
	lines []string // of the last version, or the added lines
	by    []int32
	at    int
}

// moved claims runs of lines that a session wrote elsewhere, in this file or another: lines that
// were moved, or removed and restored.
func (b *blamer) moved(trails []*Trail, match FileMatch) {
	wanted := map[string]bool{}
	for i, line := range b.lines {
		if b.out[i].Trail == nil && distinctive(line) {
			wanted[line] = true
		}
	}
	if len(wanted) == 0 {
		return
	}
	places := map[string][]written{}
	for _, t := range trails {
		for i := range t.Files {
			f := &t.Files[i]
			for _, w := range [...]written{{t, f, f.Final, f.Origins, 0}, {t, f, f.Written, f.WrittenBy, 0}} {
				for at, line := range w.lines {
					if wanted[line] && w.by[at] >= 0 && len(places[line]) < placesMax {
						w.at = at
						places[line] = append(places[line], w)
					}
				}
			}
		}
	}
	for i := 0; i < len(b.lines); i++ {
		if b.out[i].Trail != nil || !wanted[b.lines[i]] {
			continue
		}
		best, length := written{}, 0
		for _, w := range places[b.lines[i]] {
			n := b.run(i, &w)
			if n > length || n == length && match(w.file.Path, w.file.Rel) && !match(best.file.Path, best.file.Rel) {
				best, length = w, n
			}
		}
		if length == 0 || length == 1 && !match(best.file.Path, best.file.Rel) {
			continue // one line in another file may be a coincidence
		}
		var also []*Trail
		for _, w := range places[b.lines[i]] {
			if w.trail != best.trail && !slices.Contains(also, w.trail) && b.run(i, &w) == length {
				also = append(also, w.trail)
			}
		}
		for n := range length {
			by := &best.file.Authors[best.by[best.at+n]]
			b.out[i+n] = LineBlame{Certainty: Likely, Origin: Origin{best.trail, by}, Also: also}
		}
		i += length - 1
	}
}

// placesMax is the number of places of one line that are compared.
const placesMax = 64

// run returns the number of lines from line i on that match those that a session wrote from w.at
// on.
func (b *blamer) run(i int, w *written) int {
	n := 0
	for i+n < len(b.lines) && w.at+n < len(w.lines) && b.out[i+n].Trail == nil && b.lines[i+n] == w.lines[w.at+n] && w.by[w.at+n] >= 0 {
		n++
	}
	return n
}

// fill assigns lines without distinctive text, such as brackets, to the session that wrote the
// lines on both sides.
func (b *blamer) fill() {
	for from := 1; from < len(b.lines); from++ {
		to := from
		for to < len(b.lines) && to-from < gapMax && b.out[to].Trail == nil && !distinctive(b.lines[to]) {
			to++
		}
		if to == from || to == len(b.lines) {
			continue
		}
		if above := &b.out[from-1]; above.Trail != nil && above.Trail == b.out[to].Trail {
			for i := from; i < to; i++ {
				b.out[i] = LineBlame{Certainty: Likely, Origin: above.Origin}
			}
		}
		from = to
	}
}

// gapMax is how many such lines in a row fill assigns.
const gapMax = 4
