package disk

import (
	"errors"
	"io"
	"syscall"
)

// seekData is lseek's SEEK_DATA.
const seekData = 3

// Data returns the offset of the next bytes on disk from off on. The skipped part is a hole and
// reads as NUL: a file of a few kB may have a hole of terabytes.
func (f *File) Data(off int64) int64 {
	s, ok := f.f.(io.Seeker)
	if !ok {
		return off
	}
	at, err := s.Seek(off, seekData)
	switch {
	case errors.Is(err, syscall.ENXIO): // a hole up to the end
		return f.Size()
	case err != nil:
		return off
	}
	return at
}
