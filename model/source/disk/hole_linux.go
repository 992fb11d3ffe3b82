package disk

import (
	"errors"
	"io"
	"syscall"
)

// seekData is the SEEK_DATA of lseek.
const seekData = 3

// Data returns the next offset from off on with bytes on the disk. The skipped part is a hole and
// reads as NUL: a file of a few kB may have a hole of terabytes.
func (f *File) Data(off int64) int64 {
	s, ok := f.f.(io.Seeker)
	if !ok {
		return off
	}
	at, err := s.Seek(off, seekData)
	switch {
	case errors.Is(err, syscall.ENXIO): // to the end
		return f.Size()
	case err != nil:
		return off
	}
	return at
}
