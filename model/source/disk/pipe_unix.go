//go:build unix

package disk

import (
	"os"
	"syscall"
)

// ReleasePipe ends a reader's wait for the writer of a named pipe by opening it for writing for a
// moment.
func ReleasePipe(path string) {
	if f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		f.Close()
	}
}
