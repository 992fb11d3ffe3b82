//go:build unix

package disk

import "syscall"

// Nonblock prevents an open from blocking if the path has become a pipe.
const Nonblock = syscall.O_NONBLOCK
