//go:build linux || darwin

package disk

import (
	"os"
	"testing"
)

// TestLeftoversOfKilledProgramsAreRemoved: the folder of a running program stays, and those of
// killed ones are removed.
func TestLeftoversOfKilledProgramsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	make := func() (string, func()) {
		path, release, err := Keep(dir)
		if err != nil {
			t.Fatal(err)
		}
		return path, release
	}
	killed, end := make()
	running, stop := make()
	defer stop()
	end()
	RemoveLeftovers(dir)
	if _, err := os.Stat(killed); !os.IsNotExist(err) {
		t.Errorf("what was left is still there: %v", err)
	}
	if _, err := os.Stat(running); err != nil {
		t.Errorf("what is used is gone: %v", err)
	}
}
