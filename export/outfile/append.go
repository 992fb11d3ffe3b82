package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Append adds whole lines to a file that several programs write to, and creates it if necessary.
// Only one program writes at a time, and Append first ends a line that a killed program left
// incomplete, so that lines never mix. It returns when the lines are on disk.
func Append(path string, perm fs.FileMode, lines []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, perm)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("append to %q: %w", path, errKind))
	}
	if err := waitLock(f); err != nil {
		return err
	}
	size, err := f.Seek(0, 2)
	if err != nil {
		return err
	}
	last := []byte{'\n'}
	if size > 0 {
		if _, err := f.ReadAt(last, size-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' {
		lines = append([]byte{'\n'}, lines...)
	}
	if _, err := f.Write(lines); err != nil {
		return err
	}
	return f.Sync()
}
