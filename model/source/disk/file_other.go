//go:build !unix

package disk

// Nonblock is 0 here: no path that OpenFile opens can block.
const Nonblock = 0
