//go:build !unix

package disk

// ReleasePipe has no effect here: this system has no named pipes in its file system.
func ReleasePipe(string) {}
