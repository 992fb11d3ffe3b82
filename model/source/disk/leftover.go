package disk

import "os"

// keptPrefix begins the names of folders with received or copied databases: our only temporary
// files with names.
const keptPrefix = "turns-database-"

// Keep makes a folder in tempDir for files that must not outlive the program. The owner calls
// release and removes the folder. After a crash, [RemoveLeftovers] in another process removes it.
func Keep(tempDir string) (dir string, release func(), err error) {
	if dir, err = os.MkdirTemp(tempDir, keptPrefix+"*"); err != nil {
		return "", nil, err
	}
	if release, err = hold(dir); err != nil {
		os.RemoveAll(dir)
		return "", nil, err
	}
	return dir, release, nil
}
