package shell

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"turns/model/source/remote"
)

// Here reads the files of this machine as another machine reads them through ssh: by the same keys,
// with the same listings and errors. The program uses it on a host that answers for its own files.
type Here struct{ *Store }

// OpenHere returns the store of this machine, which another machine knows by the name of a host.
func OpenHere(host string) Here {
	s := Open(host)
	s.command = func(script string) *exec.Cmd { return exec.Command("sh", "-c", script) }
	return Here{s}
}

// Local returns the path of a key on this machine.
func (h Here) Local(key string) string {
	key = place(key)
	if rest, ok := strings.CutPrefix(key, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, err := os.UserHomeDir(); err == nil {
			return home + rest
		}
	}
	return key
}

// Stat describes a file or a folder. The shell loop describes all others, and explains errors.
func (h Here) Stat(ctx context.Context, key string) (remote.Object, error) {
	info, err := os.Stat(h.Local(key))
	if err != nil || strings.ContainsAny(key, "\n\x00") || !info.IsDir() && !info.Mode().IsRegular() {
		return h.Store.Stat(ctx, key)
	}
	o := object(info)
	o.Key = key
	return o, nil
}

// object describes a file as the shell loop does, in whole seconds.
func object(info fs.FileInfo) remote.Object {
	return remote.Object{Size: info.Size(), Written: time.Unix(info.ModTime().Unix(), 0), Folder: info.IsDir()}
}

// Read fills p from off on. The shell loop explains why a file is unreadable.
func (h Here) Read(ctx context.Context, o remote.Object, p []byte, off int64) error {
	f, err := os.Open(filepath.Clean(h.Local(o.Key)))
	if err != nil {
		return h.Store.Read(ctx, o, p, off)
	}
	defer f.Close()
	switch _, err := f.ReadAt(p, off); {
	case err == io.EOF: // the file is shorter than its described size
		return errorText{remote.ErrChanged.Error(), remote.ErrChanged}
	case err != nil:
		return fmt.Errorf("the host says %w", err)
	}
	return ctx.Err()
}
