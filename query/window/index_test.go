package window

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

// TestWhatRemainsOfAnIndex: an extended index reuses the rows before the first change, and none of
// them after a change of encoding or order.
func TestWhatRemainsOfAnIndex(t *testing.T) {
	column := func(s *model.Snapshot, encoding string) *query.TokenColumn {
		return query.NewTokenColumn(s, encoding, query.TextTokens{Content: 1}, query.CallTokens{})
	}
	grown := func(change func(g *querytest.Growing)) (before, after *model.Snapshot) {
		g := querytest.NewGrowing()
		for range 5 {
			g.Add(model.Head{Role: model.User, Flags: model.HasWords})
		}
		before = g.Snapshot()
		change(g)
		return before, g.Snapshot()
	}
	before, same := grown(func(*querytest.Growing) {})
	for _, c := range []struct {
		name   string
		change func(g *querytest.Growing)
		want   int
	}{
		{"nothing new", func(*querytest.Growing) {}, 5},
		{"a new message", func(g *querytest.Growing) { g.Add(model.Head{Role: model.User}) }, 5},
		{"a changed message", func(g *querytest.Growing) { g.Amend(2, model.Rewound) }, 2},
		{"two changed messages", func(g *querytest.Growing) {
			g.Amend(3, model.Rewound)
			g.Amend(1, model.Rewound)
			g.Amend(4, model.Rewound)
		}, 1},
		{"a rewind to a message", func(g *querytest.Growing) { g.Ix.Events = append(g.Ix.Events, model.Event{At: 3}) }, 3},
		{"a new thread", func(g *querytest.Growing) { g.Ix.Threads = append(g.Ix.Threads, model.Thread{}) }, 5},
		{"a thread less", func(g *querytest.Growing) { g.Ix.Threads = nil }, 0},
		{"a row less", func(g *querytest.Growing) { g.Ix.Heads = model.Index{}.Heads; g.Add(model.Head{Role: model.User}) }, 0},
		{"another first row", func(g *querytest.Growing) { g.Ix.Order = []model.ID{1, 0, 2, 3, 4} }, 0},
		{"another row in the middle", func(g *querytest.Growing) { g.Ix.Order = []model.ID{0, 1, 3, 2, 4} }, 0},
		{"another last row", func(g *querytest.Growing) { g.Ix.Order = []model.ID{0, 1, 2, 4, 3} }, 0},
	} {
		before, after := grown(c.change)
		if got := NewIndex(before, column(before, "words")).unchanged(after, column(after, "words")); got != c.want {
			t.Errorf("%s: %d rows remain, want %d", c.name, got, c.want)
		}
	}
	counted, sized := NewIndex(before, column(before, "words")), NewIndex(before, nil)
	for _, c := range []struct {
		name   string
		x      *Index
		s      *model.Snapshot
		tokens *query.TokenColumn
		want   int
	}{
		{"counted as before", counted, same, column(same, "words"), 5},
		{"sized as before", sized, same, nil, 5},
		{"no index", nil, same, nil, 0},
		{"an earlier version", NewIndex(same, nil), before, nil, 0},
		{"the same version", sized, before, nil, 5},
		{"now counted", sized, same, column(same, "words"), 0},
		{"counted no more", counted, same, nil, 0},
		{"in another encoding", counted, same, column(same, "letters"), 0},
		{"with messages that were not counted", NewIndex(same, query.NewTokenColumn(querytest.NewGrowing().Snapshot(), "words", query.TextTokens{}, query.CallTokens{})),
			same, column(same, "words"), 0},
		{"no rows", NewIndex(querytest.NewGrowing().Snapshot(), nil), querytest.NewGrowing().Snapshot(), nil, 0},
	} {
		if got := c.x.unchanged(c.s, c.tokens); got != c.want {
			t.Errorf("%s: %d rows remain, want %d", c.name, got, c.want)
		}
	}
}

