//go:build unix

package cli

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf returns the peak resident memory of an ended process in bytes.
func peakOf(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // in bytes there, in kilobytes elsewhere
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
