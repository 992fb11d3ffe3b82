package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"turns/model/source"
)

// trees has the searched folders, and the files that links in them lead to: content below a
// searched folder has rows already, whatever links lead there.
type trees struct {
	tops  []string
	files map[string]bool
}

// top adds a searched folder.
func (t *trees) top(dir string) {
	if real, err := source.RealPath(dir); err == nil {
		t.tops = append(t.tops, real)
	}
}

// systemFolders have files that describe the system: a link to them leads to endless folders
// without transcripts.
var systemFolders = []string{"/proc", "/sys", "/dev"}

// follow describes the target of a link in a folder: a file or a folder that has no row yet and is
// not above the folder, as in a cycle. It returns nil for others. A broken link is an error if a
// transcript could be there.
func (t *trees) follow(path string) (fs.FileInfo, error) {
	name := filepath.Base(path)
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && filepath.Ext(name) != "" && !transcriptName(name) {
			return nil, nil
		}
		return nil, fmt.Errorf("following a link: %w", err)
	}
	real, err := source.RealPath(path)
	if err != nil {
		return nil, fmt.Errorf("following a link: %w", err)
	}
	if slices.ContainsFunc(systemFolders, func(dir string) bool { return source.Below(dir, real) }) {
		return nil, nil
	}
	inside := func(top string) bool { return source.Below(top, real) }
	switch {
	case info.IsDir():
		if slices.ContainsFunc(t.tops, inside) || slices.ContainsFunc(t.tops, func(top string) bool { return source.Below(real, top) }) {
			return nil, nil
		}
		t.tops = append(t.tops, real)
	case !info.Mode().IsRegular() || t.files[real] || slices.ContainsFunc(t.tops, inside) && transcriptName(filepath.Base(real)) && !passedOver(real):
		return nil, nil
	default:
		if t.files == nil {
			t.files = map[string]bool{}
		}
		t.files[real] = true
	}
	return info, nil
}

// passedOver reports whether a path goes through a skipped folder.
func passedOver(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), skipped)
}

// skipped reports whether a search skips folders of this name.
func skipped(name string) bool {
	return name == ".git" || name == "node_modules" || name == ".turns-keep" // an archive's index
}
