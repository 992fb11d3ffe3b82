package outfile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReadRefusesWhatIsNoSmallFile: Read refuses devices, which may never end, folders, and files
// over the limit.
func TestReadRefusesWhatIsNoSmallFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := Read(path, 5); string(b) != "12345" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	for _, bad := range []string{path, os.DevNull, filepath.Dir(path), path + "x"} {
		if b, err := Read(bad, 4); err == nil {
			t.Errorf("%s is read: %q", bad, b)
		}
	}
}
