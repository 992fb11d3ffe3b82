package dialect_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/human"
	"turns/query/summary"
)

// TestSpansAreReadBack writes the samples of all formats as spans and opens the export: it has the
// same texts, calls and results, with the same times and models.
func TestSpansAreReadBack(t *testing.T) {
	modeltest.Long(t, "it reads back every sample")
	exporttest.EachSample(t, func(t *testing.T, snap *model.Snapshot) {
		if strings.HasSuffix(t.Name(), replayed) {
			return
		}
		out, report := written(t, "otlp", exporttest.Everything(snap), export.Options{})
		back := exporttest.ReadBack(t, "spans.jsonl", out)
		if back == nil {
			t.Fatalf("no conversation:\n%s", out)
		}
		if len(report.Notes) > 0 {
			return // the report names the missing parts
		}
		want, got := exporttest.Substance(t, snap), exporttest.Substance(t, back)
		one := len(snap.Sessions()) == 1 // several sessions may share an id
		if took := measured(t, snap, one); took != nil {
			want, got = append(want, took...), append(got, measured(t, back, one)...)
		}
		for i := range want {
			want[i] = lifecycle.ReplaceAllString(want[i], ", 0")
		}
		if d := modeltest.FirstDifference(strings.Join(got, "\n"), strings.Join(want, "\n")); !slices.Equal(got, want) {
			t.Errorf("%s\nfrom\n%s", d, out)
		}
	})
}

// replayed is a sample in which a resumed session sends its results again. Neither spans nor JSON
// have a mark for that, so they read as further results of the same call.
const replayed = "acp2/wire.jsonl"

// A second export of a span has the same bytes, so that a receiver recognizes it.
func TestSpansAreWrittenAlike(t *testing.T) {
	use := &model.Usage{Scope: model.Each, Input: 5, CacheRead: 4, CacheWrite: 3, Output: 2, Reasoning: 1}
	snap := model.FromMessages([]model.Message{{Role: model.Assistant, Usage: use, Blocks: []model.Content{{Text: "Done."}}}})
	first, _ := written(t, "otlp", exporttest.Everything(snap), export.Options{})
	if !strings.Contains(first, "cache_write") || !strings.Contains(first, "reasoning.output") {
		t.Fatalf("not all counts:\n%s", first)
	}
	for range 20 {
		if again, _ := written(t, "otlp", exporttest.Everything(snap), export.Options{}); again != first {
			t.Fatalf("%s\nand then\n%s", first, again)
		}
	}
}

// lifecycle matches the state of a message in a substance: spans have no mark for invalid messages.
var lifecycle = regexp.MustCompile(`, \d+$`)

// measured returns the times and models of the model's answers, and the numbers of calls. It
// returns nil for a conversation with calls of users, which are exported as the model's, or with
// messages copied from another one.
func measured(t *testing.T, s *model.Snapshot, turns bool) (out []string) {
	t.Helper()
	for pos := range s.Len() {
		h := s.HeadRow(s.At(pos))
		if h.Role == model.Assistant {
			out = append(out, fmt.Sprint(h.Time, " by ", s.Name(h.Name)))
		} else if len(s.Calls(s.At(pos))) > 0 || h.Flags&model.Inherited != 0 {
			return nil
		}
	}
	slices.Sort(out) // turns reads spans in the order of their times, not of the messages
	st, err := summary.Stats(t.Context(), query.Everything(s), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.CallCount() { // calls inside other calls
		c := s.Call(model.CallID(i))
		if maker, ok := c.Parent(); ok && c.Result != model.NoID {
			m := s.Call(maker)
			out = append(out, fmt.Sprintf("call of %s inside one of %s, counts apart %v", s.Name(c.Tool), s.Name(m.Tool), m.Flags&model.Carries != 0))
		}
	}
	if turns {
		out = append(out, human.Plural(st.Turns, "turn"))
	}
	return append(out, fmt.Sprintf("%d calls, %v, %d pending, %d results without a call", st.ToolCalls, st.ErrorsByOutcome, st.PendingCalls, st.OrphanResults))
}
