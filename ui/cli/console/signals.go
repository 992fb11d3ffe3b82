package console

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
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

// Yield leaves the keys that interrupt to another program until done is called.
func (s *Signals) Yield() (done func()) {
	s.yielded.Add(1)
	return func() { s.yielded.Add(-1) }
}
