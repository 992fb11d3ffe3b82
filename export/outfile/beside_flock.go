//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package outfile

import (
	"errors"
	"os"
	"syscall"
)

// lockFile marks f as being written, until it is closed or its process ends.
func lockFile(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// inUse reports whether a program is writing the file at path.
func inUse(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}

// nonblock makes opening a pipe fail or return immediately, and does not follow links.
const nonblock = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

// Hold locks an open file until it is closed. It returns false if another program has the lock.
func Hold(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return err == nil || errors.Is(err, syscall.ENOTSUP)
}

// waitLock waits until no other program writes f, and locks it until f is closed.
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
