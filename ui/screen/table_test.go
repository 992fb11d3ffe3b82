package screen

import "testing"

// TestLayOutFits: without columns to drop, flexible columns get narrower than their minimum, the
// widest first, down to a few cells.
func TestLayOutFits(t *testing.T) {
	for w, want := range map[int][3]int{60: {8, 25, 25}, 42: {8, 16, 16}, 41: {8, 15, 16}, 30: {8, 10, 10}, 10: {8, 4, 4}} {
		table := Table{Cols: []Column{{Width: 8}, {Width: 16, Gap: 1, Flex: 1}, {Width: 16, Gap: 1, Flex: 1}}}
		table.LayOut(w)
		if got := [3]int(table.Widths); got != want {
			t.Errorf("%d cells: widths %v, want %v", w, got, want)
		}
	}
}
