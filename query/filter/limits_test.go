package filter

import (
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

// A search counts at most 10,000 matches of a text, and shows about 400 bytes of a line.
func TestLimitsOfMatches(t *testing.T) {
	p, err := NewPattern("/x/", true)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int][2]int{400: {400, 400}, 401: {401, 400}, 10_000: {10_000, 400}, 10_001: {10_000, 400}} {
		snap := model.FromMessages([]model.Message{querytest.Message(model.User, strings.Repeat("x", n))})
		var got [2]int
		err := SearchEach(t.Context(), query.Everything(snap), p, func(m SearchMatch) bool { got = [2]int{m.Count, len(m.Line)}; return true })
		if err != nil || got != want {
			t.Errorf("%d bytes: %v, %v, want %v", n, err, got, want)
		}
	}
}

// A call repeats a failed one up to 16 calls before it.
func TestDistanceOfARetry(t *testing.T) {
	var calls []model.Content
	for range 17 {
		calls = append(calls, querytest.Call("b", "Bash", `{}`))
	}
	snap := model.FromMessages([]model.Message{
		querytest.Null(model.Assistant, querytest.Call("a", "Bash", `{}`)), querytest.Tool(querytest.Failed("a", "no")), querytest.Null(model.Assistant, calls...),
	})
	for id, want := range map[model.CallID]bool{0: false, 1: true, 16: true, 17: false} {
		if got := isRetry(snap, id); got != want {
			t.Errorf("%d calls later: %v, want %v", id, got, want)
		}
	}
}
