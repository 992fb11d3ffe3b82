package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// errOther reports that the path leads to another file than the opened one.
var errOther = errors.New("another file has taken its place")

// Rest closes the file's descriptor; from now on each read opens the file. It is for large numbers
// of rarely read files.
func (f *File) Rest() {
	if _, already := f.f.(resting); already {
		return
	}
	f.f.Close()
	f.f = resting{f.path, f.info}
}

// resting is a file without a descriptor.
type resting struct {
	path string
	info fs.FileInfo
}

func (r resting) open() (Handle, error) {
	f, err := System{}.WithDefaults().Open(r.path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(info, r.info) {
		err = fmt.Errorf("open %q: %w", r.path, errOther)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadAt opens the file for each read.
func (r resting) ReadAt(p []byte, off int64) (int, error) {
	f, err := r.open()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(p, off)
}

// Stat reads the file's info without opening it.
func (r resting) Stat() (fs.FileInfo, error) {
	info, err := os.Stat(r.path)
	if err == nil && !os.SameFile(info, r.info) {
		err = fmt.Errorf("look at %q: %w", r.path, errOther)
	}
	return info, err
}

// Close has no effect.
func (resting) Close() error { return nil }
