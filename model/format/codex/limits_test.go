package codex

import (
	"strings"
	"testing"
)

// TestDeepestValue: turns reads a value of a script to a depth of 64.
func TestDeepestValue(t *testing.T) {
	for depth, want := range map[int]bool{64: true, 65: false} {
		j := javaScript{source: []byte(strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth))}
		if _, ok := j.value(0); ok != want {
			t.Errorf("at depth %d: %v", depth, ok)
		}
	}
}
