package window

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/querytest"
)

func wordy(role model.Role, n int) model.Message {
	return querytest.Message(role, strings.TrimSpace(strings.Repeat("word ", n)))
}

// TestEstimateNeedsRequestsThatDiffer: two requests determine the factor if they differ by 2,000
// tokens and the factor is plausible for a tokenizer; otherwise the factor is 1.
func TestEstimateNeedsRequestsThatDiffer(t *testing.T) {
	for _, c := range []struct {
		rule   string
		more   int // tokens counted between the requests
		billed int64
		want   float64
	}{
		{"1,999 tokens are too few", 1999, 2999, 1},
		{"2,000 tokens are enough", 2000, 3000, 1.5},
		{"half is the least", 2000, 1000, 0.5},
		{"less than half misses another part", 2000, 999, 1},
		{"two and a half is the most", 2000, 5000, 2.5},
		{"more has another part", 2000, 5001, 1},
	} {
		answer := querytest.Message(model.Assistant, "ok")
		x := counted(t, model.FromMessages([]model.Message{
			wordy(model.User, 10), used(answer, 9000, 0), wordy(model.User, c.more-1), used(answer, 9000+c.billed, 0),
		}))
		if e := x.threads[0].estimate; e == nil || e.Scale != c.want || e.Requests != 2 {
			t.Errorf("%s: %+v, want the factor %v of two requests", c.rule, e, c.want)
		}
	}
}

// TestEstimateOfManyRequests: an estimate uses at most 48 requests.
func TestEstimateOfManyRequests(t *testing.T) {
	for requests, want := range map[int]int{47: 47, 48: 48, 49: 48, 200: 48} {
		var msgs []model.Message
		for range requests {
			msgs = append(msgs, wordy(model.User, 3), used(querytest.Message(model.Assistant, "ok"), 900, 0))
		}
		if e := counted(t, model.FromMessages(msgs)).threads[0].estimate; e == nil || e.Requests != want {
			t.Errorf("%d requests: %+v, want %d of them", requests, e, want)
		}
	}
}

// TestSummaryNearItsCompaction: a summary after at most two other messages belongs to the
// compaction; a later one counts as another compaction.
func TestSummaryNearItsCompaction(t *testing.T) {
	for between, want := range map[int][]model.ID{2: {3, 4, 5}, 3: {6}} {
		msgs := []model.Message{querytest.Message(model.User, "q"), querytest.Message(model.Assistant, "r"), compaction()}
		for i := range between {
			msgs = append(msgs, querytest.Message([]model.Role{model.User, model.Assistant}[i%2], "more"))
		}
		msgs = append(msgs, querytest.Flagged(querytest.Message(model.User, "summary"), model.Recap), querytest.Message(model.Assistant, "last"))
		x := counted(t, model.FromMessages(msgs))
		a, err := x.Context(model.ID(len(msgs)-1), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if seen := x.Seen(model.ID(len(msgs) - 1)); !slices.Equal(seen, want) {
			t.Errorf("%d messages between: the model sees %v, want %v; %+v", between, seen, want, a.Left)
		}
	}
}

// TestResponseOfSeveralMessages: a response may have up to sixteen messages, and any of them may
// record its token usage.
func TestResponseOfSeveralMessages(t *testing.T) {
	for parts, want := range map[int]bool{1: true, 16: true, 17: false} {
		msgs := []model.Message{querytest.Message(model.User, "q")}
		for range parts {
			msgs = append(msgs, querytest.Message(model.Assistant, "part"))
		}
		msgs[parts] = used(msgs[parts], 700, 0)
		a, err := counted(t, model.FromMessages(msgs)).Context(1, Options{})
		if err != nil || (a.Measured != nil) != want {
			t.Errorf("usage in part %d: measured %v, %v; want %v", parts, a.Measured, err, want)
		}
	}
}

// TestWasteListsTheLargest: an answer holds 50 items of each sort and prints 15; results of less
// than 200 tokens are not listed.
func TestWasteListsTheLargest(t *testing.T) {
	for _, c := range []struct {
		rule                   string
		results, tokens        int
		unused, printed, times int
	}{
		{"199 tokens are few", 1, 199, 0, 0, 0},
		{"200 tokens are listed", 1, 200, 1, 1, 0},
		{"50 results are listed, 15 printed", 50, 200, 50, 15, 0},
		{"of 51 results 50 are listed", 51, 200, 50, 15, 0},
		{"of 51 repeated calls 50 are listed", 51, 10, 0, 15, 50},
	} {
		msgs := []model.Message{querytest.Message(model.User, "go")}
		for n := range c.results {
			for range 1 + min(c.times, 1) {
				id := fmt.Sprint(len(msgs))
				msgs = append(msgs, querytest.Null(model.Assistant, querytest.Call(id, "Read", fmt.Sprintf(`{"file_path":"/w/file%d.go"}`, n))),
					querytest.Tool(querytest.Result(id, strings.Repeat("x ", c.tokens))))
			}
		}
		x := counted(t, model.FromMessages(msgs))
		w, err := x.Waste(t.Context(), query.Everything(x.Snap), nil)
		if err != nil || len(w.Unused) != c.unused || len(w.Repeats) != c.times {
			t.Errorf("%s: %d unused and %d repeated, %v", c.rule, len(w.Unused), len(w.Repeats), err)
		}
		var d answer.Doc
		w.addTo(&d)
		if n := strings.Count(d.String(), "file"); n != c.printed {
			t.Errorf("%s: %d are printed, want %d\n%s", c.rule, n, c.printed, d.String())
		}
	}
}

// TestTiersKeepSomeHistory: the history gets at least 100 tokens, even if the total is smaller.
func TestTiersKeepSomeHistory(t *testing.T) {
	for total, want := range map[int64]int64{150: 150, 100: 100, 99: 100, 1: 100} {
		history := func(budget int64) (HistoryCut, error) { return HistoryCut{300, min(budget, 300), 4}, nil }
		s, err := Tiers(TierTexts{}, TierBudgets{History: 300, Total: total}, querytest.Words{}, history)
		if err != nil || s.Tokens.History != want {
			t.Errorf("a total of %d: %+v, %v; want a history of %d", total, s.Tokens, err, want)
		}
	}
}

// TestBytesOfUncountedTexts: an uncounted text is estimated at four bytes per token.
func TestBytesOfUncountedTexts(t *testing.T) {
	x := NewIndex(model.FromMessages([]model.Message{querytest.Message(model.User, strings.Repeat("x", 4000))}), nil)
	if a, err := x.Context(0, Options{}); err != nil || a.Counted < 1000 || a.Counted > 1010 {
		t.Errorf("%+v, %v", a, err)
	}
}
