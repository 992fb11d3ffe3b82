//go:build !unix

package load

import "os"

// handle is an open file of which a list reads the ends.
type handle = *os.File

func openHandle(path string) (handle, error) { return os.Open(path) }

// canKeep says that a file may not stay open: nobody could rename it or take it away.
const canKeep = false

func sizeOf(handle) (size, at int64, ok bool) { return 0, 0, false }
