//go:build !unix

package console

import "io"

// OnReaderGone does nothing, because pipes cannot be watched here: the next write fails.
func OnReaderGone(io.Writer, func()) (stop func()) { return func() {} }
