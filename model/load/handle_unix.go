//go:build unix

package load

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// handle is an open file for the lister. An [os.File] would cost half a dozen system calls more,
// because it is prepared for polling.
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

// canKeep is true: others can write, rename and remove an open file.
const canKeep = true

// sizeOf returns the size of an open file, and its time of writing in Unix ns.
func sizeOf(h handle) (size, at int64, ok bool) {
	var st unix.Stat_t
	if err := unix.Fstat(int(h), &st); err != nil {
		return 0, 0, false
	}
	return st.Size, st.Mtim.Nano(), true
}
