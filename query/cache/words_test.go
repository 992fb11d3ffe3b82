package cache

import "testing"

// TestWordsOfCauses: each cause in words, and the causes that are misses.
func TestWordsOfCauses(t *testing.T) {
	for cause, want := range map[Cause]string{None: "", TTL: "time to live passed", Model: "model changed", Tools: "tools changed", System: "system prompt changed",
		Compaction: "compaction", Edited: "history edited", First: "first request", TooShort: "below the minimum", Unexplained: "unexplained"} {
		if got := cause.Words(); got != want {
			t.Errorf("%v: %q, want %q", cause, got, want)
		}
		miss := cause != None && cause != Compaction && cause != First && cause != TooShort
		if cause.Missed() != miss {
			t.Errorf("%v is a miss: %v", cause, !miss)
		}
	}
}
