package lang

import (
	"cmp"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"
)

// Filter is a parsed query. The filter bar, the command line and the tests all make it with Parse.
// A nil Filter and an empty one match everything. It never changes and may be shared.
type Filter struct {
	root Node
	src  string
}

// Node is an *And, *Or, *Not or *Term.
type Node interface {
	// Position returns the start of the node in the source.
	Position() Pos
}

// And matches if all Kids match. Terms about a call in one And refer to the same call. A group
// in brackets is a separate And, so the parser never merges nested ones.
type And struct {
	Pos  Pos
	Kids []Node // two or more
}

// Or matches if one of Kids matches. It has no Or among its Kids.
type Or struct {
	Pos  Pos
	Kids []Node // two or more
}

// Not matches if Kid does not. Kid is never a Not.
type Not struct {
	Pos Pos
	Kid Node
}

// Term is one condition: a key, an operator, and values, of which one must match.
type Term struct {
	Pos    Pos
	Key    Key // KeyAny for a word, string or regex without a key
	Op     Op  // with anything but OpEq there is exactly one value, a FormScalar
	Values []Value
}

// Position returns the start of the first kid.
func (n *And) Position() Pos { return n.Pos }

// Position returns the start of the first kid.
func (n *Or) Position() Pos { return n.Pos }

// Position returns the start of the sign or NOT.
func (n *Not) Position() Pos { return n.Pos }

// Position returns the start of the key, or of the word without one.
func (n *Term) Position() Pos { return n.Pos }

// Op is how a term compares.
type Op uint8

// The operators. OpEq is the absence of an operator: equal, within a range, one of a set, or
// containing, depending on the key.
const (
	OpEq Op = iota
	OpGt
	OpGe
	OpLt
	OpLe
)

// String returns the operator as written; "" for OpEq.
func (o Op) String() string { return [...]string{"", ">", ">=", "<", "<="}[o] }

// Form is the syntax of a Value.
type Form uint8

// The forms of a value.
const (
	FormText   Form = iota // a word or a quoted string
	FormGlob               // a word with * or ?, after a key that matches whole values
	FormRegex              // /pattern/flags
	FormEnum               // a name from the key's list, in its canonical spelling
	FormScalar             // a number, size, duration or time; Lo and Hi are the same
	FormRange              // a..b, a.. or ..b; an open end is nil
)

// Value is one of the values of a term.
type Value struct {
	Pos    Pos
	Form   Form
	Text   string         // text, glob, name; for a regex the pattern between the slashes
	Flags  string         // of a regex: letters of "imsU"
	Regexp *syntax.Regexp // of a regex: the pattern parsed with its flags
	Lo, Hi *Scalar        // of a scalar or range
}

// Pattern returns a regex in the syntax of RE2 and package regexp, with its flags.
func (v *Value) Pattern() string {
	if v.Flags == "" {
		return v.Text
	}
	return "(?" + v.Flags + ")" + v.Text
}

// MatchWhole reports whether a text, glob or name matches all of s, ignoring case. It does not run
// regular expressions.
func (v *Value) MatchWhole(s string) bool {
	if v.Form == FormGlob {
		return globMatch([]rune(v.Text), []rune(s))
	}
	return v.Form != FormRegex && strings.EqualFold(v.Text, s)
}

// MatchPath is MatchWhole for paths: the last parts of a path suffice, so main.go matches
// src/main.go.
func (v *Value) MatchPath(s string) bool {
	if v.MatchWhole(s) {
		return true
	}
	for i := 0; i+1 < len(s); i++ {
		if (s[i] == '/' || s[i] == '\\') && v.MatchWhole(s[i+1:]) {
			return true
		}
	}
	return false
}

// globMatch backtracks only to the last star, so that many stars cost at most length times length.
func globMatch(pat, s []rune) bool {
	p, i, star, back := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pat) && pat[p] == '*':
			star, back = p, i
			p++
		case p < len(pat) && (pat[p] == '?' || foldRune(pat[p]) == foldRune(s[i])):
			p++
			i++
		case star >= 0:
			back++
			p, i = star+1, back
		default:
			return false
		}
	}
	for p < len(pat) && pat[p] == '*' {
		p++
	}
	return p == len(pat)
}

// Scalar is one number, size, duration or time.
type Scalar struct {
	Text string        // as written
	Num  float64       // numbers and sizes (bytes)
	Dur  time.Duration // durations
	// durations: the last written place; 5s has one second, 1.5s a tenth
	Step time.Duration
	Time Moment // times
}

