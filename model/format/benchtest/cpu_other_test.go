//go:build !unix

package benchtest

import "time"

var began = time.Now()

// cpuTime is the time that has passed: what a process computed is not asked for
// here.
func cpuTime() time.Duration { return time.Since(began) }
