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

// Commands run a command for each alert: some at a time, so that one that hangs holds up no other,
// with the alert as JSON on its standard input. What comes faster than they run waits, and of too
// many the rest is dropped. What goes wrong time after time for the same reason is told once.
type Commands struct {
	queue chan Alert
	works sync.WaitGroup
	run   func(ctx context.Context, in []byte) error
	most  time.Duration

	mu   sync.Mutex
	fail func(error)
	why  string // that was told last, "" after something went well
	more int    // times that it came since
}

// waiting is how many alerts wait for the command at most, and atOnce how many it runs for.
const (
	waiting = 64
	atOnce  = 8
)

// ExecFor is how long a command may run.
const ExecFor = 10 * time.Second

// NewCommands begins to run commands until ctx ends or Close. fail is told what went wrong.
func NewCommands(ctx context.Context, most time.Duration, run func(ctx context.Context, in []byte) error, fail func(error)) *Commands {
	c := &Commands{queue: make(chan Alert, waiting), run: run, most: most, fail: fail}
	for range atOnce {
		c.works.Go(func() {
			for a := range c.queue {
				c.said(&a, c.one(ctx, &a))
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

// said tells how it went for an alert, if that is not what was told last.
func (c *Commands) said(a *Alert, err error) {
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

// rest tells how often more it went wrong as was told.
func (c *Commands) rest() {
	if c.more > 0 {
		c.fail(fmt.Errorf("running the command: %s went wrong for the same reason: %s", human.Plural(c.more, "more alert"), c.why))
		c.more = 0
	}
}

// errMany says that an alert is dropped.
var errMany = errors.New(human.Count(waiting) + " others wait for it")

// Tell has the command run for an alert; it never waits.
func (c *Commands) Tell(a Alert) {
	select {
	case c.queue <- a:
	default:
		c.said(&a, errMany)
	}
}

// Close waits for what was told.
func (c *Commands) Close() {
	close(c.queue)
	c.works.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rest()
}
