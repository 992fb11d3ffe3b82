package panes

import "testing"

// TestAViewerWithoutAText: keys may arrive before the pane was first drawn.
func TestAViewerWithoutAText(t *testing.T) {
	var d viewer
	if n := d.number(spot{3, 4}); n != 4 {
		t.Errorf("line %d, want 4: no part precedes it", n)
	}
	if lines := d.lines(); len(lines) != 0 {
		t.Errorf("%d lines of no text", len(lines))
	}
	if s, ok := d.prev(spot{part: 9}); ok {
		t.Errorf("%+v is before the ninth part", s)
	}
	d.show(7)
	d.toEnd()
	if d.fills(spot{}) && d.h0 > 1 || d.top != (spot{}) {
		t.Errorf("the top moved to %+v", d.top)
	}
}
