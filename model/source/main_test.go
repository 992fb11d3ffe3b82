package source

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"turns/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// content is all of a stream.
func content(t *testing.T, s model.Stream) string {
	t.Helper()
	b, err := io.ReadAll(io.NewSectionReader(s, 0, s.Size()))
	if err != nil {
		t.Fatalf("read stream: %v", err)
	}
	return string(b)
}

// write makes a file.
func write(t *testing.T, path, data string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// grow appends to a file.
func grow(t *testing.T, path, data string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(data); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// anew overwrites bytes in the middle of a file, with a later time of writing.
func anew(t *testing.T, path string, at int64, data string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	info, err := f.Stat()
	must(t, err)
	_, err = f.WriteAt([]byte(data), at)
	must(t, err)
	must(t, f.Close())
	must(t, os.Chtimes(path, time.Time{}, info.ModTime().Add(time.Second)))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens a source and closes it when the test ends.
func open(t *testing.T, arg string, opts Options) *Source {
	t.Helper()
	s, err := Open(t.Context(), arg, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// drain follows a source to its end and returns the bytes of its last stream and its last error.
func drain(t *testing.T, s *Source) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var why error
	for {
		ev, err := s.Next(ctx)
		if err == io.EOF {
			return content(t, s.Stream()), why
		}
		if err != nil {
			t.Fatalf("next: %v", err)
		}
		if ev.Err != nil {
			why = ev.Err
		}
	}
}

// clock is a clock that a test moves.
type clock struct{ c chan time.Time }

func newClock() *clock { return &clock{make(chan time.Time)} }

func (c *clock) tick(time.Duration) (<-chan time.Time, func()) { return c.c, func() {} }

// next advances the clock until an event other than growth arrives, or the stream has grown, and
// returns that event.
func (c *clock) next(t *testing.T, s *Source) Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case c.c <- time.Time{}:
			case <-stop:
				return
			}
		}
	}()
	ev, err := s.Next(ctx)
	close(stop)
	<-done
	if err != nil {
		t.Fatalf("next: %v", err)
	}
	return ev
}

// lines shows framed records, a tab as "|".
func lines(s string) string {
	return strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\t", "|")
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}
