package paint

import (
	"strings"
	"testing"

	"turns/themes"
)

// TestSpreadFillsItsWidth: a line with a left and a right end has the requested width, for any
// ends.
func TestSpreadFillsItsWidth(t *testing.T) {
	st := NewStyles(themes.Default(true), true, 0)
	for left := range 12 {
		for right := range 12 {
			for w := 1; w < 20; w++ {
				line := st.Spread(w, GroundNone, []Span{{Text: strings.Repeat("l", left)}}, []Span{{Text: strings.Repeat("r", right)}})
				if Width(line) != w {
					t.Errorf("%d and %d cells on a line of %d: %q", left, right, w, line)
				}
			}
		}
	}
}
