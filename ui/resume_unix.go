//go:build unix

package ui

import (
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// goOn takes the terminal again when the program goes on after it was stopped from
// outside, where nothing was put in order first; until the function that it gives
// is called.
func goOn(p *tea.Program) (done func()) {
	came, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(came, syscall.SIGCONT)
	go func() {
		defer close(ended)
		for range came {
			p.Send(wentOnMsg{})
		}
	}()
	return func() {
		signal.Stop(came)
		close(came)
		<-ended
	}
}
