//go:build !windows

package console

import "os"

// EnableColours does nothing: terminals understand escape codes.
func EnableColours(...*os.File) {}
