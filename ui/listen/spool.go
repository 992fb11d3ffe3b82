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

// Spool is the file of the received requests, one per line. It only grows.
type Spool struct {
	mu   sync.Mutex
	file *os.File
	seen map[[16]byte]bool // hashes of requests, so that a repeated one is stored once
	size int64             // length of the complete lines
}

// maxSeen limits the remembered requests; repeated older ones may be stored twice.
const maxSeen = 1 << 20

// OpenSpool opens a file, or creates it and its folder. It returns an error and changes nothing if
// the file contains anything but received requests, or if another program receives into it. It cuts
// off an incomplete request at the end, left by a killed program: its sender got no confirmation.
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

// openSpool opens the file through symbolic links, which may lead to another disk, and rejects
// anything but a regular file before a pipe could block it.
func openSpool(path string) (*os.File, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return outfile.OpenRegularAt(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
}

// remember reads the earlier requests. It cuts nothing before it has read all of them.
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
			if !whole { // the disk was full, or the file was being copied
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

// isRequest reports whether a line is a received request: a JSON object with a list of one of the
// signals.
func isRequest(line []byte) bool {
	var request map[string]json.RawMessage
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &request) != nil {
		return false
	}
	return slices.ContainsFunc(signals(), func(s *signal) bool { return bytes.HasPrefix(request[s.groups], []byte("[")) })
}

// beginsRequest reports whether an incomplete line may be the start of a request.
func beginsRequest(half []byte) bool {
	return slices.ContainsFunc(signals(), func(s *signal) bool {
		begin := []byte(`{"` + s.groups + `":[`)
		n := min(len(begin), len(half))
		return bytes.Equal(half[:n], begin[:n])
	})
}

// cut removes the incomplete line after the last complete one. No other program writes the file.
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

// note records a line, and reports whether it was known.
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

// forget undoes note.
func (s *Spool) forget(line []byte) {
	sum := sha256.Sum256(line)
	delete(s.seen, [16]byte(sum[:16]))
}

// add stores a line (without line feed) completely or not at all. It skips lines stored before:
// senders without a response send again.
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

// Close closes the file.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file.Close()
}
