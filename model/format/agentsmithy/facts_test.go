package agentsmithy

import (
	"testing"

	"turns/model"
	"turns/model/format/formattest"
)

func TestFacts(t *testing.T) {
	formattest.Facts(t, Format())
}

// TestUsageOfARow: the prompt or the completion is enough for the usage of a row, even if it is 0.
func TestUsageOfARow(t *testing.T) {
	for counts, want := range map[[2]int64]bool{{-1, -1}: false, {0, -1}: true, {-1, 0}: true, {3, 4}: true} {
		u := (&agentsmithyRowFields{prompt: counts[0], completion: counts[1]}).usage(model.Each)
		if got := u.Scope != model.NoUsage; got != want || got && (u.Input != counts[0] || u.Output != counts[1]) {
			t.Errorf("%d tokens: %+v", counts, u)
		}
	}
}
