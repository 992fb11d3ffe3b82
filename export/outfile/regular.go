package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// errNotRegular is the error for a device, a pipe, a folder or a link.
var errNotRegular = errors.New("not a regular file")

// OpenRegular opens a regular file for reading. It does not follow links, and refuses a pipe or a
// device without waiting for it.
func OpenRegular(path string) (*os.File, error) { return openRegular(path, os.O_RDONLY, 0) }

// OpenRegularAt is OpenRegular with the flags of os.OpenFile.
func OpenRegularAt(path string, flag int, perm fs.FileMode) (*os.File, error) {
	return openRegular(path, flag, perm)
}

func openRegular(path string, flag int, perm fs.FileMode) (*os.File, error) {
	info, err := os.Lstat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("open %q: %w", path, errNotRegular)
	case err != nil && (flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist)):
		return nil, err
	}
	f, err := os.OpenFile(path, flag|nonblock, perm)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !now.Mode().IsRegular() || info != nil && !os.SameFile(info, now) {
		f.Close()
		return nil, errors.Join(err, fmt.Errorf("open %q: %w", path, errNotRegular))
	}
	return f, nil
}
