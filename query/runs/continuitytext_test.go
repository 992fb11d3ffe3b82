package runs

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
)

// TestContinuityInWords: what a day and the last conversation were, a line for each thing that is
// known, and no line for what is not.
func TestContinuityInWords(t *testing.T) {
	day := DayShare{Turns: 2, Calls: 9, Errors: 1, Summary: "Fixed the\nlogin", First: "Fix it", Last: "push"}
	for i := range 10 {
		day.Tools = append(day.Tools, ToolCount{Tool: fmt.Sprint("t", i), Calls: 10 - i})
		day.Files = append(day.Files, fmt.Sprint("f", i))
	}
	last := &Conversation{Start: 1_770_842_500_000, End: 1_770_842_560_000, Summary: "Done", Said: "All is well.", Days: []DayShare{day, {Turns: 1, Last: "go on"}},
		Outcome: query.RunOutcome{State: model.RunFailed, Reason: "max_turns"}}
	a := ContinuityAnswer{Now: 1_770_842_620_000, Today: &Day{DayShare: day, Conversations: make([]DayConversation, 2)}, Last: last}
	for _, c := range []struct{ got, want string }{
		{a.TodayText(), `2 conversations, 2 turns, 9 calls, 1 error
summary: Fixed the login
first prompt: Fix it
last prompt: push
tools: t0 10, t1 9, t2 8, t3 7, t4 6, t5 5, t6 4, t7 3
files: f0, f1, f2, f3, f4, f5, f6, f7 and 2 more
`},
		{a.LastText(), `without a title
2026-02-11 20:41:40 to 2026-02-11 20:42:40, 1m00s ago
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