// HoldsNum evaluates a term about a number.
func (n *Term) HoldsNum(x float64) bool {
	for i := range n.Values {
		v := &n.Values[i]
		if v.Form == FormScalar && compare(n.Op, x, v.Lo.Num, v.Lo.Num) ||
			v.Form == FormRange && (v.Lo == nil || x >= v.Lo.Num) && (v.Hi == nil || x <= v.Hi.Num) {
			return true
		}
	}
	return false
}

// HoldsDur evaluates a term about a duration. Without operator, 5s is from 5s to just under 6s, as
// it would be shown.
func (n *Term) HoldsDur(d time.Duration) bool {
	for i := range n.Values {
		v := &n.Values[i]
		if v.Form == FormScalar && n.Op == OpEq && d >= v.Lo.Dur && d-v.Lo.Dur < max(v.Lo.Step, 1) ||
			v.Form == FormScalar && n.Op != OpEq && compare(n.Op, d, v.Lo.Dur, v.Lo.Dur) ||
			v.Form == FormRange && (v.Lo == nil || d >= v.Lo.Dur) && (v.Hi == nil || d <= v.Hi.Dur) {
			return true
		}
	}
	return false
}

// compare compares x with a range from lo to hi.
func compare[T float64 | time.Duration](op Op, x, lo, hi T) bool {
	switch op {
	case OpGt:
		return x > hi
	case OpGe:
		return x >= lo
	case OpLt:
		return x < lo
	case OpLe:
		return x <= hi
	}
	return x >= lo && x <= hi
}

// Moment is a time as written. Its meaning depends on the zone, and for some forms on the time of
// the session, so HoldsTime resolves it.
type Moment struct {
	Form MomentForm
	At   time.Time     // MomentDate: the wall clock, as if in UTC; MomentInstant: the instant
	Dur  time.Duration // MomentClock: since midnight; MomentAgo: before the end of the session
	Days int           // MomentDay: days before today
	// its length: a minute, a second; a day and a month are UnitDay and UnitMonth
	Unit time.Duration
}

// MomentForm is the written form of a time.
type MomentForm uint8

// The forms of a time.
const (
	MomentClock   MomentForm = iota // 22:41, on every day
	MomentDate                      // 2026-02-11, 2026-02, 2026-02-11T22:41
	MomentInstant                   // 2026-02-11T22:41:07Z, with a zone
	MomentAgo                       // 2h
	MomentDay                       // today, yesterday
)

// Units of time without a fixed length.
const (
	UnitDay time.Duration = -1 - iota
	UnitMonth
)

// TimeRef has the reference times of a query.
type TimeRef struct {
	Now time.Time // for today and yesterday
	// for 2h: the last record of the session; zero means Now, as in lists of sessions
	Last time.Time
	Loc  *time.Location // nil means UTC
}

// Bounds returns the first instant of m and the first one after it. A time of day has none: ok is
// false.
func (m Moment) Bounds(ref TimeRef) (from, to time.Time, ok bool) {
	loc := cmp.Or(ref.Loc, time.UTC)
	switch m.Form {
	case MomentDate:
		y, mon, d := m.At.Date()
		from = time.Date(y, mon, d, m.At.Hour(), m.At.Minute(), m.At.Second(), m.At.Nanosecond(), loc)
	case MomentInstant:
		from = m.At
	case MomentAgo:
		if from = ref.Last; from.IsZero() {
			from = ref.Now
		}
		from = from.Add(-m.Dur)
	case MomentDay:
		y, mon, d := ref.Now.In(loc).Date()
		from = time.Date(y, mon, d-m.Days, 0, 0, 0, 0, loc)
	default:
		return from, to, false
	}
	switch m.Unit {
	case UnitDay:
		return from, from.AddDate(0, 0, 1), true
	case UnitMonth:
		return from, from.AddDate(0, 1, 0), true
	}
	return from, from.Add(max(m.Unit, 1)), true
}

