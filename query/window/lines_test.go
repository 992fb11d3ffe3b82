package window

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/querytest"
)

// TestLinesOfTheSize: the lines of the size and of the window, with their signs and tones.
func TestLinesOfTheSize(t *testing.T) {
	type line = answer.Line
	window := func(a Answer, measured, read, wrote int64) Answer {
		rest := measured - a.Counted
		a.Measured, a.CacheRead, a.CacheWrite, a.Unaccounted = &measured, &read, &wrote, &rest
		a.WindowFrom = "listed"
		return a
	}
	both := Answer{Counted: 100, Encoding: "o200k", Window: 200, WindowOr: 1000}
	for _, c := range []struct {
		name       string
		a          Answer
		size, fill []line
	}{
		{"from sizes", Answer{Counted: 100}, []line{{Label: "estimated", Number: "100"}, {Label: "window", Number: "not known"}}, []line{{Number: "100"}}},
		{"nothing from the cache", window(both, 150, 0, 0), []line{{Label: "counted", Number: "100"}, {Label: "measured", Number: "150"},
			{Number: "0 %", Note: "from the cache", Tone: answer.Warn}, {Sign: "░", Number: "50", Note: "not in the transcript"},
			{Label: "window", Number: "200 or 1,000", Note: "(listed)"}, {Number: "75 % or 15 %", Note: "full"}},
			[]line{{Number: "150", Note: "of 200 or 1.0k"}, {Number: "75 % or 15 %"}}},
		{"written to the cache", window(both, 100, 50, 1), []line{{Label: "counted", Number: "100"}, {Label: "measured", Number: "100"},
			{Number: "50 %", Note: "from the cache"}, {Number: "1", Note: "written to the cache"},
			{Label: "window", Number: "200 or 1,000", Note: "(listed)"}, {Number: "50 % or 10 %", Note: "full"}},
			[]line{{Number: "100", Note: "of 200 or 1.0k"}, {Number: "50 % or 10 %"}}},
		{"the smaller window full", window(both, 200, 200, 0), []line{{Label: "counted", Number: "100"}, {Label: "measured", Number: "200"},
			{Number: "100 %", Note: "from the cache"}, {Sign: "░", Number: "100", Note: "not in the transcript"},
			{Label: "window", Number: "200 or 1,000", Note: "(listed)"}, {Number: "100 % or 20 %", Note: "full"}},
			[]line{{Number: "200", Note: "of 200 or 1.0k"}, {Number: "100 % or 20 %"}}},
		{"only the larger window contains it", window(both, 300, 300, 0), []line{{Label: "counted", Number: "100"}, {Label: "measured", Number: "300"},
			{Number: "100 %", Note: "from the cache"}, {Sign: "░", Number: "200", Note: "not in the transcript"},
			{Label: "window", Number: "200 or 1,000", Note: "(listed)"}, {Number: "30 %", Note: "full"}},
			[]line{{Number: "300", Note: "of 200 or 1.0k"}, {Number: "30 %"}}},
		{"only one window, exceeded", window(Answer{Counted: 300, Encoding: "o200k", Window: 200}, 300, 300, 0), []line{{Label: "counted", Number: "300"},
			{Label: "measured", Number: "300"}, {Number: "100 %", Note: "from the cache"}, {Label: "window", Number: "200", Note: "(listed)"}, {Number: "150 %", Note: "full"}},
			[]line{{Number: "300", Note: "of 200"}, {Number: "150 %"}}},
		{"expected, with images of known size", Answer{Counted: 100, Encoding: "o200k", Estimated: number(100), Estimate: &Estimate{Requests: 2}, Images: Images{Count: 1}, Tokens: Tokens{Images: 40}},
			[]line{{Label: "counted", Number: "100"}, {Label: "expected", Number: "~100", Note: "by 2 measured requests"}, {Label: "window", Number: "not known"},
				{Label: "images", Number: "1", Note: "with 40 tokens by the rule of the provider"}}, []line{{Number: "~100"}}},
	} {
		if got := c.a.SizeLines(human.Count); !reflect.DeepEqual(got, c.size) {
			t.Errorf("%s: size\n%+v, want\n%+v", c.name, got, c.size)
		}
		if got := c.a.FillLines(); !reflect.DeepEqual(got, c.fill) {
			t.Errorf("%s: fill\n%+v, want\n%+v", c.name, got, c.fill)
		}
	}
}

