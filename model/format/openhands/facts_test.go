package openhands

import (
	"fmt"
	"testing"

	"turns/model"
	"turns/model/format/formattest"
)

func TestFacts(t *testing.T) {
	formattest.Facts(t, Format())
}

// TestForgottenRanges: both ends of a range of forgotten events belong to it. A range with more
// events than a record may have parts is not read.
func TestForgottenRanges(t *testing.T) {
	for last, want := range map[int]int{-1: 0, 0: 1, 9: 10} {
		var fs model.Facts
		new(openHandsRead).condensed(fmt.Appendf(nil, `{"forgotten_events_start_id":0,"forgotten_events_end_id":%d}`, last), 0, &fs)
		if got := fs.Len() - 1; got != want {
			t.Errorf("0 to %d are %d events, not %d", last, got, want)
		}
	}
	defer func() {
		if err := recover(); err != model.ErrParts {
			t.Errorf("a range of a million events: %v", err)
		}
	}()
	new(openHandsRead).condensed([]byte(`{"forgotten_events_start_id":1,"forgotten_events_end_id":1000000}`), 0, new(model.Facts))
}
