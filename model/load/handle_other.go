//go:build !unix

package load

import "os"

// handle is an open file of which a list reads the ends.
type handle = *os.File

func openHandle(path string) (handle, error) { return os.Open(path) }
