//go:build unix

package cli

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf is the peak of resident memory of a process that has ended, in bytes.
func peakOf(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // bytes there, kilobytes elsewhere
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
