package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestStopWithAKey: each suspension ends some time after the program continues; until then its
// signals are ignored.
func TestStopWithAKey(t *testing.T) {
	o := testOptions()
	yields, backs := 0, 0
	o.Yield = func() func() { yields++; return func() { backs++ } }
	b := newBench(t, sample(), o, 80, 24)
	for range 2 { // the second one before the first has ended
		b.press("ctrl+z")
		b.send(tea.ResumeMsg{})
	}
	if yields != 2 || backs != 0 || !b.a.h.Away() {
		t.Errorf("%d stops, %d over, away %v", yields, backs, b.a.h.Away())
	}
	for want := 1; want <= 2; want++ {
		if b.send(backMsg{}); backs != want || b.a.h.Away() != (want < 2) {
			t.Errorf("%d are over, want %d; away %v", backs, want, b.a.h.Away())
		}
	}
	if b.send(backMsg{}); backs != 2 {
		t.Errorf("%d are over", backs)
	}
}
