package many

import (
	"testing"

	"turns/query/human"
)

// TestLimitsNameTheirNumbers: each number with a maximum has a noun.
func TestLimitsNameTheirNumbers(t *testing.T) {
	for number, want := range map[Number]string{
		Errors: "2 errors", Calls: "2 calls", Turns: "2 turns", Messages: "2 messages", Pending: "2 pending calls", Denied: "2 denied calls",
	} {
		for limit, keeps := range map[int64]kept{1: violated, 2: respected} {
			run := &Run{}
			run.N[number] = 2
			said, got := (&Limit{Number: number, Max: limit}).keeps(run)
			if said != want || got != keeps {
				t.Errorf("at most %d: %q, %v, want %q, %v", limit, said, got, want, keeps)
			}
		}
	}
	if got := human.Plural(1, limitWords[Pending]); got != "1 pending call" {
		t.Errorf("one is %q", got)
	}
}
