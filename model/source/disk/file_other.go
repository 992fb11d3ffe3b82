//go:build !unix

package disk

const Nonblock = 0
