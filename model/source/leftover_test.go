//go:build linux || darwin

package source

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLeftoversOfKilledProgramsAreRemoved: what a running program holds stays, and
// what nobody holds goes when the next program starts.
func TestLeftoversOfKilledProgramsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	make := func(name string) (string, func()) {
		path := filepath.Join(dir, keptPrefix+name)
		must(t, os.Mkdir(path, 0o700))
		release, err := hold(path)
		must(t, err)
		return path, release
	}
	killed, end := make("killed")
	running, stop := make("running")
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
