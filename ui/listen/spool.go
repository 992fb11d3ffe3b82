package listen

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"turns/export/outfile"
)

// Spool is the file that keeps what was received, a request a line. It only grows.
type Spool struct {
	mu   sync.Mutex
	file *os.File
	seen map[[16]byte]bool // requests, so that one that is sent again is kept once
	size int64             // up to which lines are whole
}

// maxSeen bounds what is remembered of requests; older ones may be kept twice.
const maxSeen = 1 << 20

// OpenSpool opens a file, or makes it and its folder. A file that holds anything but received
// requests is an error and stays as it is, and so is one that another program receives into. The
// half of a request that a killed program left at the end is cut off: its sender was never told
// that it was received.
func OpenSpool(path string) (*Spool, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("making a folder for the received spans: %w", err)
	}
	f, err := openSpool(path)
	if err != nil {
		return nil, fmt.Errorf("opening the file for the received spans: %w", err)
	}
	if !outfile.Hold(f) {
		f.Close()
		return nil, fmt.Errorf("another turns listen writes to %q", path)
	}
	s := &Spool{file: f, seen: map[[16]byte]bool{}}
	if err := s.remember(path); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// openSpool opens the file through links, which may lead to another disk, and refuses what is not
// a regular file before a pipe keeps it waiting.
func openSpool(path string) (*os.File, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return outfile.OpenRegularAt(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
}

// remember reads what was received before. Nothing is cut before all of it was read.
func (s *Spool) remember(path string) error {
	r := bufio.NewReaderSize(s.file, 1<<16)
	for {
		line, err := r.ReadBytes('\n')
		whole := err == nil
		switch {
		case len(line) == 0:
		case isRequest(line):
			s.size += int64(len(line))
			s.note(bytes.TrimSuffix(line, newline))
			if !whole { // the disk was full, or it was copied
				if _, err := s.file.Write(newline); err != nil {
					return fmt.Errorf("ending the last line of %q: %w", path, err)
				}
				s.size++
			}
		case whole || json.Valid(line) || s.size == 0 && !beginsRequest(line):
			return fmt.Errorf("%q is not a file of received requests (byte %d); it is unchanged", path, s.size)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return s.cut()
			}
			return fmt.Errorf("reading the received spans: %w", err)
		}
	}
}

var newline = []byte{'\n'}

// isRequest reports whether a line is a request that was received: an object in JSON with a list of
// one of the signals.
func isRequest(line []byte) bool {
	var request map[string]json.RawMessage
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &request) != nil {
		return false
	}
	return slices.ContainsFunc(signals(), func(s *signal) bool { return bytes.HasPrefix(request[s.groups], []byte("[")) })
}

// beginsRequest reports whether half a line may be that of a request.
func beginsRequest(half []byte) bool {
	return slices.ContainsFunc(signals(), func(s *signal) bool {
		begin := []byte(`{"` + s.groups + `":[`)
		n := min(len(begin), len(half))
		return bytes.Equal(half[:n], begin[:n])
	})
}

// cut takes away the half of a line behind the last whole one. Nobody else writes the file.
func (s *Spool) cut() error {
	info, err := s.file.Stat()
	if err != nil || info.Size() <= s.size {
		return err
	}
	if err := s.file.Truncate(s.size); err != nil {
		return fmt.Errorf("cutting off an incomplete line of the received spans: %w", err)
	}
	return nil
}

// note remembers a line, and reports whether it is known.
func (s *Spool) note(line []byte) (known bool) {
	sum := sha256.Sum256(line)
	key := [16]byte(sum[:16])
	if s.seen[key] {
		return true
	}
	if len(s.seen) >= maxSeen {
		clear(s.seen)
	}
	s.seen[key] = true
	return false
}

// forget takes back what note remembered.
func (s *Spool) forget(line []byte) {
	sum := sha256.Sum256(line)
	delete(s.seen, [16]byte(sum[:16]))
}

// add keeps a line, which has no line feed, whole or not at all. One that was kept
// before is not kept again: senders that heard no answer send once more.
func (s *Spool) add(line []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.note(line) {
		return nil
	}
	n, err := s.file.Write(append(line, '\n'))
	if err != nil {
		s.forget(line)
		return errors.Join(fmt.Errorf("saving the received spans: %w", err), s.cut())
	}
	s.size += int64(n)
	return nil
}

// Close ends the spool. What it kept stays.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file.Close()
}
