package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/model/source/disk"
)

// busyFile is a file that a program writes between any two calls of its reader: before each
// call the program may do its next step. The test does not use the clock.
type busyFile struct {
	soakFile
	steps []func() // the next steps of the program
	idle  bool     // the program has ended, or not begun
	looks int      // consecutive looks without a write in between
}

// step sometimes does the next step of the program.
func (b *busyFile) step() {
	if b.idle && len(b.steps) == 0 {
		b.looks++
		return
	}
	for b.rng.IntN(4) == 0 && !(b.idle && len(b.steps) == 0) {
		if len(b.steps) == 0 {
			b.plan()
		}
		b.steps[0]()
		b.steps = b.steps[1:]
	}
}

// plan adds the steps of the next event.
func (b *busyFile) plan() {
	do := func(steps ...func()) { b.steps = append(b.steps, steps...) }
	write := func(path, text string) func() {
		return func() {
			out, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			b.must(err)
			_, err = out.WriteString(text)
			b.must(err)
			b.must(out.Close())
		}
	}
	text := func(text string) (steps []func()) { // written in one piece, or in two
		if cut := b.rng.IntN(2 * len(text)); cut < len(text) {
			steps, text = append(steps, write(b.path, text[:cut])), text[cut:]
		}
		return append(steps, write(b.path, text))
	}
	switch b.rng.IntN(6) {
	case 0, 1, 2:
		do(text(b.text(1+b.rng.IntN(8), b.rng.IntN(300)))...)
	case 3, 4:
		do(func() { b.must(os.Truncate(b.path, 0)) })
		do(text(b.fresh(1 + b.rng.IntN(12)))...)
	case 5:
		do(func() { b.must(os.Rename(b.path, b.path+".1")) })
		do(text(b.fresh(1 + b.rng.IntN(12)))...)
	}
}

type busyHandle struct {
	*os.File
	b *busyFile
}

func (h busyHandle) Stat() (fs.FileInfo, error) { h.b.step(); return h.File.Stat() }
func (h busyHandle) ReadAt(p []byte, off int64) (int, error) {
	h.b.step()
	return h.File.ReadAt(p, off)
}

func (b *busyFile) system() disk.System {
	return disk.System{
		Deaf: true,
		Stat: func(path string) (fs.FileInfo, error) { b.step(); return os.Stat(path) },
		Open: func(path string) (disk.Handle, error) {
			f, err := os.Open(path)
			return busyHandle{f, b}, err
		},
		Tick: func(time.Duration) (<-chan time.Time, func()) {
			tick := make(chan time.Time, 1)
			tick <- time.Time{}
			return tick, func() {}
		},
	}
}

var errStays = errors.New("the file does not change any more")

// TestFileIsWrittenBetweenTheLooks follows a file that a program appends to, cuts and replaces
// between any two calls of the reader. Rows only disappear with an event that names the reason, and
// in the end each line is a row.
func TestFileIsWrittenBetweenTheLooks(t *testing.T) {
	for seed := range uint64(60) { // a third of them failed when format detection trusted a cut file
		if err := followBusy(t, seed); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

func followBusy(t *testing.T, seed uint64) error {
	b := &busyFile{soakFile: soakFile{t: t, rng: rand.New(rand.NewPCG(seed, 1)), path: filepath.Join(t.TempDir(), "run.jsonl")}}
	b.put(b.path, b.fresh(1+b.rng.IntN(5)))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	system := b.system()
	tick := system.Tick
	system.Tick = func(d time.Duration) (<-chan time.Time, func()) {
		if b.looks > 100 {
			cancel(errStays)
		}
		return tick(d)
	}
	b.idle = true
	c, err := Open(ctx, b.path, Options{Follow: true, Workers: 1, system: system})
	if err != nil {
		return err
	}
	defer c.Close()
	b.looks = 0
	rows := 0
	for n := 0; ; n++ {
		b.idle = n > 60
		u, err := c.Next(ctx)
		if errors.Is(context.Cause(ctx), errStays) {
			break
		}
		if err != nil {
			return fmt.Errorf("after %d updates: %w", n, err)
		}
		told := strings.HasSuffix(u.Event.String(), "read again") || u.Event.Kind == Appeared
		if !told && u.Snap.Rows() < rows {
			return fmt.Errorf("after %d updates %d rows have become %d, and turns reported no reason", n, rows, u.Snap.Rows())
		}
		rows = u.Snap.Rows()
	}
	if rows != b.lines {
		return fmt.Errorf("%d rows of %d at the end", rows, b.lines)
	}
	return nil
}

// A file may get another format as it grows: turns reads it again, and reports that if it had
// rows.
func TestAnotherFormatIsReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, []byte(`{"started":"by hand"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Open(t.Context(), path, Options{Follow: true, system: disk.System{Deaf: true, Tick: fastTick}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if u, err := c.Next(t.Context()); err != nil || u.Event.String() != "" || u.Snap.Rows() != 1 {
		t.Fatalf("at first %q, %v", u.Event, err)
	}
	grow(t, path, []byte(keyedLine(1, 0, 0)+keyedLine(1, 1, 0)+keyedLine(1, 2, 0)))
	u, err := c.Next(t.Context())
	if want := "RECOGNISED AS Claude Code session, read again"; err != nil || u.Event.String() != want || u.Snap.Rows() != 4 {
		t.Errorf("%q with %d rows, %v, want %q with 4", u.Event, u.Snap.Rows(), err, want)
	}
}
