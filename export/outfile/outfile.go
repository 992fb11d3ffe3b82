package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// FreeName returns the path with the lowest unused number.
func FreeName(dir, stem, ext string) string {
	for n := 1; ; n++ {
		path := filepath.Join(dir, stem+"-"+strconv.Itoa(n)+ext)
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) || n > 100_000 {
			return path
		}
	}
}

// countWriter counts the bytes that it passes on, and puts the name of the file into errors.
type countWriter struct {
	w    io.Writer
	path string
	n    int64
}

func (c *countWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, failed(c.path, err)
}

// failed returns an error with the name of the output: users do not know that of the hidden file.
func failed(path string, err error) error {
	if err == nil {
		return nil
	}
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	} else if le := (*os.LinkError)(nil); errors.As(err, &le) {
		err = le.Err
	}
	return fmt.Errorf("writing %q: %w", path, err)
}

// Write writes a file atomically. Without overwrite, an existing file is an error (os.ErrExist).
// It writes to the target of a link.
func Write(path string, perm os.FileMode, overwrite bool, write func(w io.Writer) error) (size int64, err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeDevice(path, write)
	}
	if !overwrite {
		if _, err := os.Lstat(path); err == nil {
			return 0, failed(path, os.ErrExist)
		}
	}
	f, err := CreateTemp(path, perm)
	if err != nil {
		return 0, err
	}
	temp := f.Name()
	defer os.Remove(temp)
	c := &countWriter{w: f, path: path}
	if err = write(c); err == nil {
		err = failed(path, f.Sync()) // a power failure must not leave only the name
	}
	if cerr := f.Close(); err == nil {
		err = failed(path, cerr)
	}
	if err != nil {
		return 0, err
	}
	if overwrite {
		err = os.Rename(temp, path)
	} else {
		err = os.Link(temp, path)
		if err != nil && !errors.Is(err, os.ErrExist) { // a file system without links
			err = os.Rename(temp, path)
		}
	}
	if err != nil {
		return 0, failed(path, err)
	}
	return c.n, nil
}

// WriteText writes a text to a new file.
func WriteText(path string, perm os.FileMode, text string) (size int64, err error) {
	return Write(path, perm, false, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// writeDevice writes to a device such as /dev/null or to a named pipe. Replacing it by a file would
// remove it for all programs.
func writeDevice(path string, write func(w io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return 0, failed(path, err)
	}
	c := &countWriter{w: f, path: path}
	if err = write(c); err == nil {
		err = failed(path, f.Close())
	} else {
		f.Close()
	}
	return c.n, err
}

// Slug makes s suitable for a file name.
func Slug(s string, limit int, none string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.':
			return r
		}
		return '-'
	}, s)
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	if len(s) > limit {
		s = s[:limit]
	}
	if s = strings.Trim(s, "-."); s == "" {
		return none
	}
	return s
}
