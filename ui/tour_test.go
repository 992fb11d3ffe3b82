package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestTour: each step waits for its key, other keys act without advancing it, and the screen
// stays the same size.
func TestTour(t *testing.T) {
	if len(Tour()) != 10 {
		t.Fatalf("the tour has %d steps", len(Tour()))
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		o := paneOptions()
		o.Tour = Tour()
		b := newBench(t, sample(), o, size[0], size[1])
		at := func() string {
			checkFrame(t, b, "tour")
			return ansi.Strip(b.frame())
		}
		for i, step := range Tour() {
			head := fmt.Sprintf("Tour: step %d of 10", i+1)
			if s := at(); !strings.Contains(s, head) {
				t.Fatalf("step %d is not on the screen:\n%s", i+1, s)
			}
			if !b.a.typing() && b.a.h.Focus == "" {
				row := b.a.list.Cur
				if b.press("G"); !strings.Contains(at(), head) || i == 0 && b.a.list.Cur == row {
					t.Fatalf("step %d ended with another key, or that key had no effect", i+1)
				}
				b.press("g")
			}
			b.press(step.Key)
			if step.Key == "/" { // letters of the search are not steps
				if b.press("t"); !strings.Contains(at(), "Tour: step 8 of 10") {
					t.Fatal("a letter of the search ended a step")
				}
				b.press("esc")
			}
		}
		if s := at(); !strings.Contains(s, "That was the tour") {
			t.Fatalf("the tour does not end:\n%s", s)
		}
		b.press("esc j")
		if s := at(); strings.Contains(s, "Tour") {
			t.Errorf("the tour stays:\n%s", s)
		}
	}
}
