package window

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/png"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

func compaction() model.Message { return model.Message{Op: model.Compact, Name: "compaction"} }

func used(m model.Message, input, read int64) model.Message {
	m.Usage = &model.Usage{Input: input, CacheRead: read, CacheWrite: 0, Output: 5, Reasoning: -1}
	return m
}

func counted(t testing.TB, s *model.Snapshot) *Index {
	t.Helper()
	column, err := query.CountTokens(context.Background(), query.Everything(s), querytest.WordCounter())
	if err != nil {
		t.Fatal(err)
	}
	return NewIndex(s, column)
}

func TestContextSeen(t *testing.T) {
	u, a := model.User, model.Assistant
	for _, tt := range []struct {
		name string
		msgs []model.Message
		at   model.ID
		seen []model.ID
		left Left
	}{
		{name: "all before an answer", at: 2, seen: []model.ID{0, 1},
			msgs: []model.Message{querytest.Message(model.System, "s"), querytest.Message(u, "q"), querytest.Message(a, "r")}},
		{name: "a prompt is part of the next request", at: 3, seen: []model.ID{0, 1, 2, 3},
			msgs: []model.Message{querytest.Message(model.System, "s"), querytest.Message(u, "q"), querytest.Message(a, "r"), querytest.Message(u, "q2")}},
		{name: "the first message", at: 0, seen: []model.ID{0}, msgs: []model.Message{querytest.Message(u, "q"), querytest.Message(a, "r")}},
		{name: "a compaction keeps the system prompt", at: 5, seen: []model.ID{0, 4}, left: Left{Compacted: 2},
			msgs: []model.Message{querytest.Message(model.System, "s"), querytest.Message(u, "q"), querytest.Message(a, "r"), compaction(), querytest.Flagged(querytest.Message(u, "summary"), model.Recap), querytest.Message(a, "r2")}},
		{name: "a summary without a note is a compaction", at: 3, seen: []model.ID{2}, left: Left{Compacted: 2},
			msgs: []model.Message{querytest.Message(u, "q"), querytest.Message(a, "r"), querytest.Flagged(querytest.Message(u, "summary"), model.Recap), querytest.Message(a, "r2")}},
		{name: "before the compaction", at: 2, seen: []model.ID{0, 1, 2},
			msgs: []model.Message{querytest.Message(u, "q"), querytest.Message(a, "r"), querytest.Message(u, "q2"), compaction(), querytest.Message(u, "q3"), querytest.Message(a, "r2")}},
		{name: "rewound", at: 3, seen: []model.ID{0}, left: Left{Rewound: 2},
			msgs: []model.Message{querytest.Message(u, "q"), querytest.Flagged(querytest.Message(a, "r"), model.Rewound), querytest.Flagged(querytest.Message(u, "q2"), model.Rewound), querytest.Message(a, "r2")}},
		{name: "off the branch", at: 4, seen: []model.ID{0, 1, 3}, left: Left{OffBranch: 1},
			msgs: []model.Message{querytest.Message(u, "q"), querytest.Message(a, "r"), querytest.Flagged(querytest.Message(u, "left"), model.OffBranch), querytest.Message(u, "taken"), querytest.Message(a, "r2")}},
		{name: "not valid any more", at: 5, seen: []model.ID{0, 4}, left: Left{Invalidated: 1, Superseded: 1, Archived: 1},
			msgs: []model.Message{querytest.Message(u, "q"), querytest.Flagged(querytest.Message(a, "i"), model.Invalidated), querytest.Flagged(querytest.Message(a, "s"), model.Superseded), querytest.Flagged(querytest.Message(a, "a"), model.Archived), querytest.Message(u, "q2"), querytest.Message(a, "r")}},
		{name: "failed requests", at: 2, seen: []model.ID{0}, left: Left{Failed: 1},
			msgs: []model.Message{querytest.Message(u, "q"), querytest.Flagged(querytest.Message(a, "overloaded"), model.APIError), querytest.Message(a, "r")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := counted(t, model.FromMessages(tt.msgs))
			if got := x.Seen(tt.at); !slices.Equal(got, tt.seen) {
				t.Errorf("seen %v, want %v", got, tt.seen)
			}
			c, err := x.Context(tt.at, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c.Left != tt.left {
				t.Errorf("left out %+v, want %+v", c.Left, tt.left)
			}
			if c.Messages != len(tt.seen) {
				t.Errorf("%d messages, want %d", c.Messages, len(tt.seen))
			}
		})
	}
}

// TestContextOfACompaction: a compaction keeps the messages that it names, counts or leaves, and
// its summary is counted once, whether a message or the note contains it.
func TestContextOfACompaction(t *testing.T) {
	const rows = 6 // system, and five messages; the compaction is row 6
	for _, tt := range []struct {
		name  string
		event model.Event
		flags model.Flags // of the note
		// position of the summary after the note; 0: only the note contains it
		summary int
		seen    []model.ID
		tokens  int64
	}{
		{name: "nothing", event: model.Event{Kept: model.NoID}, seen: []model.ID{0, 7, 8, 9}, tokens: 25},
		{name: "what begins with a message", event: model.Event{Kept: 4}, seen: []model.ID{0, 4, 5, 7, 8, 9}, tokens: 25},
		{name: "the last two", event: model.Event{Kept: model.NoID, N: 2}, seen: []model.ID{0, 4, 5, 7, 8, 9}, tokens: 25},
		{name: "more than there is", event: model.Event{Kept: model.NoID, N: 99}, seen: []model.ID{0, 1, 2, 3, 4, 5, 7, 8, 9}, tokens: 25},
		{name: "all but the first three", event: model.Event{Kept: model.NoID, N: -3}, seen: []model.ID{0, 3, 4, 5, 7, 8, 9}, tokens: 25},
		{name: "a summary behind it", event: model.Event{Kept: 5}, summary: 1, seen: []model.ID{0, 5, 7, 8, 9}, tokens: 10},
		{name: "a summary behind the request for it", event: model.Event{Kept: 5}, summary: 2, seen: []model.ID{0, 5, 7, 8, 9}, tokens: 10},
		{name: "of a branch that was left", event: model.Event{Kept: model.NoID}, flags: model.OffBranch, seen: []model.ID{0, 1, 2, 3, 4, 5, 7, 8, 9}},
		{name: "rewound", event: model.Event{Kept: model.NoID}, flags: model.Rewound, seen: []model.ID{0, 1, 2, 3, 4, 5, 7, 8, 9}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := querytest.NewGrowing()
			for i := range rows {
				role := model.User
				if i == 0 {
					role = model.System
				}
				g.Add(model.Head{Role: role, Flags: model.HasWords, Size: 40})
			}
			tt.event.Op = model.Compact
			tt.event.At = g.Add(model.Head{Op: model.Compact, Flags: tt.flags, Size: 100})
			g.Ix.Events = append(g.Ix.Events, tt.event)
			for i := range 3 {
				h := model.Head{Role: model.User, Flags: model.HasWords, Size: 40}
				if i+1 == tt.summary {
					h.Flags |= model.Recap
				}
				g.Add(h)
			}
			x := NewIndex(g.Snapshot(), nil)
			if got := x.Seen(9); !slices.Equal(got, tt.seen) {
				t.Errorf("seen %v, want %v", got, tt.seen)
			}
			c, err := x.Context(9, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c.Tokens.Summary != tt.tokens {
				t.Errorf("summary of %d tokens, want %d", c.Tokens.Summary, tt.tokens)
			}
			want := tt.tokens
			if tt.summary > 0 {
				want = 0 // a message has it
			}
			if n := x.SentWith(9).Summary; n != want {
				t.Errorf("the note has a summary of %d tokens, want %d", n, want)
			}
		})
	}
}

func TestContextOfASubagent(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Threads = append(g.Ix.Threads, model.Thread{Call: 0, Name: "Explore"})
	g.Add(model.Head{Role: model.User, Flags: model.HasWords | model.Prompt, Size: 40})
	g.Add(model.Head{Role: model.Assistant, Flags: model.HasWords, Size: 40})
	g.Add(model.Head{Role: model.User, Flags: model.HasWords, Thread: 1, Size: 400})
	g.Add(model.Head{Role: model.Assistant, Flags: model.HasWords, Thread: 1, Size: 400})
	g.Add(model.Head{Role: model.User, Flags: model.HasWords, Size: 40})
	x := NewIndex(g.Snapshot(), nil)
	for at, want := range map[model.ID][]model.ID{3: {2}, 4: {0, 1, 4}} {
		if got := x.Seen(at); !slices.Equal(got, want) {
			t.Errorf("at %d: seen %v, want %v", at, got, want)
		}
	}
	c, _ := x.Context(3, Options{})
	if c.Agent != "Explore" || c.Counted != 100 || c.Left.Agents != 2 {
		t.Errorf("agent %q, %d tokens, %+v", c.Agent, c.Counted, c.Left)
	}
}

func TestContextOffBranchFollowsParents(t *testing.T) {
	g := querytest.NewGrowing()
	parents := []model.ID{model.NoID, 0, 1, 2, 1}
	for i, p := range parents {
		role, flags := model.User, model.Flags(model.HasWords)
		if i%2 == 1 {
			role = model.Assistant
		}
		if i == 2 || i == 3 {
			flags |= model.OffBranch
		}
		id := g.Add(model.Head{Role: role, Flags: flags, Size: 4})
		g.Ix.Heads.Amend(int(id)).Parent = p
	}
	x := NewIndex(g.Snapshot(), nil)
	if got, want := x.Seen(3), []model.ID{0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("seen %v, want %v", got, want)
	}
	if got, want := x.Seen(4), []model.ID{0, 1, 4}; !slices.Equal(got, want) {
		t.Errorf("seen %v, want %v", got, want)
	}
	for own := range model.ID(2) { // a message that is its own parent, and one whose parent comes later
		g := querytest.NewGrowing()
		for range 3 {
			g.Add(model.Head{Role: model.User, Flags: model.HasWords | model.OffBranch})
		}
		g.Ix.Heads.Amend(1).Parent = 1 + own
		g.Ix.Heads.Amend(2).Parent = 1
		if got, want := NewIndex(g.Snapshot(), nil).Seen(2), []model.ID{1, 2}; !slices.Equal(got, want) {
			t.Errorf("parents in a circle: seen %v, want %v", got, want)
		}
	}
}

func TestContextNumbers(t *testing.T) {
	injected := querytest.Flagged(querytest.Message(model.User, "be brief now"), model.Injected)
	first := used(querytest.Null(model.Assistant, querytest.Thinks("hm hm"), querytest.Call("a", "Read", `{"file_path":"/x/main.go"}`)), 100, 0)
	first.Model = "claude-sonnet-4"
	x := counted(t, model.FromMessages([]model.Message{
		querytest.Message(model.System, "one two"), injected, querytest.Message(model.User, "three four five"), first, querytest.Tool(querytest.Result("a", "six seven eight nine")),
		used(querytest.Message(model.Assistant, "done"), 30, 90),
	}))
	c, err := x.Context(5, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := Tokens{System: 2, User: 3, Injected: 3, Reasoning: 2, Calls: 2, Results: 4}
	if c.Tokens != want || c.Counted != 16 {
		t.Errorf("%+v, want %+v", c.Tokens, want)
	}
	if c.Measured == nil || *c.Measured != 120 || *c.CacheRead != 90 || *c.Unaccounted != 104 || c.Response != 5 {
		t.Errorf("measured %v, cache %v", c.Measured, c.CacheRead)
	}
	if c.Window != 200_000 || c.WindowOr != 1_000_000 || c.Fill == nil || *c.Fill != 120.0/200_000 {
		t.Errorf("window %d, fill %v", c.Window, c.Fill)
	}
	if len(c.Tools) != 1 || c.Tools[0] != (ToolShare{"Read", 4}) {
		t.Errorf("tools %v", c.Tools)
	}
	if len(c.Largest) == 0 || c.Largest[0].Index != 3 && c.Largest[0].Index != 4 {
		t.Errorf("largest %v", c.Largest)
	}
	if c, _ := x.Context(4, Options{Window: 1000}); c.Measured == nil || *c.Measured != 120 || c.Window != 1000 || c.WindowFrom != "given" {
		t.Errorf("at the result: measured %v, window %d", c.Measured, c.Window)
	}
	if _, err := x.Context(99, Options{}); err == nil {
		t.Error("a row that is not there has a context")
	}
}

// TestContextIsTheSumOfWhatIsSeen: the prefix sums equal the sums over single messages, and an
// extended index equals a new one.
func TestContextIsTheSumOfWhatIsSeen(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		g := querytest.NewGrowing()
		g.Ix.Threads = append(g.Ix.Threads, model.Thread{Call: 0})
		var x *Index
		for range 4 {
			for range rnd.IntN(300) {
				randomContextHead(g, rnd)
			}
			s := g.Snapshot()
			if x == nil {
				x = NewIndex(s, nil)
			} else {
				x = x.Extend(s, nil)
			}
			fresh := NewIndex(s, nil)
			for range 20 {
				if s.Len() == 0 {
					break
				}
				at := s.At(rnd.IntN(s.Len()))
				sameContext(t, x, fresh, at)
			}
		}
	}
}

func randomContextHead(g *querytest.Growing, rnd *rand.Rand) {
	h := model.Head{Role: model.Role(1 + rnd.IntN(5)), Flags: model.HasWords, Size: rnd.Uint32N(4000), Thread: rnd.Uint32N(2)}
	switch rnd.IntN(40) {
	case 0:
		h.Op = model.Compact
	case 1:
		h.Flags |= model.Recap
	case 2:
		h.Flags |= model.OffBranch
	case 3:
		h.Flags |= model.Invalidated
	case 4:
		if n := g.Ix.Heads.Len(); n > 0 {
			g.Amend(model.ID(rnd.IntN(n)), model.Superseded)
		}
	}
	g.Add(h)
}

func sameContext(t *testing.T, x, fresh *Index, at model.ID) {
	t.Helper()
	got, err := x.Context(at, Options{})
	want, err2 := fresh.Context(at, Options{})
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("at %d: extended %+v\nnew %+v", at, got, want)
	}
	var sum Tokens
	for _, id := range x.Seen(at) {
		w := x.Weigh(id, x.Snap.HeadRow(id))
		sum.add(&w, 1)
	}
	if r := x.at(at); r.cut != nil {
		sum.Summary += r.cut.noteTokens()
	}
	if sum != got.Tokens {
		t.Fatalf("at %d: %+v, one by one %+v", at, got.Tokens, sum)
	}
}

