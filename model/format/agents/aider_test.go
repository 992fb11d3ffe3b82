package agents

import (
	"strings"
	"testing"
)

// TestLongAnswersOfAider: an answer is split at the first line more than 1 MiB after its beginning.
func TestLongAnswersOfAider(t *testing.T) {
	line := strings.Repeat("x", 1023) + "\n"
	if _, n := new(aiderSplitter).Split([]byte(strings.Repeat(line, 2000)), true); n != 1025*1024 {
		t.Errorf("the first part has %d bytes, want %d", n, 1025*1024)
	}
}