// TestLabelsAreAligned: the numbers of the lines begin in the same column.
func TestLabelsAreAligned(t *testing.T) {
	a := Answer{Role: "user", Messages: 1, Compactions: 1}
	if got, want := a.Doc().String(), "\nwindow    not known\nleft out  nothing, 1 compaction before\n"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want the end %q", got, want)
	}
}

// TestLinesOfMissingMessages: a line for each reason, and a warning for compactions.
func TestLinesOfMissingMessages(t *testing.T) {
	for _, c := range []struct {
		a    Answer
		want []answer.Line
	}{
		{Answer{}, nil},
		{Answer{Left: Left{Failed: 1}}, []answer.Line{{Label: "left out", Number: "1 failed requests"}}},
		{Answer{Compactions: 1}, []answer.Line{{Label: "left out", Number: "nothing"}, {Number: "1", Note: "compaction before", Tone: answer.Warn}}},
	} {
		if got := c.a.LeftLines(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v and %d compactions: %+v, want %+v", c.a.Left, c.a.Compactions, got, c.want)
		}
	}
}

// TestFirstTools: rows that do not fit become one sum, the last row.
func TestFirstTools(t *testing.T) {
	a := Answer{Tools: []ToolShare{{"Bash", 50}, {"Read", 30}, {"Grep", 20}}}
	for n, want := range map[int][]ToolShare{
		0: {}, 1: {{"3 other tools", 100}}, 2: {{"Bash", 50}, {"2 other tools", 50}}, 3: a.Tools, 4: a.Tools,
	} {
		if got := a.FirstTools(n); !slices.Equal(got, want) {
			t.Errorf("%d rows: %v, want %v", n, got, want)
		}
	}
	if a.Tools[1].Tool != "Read" {
		t.Errorf("the answer itself has changed: %v", a.Tools)
	}
}

// TestCellsOfTheTables: an unknown number is a sign, a positive growth has one, and a message
// without a tool is dim.
func TestCellsOfTheTables(t *testing.T) {
	a := Answer{Counted: 100}
	largest := answer.Pick(a.LargestColumns(), "what")[0]
	if got, want := largest.Cell(&Item{Role: "user"}), (answer.Cell{Text: "user", Tone: answer.Dim}); !reflect.DeepEqual(got, want) {
		t.Errorf("a message of the user: %+v, want %+v", got, want)
	}
	if got, want := largest.Cell(&Item{Role: "tool", Tool: "Bash"}), (answer.Cell{Text: "Bash"}); !reflect.DeepEqual(got, want) {
		t.Errorf("a result of Bash: %+v, want %+v", got, want)
	}
	if got := GrowthColumns()[0].Cell(&TurnGrowth{Turn: 1000}).Text; got != "1000" {
		t.Errorf("turn 1000 is written %q", got)
	}
	growth := answer.Pick(GrowthColumns(), "added", "measured", "compactions")
	for _, c := range []struct {
		g    TurnGrowth
		want [3]string
		sign int // of the order of this turn and one with 5 measured tokens
	}{
		{TurnGrowth{}, [3]string{answer.Tokens(0).Text, answer.Unknown.Text, ""}, -1},
		{TurnGrowth{Sum: 1, Measured: number(0), Compacted: 1}, [3]string{"+1", answer.Tokens(0).Text, "1 compaction"}, -1},
		{TurnGrowth{Sum: 12, Measured: number(7), Compacted: 2}, [3]string{"+12", "7", "2 compactions"}, 1},
	} {
		for i, column := range growth {
			if got := column.Cell(&c.g).Text; got != c.want[i] {
				t.Errorf("%s of %+v: %q, want %q", column.Name, c.g, got, c.want[i])
			}
		}
		if got := growth[1].Order(&c.g, &TurnGrowth{Measured: number(5)}); got != c.sign {
			t.Errorf("%+v is ordered %d to one with five measured tokens, want %d", c.g, got, c.sign)
		}
	}
	if mostOf(nil, func(*Item) int64 { return 9 }) != 0 || mostOf([]Item{{Tokens: 9}}, func(it *Item) int64 { return it.Tokens }) != 9 {
		t.Error("the first row does not have the most")
	}
}