func TestSeriesAndGrowth(t *testing.T) {
	s := model.FromMessages(querytest.Run())
	x := counted(t, s)
	points := x.Series(0, 4)
	if len(points) != 4 || int(points[3].Index) != s.Len()-1 {
		t.Fatalf("points %+v", points)
	}
	turns := query.NewTurnIndex(s)
	growth := x.Growth(turns)
	total := int64(0)
	for _, g := range growth {
		total += g.Sum
	}
	all := x.sum(&x.threads[0], 0, len(x.threads[0].ids))
	if len(growth) != turns.Len() || total != all.Sum() {
		t.Errorf("growth %+v is not %d in all", growth, all.Sum())
	}
}

func TestWaste(t *testing.T) {
	long := func(word string) string {
		b := ""
		for range 300 {
			b += word + " "
		}
		return b
	}
	x := counted(t, model.FromMessages([]model.Message{
		querytest.Message(model.User, "go"),
		querytest.Null(model.Assistant, querytest.Call("a", "Read", `{"file_path":"/w/used.go"}`)), querytest.Tool(querytest.Result("a", long("x"))),
		querytest.Null(model.Assistant, querytest.Call("b", "Read", `{"file_path":"/w/idle.go"}`)), querytest.Tool(querytest.Result("b", long("y"))),
		querytest.Null(model.Assistant, querytest.Call("c", "Read", `{"file_path":"/w/used.go"}`)), querytest.Tool(querytest.Result("c", long("x"))),
		querytest.Message(model.Assistant, "used.go is fine"),
	}))
	w, err := x.Waste(context.Background(), query.Everything(x.Snap), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Repeats) != 1 || w.Repeats[0].Times != 2 || w.Repeats[0].Same != 1 || w.RepeatedTokens != 300 || w.SameTokens != 300 {
		t.Errorf("repeats %+v", w.Repeats)
	}
	if len(w.Unused) != 1 || w.Unused[0].About != "idle.go" || w.UnusedTokens != 300 || w.Results != 900 {
		t.Errorf("unused %+v", w.Unused)
	}
}

