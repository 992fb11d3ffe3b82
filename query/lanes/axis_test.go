package lanes

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query/human"
)

// slots returns columns of a second: a dot is without a gap, a letter is a gap.
func slots(picture string) (list []Slot) {
	for i, r := range picture {
		s := Slot{human.Stamp(1000 * i), human.Stamp(1000 * (i + 1)), -1}
		if r != '.' {
			s.Gap = int(r - 'a')
		}
		list = append(list, s)
	}
	return list
}

// TestLabelsOfAnAxis: times and lengths of gaps only with room for them.
func TestLabelsOfAnAxis(t *testing.T) {
	for _, c := range []struct {
		slots string
		wide  int
		want  string
	}{
		{"...................", gapWide, "10:30         10:30"},
		{"..................", gapWide, "10:30             "},
		{"........aaaaaa........", gapWide, "10:30   ⋯5m⋯  10:30   "},
		{"......aaaaaa......", gapWide, "10:30 ⋯5m⋯  10:30 "},
		{".....aaaaaa......", gapWide, "     ⋯5m⋯  10:30 "},
		{"aaaaaa......bbbbbb", gapWide, "⋯5m⋯  10:30 ⋯2h⋯  "},
		{"aaaaaabbbbbb", gapWide, "⋯5m⋯  ⋯2h⋯  "},
		{".......a............", gapThin, "10:30  ⋯      10:30 "},
		{"a.......", gapThin, "⋯ 10:30 "},
		{".......ab......", gapThin, "10:30  ⋯⋯      "},
		{"", gapWide, ""},
	} {
		x := Axis{Slots: slots(c.slots), wide: c.wide, folded: []Gap{{Took: 300_000}, {Took: 7_200_000}}}
		if got := string(x.Labels(func(human.Stamp) string { return "10:30" })); got != c.want {
			t.Errorf("%s: %q, want %q", c.slots, got, c.want)
		}
	}
}

// TestLengthsOfGaps: minutes, hours up to two days, then days.
func TestLengthsOfGaps(t *testing.T) {
	for minutes, want := range map[int]string{1: "⋯1m⋯", 59: "⋯59m⋯", 60: "⋯1h⋯", 47*60 + 59: "⋯47h⋯", 48 * 60: "⋯2d⋯", 2400 * 60: "⋯100d⋯"} {
		if got := foldText(human.Millis(minutes) * 60_000); got != want {
			t.Errorf("%d minutes are %q, want %q", minutes, got, want)
		}
	}
}

// TestLayoutOfTimes: times have seconds if two on the axis are less than a minute apart.
func TestLayoutOfTimes(t *testing.T) {
	for _, c := range []struct {
		slots   string
		first   int // the column of the first time
		between human.Stamp
		want    string
	}{
		{"...............", 0, 59_999, time.TimeOnly}, {"...............", 0, 60_000, "15:04"},
		{"..............", 0, 1, "15:04"}, {"a...............", 1, 59_999, time.TimeOnly}, {"a...............", 1, 60_000, "15:04"},
		{"..............a.", 1, 59_999, time.TimeOnly}, {"a..............", 0, 0, "15:04"},
	} {
		x := Axis{Slots: slots(c.slots)}
		if n := c.first + tick; n < len(x.Slots) {
			x.Slots[n].From = x.Slots[c.first].From + c.between
		}
		if got := x.Clock(); got != c.want {
			t.Errorf("%s, %d ms between two times: %s, want %s", c.slots, c.between, got, c.want)
		}
	}
}

