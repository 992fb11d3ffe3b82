package changes

import "testing"

// TestNamesOfCertainty: an answer names how certain it is, and any other number is unknown.
func TestNamesOfCertainty(t *testing.T) {
	for certainty, want := range map[Certainty]string{Unknown: "unknown", Likely: "likely", Certain: "certain", 3: "unknown"} {
		if got := certainty.String(); got != want {
			t.Errorf("certainty %d is %q, want %q", certainty, got, want)
		}
	}
}
