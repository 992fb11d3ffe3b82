package outfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Read reads a file of the program or its configuration, of at most most bytes. Larger files and
// irregular ones are errors.
func Read(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path) // opening a pipe would wait, and opening a device may have effects
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
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead)) // does not grow
	_, err = data.ReadFrom(io.LimitReader(f, most))
	return data.Bytes(), err
}

var errKind = errors.New("it is no regular file")
