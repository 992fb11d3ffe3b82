//go:build !unix

package benchtest

import "time"

var began = time.Now()

// cpuTime returns the elapsed time: the CPU time is not available here.
func cpuTime() time.Duration { return time.Since(began) }
