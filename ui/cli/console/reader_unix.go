//go:build unix

package console

import (
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// OnReaderGone calls gone when nobody reads a pipe any more, which a program that waits for
// something to write would not see. stop ends the watch; anything but a pipe is not watched.
func OnReaderGone(w io.Writer, gone func()) (stop func()) {
	f, ok := w.(*os.File)
	if !ok {
		return func() {}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return func() {}
	}
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			fds := []unix.PollFd{{Fd: int32(f.Fd())}}
			if n, err := unix.Poll(fds, readerLook); err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0 {
				gone()
				return
			}
		}
	})
	return func() {
		close(done)
		ended.Wait()
	}
}

// readerLook is how many milliseconds a look waits: as long as a stop may take.
const readerLook = 200
