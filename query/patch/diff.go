package patch

import (
	"strconv"
	"strings"

	"turns/query"
)

// Around is the number of unchanged lines on each side of a hunk.
const Around = 3

// Diff returns the hunks that turn before into after, with Around lines around each change. It
// returns none for equal texts.
func Diff(before, after string) []Hunk {
	if before == after {
		return nil
	}
	a, openA := splitText(before)
	b, openB := splitText(after)
	d := differ{a: a, b: b, openA: openA, openB: openB}
	for _, p := range LinePairs(a, b) {
		i, j := int(p.A), int(p.B)
		if lastA, lastB := openA && i == len(a)-1, openB && j == len(b)-1; lastA != lastB {
			continue // the same line, with a newline and without
		}
		d.upTo(i, j)
		d.i, d.j = i+1, j+1
	}
	d.upTo(len(a), len(b))
	d.flush(len(a))
	return d.hunks
}

// Lines returns how many lines Diff adds and removes, without making hunks.
func Lines(before, after string) (added, removed int) {
	const chunk = 64
	n, most := 0, min(len(before), len(after))
	for n+chunk <= most && before[n:n+chunk] == after[n:n+chunk] {
		n += chunk
	}
	for n < most && before[n] == after[n] {
		n++
	}
	from := strings.LastIndexByte(before[:n], '\n') + 1
	before, after = before[from:], after[from:]
	n, most = 0, min(len(before), len(after))
	for n+chunk <= most && before[len(before)-n-chunk:len(before)-n] == after[len(after)-n-chunk:len(after)-n] {
		n += chunk
	}
	for n < most && before[len(before)-n-1] == after[len(after)-n-1] {
		n++
	}
	end := 0 // bytes of the lines that both end with
	if i := strings.IndexByte(before[len(before)-n:], '\n'); i >= 0 {
		end = n - i - 1
	}
	return Counts(Diff(before[:len(before)-end], after[:len(after)-end]))
}

// LinePairs pairs the lines that two texts have in common.
func LinePairs(a, b []string) []query.AlignedPair {
	numbers := make(map[string]uint64, len(a))
	keys := func(lines []string) []uint64 {
		out := make([]uint64, len(lines))
		for i, line := range lines {
			n, ok := numbers[line]
			if !ok {
				n = uint64(len(numbers))
				numbers[line] = n
			}
			out[i] = n
		}
		return out
	}
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	pairs := make([]query.AlignedPair, 0, head+tail)
	for i := range head {
		pairs = append(pairs, query.AlignedPair{A: int32(i), B: int32(i)})
	}
	for _, p := range query.Align(keys(a[head:len(a)-tail]), keys(b[head:len(b)-tail])) {
		pairs = append(pairs, query.AlignedPair{A: p.A + int32(head), B: p.B + int32(head)})
	}
	for i := range tail {
		pairs = append(pairs, query.AlignedPair{A: int32(len(a) - tail + i), B: int32(len(b) - tail + i)})
	}
	return pairs
}

// differ collects hunks while it walks two texts.
type differ struct {
	a, b         []string
	openA, openB bool
	i, j         int // the next lines
	hunk         *Hunk
	until        int // line of a after the last change of the hunk
	hunks        []Hunk
}

// upTo adds the lines before i and j as changed.
func (d *differ) upTo(i, j int) {
	if i == d.i && j == d.j {
		return
	}
	if d.hunk != nil && d.i-d.until > 2*Around {
		d.flush(d.i)
	}
	if d.hunk == nil {
		from := max(d.i-Around, d.floor())
		d.hunk = &Hunk{Old: from + 1, New: d.j - (d.i - from) + 1}
		d.until = from
	}
	d.same(d.i)
	for _, line := range d.a[d.i:i] {
		d.hunk.Lines = append(d.hunk.Lines, "-"+line)
	}
	for _, line := range d.b[d.j:j] {
		d.hunk.Lines = append(d.hunk.Lines, "+"+line)
	}
	d.hunk.OldOpen = d.hunk.OldOpen || d.openA && i == len(d.a) && i > d.i
	d.hunk.NewOpen = d.hunk.NewOpen || d.openB && j == len(d.b) && j > d.j
	d.until = i
}

