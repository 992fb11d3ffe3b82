package outfile

import (
	"fmt"
	"os"
)

// Lock waits until nobody else holds the lock file at path, which is made where there is
// none, and holds it until free is called or the process has ended.
func Lock(path string) (free func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("making the lock file: %w", err)
	}
	if err := waitLock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("waiting for the lock file: %w", err)
	}
	return func() { f.Close() }, nil
}
