package label

import (
	"strings"
	"testing"
)

// TestExcerptOfAMessage: the beginning of a text on one line, at most eighty characters.
func TestExcerptOfAMessage(t *testing.T) {
	if got := excerpt(strings.Repeat("é", 80)); got != strings.Repeat("é", 80) {
		t.Errorf("a text of eighty characters becomes %q", got)
	}
	if got := excerpt(strings.Repeat("é", 81)); len([]rune(got)) != 80 {
		t.Errorf("a longer text becomes %d characters: %q", len([]rune(got)), got)
	}
	if got := excerpt(" one\n\ttwo  three "); got != "one two three" {
		t.Errorf("%q", got)
	}
}