// floor returns the first line of a outside of the hunks.
func (d *differ) floor() int {
	if n := len(d.hunks); n > 0 {
		last := &d.hunks[n-1]
		before, _ := last.Sides()
		return last.Old - 1 + len(before)
	}
	return 0
}

// same adds unchanged lines up to a line of a.
func (d *differ) same(to int) {
	for ; d.until < to; d.until++ {
		d.hunk.Lines = append(d.hunk.Lines, " "+d.a[d.until])
		if d.until == len(d.a)-1 && d.openA {
			d.hunk.OldOpen, d.hunk.NewOpen = true, true
		}
	}
}

// flush ends the hunk; there are unchanged lines up to a line of a.
func (d *differ) flush(to int) {
	if d.hunk == nil {
		return
	}
	d.same(min(to, d.until+Around))
	d.hunks = append(d.hunks, *d.hunk)
	d.hunk = nil
}

// Head returns the line above a hunk: "@@ -1,2 +1,3 @@".
func (h *Hunk) Head() string {
	before, after := h.Sides()
	return "@@ -" + side(h.Old, len(before)) + " +" + side(h.New, len(after)) + " @@"
}

func side(first, n int) string {
	if n == 0 {
		first-- // git counts an empty side from the line above
	}
	if n == 1 {
		return strconv.Itoa(first)
	}
	return strconv.Itoa(max(first, 0)) + "," + strconv.Itoa(n)
}

// Append adds the hunk in the notation of a unified diff.
func (h *Hunk) Append(b *strings.Builder) {
	b.WriteString(h.Head() + "\n")
	lastOld, lastNew := -1, -1
	for i, line := range h.Lines {
		if line[0] != '+' {
			lastOld = i
		}
		if line[0] != '-' {
			lastNew = i
		}
	}
	for i, line := range h.Lines {
		b.WriteString(line + "\n")
		if h.OldOpen && i == lastOld && line[0] != '+' || h.NewOpen && i == lastNew && line[0] != '-' {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}

// Unified returns the part of a patch about one file, as git writes it. An added or deleted
// file has /dev/null on the other side.
func (f *File) Unified() string {
	to := f.Path
	if f.To != "" {
		to = f.To
	}
	var b strings.Builder
	b.WriteString("diff --git " + quote("a/"+f.Path) + " " + quote("b/"+to) + "\n")
	before, after := quote("a/"+f.Path), quote("b/"+to)
	switch {
	case f.Op == Add:
		b.WriteString("new file mode 100644\n")
		before = "/dev/null"
	case f.Op == Delete:
		b.WriteString("deleted file mode 100644\n")
		after = "/dev/null"
	case f.To != "":
		b.WriteString("rename from " + quote(f.Path) + "\nrename to " + quote(to) + "\n")
	}
	if len(f.Hunks) > 0 {
		b.WriteString("--- " + before + tabFor(before) + "\n+++ " + after + tabFor(after) + "\n")
	}
	for i := range f.Hunks {
		f.Hunks[i].Append(&b)
	}
	return b.String()
}

// tabFor returns a tab after a name with a blank, like git.
func tabFor(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return "\t"
	}
	return ""
}

// quote returns a path in git's notation: in quotes if it has unusual bytes.
func quote(path string) string {
	plain := true
	for i := 0; i < len(path); i++ {
		if c := path[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			plain = false
		}
	}
	if plain {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c >= 0x7f:
			b.WriteByte('\\')
			b.WriteByte('0' + c>>6)
			b.WriteByte('0' + c>>3&7)
			b.WriteByte('0' + c&7)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
