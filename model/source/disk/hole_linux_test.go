package disk

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDataBeforeAHole: the bytes before a hole are data, at every offset.
func TestDataBeforeAHole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("ab"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<20); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for off := range int64(2) {
		if at := f.Data(off); at != off {
			t.Errorf("from byte %d on, the first data is at %d", off, at)
		}
	}
}