// TestMeasuredAtAMessage: which request measures the context at a message, whose model it names,
// and the notes of the first messages.
func TestMeasuredAtAMessage(t *testing.T) {
	answers := func(name string, n int64) model.Message {
		m := querytest.Message(model.Assistant, "r")
		if m.Model = name; n > 0 {
			m = used(m, n, 0)
		}
		return m
	}
	many := []model.Message{answers("one", 0)}
	for range 64 {
		many = append(many, querytest.Message(model.User, "q"))
	}
	for _, c := range []struct {
		name     string
		msgs     []model.Message
		at       model.ID
		measured int64
		response human.Index
		model    human.TextOrNull
		note     human.TextOrNull
	}{
		{"the response", []model.Message{querytest.Message(model.User, "q"), answers("one", 70)}, 1, 70, 1, "one", ""},
		{"before the response", []model.Message{querytest.Message(model.User, "q"), answers("one", 70)}, 0, 70, 1, "one", "no history: it is the first message of the conversation"},
		{"a response without usage", []model.Message{querytest.Message(model.User, "q"), answers("one", 0)}, 1, 0, -1, "one", ""},
		{"the first message is a response", []model.Message{answers("one", 70)}, 0, 70, 0, "one", "no history: nothing was said before it in the transcript"},
		{"another model before it", []model.Message{answers("one", 40), querytest.Message(model.User, "q"), answers("two", 0), querytest.Message(model.User, "q")}, 3, 0, -1, "two", ""},
		{"an abandoned response", []model.Message{querytest.Message(model.User, "q"), querytest.Flagged(answers("left", 90), model.OffBranch), answers("one", 70)}, 1, 70, 2, "one", ""},
		{"a response 64 messages before", many[:64], 63, 0, -1, "one", ""},
		{"a response 65 messages before", many, 64, 0, -1, "", ""},
	} {
		a, err := counted(t, model.FromMessages(slices.Clone(c.msgs))).Context(c.at, Options{})
		if err != nil {
			t.Fatal(err)
		}
		measured := int64(0)
		if a.Measured != nil {
			measured = *a.Measured
		}
		if measured != c.measured || a.Response != c.response || a.Model != c.model || a.Note != c.note {
			t.Errorf("%s: %d tokens at %d by %q, note %q; want %d at %d by %q, note %q", c.name, measured, a.Response, a.Model, a.Note, c.measured, c.response, c.model, c.note)
		}
	}
}

// TestWindowOfAnEstimate: an estimate above every window widens it, unless the user chose a window.
func TestWindowOfAnEstimate(t *testing.T) {
	short := func(tokens int) *Index {
		g := querytest.NewGrowing()
		g.Ix.Names = append(g.Ix.Names, "claude-sonnet-4")
		g.Add(model.Head{Role: model.Assistant, Name: 3})
		g.Ix.Heads.Amend(0).Usage = uint32(g.Ix.Tokens.Append(model.Tokens{Input: 10, Output: 5}))
		g.Add(model.Head{Role: model.User, Flags: model.HasWords, Size: uint32(4 * tokens)})
		return NewIndex(g.Snapshot(), nil)
	}
	for _, c := range []struct {
		tokens         int
		given          int64
		window, larger human.CountOrNull
		fill           float64
	}{
		{100, 1000, 1000, 0, 115.0 / 1000},
		{2000, 1000, 1000, 0, 2015.0 / 1000},
		{1_000_000 - 15, 0, 200_000, 1_000_000, 1},
		{1_000_000 - 14, 0, 1_000_001, 0, 1},
	} {
		a, err := short(c.tokens).Context(1, Options{Window: c.given})
		if err != nil || a.Window != c.window || a.WindowOr != c.larger || a.Fill == nil || *a.Fill != c.fill {
			t.Errorf("%d tokens: %+v, %v; want the windows %d and %d, %v full", c.tokens, a, err, c.window, c.larger, c.fill)
		}
	}
	if _, err := NewIndex(model.FromMessages(nil), (*query.TokenColumn)(nil)).Context(0, Options{}); err == nil {
		t.Error("a conversation without messages has a context")
	}
	if _, err := counted(t, model.FromMessages([]model.Message{compaction()})).Context(0, Options{}); err == nil {
		t.Error("a compaction has a context")
	}
}

