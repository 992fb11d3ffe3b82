package ui

import (
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/ui/screen"
)

// stops are suspensions by a key, after which turns takes the terminal back from the shell.
type stops struct {
	h      *screen.Host
	resume func()   // ends the current suspension
	back   []func() // end earlier suspensions, after resumeTime
}

// wentOnMsg reports that the program continues after a stop from outside. turns takes the terminal
// back as it does after a command.
type wentOnMsg struct{}

// backMsg reports that resumeTime has passed since the program continued after a stop by a key.
type backMsg struct{}

// resumeTime is how long SIGCONT is ignored after a stop by a key.
const resumeTime = 500 * time.Millisecond

// drawAgain releases the terminal for a moment and takes it back with a full redraw.
//
// Bubble Tea (2.0.9 to 2.1.1) stops its ticker in the drawing goroutine. If the terminal returns
// before that goroutine has run, it stops the new ticker, and the screen is never drawn again. The
// moment lets the goroutine finish first.
func drawAgain() tea.Cmd {
	return tea.Exec(moment{}, func(error) tea.Msg { return tea.ClearScreen() })
}

// moment is a command that takes 50 ms.
type moment struct{}

func (moment) Run() error          { time.Sleep(50 * time.Millisecond); return nil }
func (moment) SetStdin(io.Reader)  {}
func (moment) SetStdout(io.Writer) {}
func (moment) SetStderr(io.Writer) {}

// suspend suspends the program by a key.
func (s *stops) suspend() tea.Cmd {
	s.resume = s.h.Yielded()
	return tea.Suspend
}

// ended takes the terminal back after a suspension. For resumeTime after one by a key, a SIGCONT is
// ignored.
func (s *stops) ended(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case backMsg:
		if len(s.back) > 0 {
			s.back[0]()
			s.back = s.back[1:]
		}
		return nil
	case tea.ResumeMsg:
		if back := s.resume; back != nil {
			s.resume, s.back = nil, append(s.back, back)
			return tea.Batch(drawAgain(), s.h.After(resumeTime, backMsg{}))
		}
	default:
		if s.h.Away() { // the screen restores the terminal itself
			return nil
		}
	}
	return drawAgain()
}
