package console

import (
	"os"

	"golang.org/x/sys/windows"
)

// EnableColours makes Windows consoles interpret escape codes. It ignores other files.
func EnableColours(files ...*os.File) {
	for _, f := range files {
		var mode uint32
		if windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil {
			_ = windows.SetConsoleMode(windows.Handle(f.Fd()), mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) // without it, the text contains the codes
		}
	}
}
