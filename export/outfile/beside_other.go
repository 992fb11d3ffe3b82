//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package outfile

import "os"

func lockFile(*os.File) {}

// inUse leaves this to the system: an open file cannot be removed on Windows.
func inUse(string) bool { return false }

const nonblock = 0

// Hold does nothing, because files cannot be locked on this system.
func Hold(*os.File) bool { return true }

// waitLock does nothing: a line is appended in one write.
func waitLock(*os.File) error { return nil }
