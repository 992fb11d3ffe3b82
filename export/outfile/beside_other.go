//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package outfile

import "os"

func lockFile(*os.File) {}

// inUse is left to the system: an open file cannot be removed on Windows.
func inUse(string) bool { return false }
