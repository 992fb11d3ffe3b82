//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package outfile

import (
	"os"
	"syscall"
)

// lockFile marks f as being written, until it is closed or its process has ended.
func lockFile(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// inUse reports whether somebody writes the file at path.
func inUse(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
