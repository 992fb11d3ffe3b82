package redact

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"sync"
)

// The prefilter hashes four bytes at every position, five bits of each (which folds upper and
// lower case into one), and looks the hash up in a table of one bit each.
const gramMask = 0x1f1f1f1f

// For speed only: a larger hash has fewer collisions, and the bits of 18 fit into the fastest
// cache.
const (
	gramBits = 18
	gramMul  = 0x9E3779B1
)

func gram(u uint32) uint32 { return (u & gramMask) * gramMul >> (32 - gramBits) }

// begin is a beginning of an anchor: four bytes u of the text with u&mask == want.
type begin struct {
	want, mask uint32
	anchor     int
}

// anchor is a text that every credential of its rule contains, and what must follow or surround it.
type anchor struct {
	lit  string
	fold bool // lit is in lower case and matches any case
	off  int  // offset in lit of the four bytes for the prefilter
	rule int

	heads []string // continuations of lit if it is too short for a search

	// For keys with a prefix: the bytes after it and their number.
	class    class
	min, max int

	// For everything else.
	match func(s *scan, at int, a *anchor)
}

// table holds the rules, and finds the places where one of them may begin. It never changes.
type table struct {
	rules   []Rule
	anchors []anchor
	// a bit for each gram with which an anchor may begin: small, so that it stays in the CPU cache
	may     [1 << (gramBits - 6)]uint64
	bucket  [1 << (gramBits - 3)]uint16 // bucket of beginnings for each eight bits of may
	buckets [][]begin
}

// allRules returns the table of all rules, which all redactors share: a list of sessions needs one
// for each of its rows.
var allRules = sync.OnceValue(func() *table {
	t := &table{buckets: [][]begin{nil}}
	for _, f := range families() {
		for _, a := range f.anchors {
			a.rule = len(t.rules)
			t.anchors = append(t.anchors, a)
		}
		t.rules = append(t.rules, f.Rule)
	}
	t.index()
	return t
})

// index fills the tables.
func (t *table) index() {
	for i, a := range t.anchors {
		heads := a.heads
		if heads == nil {
			heads = []string{a.lit[a.off:min(len(a.lit), a.off+4)]}
		}
		for _, h := range heads {
			b := begin{anchor: i}
			for k := range len(h) {
				mask := byte(0xff)
				if a.fold && h[k] >= 'a' && h[k] <= 'z' {
					mask = 0xdf
				}
				b.mask |= uint32(mask) << (8 * k)
				b.want |= uint32(h[k]&mask) << (8 * k)
			}
			t.enter(h, b)
		}
	}
}

// enter adds a beginning to the tables. A beginning of three bytes is entered with each of the
// 32 values that a fourth byte can have in the tables.
func (t *table) enter(head string, b begin) {
	if len(head) < 4 {
		for c := range byte(32) {
			t.enter(head+string(rune(c)), b)
		}
		return
	}
	g := gram(binary.LittleEndian.Uint32([]byte(head)))
	t.may[g/64] |= 1 << (g % 64)
	if t.bucket[g/8] == 0 {
		t.bucket[g/8] = uint16(len(t.buckets))
		t.buckets = append(t.buckets, nil)
	}
	in := &t.buckets[t.bucket[g/8]]
	if !slices.Contains(*in, b) {
		*in = append(*in, b)
	}
}

func (r *Redactor) scan(s *scan) {
	if r.secrets != nil {
		r.secrets.scan(s)
	}
	if r.names != nil && !r.counts {
		r.names.scan(s)
	}
}

func (t *table) scan(s *scan) {
	text := s.text
	i := 0
	// Four positions from one load of eight bytes.
	for ; i+8 <= len(text); i += 4 {
		u := binary.LittleEndian.Uint64(text[i:])
		if g := gram(uint32(u)); t.may[g/64]>>(g%64)&1 != 0 {
			t.try(s, i)
		}
		if g := gram(uint32(u >> 8)); t.may[g/64]>>(g%64)&1 != 0 {
			t.try(s, i+1)
		}
		if g := gram(uint32(u >> 16)); t.may[g/64]>>(g%64)&1 != 0 {
			t.try(s, i+2)
		}
		if g := gram(uint32(u >> 24)); t.may[g/64]>>(g%64)&1 != 0 {
			t.try(s, i+3)
		}
	}
	for ; i+4 <= len(text); i++ {
		t.try(s, i)
	}
}

func (t *table) try(s *scan, i int) {
	u := binary.LittleEndian.Uint32(s.text[i:])
	in := t.buckets[t.bucket[gram(u)/8]]
	for k := range in {
		if b := &in[k]; u&b.mask == b.want {
			a := &t.anchors[b.anchor]
			if at := i - a.off; at >= 0 && s.has(at, a) {
				a.try(s, at)
			}
		}
	}
}

func (a *anchor) try(s *scan, at int) {
	if a.match != nil {
		a.match(s, at, a)
		return
	}
	if start, end, ok := s.prefixed(at, a); ok {
		s.hit(start, end, a)
	}
}

// scan is the state of one pass through one text.
type scan struct {
	text  []byte
	found []hit
	runs  [nClasses]struct{ start, end int }
}

func (s *scan) hit(start, end int, a *anchor) {
	s.found = append(s.found, hit{start: start, end: end, rule: a.rule})
}

func (s *scan) has(at int, a *anchor) bool {
	if at+len(a.lit) > len(s.text) {
		return false
	}
	t := s.text[at : at+len(a.lit)]
	if !a.fold {
		return string(t) == a.lit
	}
	for i := range len(a.lit) {
		if lower(t[i]) != a.lit[i] {
			return false
		}
	}
	return true
}

