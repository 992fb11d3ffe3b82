package listen

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
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

// OpenSpool opens a file, or makes it and its folder. What a program that was killed left
// of a line is cut off: its sender was never told that it was kept. Something else than
// received lines is an error, and stays as it is.
func OpenSpool(path string) (*Spool, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("making a folder for what is received: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the file for what is received: %w", err)
	}
	s := &Spool{file: f, seen: map[[16]byte]bool{}}
	if err := s.remember(path); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// remember reads what was kept before.
func (s *Spool) remember(path string) error {
	info, err := s.file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("keeping what is received in %q: it is no ordinary file", path))
	}
	r := bufio.NewReaderSize(s.file, 1<<16)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 && line[0] != '{' {
			return fmt.Errorf("keeping what is received in %q: byte %d begins something else", path, s.size)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return s.cut()
			}
			return fmt.Errorf("reading what was received: %w", err)
		}
		s.size += int64(len(line))
		s.note(line[:len(line)-1])
	}
}

// cut takes away what stands behind the last whole line.
func (s *Spool) cut() error {
	if err := s.file.Truncate(s.size); err != nil {
		return fmt.Errorf("cutting off half a line of what was received: %w", err)
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
		return errors.Join(fmt.Errorf("keeping what was received: %w", err), s.cut())
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
