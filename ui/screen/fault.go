package screen

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Fault is a panic in a part of the screen. The program ends with it as with any other error, so
// that the terminal is given back and what was wrong can be read; Bubble Tea would print a stack
// into the alternate screen.
type Fault struct {
	what  any
	place string // in our code: functions from the inside, with file and line
}

// Error says what went wrong and where.
func (f *Fault) Error() string {
	return fmt.Sprintf("a fault in turns, please report it: %v (%s)", f.what, f.place)
}

// FaultOf is for a deferred function that has recovered from a panic.
func FaultOf(what any) *Fault {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var places []string
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "turns/") {
			places = append(places, fmt.Sprintf("%s %s:%d", strings.TrimPrefix(f.Function, "turns/"), filepath.Base(f.File), f.Line))
		}
		if !more || len(places) == 4 {
			return &Fault{what, strings.Join(places, ", ")}
		}
	}
}

// FaultMsg is a panic in a command.
type FaultMsg struct{ Fault *Fault }

// Guarded is a command whose panics, and those of the commands that it gives, end the program in
// order.
func Guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = FaultMsg{FaultOf(r)}
			}
		}()
		msg = cmd()
		if all, ok := msg.(tea.BatchMsg); ok {
			for i := range all {
				all[i] = Guarded(all[i])
			}
		}
		return msg
	}
}
