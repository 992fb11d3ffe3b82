package cli

import (
	"fmt"
	"io"
	"time"
)

// progress shows the progress of long work on stderr, if that is a terminal.
type progress struct {
	w     io.Writer
	what  string
	shown time.Time
	begun time.Time
	there bool // visible on the terminal
}

// progressDelay is how long work runs before turns shows progress, and progressEvery the time
// between two updates.
const (
	progressDelay = 300 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

func (a *app) progress(what string) *progress {
	p := &progress{what: what, begun: time.Now()}
	if a.ErrTerm {
		p.w = a.Err
	}
	return p
}

func (p *progress) set(done, total int64) {
	if p.w == nil || total <= 0 {
		return
	}
	now := time.Now()
	if now.Sub(p.begun) < progressDelay || now.Sub(p.shown) < progressEvery {
		return
	}
	p.shown, p.there = now, true
	fmt.Fprintf(p.w, "\r\x1b[Kturns: %s %d %%", p.what, done*100/total)
}

// done removes the progress from the terminal.
func (p *progress) done() {
	if p.w != nil && p.there {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.there = false
}