// TestExtendedAtACompaction: an index that ends directly before, at or after a compaction, its
// summary or a mark has the same answers as a new one.
func TestExtendedAtACompaction(t *testing.T) {
	add := []func(g *querytest.Growing){
		func(g *querytest.Growing) { g.Add(model.Head{Role: model.System, Flags: model.HasWords, Size: 40}) },
		func(g *querytest.Growing) { g.Add(model.Head{Role: model.User, Flags: model.HasWords, Size: 80}) },
		func(g *querytest.Growing) {
			g.Add(model.Head{Role: model.User, Flags: model.HasWords | model.Compacted, Size: 120})
		},
		func(g *querytest.Growing) { g.Add(model.Head{Op: model.Compact, Size: 400}) },
		func(g *querytest.Growing) {
			g.Add(model.Head{Role: model.User, Flags: model.HasWords | model.Recap, Size: 160})
		},
		func(g *querytest.Growing) {
			id := g.Add(model.Head{Role: model.Assistant, Flags: model.HasWords, Size: 20})
			g.Ix.Heads.Amend(int(id)).Usage = uint32(g.Ix.Tokens.Append(model.Tokens{Input: 300, Output: 9}))
		},
		func(g *querytest.Growing) { g.Add(model.Head{Op: model.Compact, Size: 800}) },
		func(g *querytest.Growing) { g.Add(model.Head{Role: model.User, Flags: model.HasWords, Size: 60}) },
	}
	for first := range len(add) {
		for changed := range first {
			g := querytest.NewGrowing()
			for _, one := range add[:first] {
				one(g)
			}
			x := NewIndex(g.Snapshot(), nil)
			g.Amend(model.ID(changed), model.HasReasoning)
			for _, one := range add[first:] {
				one(g)
			}
			s := g.Snapshot()
			x, fresh := x.Extend(s, nil), NewIndex(s, nil)
			for i := range s.Len() {
				sameContext(t, x, fresh, s.At(i))
			}
			for i := range x.threads {
				if got, want := fmt.Sprintf("%+v", x.threads[i].cuts), fmt.Sprintf("%+v", fresh.threads[i].cuts); got != want {
					t.Errorf("%d rows, then all, row %d changed: compactions %s, want %s", first, changed, got, want)
				}
			}
		}
	}
}

// TestWeights: the kind of a message's tokens follows its role and flags, and cleared results and
// the calls of scripts are not in the context.
func TestWeights(t *testing.T) {
	say := func(role model.Role, flags model.Flags) model.Message {
		return querytest.Flagged(querytest.Message(role, "a b c"), flags)
	}
	call := querytest.Null(model.Assistant, querytest.Call("x", "Bash", `{"a":1}`))
	for _, c := range []struct {
		name string
		msgs []model.Message
		want Tokens // of the last message
	}{
		{"system", []model.Message{say(model.System, 0)}, Tokens{System: 3}},
		{"developer", []model.Message{say(model.Developer, 0)}, Tokens{System: 3}},
		{"user", []model.Message{say(model.User, 0)}, Tokens{User: 3}},
		{"assistant", []model.Message{say(model.Assistant, 0)}, Tokens{Assistant: 3}},
		{"words of a tool", []model.Message{say(model.Tool, 0)}, Tokens{Results: 3}},
		{"injected", []model.Message{say(model.User, model.Injected)}, Tokens{Injected: 3}},
		{"summary", []model.Message{say(model.User, model.Recap)}, Tokens{Summary: 3}},
		{"reasoning and a call", []model.Message{querytest.Null(model.Assistant, querytest.Thinks("h h"), querytest.Call("x", "Bash", `{"a":1}`))}, Tokens{Reasoning: 2, Calls: 2}},
		{"result", []model.Message{call, querytest.Tool(querytest.Result("x", "r r"))}, Tokens{Results: 2}},
		{"cleared result", []model.Message{call, querytest.Flagged(querytest.Tool(querytest.Result("x", "r r")), model.Compacted)}, Tokens{}},
		{"result in the message of the call", []model.Message{querytest.Null(model.Assistant, querytest.Call("x", "Bash", `{"a":1}`), querytest.Result("x", "r r r"))}, Tokens{Calls: 2, Results: 3}},
	} {
		x := counted(t, model.FromMessages(c.msgs))
		id := model.ID(len(c.msgs) - 1)
		got := x.Weigh(id, x.Snap.HeadRow(id))
		if got != c.want || x.Weight(id) != c.want.Sum() {
			t.Errorf("%s: %+v and %d tokens, want %+v", c.name, got, x.Weight(id), c.want)
		}
	}
	compacted := counted(t, model.FromMessages([]model.Message{call, querytest.Flagged(querytest.Tool(querytest.Result("x", "r r")), model.Compacted), compaction()}))
	if n := compacted.Weight(1); n != 2 {
		t.Errorf("a result that a compaction removed has %d tokens before it, want 2", n)
	}
	if r := compacted.at(1); r.t.marked != 2 {
		t.Errorf("the first entry with a mark is %d, want 2", r.t.marked)
	}
}

