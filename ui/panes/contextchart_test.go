package panes

import (
	"testing"

	"turns/query/window"
	"turns/ui/paint"
)

// TestEachKindOfTokensHasItsMark also covers the kinds in few transcripts, such as images.
func TestEachKindOfTokensHasItsMark(t *testing.T) {
	inks, letters := map[paint.Ink]string{}, map[rune]string{0: "none"}
	for i, kind := range window.Kinds {
		m := kindMarks[i]
		if other := inks[m.ink]; other != "" || m.ink == 0 {
			t.Errorf("%s has the colour of %q", kind, other)
		}
		if other := letters[m.letter]; other != "" {
			t.Errorf("%s has the letter of %q", kind, other)
		}
		inks[m.ink], letters[m.letter] = kind, kind
	}
}
