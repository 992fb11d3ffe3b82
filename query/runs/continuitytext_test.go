package runs

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
)

// TestContinuityInWords: the lines about a day and about the last conversation, one for each known
// fact.
func TestContinuityInWords(t *testing.T) {
	day := DayShare{Turns: 2, Calls: 9, Errors: 1, Summary: "Fixed the\nlogin", First: "Fix it", Last: "push"}
	for i := range 10 {
		day.Tools = append(day.Tools, ToolCount{Tool: fmt.Sprint("t", i), Calls: 10 - i})
		day.Files = append(day.Files, fmt.Sprint("f", i))
	}
	last := &Conversation{Start: 1_770_842_500_000, End: 1_770_842_560_000, Summary: "Done", LastWords: "All is well.", Days: []DayShare{day, {Turns: 1, Last: "go on"}},
		Outcome: query.RunOutcome{State: model.RunFailed, Reason: "max_turns"}}
	a := ContinuityAnswer{Now: 1_770_842_620_000, Today: &Day{DayShare: day, Conversations: make([]DayConversation, 2)}, Last: last}
	for _, c := range []struct{ got, want string }{
		{a.TodayText(), `2 sessions, 2 turns, 9 calls, 1 error
summary: Fixed the login
first prompt: Fix it
last prompt: push
tools: t0 10, t1 9, t2 8, t3 7, t4 6, t5 5, t6 4, t7 3
files: f0, f1, f2, f3, f4, f5, f6, f7 and 2 more
`},
		{a.LastText(), `without a title
2026-02-11 20:41:40 – 20:42:40, 1m00s ago
3 turns, 9 calls, 1 error; failed (max_turns)
summary: Done
last prompt: go on
last words: All is well.
`},
		{(&ContinuityAnswer{}).TodayText(), "nothing yet\n"},
		{(&ContinuityAnswer{}).LastText(), "none\n"},
		{below("/work/"+strings.Repeat("x", 70), "/work/"), "…" + strings.Repeat("x", 59)},
	} {
		if c.got != c.want {
			t.Errorf("got\n%s\nwant\n%s", c.got, c.want)
		}
	}
}

// TestContinuityColumns prints the columns of unfinished work and days, as commands do.
func TestContinuityColumns(t *testing.T) {
	day, at := human.TextOrNull("2026-02-11"), human.Stamp(1_770_842_500_000)
	a := &ContinuityAnswer{
		All: []Conversation{{Source: "/w/a.jsonl", Title: "Fix it"}, {Source: "/w/b.jsonl"}},
		Open: []OpenThread{
			{Kind: OpenError, Text: "go test", Source: "/w/a.jsonl", Index: 1234, Time: at, Times: 2},
			{Kind: OpenTodo, Text: "Ask", Source: "/w/b.jsonl", Index: -1, Time: at + 1},
		},
		Days: []Day{{DayShare{Day: day, Turns: 3, Calls: 4, Errors: 1}, []DayConversation{{Source: "/w/a.jsonl", Title: "Fix it", Start: at, Turns: 3, Calls: 4, Errors: 1, State: model.RunFinished}}}, {}},
	}
	a.Today = &a.Days[0]
	for range 8 + 1 {
		a.Days[1].Conversations = append(a.Days[1].Conversations, DayConversation{Source: "/w/b.jsonl"})
	}
	sections := a.Doc().Sections
	for i, want := range map[int]string{
		0: "in /w/\nopen                      since                    #  where\n" +
			"error  go test (2 times)  2026-02-11 20:41:40  #1234  a.jsonl\ntodo   Ask                2026-02-11 20:41:40      –  b.jsonl\n",
		3: "day         time      turns  calls  errors  session          ended     where\n" +
			"2026-02-11                3      4       1  1 session\n            20:41:40      3      4       1  Fix it           finished  a.jsonl\n" +
			"no time                   ·      ·       ·  9 sessions\n" + strings.Repeat("                          ·      ·       ·  without a title  unknown   b.jsonl\n", 8) +
			"                                            … 1 more\n",
	} {
		if got := (&answer.Doc{Sections: sections[i : i+1]}).String(); got != want {
			t.Errorf("section %d is\n%s, want\n%s", i, got, want)
		}
	}
	open, days, rows := a.OpenColumns(), a.DayColumns(), a.Rows()
	got := []answer.Cell{open[0].Cell(&a.Open[0]), open[0].Cell(&a.Open[1]), open[4].Cell(&a.Open[0]), open[4].Cell(&a.Open[1]), days[0].Cell(&rows[0]), days[5].Cell(&rows[0])}
	want := []answer.Cell{{Text: "error", Tone: answer.Bad}, {Text: "todo"}, {Text: "Fix it", Tone: answer.Dim}, {Text: "b.jsonl", Tone: answer.Dim}, {Text: "today", Long: "2026-02-11"}, {Text: "1", Tone: answer.Bad}}
	for i := range want {
		if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
			t.Errorf("cell %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	for i, want := range []int{-1, 1, -1, 0, 1, -1} {
		if c := open[i]; c.Order != nil && c.Order(&a.Open[0], &a.Open[1]) != want {
			t.Errorf("%s does not sort by %d", c.Name, want)
		}
	}
	for i, want := range []int{-1, 0, -1, 1, 1, 1, -1, -1} {
		if c := days[i]; c.Order != nil && c.Order(&rows[0], &rows[1]) != want {
			t.Errorf("%s does not sort by %d", c.Name, want)
		}
	}
}
