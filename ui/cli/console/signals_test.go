package console

import (
	"testing"
	"testing/synctest"
	"time"
)

// A signal for a pager may arrive after the pager has ended.
func TestYieldOutlastsTheOtherProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Signals
		outer := s.Yield()
		s.Yield()()
		<-time.After(2 * lateSignal)
		if n := s.yielded.Load(); n != 1 {
			t.Errorf("with one program left: %d have the terminal", n)
		}
		outer()
		if s.yielded.Load() != 1 {
			t.Error("right after the last one has ended its signals are ours")
		}
		<-time.After(2 * lateSignal)
		if n := s.yielded.Load(); n != 0 {
			t.Errorf("in the end %d have the terminal", n)
		}
	})
}
