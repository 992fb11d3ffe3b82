package screen

import (
	"runtime"

	tea "charm.land/bubbletea/v2"
)

// A key must not wait for what is computed meanwhile. Two things see to that. There are more
// processors, in Go's sense, than there are cores: with one for each core, all of them computing,
// what a key wakes up waits for the end of a time slice of 10 ms, three or four times on its way to
// the terminal. And what computes has a thread of its own: a system shares its cores among threads
// and lets those run first that slept, but the threads that draw are only taken for such if they
// have not computed before.

// spareProcessors is how many more processors there are than cores while a screen is open.
const spareProcessors = 2

// KeepResponsive makes room for keys while much is computed; restore takes it back.
func KeepResponsive() (restore func()) {
	cores := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(cores + spareProcessors)
	return func() { runtime.GOMAXPROCS(cores) }
}

// Parsers is how many parsers of a transcript may run beside a screen.
func Parsers() int { return max(runtime.GOMAXPROCS(0)-1, 1) }

// Background makes a command of what may compute for long.
func Background(do tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		return do()
	}
}
