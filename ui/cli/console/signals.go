package console

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// Signals ends the program cleanly: it restores the terminal, and leaves no partial files.
type Signals struct {
	yielded atomic.Int32 // number of programs using the terminal
}

// Context returns a context that ends at the first signal; the second one kills the program.
func (s *Signals) Context() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	came := make(chan os.Signal, 1)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		for sig := range came {
			if s.yielded.Load() > 0 && (sig == os.Interrupt || sig == syscall.SIGQUIT) {
				continue // the key was meant for the other program
			}
			signal.Reset()
			cancel()
			return
		}
	}()
	return ctx
}

// lateSignal is how long after its key a signal may arrive on a busy machine. The screen reads
// Ctrl-C as a key once it has the terminal back, so no interrupt is lost meanwhile.
const lateSignal = 250 * time.Millisecond

// Yield gives the interrupt keys to another program until done is called, and a moment longer: the
// signal may arrive after the other program has ended.
func (s *Signals) Yield() (done func()) {
	s.yielded.Add(1)
	return func() { time.AfterFunc(lateSignal, func() { s.yielded.Add(-1) }) }
}