// TestWeightsBySize: without counted tokens, four bytes are a token, and no byte counts twice.
func TestWeightsBySize(t *testing.T) {
	g := querytest.NewGrowing()
	call := func(c model.Call) uint32 {
		c.Prev, c.PrevResult = model.NoRow, model.NoRow
		return uint32(g.Ix.Calls.Append(c))
	}
	var want []Tokens
	add := func(h model.Head, w Tokens) {
		g.Add(h)
		want = append(want, w)
	}
	add(model.Head{Role: model.User, Flags: model.HasWords, Size: 400}, Tokens{User: 100})
	add(model.Head{Role: model.User, Flags: model.HasWords | model.HasMedia, Size: 400}, Tokens{})
	first := call(model.Call{Msg: 2, Result: 3, ArgsSize: 40, ResultSize: 80})
	add(model.Head{Role: model.Assistant, Flags: model.HasCalls, Size: 100}, Tokens{Assistant: 15, Calls: 10})
	g.Ix.Heads.Amend(2).LastCall = first
	add(model.Head{Role: model.Tool, Flags: model.HasResults, Size: 80}, Tokens{Results: 20})
	g.Ix.Heads.Amend(3).LastCall = first
	own := call(model.Call{Msg: 4, Result: 4, ArgsSize: 40, ResultSize: 80})
	add(model.Head{Role: model.Assistant, Flags: model.HasCalls, LastCall: own, Size: 140}, Tokens{Assistant: 5, Calls: 10, Results: 20})
	beside := call(model.Call{Msg: model.NoID, Result: 5, ResultSize: 80})
	add(model.Head{Role: model.User, Flags: model.HasResults, LastCall: beside, Size: 100}, Tokens{User: 5, Results: 20})
	script := call(model.Call{Msg: 6, Result: 6, ArgsSize: 40, ResultSize: 80, Inside: own + 1})
	add(model.Head{Role: model.Assistant, Flags: model.HasCalls, LastCall: script, Size: 140}, Tokens{Assistant: 5})
	s := g.Snapshot()
	x := NewIndex(s, nil)
	for id, w := range want {
		if got := x.Weigh(model.ID(id), s.HeadRow(model.ID(id))); got != w || x.Weight(model.ID(id)) != w.Sum() {
			t.Errorf("message %d: %+v, want %+v", id, got, w)
		}
	}
	for id, want := range map[uint32][2]int64{first: {10, 20}, own: {10, 20}, beside: {0, 20}, script: {0, 0}} {
		if args, result := x.CallWeight(model.CallID(id)); args != want[0] || result != want[1] {
			t.Errorf("call %d has %d and %d tokens, want %v", id, args, result, want)
		}
	}
	tokens := query.NewTokenColumn(s, "words", query.TextTokens{Content: 7, Calls: 9, Results: 50}, query.CallTokens{Args: 3, Result: 50})
	x = NewIndex(s, tokens)
	if got := x.Weigh(6, s.HeadRow(6)); got != (Tokens{Assistant: 7, Calls: 6}) || x.Weight(6) != 13 {
		t.Errorf("a call in a script: %+v and %d tokens, want 7 of the assistant and 6 of other calls", got, x.Weight(6))
	}
}

