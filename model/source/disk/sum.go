package disk

import (
	"fmt"
	"hash/maphash"
	"io"
	"sync"
	"time"
)

// Sum makes the file remember a checksum of the bytes read, so that Refresh notices a change in the
// middle of a file of the same size.
func (f *File) Sum() {
	f.sum = &sum{time: f.info.ModTime()}
	f.sum.hash.SetSeed(maphash.MakeSeed())
}

// sum is a checksum of the bytes read in order from the start, as for an index. It is nil for a
// file that is not followed.
type sum struct {
	mu   sync.Mutex
	hash maphash.Hash
	end  int64
	time time.Time // of the last write with a matching checksum
}

// add adds the bytes that continue the sum.
func (s *sum) add(p []byte, off int64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if skip := s.end - off; skip >= 0 && skip < int64(len(p)) {
		s.hash.Write(p[skip:]) // it never fails
		s.end = off + int64(len(p))
	}
}

// at records the time of an append to the file.
func (s *sum) at(written time.Time) {
	if s != nil {
		s.time = written
	}
}

// holds reports whether the file still has the bytes read. It reads them again only if the time of
// the last write changed.
func (s *sum) holds(r io.ReaderAt, written time.Time) (bool, error) {
	if s == nil || written.Equal(s.time) {
		return true, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var now maphash.Hash
	now.SetSeed(s.hash.Seed())
	if _, err := io.CopyBuffer(&now, io.NewSectionReader(r, 0, s.end), make([]byte, 256<<10)); err != nil {
		return true, fmt.Errorf("look at what was read: %w", BareError(err))
	}
	s.time = written
	return now.Sum64() == s.hash.Sum64(), nil
}
