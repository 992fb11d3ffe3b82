package board

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Commands run a command for each alert: one at a time, with the alert as JSON on its
// standard input. What comes faster than they run waits, and of too many the rest is
// dropped and told.
type Commands struct {
	queue chan Alert
	done  chan struct{}
	run   func(ctx context.Context, in []byte) error
	fail  func(error)
	most  time.Duration
}

// waiting is how many alerts wait for the command at most.
const waiting = 64

// ExecFor is how long a command may run.
const ExecFor = 10 * time.Second

// NewCommands begins to run commands until ctx ends or Close. fail is told what went wrong.
func NewCommands(ctx context.Context, most time.Duration, run func(ctx context.Context, in []byte) error, fail func(error)) *Commands {
	c := &Commands{make(chan Alert, waiting), make(chan struct{}), run, fail, most}
	go func() {
		defer close(c.done)
		for a := range c.queue {
			c.one(ctx, &a)
		}
	}()
	return c
}

func (c *Commands) one(ctx context.Context, a *Alert) {
	var in bytes.Buffer
	if err := json.NewEncoder(&in).Encode(a); err != nil {
		c.fail(err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, c.most)
	defer cancel()
	if err := c.run(ctx, in.Bytes()); err != nil {
		if ctx.Err() == context.DeadlineExceeded {
			err = fmt.Errorf("it was stopped after %v", c.most)
		}
		c.fail(fmt.Errorf("running the command for %q of %q: %w", a.On, a.Path, err))
	}
}

// Tell has the command run for an alert; it never waits.
func (c *Commands) Tell(a Alert) {
	select {
	case c.queue <- a:
	default:
		c.fail(fmt.Errorf("running the command for %q of %q: %d others wait for it", a.On, a.Path, waiting))
	}
}

// Close waits for what was told.
func (c *Commands) Close() {
	close(c.queue)
	<-c.done
}