// run returns the end of the run of a class that begins at i. It caches the result, so that a text
// full of possible beginnings is still read only once.
func (s *scan) run(c class, i int) int {
	r := &s.runs[c]
	if r.start <= i && i < r.end {
		return r.end
	}
	j := i
	for j < len(s.text) && classes[s.text[j]]&(1<<c) != 0 {
		j++
	}
	r.start, r.end = i, j
	return j
}

// prefixed matches keys with a prefix and a number of bytes of a class.
func (s *scan) prefixed(at int, a *anchor) (start, end int, ok bool) {
	if !s.boundary(at) {
		return
	}
	body := at + len(a.lit)
	end = s.run(a.class, body)
	if n := end - body; n < a.min || a.max > 0 && n > a.max {
		return
	}
	if end < len(s.text) && is(s.text[end], word) {
		return
	}
	return at, end, random(s.text[body:end])
}

// boundary reports whether a token may begin at i: the byte before is not part of a word, or only
// seems to be: the letter of an escape (\n, \u0020, %3D) or the end of a colour sequence. A byte
// that is itself escaped begins no token.
func (s *scan) boundary(i int) bool {
	t := s.text[:i]
	if i == 0 {
		return true
	}
	p := t[i-1]
	if p == '\\' {
		return !s.escaped(i)
	}
	if !is(p, word) && p != '-' {
		return true
	}
	hexes := func(n int) bool {
		return !slices.ContainsFunc(t[i-n:], func(c byte) bool { return !is(c, hexAny) })
	}
	switch {
	case i >= 2 && t[i-2] == '\\' && bytes.IndexByte([]byte("nrtbfv0"), p) >= 0:
		return true
	case i >= 6 && t[i-6] == '\\' && t[i-5] == 'u' && hexes(4):
		return true
	case i >= 4 && t[i-4] == '\\' && t[i-3] == 'x' && hexes(2):
		return true
	case i >= 3 && t[i-3] == '%' && hexes(2):
		return true
	case p == 'm':
		j := i - 1
		for j > 0 && i-j < 20 && (t[j-1] == ';' || t[j-1] >= '0' && t[j-1] <= '9') {
			j--
		}
		return j > 0 && t[j-1] == '['
	}
	return false
}

// escaped reports whether the byte at i follows an odd number of backslashes.
func (s *scan) escaped(i int) bool {
	n := 0
	for i-n > 0 && s.text[i-n-1] == '\\' && n < 64 {
		n++
	}
	return n%2 == 1
}

type class uint8

const (
	word    class = iota // A-Z a-z 0-9 _
	alnum                // A-Z a-z 0-9
	dash                 // word and -
	hexLow               // 0-9 a-f
	hexAny               // 0-9 a-f A-F
	base32               // A-Z 2-7, as used by AWS
	base64c              // alnum + / =
	token68              // characters of bearer tokens in RFC 7235
	dotted               // dash and .
	auth                 // authority of a URL
	bare                 // value without quotes
	shell                // value in an environment file
	nClasses
)

var classes = makeClasses()

func makeClasses() (t [256]uint16) {
	set := func(c class, bytes string) {
		for i := range len(bytes) {
			t[bytes[i]] |= 1 << c
		}
	}
	const digits, lowers, uppers = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	const letters = lowers + uppers
	set(word, letters+digits+"_")
	set(alnum, letters+digits)
	set(dash, letters+digits+"_-")
	set(hexLow, digits+"abcdef")
	set(hexAny, digits+"abcdefABCDEF")
	set(base32, uppers+"234567")
	set(base64c, letters+digits+"+/=")
	set(token68, letters+digits+"-._~+/=")
	set(dotted, letters+digits+"_-.")
	set(auth, letters+digits+"-._~!$&*+,;=:@%{}()[]^|")
	set(bare, letters+digits+"-._~!@#$%^&*+/=:?")
	set(shell, letters+digits+"-._~!@#$%^&*+/=:?()[]{},;|<>")
	for c := 0x80; c < 256; c++ {
		t[c] |= 1<<auth | 1<<bare | 1<<shell // passwords are not only ASCII
	}
	return t
}

func is(b byte, c class) bool { return classes[b]&(1<<c) != 0 }

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b | 0x20
	}
	return b
}

// sample is how many bytes of a value are examined to judge it. They decide every key, and a value
// may have megabytes.
const sample = 256

// entropy returns the Shannon entropy in bits per byte.
func entropy(v []byte) float64 {
	v = v[:min(len(v), sample)]
	var count [256]int
	for _, b := range v {
		count[b]++
	}
	e := 0.0
	for _, b := range v {
		if n := count[b]; n > 0 {
			count[b] = 0
			e += float64(n) / float64(len(v)) * (logs[len(v)] - logs[n])
		}
	}
	return e
}

// logs are the binary logarithms of numbers of bytes. Computing them for each word is costly.
var logs = func() (list [sample + 1]float64) {
	for n := range list {
		list[n] = math.Log2(float64(n))
	}
	return list
}()

// kinds counts the bytes of a value by kind.
type kinds struct{ upper, lower, digit, other int }

func kindsOf(v []byte) (k kinds) {
	for _, b := range v[:min(len(v), sample)] {
		switch {
		case b >= '0' && b <= '9':
			k.digit++
		case b >= 'a' && b <= 'z':
			k.lower++
		case b >= 'A' && b <= 'Z':
			k.upper++
		default:
			k.other++
		}
	}
	return k
}

// random reports whether the text after a vendor's prefix was generated, not typed by a person as
// an example.
func random(v []byte) bool {
	k := kindsOf(v)
	if k.digit == 0 && (k.upper == 0 || k.lower == 0) || k.upper+k.lower == 0 {
		return false
	}
	return entropy(v) >= 2.8 && !sampleWords.in(v) && (len(v) >= 100 || !sampleRuns.in(v))
}