// HoldsTime evaluates a term about a time. A time covers its last written unit: on a date means
// within that day.
func (n *Term) HoldsTime(at time.Time, ref TimeRef) bool {
	for i := range n.Values {
		v := &n.Values[i]
		if v.Form == FormScalar && timeHolds(n.Op, at, v.Lo.Time, ref) {
			return true
		}
		if v.Form != FormRange {
			continue
		}
		after := v.Lo == nil || timeHolds(OpGe, at, v.Lo.Time, ref)
		until := v.Hi == nil || timeHolds(OpLe, at, v.Hi.Time, ref)
		// over midnight
		wraps := v.Lo != nil && v.Hi != nil && v.Lo.Time.Form == MomentClock && v.Lo.Time.Dur > v.Hi.Time.Dur
		if after && until || wraps && (after || until) {
			return true
		}
	}
	return false
}

func timeHolds(op Op, at time.Time, m Moment, ref TimeRef) bool {
	if m.Form == MomentClock {
		at = at.In(cmp.Or(ref.Loc, time.UTC))
		hour, mnt, sec := at.Clock()
		day := time.Duration(hour)*time.Hour + time.Duration(mnt)*time.Minute + time.Duration(sec)*time.Second + time.Duration(at.Nanosecond())
		return compare(op, day, m.Dur, m.Dur+max(m.Unit, 1)-1)
	}
	from, to, _ := m.Bounds(ref)
	switch op {
	case OpGt:
		return !at.Before(to)
	case OpGe:
		return !at.Before(from)
	case OpLt:
		return at.Before(from)
	case OpLe:
		return at.Before(to)
	}
	return !at.Before(from) && at.Before(to)
}

// Root returns the outermost node, nil if the filter is empty.
func (f *Filter) Root() Node {
	if f == nil {
		return nil
	}
	return f.root
}

// Empty reports whether the filter matches everything.
func (f *Filter) Empty() bool { return f.Root() == nil }

// Source returns the query as written.
func (f *Filter) Source() string {
	if f == nil {
		return ""
	}
	return f.src
}

// Terms calls yield for every term, in order; negated reports whether the term is under an odd
// number of negations.
func (f *Filter) Terms(yield func(t *Term, negated bool) bool) {
	walk(f.Root(), false, yield)
}

// Filter returns a filter with only this term.
func (t *Term) Filter() *Filter {
	f := &Filter{root: t}
	f.src = f.String()
	return f
}

// Uses reports whether a term of the query has one of the keys.
func (f *Filter) Uses(keys ...Key) bool {
	for t := range f.Terms {
		if slices.Contains(keys, t.Key) {
			return true
		}
	}
	return false
}

func walk(n Node, negated bool, yield func(*Term, bool) bool) bool {
	switch n := n.(type) {
	case *And:
		for _, k := range n.Kids {
			if !walk(k, negated, yield) {
				return false
			}
		}
	case *Or:
		for _, k := range n.Kids {
			if !walk(k, negated, yield) {
				return false
			}
		}
	case *Not:
		return walk(n.Kid, !negated, yield)
	case *Term:
		return yield(n, negated)
	}
	return true
}

// String prints an equivalent query in canonical form: Parse returns the same tree for it.
func (f *Filter) String() string {
	var b strings.Builder
	printNode(&b, f.Root())
	slashed := false
	for t := range f.Terms {
		slashed = slashed || slices.ContainsFunc(t.Values, isSlashed)
	}
	if !slashed {
		return b.String()
	}
	// A glob like file:/tmp* and a later slash can form a regex. A regex is the only notation that
	// avoids it.
	if again, err := Parse(b.String()); err == nil && sameNode(again.root, f.root) {
		return b.String()
	}
	b.Reset()
	printNode(&b, unslash(f.root))
	return b.String()
}

// isSlashed reports whether v is written bare with a slash in front.
func isSlashed(v Value) bool { return v.Form == FormGlob && v.Text[0] == '/' }

// unslash replaces each glob that begins with a slash by a regex.
func unslash(n Node) Node {
	kids := func(from []Node) []Node {
		to := make([]Node, len(from))
		for i, k := range from {
			to[i] = unslash(k)
		}
		return to
	}
	switch n := n.(type) {
	case *And:
		return &And{Pos: n.Pos, Kids: kids(n.Kids)}
	case *Or:
		return &Or{Pos: n.Pos, Kids: kids(n.Kids)}
	case *Not:
		return &Not{Pos: n.Pos, Kid: unslash(n.Kid)}
	case *Term:
		t := *n
		t.Values = slices.Clone(n.Values)
		for i := range t.Values {
			if v := &t.Values[i]; isSlashed(*v) {
				pattern := strings.NewReplacer(`\*`, ".*", `\?`, ".", "/", `\/`).Replace(regexp.QuoteMeta(v.Text))
				v.Form, v.Text, v.Flags = FormRegex, "^"+pattern+"$", "is"
			}
		}
		return &t
	}
	return n
}

