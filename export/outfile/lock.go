package outfile

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// Sync waits until a file, or the names in a folder, are on disk. Systems without a sync for
// folders do that themselves.
func Sync(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return failed(path, err)
	}
	if info.IsDir() && runtime.GOOS == "windows" {
		return nil
	}
	mode := os.O_WRONLY
	if info.IsDir() {
		mode = os.O_RDONLY
	}
	f, err := os.OpenFile(path, mode, 0)
	if err != nil {
		return failed(path, err)
	}
	defer f.Close()
	if err = f.Sync(); info.IsDir() && (errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)) {
		return nil
	}
	return failed(path, err)
}

// Lock creates the lock file at path if necessary, waits for its lock, and holds it until the
// caller calls free or the process ends.
func Lock(path string) (free func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("making the lock file: %w", err)
	}
	if err := waitLock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("waiting for the lock file: %w", err)
	}
	return func() { f.Close() }, nil
}
