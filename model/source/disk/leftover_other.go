//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package disk

// hold has nothing to hold: what a killed program leaves is the system's to remove.
func hold(string) (release func(), err error) { return func() {}, nil }

// RemoveLeftovers does nothing.
func RemoveLeftovers(string) {}
