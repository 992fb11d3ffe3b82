package outfile

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// staleAfter is the age at which a temporary file is abandoned. Its writer also holds a lock, but
// releases it shortly before it renames the file.
const staleAfter = 5 * time.Second

// CreateTemp creates the temporary file for an output at path: a hidden one in the same folder, so
// that a rename replaces the output atomically. It removes leftovers of killed programs from the
// folder.
func CreateTemp(path string, perm fs.FileMode) (*os.File, error) {
	dir, prefix := filepath.Dir(path), tempPrefix(path)
	removeStale(dir, time.Now().Add(-staleAfter))
	f, err := os.OpenFile(filepath.Join(dir, prefix+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, failed(path, err)
	}
	lockFile(f)
	return f, nil
}

// tempPrefix returns the prefix of the hidden names for path; a name has room for 255 bytes.
func tempPrefix(path string) string {
	base := filepath.Base(path)
	return "." + base[:min(len(base), 180)] + ".turns-"
}

// removeStale removes leftovers of killed runs from a folder, for any output.
func removeStale(dir string, before time.Time) {
	d, err := os.Open(dir)
	if err != nil {
		return // creating the file reports the reason
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		_, rest, ok := strings.Cut(name, ".turns-")
		if !ok || name[0] != '.' || len(rest) != len(rand.Text()) || strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
			continue
		}
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.ModTime().Before(before) && !inUse(path) {
			_ = os.Remove(path) // remaining files are hidden, and the next run tries again
		}
	}
}
