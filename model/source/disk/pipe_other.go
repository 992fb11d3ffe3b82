//go:build !unix

package disk

// ReleasePipe has no effect here: this system has no named pipes among its files.
func ReleasePipe(string) {}
