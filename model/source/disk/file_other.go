//go:build !unix

package disk

// Nonblock is nothing here: no path that OpenFile opens makes it wait.
const Nonblock = 0
