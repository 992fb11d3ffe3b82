package load

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// turns does not follow links to files that describe the system, which would take time.
func TestLinksToTheSystemAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"proc": "/proc", "self": "/proc/self", "task": "/proc/self/task", "fd": "/proc/self/fd", "sys": "/sys", "dev": "/dev", "class": "/sys/class",
		"environ.json": "/proc/self/environ", "zero.json": "/dev/zero", "chain": filepath.Join(dir, "proc"), "relative": "../../../../../../../../proc",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	paths, err := Find(t.Context(), []string{dir})
	if len(paths) != 1 || err != nil || time.Since(began) > 5*time.Second {
		t.Errorf("%v, %v after %v", paths, err, time.Since(began))
	}
}
