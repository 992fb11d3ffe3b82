package screen

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Fault is a panic in a part of the screen. The program ends with it as with any other error: the
// terminal is restored and the error stays readable. Bubble Tea would print a stack into the
// alternate screen.
type Fault struct {
	what  any
	place string // functions in our code, innermost first, with file and line
}

// Error describes the panic and its place.
func (f *Fault) Error() string {
	return fmt.Sprintf("a fault in turns, please report it: %v (%s)", f.what, f.place)
}

// FaultOf makes a Fault in a deferred function that has recovered from a panic.
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

// FaultMsg reports a panic in a command.
type FaultMsg struct{ Fault *Fault }

// Guarded wraps a command: a panic in it, or in a command it returns, ends the program properly.
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
