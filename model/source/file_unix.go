//go:build unix

package source

import "syscall"

// nonblock keeps an open from waiting, should the path have become a pipe.
const nonblock = syscall.O_NONBLOCK
