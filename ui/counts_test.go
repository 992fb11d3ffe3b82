package ui

import (
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/filter"
	"turns/query/lang"
)

// TestCountsOfOneTextAgree: the filter, the search on the screen and turns search count the texts,
// reasoning and calls of a message with the same words alike.
func TestCountsOfOneTextAgree(t *testing.T) {
	snap := model.FromMessages([]model.Message{
		say(model.User, 0, words("foo one"), words("foo two")),
		say(model.Assistant, 1, reasoning("foo thought"), words("foo first"), call("c1", "Bash", `{"command":"echo foo"}`), words("foo second")),
		say(model.Tool, 2, failed("c1", "foo result", model.Success)),
		say(model.Assistant, 3, words("bar"), words("foo third")),
		say(model.Assistant, 4, words("bar")),
	})
	f, err := lang.Parse("foo")
	if err != nil {
		t.Fatal(err)
	}
	sel := query.Everything(snap)
	filtered, err := filter.Apply(t.Context(), sel, f, filter.Env{})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, snap, testOptions(), 120, 30)
	b.press("/")
	typeIn(b, "foo")
	b.press("enter")
	p, err := filter.NewPattern("foo", false)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	if err := filter.SearchEach(t.Context(), sel, p, func(filter.SearchMatch) bool { found++; return true }); err != nil {
		t.Fatal(err)
	}
	if hits := b.a.list.Hits(); filtered.Rows != 5 || hits != filtered.Rows || filtered.Messages != 4 || found != filtered.Messages {
		t.Errorf("the filter has %d rows and %d messages, n goes through %d rows, turns search prints %d", filtered.Rows, filtered.Messages, hits, found)
	}
}

// TestAFailedRequestCounts: the head counts failed requests and failed calls, and the row of
// their turn has the word failed. An open call marks its duration as an upper bound, as the detail
// does.
func TestAFailedRequestCounts(t *testing.T) {
	overloaded := say(model.Assistant, 4, words("overloaded"))
	overloaded.Flags = model.APIError
	snap := model.FromMessages([]model.Message{
		say(model.User, 0, words("first")),
		say(model.Assistant, 1, call("c1", "Bash", `{"command":"false"}`)),
		say(model.Tool, 3, failed("c1", "no", model.Failure)),
		overloaded,
		say(model.User, 5, words("second")),
		say(model.Assistant, 6, words("fine")),
	})
	b := newBench(t, snap, testOptions(), 100, 30)
	b.press("g g j z o")
	frame := plainFrame(b)
	for _, want := range []string{"6 messages   1 error   1 model error", "turn 0 · 1 call · 1 error · failed", "failed after ≤ 2.0s"} {
		if !strings.Contains(frame, want) {
			t.Errorf("the screen does not say %q:\n%s", want, frame)
		}
	}
	for _, width := range []int{60, 70, 80, 90} {
		frame := plainFrame(newBench(t, snap, testOptions(), width, 24))
		if !strings.Contains(frame, "1 error   1 model error") {
			t.Errorf("%d columns show one count of errors without the other:\n%s", width, frame)
		}
	}
}

// TestSessionsHaveTheNumbersOfTheirPaths: the second session of a file is number 1, as in FILE#1.
func TestSessionsHaveTheNumbersOfTheirPaths(t *testing.T) {
	b := newBench(t, loaded(t, "tasks.jsonl", `{"instruction":"Name a river.","output":"Glomma"}`+"\n"+`{"instruction":"Name a lake.","output":"Mjøsa"}`+"\n"), testOptions(), 100, 30)
	for _, want := range []string{"session 0", "session 1"} {
		if frame := plainFrame(b); !strings.Contains(frame, want) {
			t.Errorf("no rule has %q:\n%s", want, frame)
		}
	}
}