// TestGapsAtTheEnds: a range within a gap, or that begins or ends in one, has the part of the gap.
func TestGapsAtTheEnds(t *testing.T) {
	const minute = 60_000
	a := Answer{From: 1, To: 1 + 100*minute, Gaps: []Gap{{From: 1 + 10*minute, To: 1 + 20*minute}}}
	for _, c := range []struct {
		from, to human.Stamp
		took     []human.Millis
		gaps     string // of 12 columns
	}{
		{12 * minute, 15 * minute, []human.Millis{3 * minute}, "aaaaaa"},
		{1 + 10*minute, 1 + 30*minute, []human.Millis{10 * minute}, "aaaaaa......"},
		{1, 1 + 20*minute, []human.Millis{10 * minute}, "......aaaaaa"},
		{1, 1 + 11*minute, nil, "............"},
		{1, 2 + 11*minute, []human.Millis{minute + 1}, "......aaaaaa"},
		{1 + 19*minute, 1 + 30*minute, nil, "............"},
		{5 * minute, 5 * minute, nil, "............"},
	} {
		x, gaps := a.Axis(12, c.from, c.to), ""
		for _, s := range x.Slots {
			gaps += map[int]string{-1: ".", 0: "a"}[s.Gap]
		}
		var took []human.Millis
		for _, g := range x.Folded() {
			took = append(took, g.Took)
		}
		if !slices.Equal(took, c.took) || gaps != c.gaps {
			t.Errorf("%d to %d: gaps of %v, columns %s; want %v, %s", c.from, c.to, took, gaps, c.took, c.gaps)
		}
	}
	if n := len(a.Axis(0, 0, 0).Slots); n != 0 {
		t.Errorf("an axis without columns has %d", n)
	}
	if x := (&Axis{}); x.first() != 0 || x.last() != 0 || x.Column(0) != -1 {
		t.Errorf("an axis without columns is from %d to %d", x.first(), x.last())
	}
}

// TestColumnsOfMoments compares with a search of all columns, some of them without time.
func TestColumnsOfMoments(t *testing.T) {
	for length := range human.Stamp(30) {
		a := Answer{From: 5, To: 5 + length}
		x := a.Axis(12, 5, 5+length)
		for at := human.Stamp(0); at < 40; at++ {
			want := -1
			for i, s := range x.Slots {
				if s.From <= at && (at < s.To || at <= x.last() && want < 0 || at == x.last()) {
					if want < 0 || x.Slots[want].To <= at {
						want = i
					}
				}
			}
			if at < x.first() || at > x.last() {
				want = -1
			}
			if got := x.Column(at); got != want {
				t.Fatalf("%d ms in 12 columns: %d is in column %d, want %d of %v", length, at, got, want, x.Slots)
			}
		}
	}
}

