//go:build unix

package ui

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// suspender lets a stop signal from outside do what the key for it does: the terminal is given back first. To stop itself, the program needs the
// signal's own effect, so nobody may be listening to it then.
type suspender struct{ signals chan os.Signal }

func newSuspender() *suspender { return &suspender{make(chan os.Signal, 1)} }

// listen waits for stop signals until the context ends, and asks the program to be suspended.
func (s *suspender) listen(ctx context.Context, send func(tea.Msg)) {
	s.resumed()
	defer signal.Stop(s.signals)
	for {
		select {
		case <-s.signals:
			send(s.suspend())
		case <-ctx.Done():
			return
		}
	}
}

// suspend is the message that stops the program.
func (s *suspender) suspend() tea.Msg {
	signal.Stop(s.signals)
	return tea.SuspendMsg{}
}

// resumed goes on to listen.
func (s *suspender) resumed() { signal.Notify(s.signals, syscall.SIGTSTP) }
