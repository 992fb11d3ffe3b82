//go:build unix

package benchtest

import (
	"syscall"
	"time"
)

// cpuTime is what this process has computed, and the system for it. Other programs
// on the machine disturb it less than the clock.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
