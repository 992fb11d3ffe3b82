// Package spool stores bytes from one writer for any number of readers: the input from a pipe or a
// server, or the records of a container.
package spool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"turns/model"
)

// For speed only: flushAt is how many bytes a spool with a file buffers in memory.
const flushAt = 256 << 10

// Spool is a private stream: one writer appends bytes and any goroutine reads them. It is in memory
// until it grows too large, then in a temporary file that only its owner may read and that has no
// name if the system allows it.
//
// Bytes become visible with Commit, so that readers never see half a record. Until then the writer
// can undo them.
type Spool struct {
	limit int64
	dir   string

	mu     sync.RWMutex
	file   *os.File
	named  string // the file's path if it could not be unlinked immediately
	base   int64  // bytes in file
	buf    []byte // bytes after base
	size   int64  // committed bytes
	ended  bool
	closed bool
	err    error         // why it ended early
	wake   chan struct{} // closed at the next change; nil if there are no waiters
}

// New returns an empty spool. It has up to limits.Spool bytes in memory and more in a file in dir
// ("" is the system's folder for temporary files).
func New(limits model.Limits, dir string) *Spool {
	return &Spool{limit: limits.WithDefaults().Spool, dir: dir}
}

// Size returns the number of readable bytes.
func (s *Spool) Size() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.size
}

// ReadAt reads committed bytes.
func (s *Spool) ReadAt(p []byte, off int64) (int, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.readAt(p, off, s.size)
}

func (s *Spool) readAt(p []byte, off, size int64) (n int, err error) {
	if s.closed {
		return 0, fmt.Errorf("read spool: %w", os.ErrClosed)
	}
	if off < 0 {
		return 0, fmt.Errorf("read spool: negative offset %d", off)
	}
	if off >= size {
		return 0, io.EOF
	}
	short := int64(len(p)) > size-off
	if short {
		p = p[:size-off]
	}
	if off < s.base {
		part := p[:min(int64(len(p)), s.base-off)]
		n, err = s.file.ReadAt(part, off)
		if n < len(part) {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return n, fmt.Errorf("read spool: %w", err)
		}
	}
	if n < len(p) {
		n += copy(p[n:], s.buf[off+int64(n)-s.base:])
	}
	if short {
		return n, io.EOF
	}
	return n, nil
}

// Write appends p, visible after Commit.
func (s *Spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.append(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s *Spool) append(p []byte) error {
	switch {
	case s.closed:
		return fmt.Errorf("write spool: %w", os.ErrClosed)
	case s.err != nil:
		return s.err
	case s.ended:
		return errors.New("write spool: it has ended")
	}
	if len(p) > 4*flushAt && int64(len(s.buf)+len(p)) > s.limit { // bypass the buffer
		err := s.flush()
		if err == nil {
			err = s.through(p)
		}
		if err != nil {
			return s.fail(err)
		}
		return nil
	}
	s.buf = append(s.buf, p...)
	if s.file == nil && int64(len(s.buf)) <= s.limit || s.file != nil && len(s.buf) < flushAt {
		return nil
	}
	if err := s.flush(); err != nil {
		return s.fail(err)
	}
	return nil
}

func (s *Spool) fail(err error) error {
	s.err = fmt.Errorf("write spool: %w", err)
	s.signal()
	return s.err
}

// through writes p directly to the file.
func (s *Spool) through(p []byte) error {
	n, err := s.file.WriteAt(p, s.base)
	if err == nil {
		s.base += int64(n)
	}
	return err
}

func (s *Spool) flush() error {
	if s.file == nil {
		f, err := os.CreateTemp(s.dir, "turns-*") // mode 0600
		if err != nil {
			return err
		}
		s.file = f
		if os.Remove(f.Name()) != nil {
			s.named = f.Name()
		}
	}
	n, err := s.file.WriteAt(s.buf, s.base)
	if err != nil {
		// The bytes in the file and those in memory stay readable.
		return err
	}
	s.base += int64(n)
	if cap(s.buf) > 4*flushAt {
		s.buf = nil
	}
	s.buf = s.buf[:0]
	return nil
}

// Commit makes all bytes visible.
func (s *Spool) Commit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commit()
}

func (s *Spool) commit() {
	if size := s.base + int64(len(s.buf)); size != s.size && s.err == nil {
		s.size = size
		s.signal()
	}
}

// Written returns the offset after all bytes, committed or not.
func (s *Spool) Written() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.base + int64(len(s.buf))
}

// Broken reports whether the spool cannot accept more bytes.
func (s *Spool) Broken() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.err != nil || s.closed
}

// Pending returns the bytes from an offset on, committed or not.
func (s *Spool) Pending(from int64) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	end := s.base + int64(len(s.buf))
	b := make([]byte, end-from)
	_, err := s.readAt(b, from, end)
	return b, err
}

// Rollback removes the bytes from an offset on; to is not below Size.
func (s *Spool) Rollback(to int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to = max(to, s.size)
	if to >= s.base {
		s.buf = s.buf[:min(to-s.base, int64(len(s.buf)))]
		return
	}
	s.base, s.buf = to, s.buf[:0] // later writes overwrite the file's bytes after base
}

// signal wakes the waiters; the caller holds the lock.
func (s *Spool) signal() {
	if s.wake != nil {
		close(s.wake)
		s.wake = nil
	}
}

// Look returns the current state and a channel that closes when it changes.
func (s *Spool) Look() (size int64, ended bool, change <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wake == nil {
		s.wake = make(chan struct{})
	}
	err = s.err
	if s.closed && err == nil {
		err = fmt.Errorf("read spool: %w", os.ErrClosed)
	}
	return s.size, s.ended || s.closed || s.err != nil, s.wake, err
}

// Finish ends the spool: no more bytes will follow, because of err unless it is nil.
func (s *Spool) Finish(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.closed {
		return
	}
	s.ended = true
	if s.err == nil {
		s.err = err
	}
	s.signal()
}

// Wait waits until more than seen bytes are readable or no more will follow; err is the reason for
// an early end.
func (s *Spool) Wait(ctx context.Context, seen int64) (size int64, ended bool, err error) {
	for {
		size, ended, change, err := s.Look()
		if size > seen || ended {
			return size, ended, err
		}
		select {
		case <-ctx.Done():
			return size, false, ctx.Err()
		case <-change:
		}
	}
}

// Reader returns a view of the spool whose ReadAt waits for future bytes.
func (s *Spool) Reader(ctx context.Context) io.ReaderAt { return waiting{ctx, s} }

type waiting struct {
	ctx context.Context
	s   *Spool
}

func (w waiting) ReadAt(p []byte, off int64) (int, error) {
	size, ended, err := w.s.Wait(w.ctx, off)
	if size <= off {
		if ended && err == nil {
			err = io.EOF
		}
		return 0, err
	}
	n, err := w.s.ReadAt(p, off)
	if err == io.EOF && n > 0 {
		err = nil
	}
	return n, err
}

// Close frees the spool. Reading it afterwards is an error.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.buf = nil
	s.signal()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.named != "" {
		err = errors.Join(err, os.Remove(s.named))
	}
	return err
}
