package board

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"turns/query/human"
)

// Commands runs a command for each alert, with the alert as JSON on standard input. It runs several
// at a time, so that a hanging command blocks no other. Alerts that arrive faster wait in a queue;
// if it is full, they are dropped. Repeated failures for the same reason are reported once.
type Commands struct {
	queue chan Alert
	works sync.WaitGroup
	run   func(ctx context.Context, in []byte) error
	most  time.Duration

	mu   sync.Mutex
	fail func(error)
	why  string // last reported failure, "" after a success
	more int    // number of its unreported repetitions
}

// waiting is the most queued alerts, and atOnce the most commands at a time.
const (
	waiting = 64
	atOnce  = 8
)

// ExecFor is the time limit of a command.
const ExecFor = 10 * time.Second

// NewCommands starts to run commands until ctx ends or Close. It calls fail with failures.
func NewCommands(ctx context.Context, most time.Duration, run func(ctx context.Context, in []byte) error, fail func(error)) *Commands {
	c := &Commands{queue: make(chan Alert, waiting), run: run, most: most, fail: fail}
	for range atOnce {
		c.works.Go(func() {
			for a := range c.queue {
				c.report(&a, c.one(ctx, &a))
			}
		})
	}
	return c
}

func (c *Commands) one(ctx context.Context, a *Alert) error {
	var in bytes.Buffer
	if err := json.NewEncoder(&in).Encode(a.Row()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.most)
	defer cancel()
	err := c.run(ctx, in.Bytes())
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		return fmt.Errorf("it was stopped after %v", c.most)
	}
	return err
}

// report reports the result for an alert, unless it repeats the last failure.
func (c *Commands) report(a *Alert, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && err.Error() == c.why {
		c.more++
		return
	}
	c.rest()
	if c.why = ""; err != nil {
		c.why = err.Error()
		c.fail(fmt.Errorf("running the command for %q of %q: %w", a.On, a.Path, err))
	}
}

// rest reports how often the last failure was repeated.
func (c *Commands) rest() {
	if c.more > 0 {
		c.fail(fmt.Errorf("running the command: %s went wrong for the same reason: %s", human.Plural(c.more, "more alert"), c.why))
		c.more = 0
	}
}

// errMany reports a dropped alert.
var errMany = errors.New(human.Count(waiting) + " others wait for it")

// Queue queues the command for an alert; it never waits.
func (c *Commands) Queue(a Alert) {
	select {
	case c.queue <- a:
	default:
		c.report(&a, errMany)
	}
}

// Close waits for the queued alerts.
func (c *Commands) Close() {
	close(c.queue)
	c.works.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rest()
}
