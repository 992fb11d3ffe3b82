package console

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// Signals end the program in order: the terminal is as it was, and no half file is
// left.
type Signals struct {
	yielded atomic.Int32 // to programs that have the terminal
}

// Context ends with the first signal; the second one ends the program wherever it
// is.
func (s *Signals) Context() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	came := make(chan os.Signal, 1)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		for sig := range came {
			if s.yielded.Load() > 0 && (sig == os.Interrupt || sig == syscall.SIGQUIT) {
				continue // a key that was meant for the other program
			}
			signal.Reset()
			cancel()
			return
		}
	}()
	return ctx
}

// lateSignal is how long after its key a signal may reach us on a busy machine. The screen reads
// Ctrl-C as a key when it has the terminal again, so nobody misses a signal meanwhile.
const lateSignal = 250 * time.Millisecond

// Yield leaves the keys that interrupt to another program until done is called, and a moment
// longer: the other program may be over before its signal has come to us.
func (s *Signals) Yield() (done func()) {
	s.yielded.Add(1)
	return func() { time.AfterFunc(lateSignal, func() { s.yielded.Add(-1) }) }
}
