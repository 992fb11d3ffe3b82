//go:build unix

package disk

import "syscall"

// Nonblock keeps an open from waiting, should the path have become a pipe.
const Nonblock = syscall.O_NONBLOCK
