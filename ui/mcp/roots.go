package mcp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"turns/ui/transcripts"
)

// roots are the folders and files that a client may read, with symbolic links resolved.
type roots []string

// newRoots resolves paths. A missing one is an error, because the user who allowed it meant
// something.
func newRoots(paths []string) (roots, error) {
	var r roots
	for _, p := range paths {
		real, err := resolve(p)
		if err != nil {
			return nil, fmt.Errorf("open %q: %w", p, err)
		}
		r = append(r, real)
	}
	return r, nil
}

// below resolves a path from a client; an error if it leads outside. A relative path is tried below
// each root.
func (r roots) below(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	file, part := transcripts.PartOf(name)
	tries := []string{file}
	if !filepath.IsAbs(file) {
		tries = nil
		for _, root := range r {
			tries = append(tries, filepath.Join(root, file))
		}
	}
	for _, try := range tries {
		real, err := resolve(try)
		switch {
		case err != nil:
			continue
		case !slices.ContainsFunc(r, func(root string) bool { return holds(root, real) }):
			continue
		case part != nil:
			return transcripts.PartPath(real, *part), nil
		}
		return real, nil
	}
	// do not reveal whether it exists elsewhere
	return "", fmt.Errorf("no transcript %q below the folders of this server", name)
}

// resolve follows all symbolic links of a path.
func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if pathErr := (*os.PathError)(nil); errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return real, err
}

// holds reports whether a path is a root or below it.
func holds(root, path string) bool {
	rest, err := filepath.Rel(root, path)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}
