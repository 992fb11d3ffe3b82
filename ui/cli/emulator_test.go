package cli

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
)

// giveUp is the timeout of waits in tests.
const giveUp = time.Minute

// emulator is a terminal for tests, which can wait for the output of a screen.
type emulator struct {
	t     *testing.T
	mu    sync.Mutex
	em    *vt.Emulator
	wrote chan struct{} // closed by the next write
}

func newEmulator(t *testing.T, w, h int) *emulator {
	return &emulator{t: t, em: vt.NewEmulator(w, h), wrote: make(chan struct{})}
}

func (e *emulator) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, err := e.em.Write(p)
	close(e.wrote)
	e.wrote = make(chan struct{})
	return len(p), err
}

func (e *emulator) text() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.em.String()
}

// shows waits until the screen contains a text, or one of several separated by "|".
func (e *emulator) shows(text string) {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(e.t.Context(), giveUp)
	defer cancel()
	for {
		e.mu.Lock()
		screen, changed := e.em.String(), e.wrote
		e.mu.Unlock()
		for one := range strings.SplitSeq(text, "|") {
			if strings.Contains(screen, one) {
				return
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			e.t.Fatalf("the screen does not show %q:\n%s", text, screen)
		}
	}
}

// close ends the terminal's responses; do not write to it any more.
func (e *emulator) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	_ = e.em.InputPipe().(io.Closer).Close()
}
