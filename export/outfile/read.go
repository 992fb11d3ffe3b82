package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Read reads a file of the program or its configuration, of at most a number of bytes. Other than
// regular files and larger ones are errors.
func Read(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path) // opening a pipe would wait, a device may do something
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %q: %w", path, errKind)
	}
	if info.Size() > most {
		return nil, fmt.Errorf("read %q: it has %d bytes, the most is %d", path, info.Size(), most)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

var errKind = errors.New("it is no regular file")
