//go:build unix

package console

import (
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// OnReaderGone calls gone when the reader of a pipe closes it; a program without anything to write
// would not notice. stop ends the watch. It watches nothing but pipes.
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

// readerLook is the timeout of a poll in milliseconds, which is also the longest time for stop.
const readerLook = 200
