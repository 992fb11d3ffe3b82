package codex

import (
	"testing"

	"turns/model"
)

// TestWallTime reads how long a call took from the first 300 bytes of its output.
func TestWallTime(t *testing.T) {
	pad := func(n int) string { return string(make([]byte, n)) }
	for text, want := range map[string]string{
		"Exit code: 0\nWall time: 1.5 seconds\nok": "1.5s",
		"Wall time 2 seconds":                      "2s",
		pad(299) + "Wall time: 3 seconds":          "3s",
		pad(300) + "Wall time: 3 seconds":          "0s",
	} {
		if _, took := CodexJudge(model.StringText(text)); took.String() != want {
			t.Errorf("%q took %v, want %s", text, took, want)
		}
	}
}