func printNode(b *strings.Builder, n Node) {
	switch n := n.(type) {
	case *And:
		for i, k := range n.Kids {
			if i > 0 {
				b.WriteByte(' ')
			}
			_, isAnd := k.(*And)
			_, isOr := k.(*Or)
			printKid(b, k, isAnd || isOr)
		}
	case *Or:
		for i, k := range n.Kids {
			if i > 0 {
				b.WriteString(" | ")
			}
			_, isOr := k.(*Or)
			printKid(b, k, isOr)
		}
	case *Not:
		b.WriteByte('-')
		_, isTerm := n.Kid.(*Term)
		printKid(b, n.Kid, !isTerm)
	case *Term:
		printTerm(b, n)
	}
}

func printKid(b *strings.Builder, n Node, group bool) {
	if group {
		b.WriteByte('(')
	}
	printNode(b, n)
	if group {
		b.WriteByte(')')
	}
}

func printTerm(b *strings.Builder, t *Term) {
	if t.Key != KeyAny {
		name, op := spell(t)
		b.WriteString(name)
		b.WriteByte(':')
		b.WriteString(op)
	}
	for i := range t.Values {
		if i > 0 {
			b.WriteByte(',')
		}
		printValue(b, &t.Values[i])
	}
}

// spell returns the name and operator of a term. Times have names for their operators.
func spell(t *Term) (name, op string) {
	if t.Key == KeyTime {
		single := len(t.Values) == 1 && t.Values[0].Form == FormScalar
		for i := range keyTable {
			if k := &keyTable[i]; k.Key == KeyTime && k.Name != "time" && k.Op == t.Op && single {
				return k.Name, ""
			}
		}
	}
	return t.Key.String(), t.Op.String()
}

func printValue(b *strings.Builder, v *Value) {
	switch v.Form {
	case FormText:
		b.WriteString(Quote(v.Text))
	case FormRegex:
		b.WriteString("/" + v.Text + "/" + v.Flags)
	case FormScalar:
		b.WriteString(Quote(v.Lo.Text))
	case FormRange:
		var lo, hi string
		if v.Lo != nil {
			lo = v.Lo.Text
		}
		if v.Hi != nil {
			hi = v.Hi.Text
		}
		b.WriteString(Quote(lo + ".." + hi))
	default:
		b.WriteString(v.Text)
	}
}

// sameNode reports whether two trees are equal apart from their positions.
func sameNode(a, b Node) bool {
	switch a := a.(type) {
	case *And:
		b, ok := b.(*And)
		return ok && slices.EqualFunc(a.Kids, b.Kids, sameNode)
	case *Or:
		b, ok := b.(*Or)
		return ok && slices.EqualFunc(a.Kids, b.Kids, sameNode)
	case *Not:
		b, ok := b.(*Not)
		return ok && sameNode(a.Kid, b.Kid)
	case *Term:
		b, ok := b.(*Term)
		return ok && a.Key == b.Key && a.Op == b.Op && slices.EqualFunc(a.Values, b.Values, sameValue)
	}
	return a == nil && b == nil
}

func sameValue(a, b Value) bool {
	return a.Form == b.Form && a.Text == b.Text && a.Flags == b.Flags && sameScalar(a.Lo, b.Lo) && sameScalar(a.Hi, b.Hi)
}

func sameScalar(a, b *Scalar) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Num == b.Num && a.Dur == b.Dur && a.Step == b.Step && a.Time == b.Time
}

// nearest returns the name with the fewest typing mistakes to s, or "" if that would be guessing.
func nearest(s string, names []string) string {
	word := []rune(strings.ToLower(s))
	if len(word) > 40 {
		return ""
	}
	best, least := "", 3
	for _, name := range names {
		d := distance(word, []rune(name))
		if d < least && d*2 < max(len(word), len(name)) && d < len(word) {
			best, least = name, d
		}
	}
	return best
}

// distance counts letters to add, drop, change, or swap with their neighbour.
func distance(a, b []rune) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[0] {
		rows[0][j] = j
	}
	before2, before, row := rows[2], rows[0], rows[1]
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(before[j]+1, row[j-1]+1, before[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before2[j-2]+1)
			}
		}
		before2, before, row = before, row, before2
	}
	return before[len(b)]
}
