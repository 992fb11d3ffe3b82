package ui

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"turns/model/modeltest"
)

// TestMain checks that no goroutine of the screen survives it: readers, watchers, searches, timers.
func TestMain(m *testing.M) {
	if os.Getenv("TURNS_BENCH_WALK") != "" {
		os.Exit(m.Run())
	}
	modeltest.CollectLess()
	// The clock of the highlighter's regular expressions ends by itself, some time after the last
	// of them. Bubble Tea's key reader waits for its last input to be read, even after the program
	// has ended.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"),
		goleak.IgnoreAnyFunction("github.com/charmbracelet/ultraviolet.(*TerminalReader).sendEvents"))
}
