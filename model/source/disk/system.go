package disk

import (
	"context"
	"io"
	"io/fs"
	"os"
	"time"
)

// Handle is an open file.
type Handle interface {
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// System is the file system and the clock. Nil members mean the operating system's own; tests
// replace them with a failing disk, a lost permission or a silent file system.
type System struct {
	Stat func(path string) (fs.FileInfo, error)
	Open func(path string) (Handle, error)
	// Tick returns a clock that ticks once, after the duration, and a function that stops it.
	Tick func(time.Duration) (<-chan time.Time, func())
	Deaf bool // there are no notifications of changes
}

// WithDefaults replaces nil members with the operating system's own.
func (y System) WithDefaults() System {
	if y.Stat == nil {
		y.Stat = os.Stat
	}
	if y.Open == nil {
		y.Open = openHandle
	}
	if y.Tick == nil {
		y.Tick = realTick
	}
	return y
}

func openHandle(path string) (Handle, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|Nonblock, 0)
	if err != nil {
		return nil, err // a nil *os.File would make a non-nil Handle
	}
	return f, nil
}

// Pause waits for the duration.
func (y System) Pause(ctx context.Context, d time.Duration) error {
	tick, stop := y.WithDefaults().Tick(d)
	defer stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-tick:
		return nil
	}
}

func realTick(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}