// TestContextOfManyMessages: in a long conversation with compactions, branches, subagents, calls of
// many tools and results of every size, each number of an answer equals the sum over the messages
// that the model saw.
func TestContextOfManyMessages(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	var msgs []model.Message
	words := func() string { return strings.Repeat("w ", 1+rnd.IntN(9)) }
	for i := range 2*ctxTools + 100 {
		id := fmt.Sprint("c", i)
		switch rnd.IntN(6) {
		case 0:
			msgs = append(msgs, querytest.Message(model.User, words()))
		case 1:
			msgs = append(msgs, querytest.Null(model.Assistant, querytest.Call(id, "Grep", `{"a":1}`), querytest.Result(id, words())))
		case 2:
			msgs = append(msgs, querytest.Flagged(querytest.Message(model.User, words()), model.OffBranch))
		default:
			msgs = append(msgs, querytest.Null(model.Assistant, querytest.Call(id, []string{"Read", "Bash"}[i%2], `{"a":1}`)), querytest.Tool(querytest.Result(id, words())))
		}
	}
	x := counted(t, model.FromMessages(msgs))
	s := x.Snap
	for k := range 12 {
		at := s.At(rnd.IntN(s.Len()))
		if k == 0 {
			at = s.At(s.Len() - 1)
		}
		a, err := x.Context(at, Options{Largest: 3})
		if err != nil {
			t.Fatal(err)
		}
		tools, largest := map[string]int64{}, []int64{}
		seen := query.NewRowSet(s, x.Seen(at))
		for c := range s.CallCount() {
			if call := s.Call(model.CallID(c)); seen.Has(call.Result) {
				_, n := x.CallWeight(model.CallID(c))
				tools[s.Name(call.Tool)] += n
			}
		}
		for _, id := range x.Seen(at) {
			largest = append(largest, x.Weight(id))
		}
		slices.SortFunc(largest, func(a, b int64) int { return int(b - a) })
		for i, it := range a.Largest {
			if it.Tokens != largest[i] || it.Tokens != x.Weight(it.ID) {
				t.Errorf("at %d: the largest are %+v, want %v", at, a.Largest, largest[:len(a.Largest)])
				break
			}
		}
		for _, tool := range a.Tools {
			if tools[string(tool.Tool)] != tool.Tokens {
				t.Errorf("at %d: the results of %s have %d tokens, want %d", at, tool.Tool, tool.Tokens, tools[string(tool.Tool)])
			}
		}
		if len(a.Tools) != len(tools) {
			t.Errorf("at %d: results of %v, want %v", at, a.Tools, tools)
		}
		if !slices.IsSortedFunc(a.Tools, func(p, q ToolShare) int { return int(q.Tokens - p.Tokens) }) {
			t.Errorf("at %d: %v do not begin with the largest", at, a.Tools)
		}
	}
}

// TestSeriesAndGrowthOfACompaction: each point shows the context that a request had, and the first
// point and the turn after a compaction show the compaction.
func TestSeriesAndGrowthOfACompaction(t *testing.T) {
	x := counted(t, model.FromMessages([]model.Message{
		querytest.Message(model.User, "a"), used(querytest.Message(model.Assistant, "b b"), 40, 0),
		compaction(), querytest.Message(model.User, "c c c"), used(querytest.Message(model.Assistant, "d"), 60, 0),
		querytest.Message(model.User, "e"), querytest.Message(model.Assistant, "f"),
	}))
	written := func(points []Point) (got []string) {
		for _, p := range points {
			m := int64(0)
			if p.Measured != nil {
				m = *p.Measured
			}
			got = append(got, fmt.Sprint(int(p.Index), p.Tokens.Sum(), m, p.Compacted))
		}
		return got
	}
	want := []string{"0 1 40 false", "1 1 40 false", "2 3 60 true", "3 3 60 false", "4 5 0 false", "5 5 0 false"}
	for _, n := range []int{6, 7, 100} {
		if got := written(x.Series(0, n)); !slices.Equal(got, want) {
			t.Errorf("%d points: %q, want %q", n, got, want)
		}
	}
	if got, want := written(x.Series(0, 2)), []string{"2 3 60 true", "5 5 0 false"}; !slices.Equal(got, want) {
		t.Errorf("two points: %q, want %q", got, want)
	}
	if got, want := written(x.Series(0, 1)), []string{"5 5 0 true"}; !slices.Equal(got, want) {
		t.Errorf("one point: %q, want %q", got, want)
	}
	if x.Series(0, 0) != nil || x.Series(1, 5) != nil || x.Series(0, -1) != nil {
		t.Error("no points, or points of no thread, are not empty")
	}
	var turns []string
	for _, g := range x.Growth(query.NewTurnIndex(x.Snap)) {
		m := int64(0)
		if g.Measured != nil {
			m = *g.Measured
		}
		turns = append(turns, fmt.Sprint(g.Turn, int(g.Index), g.Sum, m, g.Compacted))
	}
	if want := []string{"0 0 3 40 0", "1 2 4 60 1", "2 4 2 0 0"}; !slices.Equal(turns, want) {
		t.Errorf("turns %q, want %q", turns, want)
	}
	last := counted(t, model.FromMessages([]model.Message{used(querytest.Message(model.Assistant, "a"), 70, 0), compaction(), querytest.Message(model.User, "b")}))
	if got, want := written(last.Series(0, 2)), []string{"0 0 70 false", "1 1 0 true"}; !slices.Equal(got, want) {
		t.Errorf("a response that nothing precedes: %q, want %q", got, want)
	}
	if g := last.Growth(query.NewTurnIndex(last.Snap)); g[len(g)-1].Compacted != 1 {
		t.Errorf("a compaction before the last message: %+v", g)
	}
}

