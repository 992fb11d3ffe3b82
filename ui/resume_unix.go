//go:build unix

package ui

import (
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// goOn takes the terminal back when the program continues after a stop from outside, which left the
// terminal as it was. The returned function ends this.
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
