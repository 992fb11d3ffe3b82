package window

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

// plain splits a text into lines and joins the runs of blanks of its tables, for comparison.
func plain(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func number(n int64) *int64 { return &n }

// TestContextInWords: each known number of an answer is printed, and no unknown one.
func TestContextInWords(t *testing.T) {
	for _, c := range []struct {
		name string
		a    Answer
		want string
	}{
		{"nothing before", Answer{Role: "user", Messages: 1, Note: "no history: it is the first message of the conversation"},
			`context as of message 0 (user): 1 message, 0 tokens (estimated from sizes)
			no history: it is the first message of the conversation
			window not known`},
		{"of a session", Answer{Index: 7, InSession: new(int), Role: "assistant", Messages: 1},
			`context sent with message 0 of the session (#7 of the file, assistant): 1 message, 0 tokens (estimated from sizes)
			window not known`},
		{"measured", Answer{Index: 7, Role: "assistant", Agent: "Explore", Messages: 3, Counted: 1000, Encoding: "o200k", Response: 7,
			Tokens:   Tokens{User: 250, Results: 750},
			Measured: number(2000), CacheRead: number(1500), Unaccounted: number(1000), Window: 200_000, WindowFrom: "from model name",
			Compactions: 1, Left: Left{Compacted: 12, Rewound: 1, OffBranch: 2, Invalidated: 3, Superseded: 4, Archived: 5, Failed: 6, Agents: 7},
			Tools:   []ToolShare{{"Bash", 600}, {"Read", 150}},
			Largest: []Item{{Index: 5, Role: "tool", Tokens: 600, About: "Bash go test"}, {Index: -1, Role: "user", Tokens: 100, About: "Fix it"}}},
			`context sent with message 7 (assistant) of Explore: 3 messages, 1,000 tokens (o200k)
			measured 2,000, 75 % from the cache, 1,000 not in the transcript
			window 200,000 (from model name), 1.0 % full
			left out 12 compacted, 1 rewound, 2 of other branches, 3 invalidated, 4 superseded, 5 archived, 6 failed requests, 7 of other agents, 1 compaction before
			kind tokens share
			user 250 25 %
			results 750 75 %
			results of tokens share
			Bash 600 80 %
			Read 150 20 %
			largest tokens role about
			#5 600 tool Bash go test
			– 100 user Fix it`},
		{"estimated", Answer{Role: "assistant", Messages: 2, Counted: 300, Encoding: "o200k", Estimated: number(5300),
			Estimate: &Estimate{Offset: 5000, Scale: 1, Requests: 1}, Window: 10_600, WindowFrom: "given", Compactions: 2,
			Tokens: Tokens{User: 100, Images: 200}, Images: Images{Count: 3, Unknown: 1}},
			`context sent with message 0 (assistant): 2 messages, 300 tokens (o200k)
			expected ~5,300 by 1 measured request, ~5,000 not in the transcript
			window 10,600 (given), 50 % full by the estimate
			images 3 with 200 tokens by the rule of the provider, 1 of unknown size
			left out nothing, 2 compactions before
			kind tokens share
			user 100 33 %
			images 200 67 %`},
		{"as it grew", Answer{Role: "assistant", Messages: 2, Counted: 10, Encoding: "o200k", Tokens: Tokens{User: 10}, Window: 100, WindowFrom: "recorded",
			Growth: []TurnGrowth{{Turn: 0, Sum: 10, Measured: number(40)}, {Turn: 1, Sum: 30, Added: Tokens{Results: 20}, Compacted: 1}}},
			`context sent with message 0 (assistant): 2 messages, 10 tokens (o200k)
			window 100 (recorded), 10 % full by the count
			kind tokens share
			user 10 100 %
			turn added results measured
			0 10 · 40
			1 30 20 – 1 compaction`},
		{"wasted", Answer{Role: "assistant", Messages: 2, Encoding: "o200k", Waste: &WasteAnswer{Results: 900, RepeatedTokens: 400, SameTokens: 200,
			Repeats:      []RepeatedCall{{Tool: "Read", About: "a.go", Times: 3, Same: 1, Tokens: 400, At: []int{1, 5, 9}}},
			UnusedTokens: 300, Unused: []UnusedResult{{Tool: "WebFetch", About: "docs", Index: 4, Tokens: 300}}}},
			`context sent with message 0 (assistant): 2 messages, 0 tokens (o200k)
			window not known
			repeated calls 400 of 900 result tokens, 200 the same again
			tool times same tokens about messages
			Read 3 1 400 a.go 1 5 9
			never referred to again 300 tokens in 1 result (by the name of their subject: a hint, no proof)
			tool message tokens about
			WebFetch #4 300 docs`},
	} {
		got, want := plain(c.a.Doc().String()), plain(c.want)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s\ngot\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestLargestSaysWhatItIsAbout: a result is described by its call, a message by its words or else
// by its first call.
func TestLargestSaysWhatItIsAbout(t *testing.T) {
	s := model.FromMessages([]model.Message{
		querytest.Message(model.User, "Fix **it** now"),
		querytest.Null(model.Assistant, querytest.Call("a", "Bash", `{"command":"go test ./..."}`)),
		querytest.Tool(querytest.Result("a", "ok")),
		querytest.Tool(querytest.Result("nobody", "late")),
		querytest.Message(model.Assistant, ""),
	})
	for id, want := range []string{"Fix it now", "Bash go test ./...", "Bash go test ./...", "result without a call, nobody", ""} {
		a := Answer{Largest: []Item{{ID: model.ID(id)}}}
		if err := a.Describe(t.Context(), s); err != nil || a.Largest[0].About != want {
			t.Errorf("message %d is about %q, %v, want %q", id, a.Largest[0].About, err, want)
		}
	}
}

// TestWasteTellsRepeatedCalls: repeated calls are reported, with the number of equal results.
func TestWasteTellsRepeatedCalls(t *testing.T) {
	read := func(id string) model.Message {
		return querytest.Null(model.Assistant, querytest.Call(id, "Read", `{"file_path":"/w/a.go"}`))
	}
	s := model.FromMessages([]model.Message{
		read("a"), querytest.Tool(querytest.Result("a", "one two")),
		read("b"), querytest.Tool(querytest.Result("b", "one two")),
		read("c"), querytest.Tool(querytest.Result("c", "one two three four")),
		querytest.Null(model.Assistant, querytest.Call("d", "Read", `{"file_path":"/w/b.go"}`)), querytest.Tool(querytest.Result("d", "five")),
	})
	var told []string
	a, err := counted(t, s).Waste(t.Context(), query.Everything(s), func(done, all int) { told = append(told, fmt.Sprint(done, "/", all)) })
	if err != nil || len(a.Repeats) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	r := a.Repeats[0]
	if r.Tool != "Read" || r.About != "/w/a.go" || r.Times != 3 || r.Same != 1 || r.Tokens != 6 || fmt.Sprint(r.At) != "[0 2 4]" {
		t.Errorf("repeated: %+v", r)
	}
	if a.Results != 9 || a.RepeatedTokens != 6 || a.SameTokens != 3 {
		t.Errorf("of %d tokens %d are repeated and %d the same, want 9, 6, 3", a.Results, a.RepeatedTokens, a.SameTokens)
	}
	if len(told) != s.Len() || told[s.Len()-1] != "8/8" {
		t.Errorf("progress is %q", told)
	}
}

// TestBudgetInWords: the kept, forced and cut messages, and the next one that did not fit.
func TestBudgetInWords(t *testing.T) {
	for _, c := range []struct {
		name      string
		a         BudgetAnswer
		want, why string
	}{
		{"all fits", BudgetAnswer{Messages: 4, All: 4, Tokens: 100, AllSum: 100, Encoding: "o200k", Budget: 500}, "kept 4 of 4 messages, 100 of 100 tokens, budget 500", ""},
		{"cut", BudgetAnswer{Messages: 2, All: 6, Tokens: 90, AllSum: 400, Budget: 100, Left: 10, Added: 5,
			Cut:  []CutRange{{From: 1, To: 3, Messages: 3, Tokens: 300, Why: "older"}, {From: 5, To: 5, Messages: 1, Tokens: 10, Why: "not kept"}},
			Next: &BudgetItem{Index: 3, Messages: 2, Tokens: 40}},
			`kept 2 of 6 messages, 90 of 400 tokens, budget 100 (estimated from sizes)
			more a repair adds up to 5 tokens
			cut 1 to 3 (3 messages, 300 tokens): older
			cut 5 (1 message, 10 tokens): not kept
			next message 3 with what belongs to it (2 messages) takes 40 tokens, 10 left`,
			"cut where the next did not fit: message 3 with what belongs to it (2 messages) takes 40 tokens, 10 left"},
		{"of so many messages", BudgetAnswer{Messages: 1, All: 2, Tokens: 9, AllSum: 12, Encoding: "o200k", Cut: []CutRange{{Messages: 1, Tokens: 3, Why: "older"}}, Next: &BudgetItem{Messages: 1}},
			`kept 1 of 2 messages, 9 of 12 tokens
			cut 0 (1 message, 3 tokens): older
			next message 0`, "cut where the next did not fit: message 0"},
		{"too much has to stay", BudgetAnswer{Messages: 3, All: 3, Tokens: 900, AllSum: 900, Budget: 500, Encoding: "o200k", Over: true, OverBy: 400, System: 1, SystemTokens: 300,
			Forced: 3, ForcedTokens: 900, Largest: &BudgetItem{Index: 2, Tokens: 550}, Note: "nothing to cut"},
			`kept 3 of 3 messages, 900 of 900 tokens, budget 500
			over the budget by 400 tokens. What stays whatever it costs: system prompt 300 tokens, last messages with their pairs 600 tokens (2 messages); the largest is message 2 with 550
			nothing to cut`, "nothing to cut"},
		{"the last message has to stay", BudgetAnswer{Messages: 1, All: 1, Tokens: 9, AllSum: 9, Budget: 5, Encoding: "o200k", Over: true, OverBy: 4, Forced: 1, ForcedTokens: 9},
			`kept 1 of 1 message, 9 of 9 tokens, budget 5
			over the budget by 4 tokens. What stays whatever it costs: last messages with their pairs 9 tokens (1 message)`, ""},
	} {
		if got, want := strings.Join(plain(c.a.Doc().String()), "\n"), strings.Join(plain(c.want), "\n"); got != want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", c.name, got, want)
		}
		if got := c.a.Why(); got != c.why {
			t.Errorf("%s: %q, want %q", c.name, got, c.why)
		}
	}
}

// TestTiersInWords: each part shows how it was cut, and a note if its forced messages exceed the
// budget.
func TestTiersInWords(t *testing.T) {
	stays := func(budget int64) (HistoryCut, error) {
		return HistoryCut{Before: 200, Tokens: max(budget, 150), Messages: 5}, nil
	}
	texts := TierTexts{Today: "one two", Threads: "three", LastConversation: "four five six"}
	s, err := Tiers(texts, TierBudgets{History: 120, Today: 2, Threads: 1, LastConversation: 3, Total: 130}, querytest.Words{}, stays)
	if err != nil {
		t.Fatal(err)
	}
	s.Note = "by words"
	want := `part tokens budget cut
		history 150 120 200 → 150 tokens, 30 over the budget: what has to stay is more
		today 0 2 2 → 0 tokens
		threads 0 1 1 → 0 tokens
		last conversation 0 3 3 → 0 tokens
		total 150 130 20 over the budget: what has to stay is more
		the history has 5 messages
		by words`
	if got, want := strings.Join(plain(s.Doc().String()), "\n"), strings.Join(plain(want), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	gone := errors.New("gone")
	for calls := range 2 { // fails in the first cut, then in the cut for the total
		_, err := Tiers(texts, TierBudgets{History: 120, Total: 50}, querytest.Words{}, func(int64) (HistoryCut, error) {
			if calls--; calls < 0 {
				return HistoryCut{}, gone
			}
			return HistoryCut{200, 200, 5}, nil
		})
		if !errors.Is(err, gone) {
			t.Errorf("says %v", err)
		}
	}
	smaller, err := Tiers(texts, TierBudgets{History: 300, Total: 140}, querytest.Words{}, func(n int64) (HistoryCut, error) {
		return HistoryCut{Before: 200, Tokens: min(n, 200), Messages: 5}, nil
	})
	if err != nil || smaller.Tokens.Total != 140 || smaller.Truncation["history_priority"] != "200 → 140 tokens" {
		t.Errorf("%+v, %v", smaller, err)
	}
}

// TestTextsAreCutAtLines: a text is cut after a whole line; a longer first line is cut
// itself.
func TestTextsAreCutAtLines(t *testing.T) {
	for _, c := range []struct {
		text   string
		budget int64
		want   string
		n      int64
	}{
		{"one two\nthree four", 4, "one two\nthree four", 4},
		{"one two\nthree four five", 4, "one two\n…", 3},
		{"one two three", 2, "one two…", 2},
		{"one two", 0, "", 0},
		{"one two", -1, "", 0},
		{"\none two three", 2, "\none two…", 2},
		{"", 0, "", 0},
	} {
		if got, n := cutTokens(c.text, c.budget, querytest.Words{}); got != c.want || n != c.n {
			t.Errorf("%q in %d is %q, %d, want %q, %d", c.text, c.budget, got, n, c.want, c.n)
		}
	}
}
