//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package disk

import (
	"os"
	"path/filepath"
	"syscall"
)

// hold marks a folder as in use: the lock ends with the program, however that ends.
func hold(dir string) (release func(), err error) {
	f, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// RemoveLeftovers removes the folders of killed programs. It skips a folder without a lock: its
// program is about to lock it. "" is the system's folder for temporary files.
func RemoveLeftovers(tempDir string) {
	if tempDir == "" {
		tempDir = os.TempDir()
	}
	dirs, err := filepath.Glob(filepath.Join(tempDir, keptPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDONLY|Nonblock|syscall.O_NOFOLLOW, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.RemoveAll(dir)
		}
		f.Close()
	}
}