// TestNamesOfSubjects: a name consists of letters, digits, three signs and non-ASCII characters.
func TestNamesOfSubjects(t *testing.T) {
	name := regexp.MustCompile(`^[A-Za-z0-9_.-]$`)
	for c := range 256 {
		if want := c >= 0x80 || name.MatchString(string(rune(c))); nameByte(byte(c)) != want {
			t.Errorf("byte %#x is part of a name: %v, want %v", c, !want, want)
		}
	}
	for path, want := range map[string]string{
		"/w/abc": "abc", "/w/ab": "", "/w/.abc.": "abc", "/w/.ab.": "", "abc": "abc", `c:\\w\\abc`: "abc", "/w/abc/": "abc", "/w/a b": "", "": "",
		strings.Repeat("/", 1021) + "abc": "abc", strings.Repeat("/", 1022) + "abc": "",
	} {
		block := querytest.Call("x", "Read", `{"file_path":"`+path+`"}`)
		if got := subjectOf(&block); got != want {
			t.Errorf("the subject of %.20q (%d bytes) is %q, want %q", path, len(path), got, want)
		}
	}
}

// TestMentions: a mentioned result is not unused. A longer word with the name does not count.
func TestMentions(t *testing.T) {
	for text, unused := range map[string]int{
		"see idle.go": 0, "idle.go": 0, "idle.go is fine": 0, "(idle.go)": 0, "in idle.go.": 0, "in -idle.go-": 0,
		"see sidle.go": 1, "idle.gone": 1, "nothing": 1, "": 1,
	} {
		x := counted(t, model.FromMessages([]model.Message{
			querytest.Null(model.Assistant, querytest.Call("b", "Read", `{"file_path":"/w/idle.go"}`)), querytest.Tool(querytest.Result("b", strings.Repeat("y ", 300))),
			querytest.Message(model.Assistant, text),
		}))
		if w, err := x.Waste(t.Context(), query.Everything(x.Snap), nil); err != nil || len(w.Unused) != unused {
			t.Errorf("%q: %d results are unused, %v; want %d", text, len(w.Unused), err, unused)
		}
	}
}

// TestWasteOfResultsInTheMessage: a result in the message of its call counts, and one without a
// call does not.
func TestWasteOfResultsInTheMessage(t *testing.T) {
	own := querytest.Null(model.Assistant, querytest.Call("a", "Read", `{"file_path":"/w/a.go"}`), querytest.Call("b", "Read", `{"file_path":"/w/a.go"}`),
		querytest.Result("a", "one two"), querytest.Result("b", "one two"))
	x := counted(t, model.FromMessages([]model.Message{own, querytest.Tool(querytest.Result("nobody", "three"))}))
	w, err := x.Waste(t.Context(), query.Everything(x.Snap), nil)
	if err != nil || len(w.Repeats) != 1 || w.Repeats[0].Times != 2 || w.Repeats[0].Same != 1 || w.Results != 4 || w.RepeatedTokens != 2 {
		t.Errorf("%+v, %v; want a call that was repeated once, with the same two of four tokens", w, err)
	}
}
