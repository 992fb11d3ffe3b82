package cache

import (
	"testing"

	"turns/model"
)

// TestMinimums: the shortest cacheable prompt of each model in the documentation.
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

// TestLastMiss: the last request of a session misses if it lost cached tokens of the previous one.
func TestLastMiss(t *testing.T) {
	warm := model.CacheUse{Read: 15_000, Write: 5_000, Total: 20_003}
	for _, c := range []struct {
		last, before model.CacheUse
		want         int64
	}{
		{model.CacheUse{Read: 20_000, Write: 500, Total: 20_503}, warm, 0},
		{model.CacheUse{Read: 0, Write: 21_000, Total: 21_003}, warm, 20_000},
		{model.CacheUse{Read: 12_000, Write: 9_000, Total: 21_003}, warm, 8_000},
		{model.CacheUse{Read: 0, Write: 21_000, Total: 21_003}, model.CacheUse{}, 0}, // the first request, or after a compaction
		{model.CacheUse{Read: 0, Total: 21_003}, model.CacheUse{Read: 5000, Total: 20_000}, 0},
		{model.CacheUse{}, warm, 0},
	} {
		if got := LastMiss([2]model.CacheUse{c.last, c.before}); got != c.want {
			t.Errorf("%+v: %d tokens, want %d", c, got, c.want)
		}
	}
}
