// Package disk reads files as streams that grow and report changes of bytes already read, without
// blocking on pipes and devices. The operating system or a later start of the program removes its
// temporary files, even after a crash.
package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// headSize and tailSize are the numbers of bytes that File remembers of the start of the file, and
// before the last seen end. They distinguish a file that has grown from one that was rewritten
// between two checks and is now larger.
const (
	headSize = 1 << 10
	tailSize = 256
)

// The errors for paths that do not support random access.
var (
	errDirectory = errors.New("is a directory")
	ErrDevice    = errors.New("is a device")
	ErrSocket    = errors.New("is a socket")
	ErrPipe      = errors.New("is a named pipe")
)

// File is a file as a stream. It shows the state of the last Refresh: a Size that only grows, and
// bytes that stay the same. If the file changes in any other way, Refresh returns false and the
// File ends there.
type File struct {
	path string
	f    Handle
	info fs.FileInfo

	mu   sync.RWMutex
	size int64
	head []byte
	tail []byte // the bytes before size
	sum  *sum   // of the bytes read; nil: not requested
}

// OpenFile opens a regular file. It refuses a directory, device, socket or named pipe.
func OpenFile(path string) (*File, error) { return System{}.OpenFile(path) }

// OpenFile opens a regular file of the system, like the function OpenFile.
func (y System) OpenFile(path string) (*File, error) {
	y = y.WithDefaults()
	// Check the kind before, because opening a pipe or device may block or have effects, and again
	// afterwards, because the path may have changed.
	info, err := y.Stat(path)
	if err != nil {
		return nil, PathError(path, err)
	}
	if err := Regular(info); err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	f, err := y.Open(path)
	if err != nil {
		return nil, PathError(path, err)
	}
	if info, err = f.Stat(); err == nil {
		err = Regular(info)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	file := &File{path: path, f: f, info: info}
	if _, err := file.Refresh(); err != nil {
		// The file's ends or its state are unreadable. Readable bytes stay available; readers of
		// the others get the error.
		file.size, file.head, file.tail = info.Size(), nil, nil
	}
	return file, nil
}

// PathError wraps err in the form of all errors of this package: the operation, the path and the
// reason.
func PathError(path string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("open %q: %w", path, err)
}

// Regular returns nil for a regular file, and otherwise its kind: ErrPipe, ErrSocket, ErrDevice, or
// an error for a directory.
func Regular(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return errDirectory
	case mode&fs.ModeNamedPipe != 0:
		return ErrPipe
	case mode&fs.ModeSocket != 0:
		return ErrSocket
	}
	return ErrDevice
}

// Size returns the size at the last Refresh.
func (f *File) Size() int64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.size
}

// ReadAt reads up to Size. If the file has become shorter, the error wraps io.ErrUnexpectedEOF.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	size := f.Size()
	if off < 0 {
		return 0, fmt.Errorf("read %q: negative offset %d", f.path, off)
	}
	if off >= size {
		return 0, io.EOF
	}
	short := int64(len(p)) > size-off
	if short {
		p = p[:size-off]
	}
	n, err := f.f.ReadAt(p, off)
	f.sum.add(p[:n], off)
	switch {
	case n == len(p) && short:
		return n, io.EOF
	case n == len(p):
		return n, nil
	case err == io.EOF:
		return n, fmt.Errorf("read %q at byte %d: the file has become shorter: %w", f.path, off+int64(n), io.ErrUnexpectedEOF)
	}
	return n, fmt.Errorf("read %q: %w", f.path, BareError(err))
}

// BareError removes operation and path from an error of package os, for a message that has them
// itself.
func BareError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// Refresh reads the state of the file again. If earlier bytes are gone, it returns false and
// changes no state.
func (f *File) Refresh() (same bool, err error) {
	info, err := f.f.Stat()
	if err != nil {
		return true, fmt.Errorf("look at %q: %w", f.path, BareError(err))
	}
	size := info.Size()
	f.mu.Lock()
	defer f.mu.Unlock()
	if size < f.size {
		return false, nil
	}
	if same, err := f.unchanged(); !same || err != nil {
		return same, err
	}
	if size == f.size {
		return f.sum.holds(f.f, info.ModTime())
	}
	f.sum.at(info.ModTime())
	if len(f.head) < headSize {
		if f.head, err = f.bytes(0, min(headSize, size)); err != nil {
			return true, err
		}
	}
	tail, err := f.bytes(max(0, size-tailSize), size)
	if err != nil {
		return true, err
	}
	if int64(len(tail)) < min(size, tailSize) { // it was truncated between the checks
		return true, nil
	}
	f.tail, f.size = tail, size
	return true, nil
}

// Holds reports whether the remembered bytes are still in place, as far as they are readable. It
// changes no state.
func (f *File) Holds() bool {
	info, err := f.f.Stat()
	if err != nil {
		return true
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	if info.Size() < f.size {
		return false
	}
	same, err := f.unchanged()
	return same || err != nil
}

// unchanged reports whether the remembered bytes are still in place.
func (f *File) unchanged() (bool, error) {
	head, err := f.bytes(0, int64(len(f.head)))
	if err != nil || !bytes.Equal(head, f.head) {
		return err != nil, err
	}
	tail, err := f.bytes(f.size-int64(len(f.tail)), f.size)
	return err != nil || bytes.Equal(tail, f.tail), err
}

func (f *File) bytes(from, to int64) ([]byte, error) {
	b := make([]byte, to-from)
	n, err := f.f.ReadAt(b, from)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read %q: %w", f.path, BareError(err))
	}
	return b[:n], nil
}

// Is reports whether info describes this file. The FileInfo of a remote file decides this itself.
func (f *File) Is(info fs.FileInfo) bool {
	if own, ok := info.(interface{ SameFile(fs.FileInfo) bool }); ok {
		return own.SameFile(f.info)
	}
	return os.SameFile(f.info, info)
}

// SameAs reports whether other is the same file.
func (f *File) SameAs(other *File) bool { return f.Is(other.info) }

// Touched reports whether info has another time or size than the file had when opened.
func (f *File) Touched(info fs.FileInfo) bool {
	return !info.ModTime().Equal(f.info.ModTime()) || info.Size() != f.info.Size()
}

// Path returns the path that was opened.
func (f *File) Path() string { return f.path }

// Close closes the file; its bytes are no longer readable.
func (f *File) Close() error { return f.f.Close() }