// TestCellsOfALane: a column shows its longest work, or work of at least a quarter of it.
func TestCellsOfALane(t *testing.T) {
	part := func(k Kind, from, to human.Stamp) Stretch { return Stretch{Kind: k, From: from, To: to} }
	one := []Slot{{100, 200, -1}}
	for _, c := range []struct {
		name  string
		slots []Slot
		parts []Stretch
		want  []Cell
	}{
		{"nothing", one, nil, []Cell{Blank}},
		{"a quarter", one, []Stretch{part(Model, 100, 125), part(Idle, 125, 200)}, []Cell{ModelCell}},
		{"less than a quarter", one, []Stretch{part(Model, 100, 124), part(Idle, 124, 200)}, []Cell{Blank}},
		{"a little, and nothing else", one, []Stretch{part(Model, 100, 101)}, []Cell{ModelCell}},
		{"two alike", one, []Stretch{part(Model, 100, 130), part(Tools, 130, 160)}, []Cell{ModelCell}},
		{"the longer one", one, []Stretch{part(Model, 100, 130), part(Tools, 130, 161)}, []Cell{ToolCell}},
		{"two waits together", one, []Stretch{part(Tools, 100, 140), part(Asked, 140, 170), part(User, 170, 200)}, []Cell{WaitCell}},
		{"before the column", one, []Stretch{part(Model, 0, 100)}, []Cell{Blank}},
		{"after the column", one, []Stretch{part(Model, 200, 300)}, []Cell{Blank}},
		{"around the column", one, []Stretch{part(Model, 0, 130), part(Tools, 130, 300)}, []Cell{ToolCell}},
		{"in two columns", []Slot{{100, 200, -1}, {200, 300, -1}}, []Stretch{part(Model, 100, 200), part(Tools, 200, 300)}, []Cell{ModelCell, ToolCell}},
		{"a column without time", []Slot{{100, 100, -1}}, []Stretch{part(Model, 0, 100)}, []Cell{ModelCell}},
		{"a column without time, before", []Slot{{100, 100, -1}}, []Stretch{part(Model, 0, 99)}, []Cell{Blank}},
		{"a column without time, after", []Slot{{100, 100, -1}}, []Stretch{part(Model, 100, 200)}, []Cell{ModelCell}},
		{"a column without time, later", []Slot{{100, 100, -1}}, []Stretch{part(Model, 101, 200)}, []Cell{Blank}},
	} {
		x := Axis{Slots: c.slots}
		if got := x.Cells(&Lane{Stretches: c.parts}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// pictured returns cells as text, with a dot for a blank one.
func pictured(rows ...[]Cell) (list []string) {
	for _, row := range rows {
		list = append(list, strings.ReplaceAll(string(glyphs(row)), " ", "."))
	}
	return list
}

// TestMarksOfErrors: the mark of a failed call is in the column in which it ended.
func TestMarksOfErrors(t *testing.T) {
	x := Axis{Slots: slots("....")}
	for _, c := range []struct {
		from, to human.Stamp
		row      int
		want     string
	}{
		{500, 2500, 0, "..✗."}, {500, 2000, 0, ".✗.."}, {2000, 2000, 0, "..✗."}, {2000, 0, 0, "..✗."}, {0, 0, 0, "✗..."}, {-500, 0, 0, "✗..."}, {1000, 4000, 0, "...✗"}, {1000, 4001, 0, "...."}, {1000, 2500, 1, "...."},
	} {
		lane := Lane{Calls: []Call{{From: c.from, To: c.to, Row: c.row, Outcome: model.Failure}, {From: 0, To: 1500, Outcome: model.Success}}}
		if got := pictured(x.Cells(&lane))[0]; got != c.want {
			t.Errorf("a call from %d to %d in row %d: %s, want %s", c.from, c.to, c.row, got, c.want)
		}
	}
}

// TestRowsOfParallelCalls: rows below a lane, cut to the axis; the last one has those of further
// rows, and an empty one is not drawn.
func TestRowsOfParallelCalls(t *testing.T) {
	call := func(row int, from, to human.Stamp, outcome model.Outcome) Call {
		return Call{Row: row, From: 10_000 + from, To: 10_000 + to, Outcome: outcome}
	}
	x := Axis{Slots: slots("....")}
	for i := range x.Slots {
		x.Slots[i].From, x.Slots[i].To = x.Slots[i].From+10_000, x.Slots[i].To+10_000
	}
	ok, bad := model.Success, model.Failure
	for _, c := range []struct {
		name  string
		calls []Call
		most  int
		want  []string
	}{
		{"only the first row", []Call{call(0, 0, 4000, ok)}, 3, nil},
		{"a second row", []Call{call(1, 500, 1500, ok)}, 3, []string{"██.."}},
		{"up to the end of a column", []Call{call(1, 1000, 2000, ok)}, 3, []string{".█.."}},
		{"without a length", []Call{call(1, 1000, 1000, ok)}, 3, []string{".█.."}},
		{"before and after the axis", []Call{call(1, -500, 500, ok), call(1, 3500, 9000, ok)}, 3, []string{"█..█"}},
		{"up to the axis and from its end", []Call{call(1, -500, 0, ok), call(1, 4000, 9000, ok)}, 3, []string{"█..█"}},
		{"outside of the axis", []Call{call(1, -500, -1, ok), call(1, 4001, 9000, ok)}, 3, nil},
		{"two rows", []Call{call(1, 0, 1000, ok), call(2, 2000, 3000, ok)}, 3, []string{"█...", "..█."}},
		{"two rows in one", []Call{call(1, 0, 1000, ok), call(2, 2000, 3000, ok)}, 1, []string{"█.█."}},
		{"no rows", []Call{call(1, 0, 1000, ok)}, 0, nil},
		{"an error remains", []Call{call(1, 0, 2000, bad), call(1, 1000, 3000, ok)}, 3, []string{"█✗█."}},
	} {
		lane := Lane{Calls: c.calls, Rows: 1}
		for _, k := range c.calls {
			lane.Rows = max(lane.Rows, k.Row+1)
		}
		if got := pictured(x.Stacked(&lane, c.most)...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestFillOfTheContext: the largest request of each column, in eighths of the window; a column
// without a request has the fill of the last one.
func TestFillOfTheContext(t *testing.T) {
	fills := func(list ...int64) (out []Fill) {
		for i := 0; i < len(list); i += 2 {
			out = append(out, Fill{Time: human.Stamp(list[i]), Tokens: list[i+1]})
		}
		return out
	}
	for _, c := range []struct {
		name  string
		slots string
		a     Answer
		want  string
	}{
		{"no request", "....", Answer{Window: 100}, "    "},
		{"empty, an eighth and all", "...", Answer{Window: 800, Context: fills(0, 99, 1000, 100, 2000, 800)}, "▁▂█"},
		{"seven eighths and almost all", "..", Answer{Window: 800, Context: fills(0, 700, 1000, 799)}, "██"},
		{"the largest of a column, then the last", "...", Answer{Window: 800, Context: fills(0, 100, 500, 400, 999, 200)}, "▅▃▃"},
		{"a larger one at the begin of a column", "..", Answer{Window: 800, Context: fills(0, 400, 500, 100)}, "▅▂"},
		{"at the border of two columns", "..", Answer{Window: 800, Context: fills(1000, 400)}, " ▅"},
		{"at the end", "..", Answer{Window: 800, Context: fills(2000, 400)}, " ▅"},
		{"after the end", "..", Answer{Window: 800, Context: fills(2001, 400)}, "  "},
		{"before the axis", "..", Answer{Window: 800, Context: fills(-1, 400)}, "▅▅"},
		{"a gap", ".aa.", Answer{Window: 800, Context: fills(0, 400)}, "▅  ▅"},
		{"larger than the window", "..", Answer{Window: 100, Context: fills(0, 400, 1000, 800)}, "▅█"},
		{"an unknown window", ".", Answer{Context: fills(0, 400)}, "█"},
		{"no tokens", ".", Answer{Context: fills(0, 0)}, " "},
	} {
		x := Axis{Slots: slots(c.slots)}
		if got := string(x.Fill(&c.a)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSpans compares the union of spans with the moments in them.
func TestSpans(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var list []span
		var in [40]bool // [n, n+1) is in a span
		for range rnd.IntN(12) {
			from := int64(rnd.IntN(30))
			s := span{from, from + 1 + int64(rnd.IntN(6))}
			list = addSpan(list, s)
			for n := s.from; n < s.to; n++ {
				in[n] = true
			}
		}
		var want []span
		for n := range int64(len(in)) {
			switch {
			case !in[n]:
			case n > 0 && in[n-1]:
				want[len(want)-1].to = n + 1
			default:
				want = append(want, span{n, n + 1})
			}
		}
		if !reflect.DeepEqual(list, want) {
			t.Fatalf("spans %v, want %v", list, want)
		}
		at := int64(rnd.IntN(40))
		later := slices.DeleteFunc(slices.Clone(want), func(s span) bool { return s.to <= at })
		if got := after(list, at); !slices.Equal(got, later) {
			t.Fatalf("%v after %d is %v, want %v", list, at, got, later)
		}
		if got := keep(slices.Clone(list), at); !slices.Equal(got, later) {
			t.Fatalf("of %v after %d remains %v, want %v", list, at, got, later)
		}
	}
	if begins(nil, 9) != 9 || begins([]span{{3, 4}}, 9) != 3 || begins([]span{{12, 14}}, 9) != 9 {
		t.Error("the first span begins at another time")
	}
}

// TestWaitedFor: the end waited for the last call that ends within the block; for a later one only
// without such a call.
func TestWaitedFor(t *testing.T) {
	for _, c := range []struct {
		calls   []span
		at, end int64
		want    int
	}{
		{nil, 5, 10, -1}, {[]span{{0, 5}}, 5, 10, -1}, {[]span{{6, 8}}, 5, 10, -1}, {[]span{{5, 6}}, 5, 10, 0}, {[]span{{0, 10}}, 5, 10, 0}, {[]span{{0, 11}}, 5, 10, 0},
		{[]span{{0, 8}, {0, 9}, {0, 7}}, 5, 10, 1}, {[]span{{0, 9}, {0, 9}}, 5, 10, 0}, {[]span{{0, 11}, {0, 6}}, 5, 10, 1}, {[]span{{0, 6}, {0, 11}}, 5, 10, 0},
		{[]span{{0, 11}, {0, 12}}, 5, 10, 1}, {[]span{{0, 10}, {0, 11}}, 5, 10, 0},
	} {
		var calls []pathCall
		for _, s := range c.calls {
			calls = append(calls, pathCall{span: s})
		}
		if got := waitedFor(calls, c.at, c.end); got != c.want {
			t.Errorf("of %v at %d before %d the end waited for %d, want %d", c.calls, c.at, c.end, got, c.want)
		}
	}
}

// TestSegmentsCoverABlock compares the segments of random calls with a choice at each moment.
func TestSegmentsCoverABlock(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var lane lanePath
		for n := range 1 + rnd.IntN(6) {
			from := int64(rnd.IntN(20))
			lane.begin(pathCall{span: span{from, from + 1 + int64(rnd.IntN(12))}, id: model.CallID(n)})
		}
		if !slices.IsSortedFunc(lane.calls, func(x, y pathCall) int { return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.id, y.id)) }) {
			t.Fatalf("calls are not in the order of their start: %+v", lane.calls)
		}
		block := span{int64(rnd.IntN(8)), 10 + int64(rnd.IntN(16))}
		in := span{block.from + int64(rnd.IntN(5)), block.to - int64(rnd.IntN(5))}
		var p pathWalk
		chosen := map[int64]int{} // by moment: the index of its call
		for _, s := range p.segments(nil, lane.calls, block, in) {
			for at := s.part.from; at < s.part.to; at++ {
				if _, twice := chosen[at]; twice {
					t.Fatalf("moment %d is in two segments", at)
				}
				chosen[at] = slices.IndexFunc(lane.calls, func(c pathCall) bool { return c.id == s.call.id })
			}
		}
		now := -1
		for at := in.from; at < in.to; at++ {
			if now < 0 || lane.calls[now].to <= at { // the end waits for a call until it ends
				now = waitedFor(lane.calls, at, block.to)
			}
			got, ok := chosen[at]
			if ok != (now >= 0) || ok && got != now {
				t.Fatalf("calls %+v, block %v, part %v: moment %d waits for %d (%v), want %d", lane.calls, block, in, at, got, ok, now)
			}
		}
	}
}

// TestWordsOfKinds: each kind has a word, and the time of asking is a part only if it is known.
func TestWordsOfKinds(t *testing.T) {
	for k, want := range []string{"idle", "model", "tools", "asked", "user", "idle", "idle"} {
		if got := Kind(k).String(); got != want {
			t.Errorf("kind %d is %q, want %q", k, got, want)
		}
	}
	written := func(s TimeSplit) (out string) {
		for _, p := range s.Parts() {
			out += fmt.Sprint(p.Kind, " ", int64(p.Took), " ")
		}
		return out
	}
	if got, want := written(TimeSplit{Model: 1, Tools: 2, User: 4}), "tools 2 model 1 user 4 idle 0 "; got != want {
		t.Errorf("parts %q, want %q", got, want)
	}
	if got, want := written(TimeSplit{Asked: 3}), "tools 0 model 0 asked 3 user 0 idle 0 "; got != want {
		t.Errorf("parts %q, want %q", got, want)
	}
}

// TestToolsOfTheCriticalPath: the line names four tools, or three and the sum of the others.
func TestToolsOfTheCriticalPath(t *testing.T) {
	for n, want := range map[int]string{
		3: "9.0s of a, 8.0s of b, 7.0s of c", 4: "9.0s of a, 8.0s of b, 7.0s of c, 6.0s of d", 5: "9.0s of a, 8.0s of b, 7.0s of c, 11.0s of other tools",
	} {
		c := Critical{Calls: n}
		for i := range n {
			c.Tools = append(c.Tools, CriticalTool{Tool: string(rune('a' + i)), Time: human.Millis(9000 - 1000*i)})
		}
		if got := c.Line(); got != "critical path: "+want+"; nothing more could run in parallel" {
			t.Errorf("%d tools: %q, want %q", n, got, want)
		}
	}
}

// TestWidthOfNames: names have at most a quarter of the width, and 10 to 24 columns.
func TestWidthOfNames(t *testing.T) {
	for _, c := range []struct{ name, width, want int }{{5, 200, 10}, {10, 200, 10}, {15, 200, 15}, {24, 200, 24}, {40, 200, 24}, {40, 80, 20}, {40, 44, 11}, {40, 40, 10}, {40, 20, 10}} {
		a := Answer{Lanes: []Lane{{Name: strings.Repeat("n", c.name)}}}
		if got := a.nameWidth(c.width); got != c.want {
			t.Errorf("a name of %d columns in %d takes %d, want %d", c.name, c.width, got, c.want)
		}
	}
}
