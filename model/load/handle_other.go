//go:build !unix

package load

import "os"

// handle is an open file for the lister.
type handle = *os.File

func openHandle(path string) (handle, error) { return os.Open(path) }

// canKeep is false: an open file could not be renamed or removed by others.
const canKeep = false

func sizeOf(handle) (size, at int64, ok bool) { return 0, 0, false }
