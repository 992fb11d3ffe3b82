package cache

import "testing"

// TestLostTokens: a small difference from the cached tokens is not a loss.
func TestLostTokens(t *testing.T) {
	for _, c := range []struct{ cached, total, read, want int64 }{
		{10_000, 12_000, 8_977, 0}, {10_000, 12_000, 8_976, 1024}, // less than a block
		{10_000, 9_500, 8_000, 1500},                                    // the prompt is shorter than the cached one
		{100_000, 120_000, 95_001, 0}, {100_000, 120_000, 95_000, 5000}, // less than a twentieth
		{0, 5000, 0, 0},
	} {
		if got := lost(c.cached, &Request{Total: c.total, Read: c.read}); got != c.want {
			t.Errorf("%d of %d cached tokens were read: %d lost, want %d", c.read, c.cached, got, c.want)
		}
	}
}