// TestSinceACompaction: the first message after the last compaction, and how many there were.
func TestSinceACompaction(t *testing.T) {
	msgs := []model.Message{querytest.Message(model.User, "a"), compaction(), querytest.Message(model.User, "b"), compaction(), querytest.Message(model.User, "c")}
	x := counted(t, model.FromMessages(msgs))
	for at, want := range map[model.ID][2]int{0: {0, -1}, 2: {1, 1}, 4: {2, 2}} {
		a, err := x.Context(at, Options{})
		if err != nil || a.Compactions != want[0] || int(a.Since) != want[1] {
			t.Errorf("at %d: %d compactions, since %d, %v; want %v", at, a.Compactions, a.Since, err, want)
		}
	}
	end := counted(t, model.FromMessages([]model.Message{querytest.Message(model.User, "a"), compaction(), querytest.Message(model.Assistant, "b")}))
	if a, err := end.Context(2, Options{}); err != nil || a.Compactions != 1 || a.Messages != 0 {
		t.Errorf("a response directly after a compaction: %+v, %v; want no messages and one compaction", a, err)
	}
	left := counted(t, model.FromMessages([]model.Message{querytest.Message(model.User, "a"), compaction(), querytest.Flagged(querytest.Message(model.User, "b"), model.OffBranch)}))
	if a, err := left.Context(2, Options{}); err != nil || a.Compactions != 1 || a.Since != -1 || a.Messages != 1 {
		t.Errorf("an abandoned message after a compaction: %+v, %v; want only itself and one compaction", a, err)
	}
}

// TestLeftOutBeforeAMessage: earlier messages count, also those of other threads of the session,
// and later ones do not.
func TestLeftOutBeforeAMessage(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Threads = append(g.Ix.Threads, model.Thread{Call: 0}, model.Thread{Session: 1})
	g.Ix.Sessions = append(g.Ix.Sessions, model.Session{})
	g.Add(model.Head{Role: model.User, Flags: model.HasWords})
	g.Add(model.Head{Role: model.User, Flags: model.HasWords, Thread: 1})
	g.Add(model.Head{Role: model.User, Flags: model.HasWords, Thread: 2})
	g.Add(model.Head{Role: model.User, Flags: model.HasWords | model.Superseded})
	g.Add(model.Head{Role: model.User, Flags: model.HasWords})
	g.Add(model.Head{Role: model.User, Flags: model.HasWords | model.Archived})
	x := NewIndex(g.Snapshot(), nil)
	for at, want := range map[model.ID]Left{0: {}, 1: {Agents: 1}, 2: {}, 3: {Agents: 1}, 4: {Superseded: 1, Agents: 1}, 5: {Superseded: 1, Agents: 1}} {
		if a, err := x.Context(at, Options{}); err != nil || a.Left != want {
			t.Errorf("at %d: left out %+v, %v; want %+v", at, a.Left, err, want)
		}
	}
	if a, _ := x.Context(1, Options{}); a.Agent != "subagent 1" {
		t.Errorf("a subagent without a name is %q", a.Agent)
	}
}
