//go:build unix

package source

import (
	"os"
	"syscall"
)

// releasePipe ends the waiting of a reader for the writer of a named pipe, by
// being one for a moment.
func releasePipe(path string) {
	if f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		f.Close()
	}
}
