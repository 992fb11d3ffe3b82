//go:build !windows

package console

import "os"

// EnableColours does nothing: terminals interpret escape codes.
func EnableColours(...*os.File) {}
