//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package outfile

import (
	"errors"
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

// nonblock has opening a pipe fail or return at once, and does not follow a link.
const nonblock = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

// Hold locks an open file until it is closed. It returns false if another program has the lock.
func Hold(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return err == nil || errors.Is(err, syscall.ENOTSUP)
}

// waitLock waits until nobody else writes f, and holds it until f is closed.
func waitLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err == nil || !errors.Is(err, syscall.EINTR) && !errors.Is(err, syscall.ENOTSUP) {
			return err
		}
		if errors.Is(err, syscall.ENOTSUP) { // a file system without locks: appending is one write
			return nil
		}
	}
}
