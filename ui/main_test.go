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
	goleak.VerifyTestMain(m)
}
