package session

import (
	"testing"
	"time"

	"turns/model"
)

// TestPatience: a running session is stuck if it is silent for five minutes or three times its
// longest step, whichever is longer, but at most an hour.
func TestPatience(t *testing.T) {
	for _, c := range []struct {
		pace    int64 // longest step, in ms
		longest time.Duration
	}{{0, 5 * time.Minute}, {100_000, 5 * time.Minute}, {120_000, 6 * time.Minute}, {1_200_000, time.Hour}, {9_000_000, time.Hour}} {
		s := model.Summary{}
		s.Pace = c.pace
		if got := works(&s, c.longest, Running); got != Running {
			t.Errorf("steps of %d ms, silent for %v: %v", c.pace, c.longest, got)
		}
		if got := works(&s, c.longest+time.Millisecond, Running); got != Silent {
			t.Errorf("steps of %d ms, silent for more than %v: %v", c.pace, c.longest, got)
		}
	}
}

// TestSameCalls: four equal calls in a row are a loop.
func TestSameCalls(t *testing.T) {
	for again, want := range map[int]Doing{3: Running, 4: Looping} {
		s := model.Summary{}
		s.Again = again
		if got := works(&s, 0, Running); got != want {
			t.Errorf("%d equal calls: %v, want %v", again, got, want)
		}
	}
}
