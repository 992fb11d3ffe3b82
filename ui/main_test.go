package ui

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain holds that nothing of the screen lives on after it was left: readers, watchers, searches, timers.
func TestMain(m *testing.M) {
	if os.Getenv("TURNS_BENCH_WALK") != "" {
		os.Exit(m.Run())
	}
	// The clock of the highlighter's regular expressions ends by itself, some time after the last of them.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}
