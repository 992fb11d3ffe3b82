package cache

import "testing"

// TestMinimums: the shortest cached prompt of each model that the documentation names.
func TestMinimums(t *testing.T) {
	want := map[string]int64{
		"claude-opus-4-20250514": 1024, "claude-opus-4-1-20250805": 1024, "claude-sonnet-4-6": 1024, "claude-sonnet-5": 1024, "claude-opus-4-8": 1024,
		"claude-opus-4-5-20251101": 4096, "claude-opus-4-6": 4096, "anthropic/claude-haiku-4-5": 4096, "claude-opus-4-7": 2048,
		"Claude-Opus-5": 512, "claude-fable-5": 512, "claude-mythos-5": 512,
		"claude-3-5-haiku-latest": 2048, "claude-3-haiku-20240307": 2048, "gpt-5.2": 1024, "": 1024,
	}
	for name, n := range want {
		if got := minimumOf(name); got != n {
			t.Errorf("%q: %d tokens, want %d", name, got, n)
		}
	}
	for _, m := range minimums {
		if m.tokens == minimumTokens || minimumOf(m.name) != m.tokens {
			t.Errorf("%q: %d tokens, found as %d", m.name, m.tokens, minimumOf(m.name))
		}
	}
}
