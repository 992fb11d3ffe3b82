//go:build !unix

package console

import "io"

// OnReaderGone does nothing where pipes cannot be watched: the next row shows that nobody reads.
func OnReaderGone(io.Writer, func()) (stop func()) { return func() {} }
