package disk

import "os"

// keptPrefix is what the folders of databases that arrived or were copied are called: the only
// files of ours that have names while they are used.
const keptPrefix = "turns-database-"

// Keep makes a folder in tempDir that does not outlive the program: its owner calls release and
// removes it, or after a crash [RemoveLeftovers] of another program does.
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
