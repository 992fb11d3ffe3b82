package disk

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestRewrittenBytes: a grown file is another one if a byte differs in the first kilobyte, or in
// the 256 bytes before its former end.
func TestRewrittenBytes(t *testing.T) {
	const size = 4000
	for at, same := range map[int]bool{0: false, 1023: false, 1024: true, size - 257: true, size - 256: false, size - 1: false} {
		path := filepath.Join(t.TempDir(), "x")
		text := bytes.Repeat([]byte("x"), size)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if ok, err := f.Refresh(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		text[at] = 'y'
		if err := os.WriteFile(path, append(text, "more"...), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := f.Refresh(); got != same || err != nil {
			t.Errorf("byte %d differs: the file is the same: %v, %v", at, got, err)
		}
	}
}