// TestContextEstimate: with a constant part outside the transcript and a tokenizer with another
// count, the estimate finds both, starting from the previous request.
func TestContextEstimate(t *testing.T) {
	var msgs []model.Message
	words := strings.Repeat("word ", 1000)
	for i := range 6 {
		counted := int64(1000 + 2000*i)
		msgs = append(msgs, querytest.Message(model.User, words), used(querytest.Message(model.Assistant, words), 5000+counted*3/2, 0))
	}
	msgs = append(msgs, querytest.Message(model.User, words))
	x := counted(t, model.FromMessages(msgs))
	c, err := x.Context(12, Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := c.Estimate
	if e == nil || e.Offset != 5000 || e.Scale != 1.5 || e.Requests != 6 {
		t.Fatalf("estimate %+v, want 5000 and 1.5 from 6 requests", e)
	}
	// the last request, its recorded output, and a prompt of 1000 words
	if want := int64(5000+11000*3/2) + 5 + 1500; *c.Estimated != want {
		t.Errorf("estimated %d, want %d", *c.Estimated, want)
	}
	if c.Measured != nil || c.FillFrom != "" {
		t.Errorf("measured %v, filled from %q: nothing was measured there, and no model is known", c.Measured, c.FillFrom)
	}
	first, _ := counted(t, model.FromMessages(msgs[:1])).Context(0, Options{})
	if first.Estimate != nil || first.Estimated != nil {
		t.Errorf("an estimate without a measured request: %+v", first.Estimate)
	}
}

// BenchmarkContext measures Context at any message of a large conversation, with the index built;
// the limit is 50 ms.
func BenchmarkContext(b *testing.B) {
	s := querytest.Million(800_000)
	begin := time.Now()
	x := NewIndex(s, columnFor(s))
	built := time.Since(begin)
	worst, n := time.Duration(0), 0
	for b.Loop() {
		at := time.Now()
		if _, err := x.Context(s.At((n*7919+s.Len()-1)%s.Len()), Options{}); err != nil {
			b.Fatal(err)
		}
		worst = max(worst, time.Since(at))
		n++
	}
	b.ReportMetric(float64(built.Milliseconds()), "ms/build")
	b.ReportMetric(float64(worst.Microseconds())/1000, "ms/worst")
}

// columnFor returns a column with the same tokens for every message.
func columnFor(s *model.Snapshot) *query.TokenColumn {
	return query.NewTokenColumn(s, "words", query.TextTokens{Content: 20, Calls: 10, Results: 100}, query.CallTokens{Args: 10, Result: 50})
}

// BenchmarkBudget cuts a large conversation: to little, half, nine tenths and all of it, and half
// of it to little. It reports the ratio to a pass over the heads and their tokens, measured before
// and after each cut. The limit is 2, and half of the messages must take half of the time.
func BenchmarkBudget(b *testing.B) {
	s := querytest.Million(800_000)
	x := NewIndex(s, columnFor(s))
	all := query.Everything(s)
	half := query.Selection{Snap: s, IDs: all.IDs[:len(all.IDs)/2]}
	heads := func() (sum int64, took time.Duration) {
		begin := time.Now()
		for _, id := range all.IDs {
			w := x.Weigh(id, s.HeadRow(id))
			sum += w.Sum()
		}
		return sum, time.Since(begin)
	}
	for _, bench := range []struct {
		name   string
		sel    query.Selection
		tokens int64
	}{{"3000", all, 3000}, {"half", all, 52_000_000}, {"nine-tenths", all, 93_600_000}, {"all", all, 1 << 40}, {"3000-of-half", half, 3000}} {
		b.Run(bench.name, func(b *testing.B) {
			var pass, cut time.Duration
			for b.Loop() {
				sum, before := heads()
				begin := time.Now()
				a, err := x.Budget(context.Background(), bench.sel, BudgetOptions{Tokens: bench.tokens, Keep: 10})
				cut += time.Since(begin)
				if err != nil || len(bench.sel.IDs) == len(all.IDs) && a.AllSum != sum {
					b.Fatal(err, a.AllSum, sum)
				}
				_, after := heads()
				pass += (before + after) / 2
			}
			b.ReportMetric(float64(cut.Milliseconds())/float64(b.N), "ms/cut")
			b.ReportMetric(float64(cut)/float64(pass), "x/heads")
		})
	}
}

// TestContextImages: images are a separate kind, counted by the rule of the answering model;
// without a size or a rule they are unsized and count as 0.
func TestContextImages(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 300, 250))); err != nil {
		t.Fatal(err)
	}
	prompt := querytest.Message(model.User, "what is this")
	prompt.Blocks = append(prompt.Blocks,
		model.Content{Kind: model.Media, Name: "image/png", Text: base64.StdEncoding.EncodeToString(b.Bytes())},
		model.Content{Kind: model.Media, Name: "image/png", Text: "https://example.com/cat.png"})
	for name, want := range map[string]Tokens{
		"claude-sonnet-4-5": {User: 3, Images: 100, pictures: 2, unsized: 1},
		"nobody-knows":      {User: 3, pictures: 2, unsized: 2},
	} {
		answer := querytest.Message(model.Assistant, "a grey field")
		answer.Model = name
		s := model.FromMessages([]model.Message{prompt, answer})
		column, err := query.CountTokens(context.Background(), query.Everything(s), querytest.WordCounter())
		if err != nil {
			t.Fatal(err)
		}
		x := NewIndex(s, column)
		c, err := x.Context(1, Options{})
		if err != nil || x.guessed != (name == "nobody-knows") {
			t.Fatal(name, x.guessed, err)
		}
		if c.Tokens != want || c.Images.Count != 2 || c.Images.Unknown != want.unsized {
			t.Errorf("%s: %+v, images %+v, want %+v", name, c.Tokens, c.Images, want)
		}
	}
}
