//go:build unix

package load

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// handle is an open file of which a list reads the ends. An [os.File] costs half a
// dozen calls of the system more: it is made ready for being waited for.
type handle int

func openHandle(path string) (handle, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
		if err != syscall.EINTR {
			return handle(fd), err
		}
	}
}

// ReadAt reads as [io.ReaderAt] does.
func (h handle) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		m, err := syscall.Pread(int(h), p[n:], off+int64(n))
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return n, err
		case m == 0:
			return n, io.EOF
		default:
			n += m
		}
	}
	return n, nil
}

func (h handle) Close() error { return syscall.Close(int(h)) }

// canKeep says that a file may stay open while others write to it, rename it and take it away.
const canKeep = true

// sizeOf is the size of an open file, and when it was written to in Unix ns.
func sizeOf(h handle) (size, at int64, ok bool) {
	var st unix.Stat_t
	if err := unix.Fstat(int(h), &st); err != nil {
		return 0, 0, false
	}
	return st.Size, st.Mtim.Nano(), true
}
