package source

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"turns/model/source/remote"
	"turns/model/source/web"
)

type rootsKey struct{}

// Within returns a context in which transcripts are listed and opened only below some folders and
// files, also through links; all other paths do not exist. Without roots no path is allowed.
func Within(ctx context.Context, roots []string) context.Context {
	real := make([]string, 0, len(roots))
	for _, root := range roots {
		if r, err := RealPath(root); err == nil {
			real = append(real, r)
		}
	}
	return context.WithValue(ctx, rootsKey{}, real)
}

// Allowed returns an error for a path that leads out of the roots of the context, and nil if the
// context has no roots. The error does not reveal whether the file exists.
func Allowed(ctx context.Context, path string) error {
	roots, ok := ctx.Value(rootsKey{}).([]string)
	if !ok {
		return nil
	}
	real, err := RealPath(path)
	if err != nil || web.IsURL(path) || remote.Is(path) || !slices.ContainsFunc(roots, func(root string) bool { return Below(root, real) }) {
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return nil
}

// RealPath returns the absolute path of a file without links in it.
func RealPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

// Below reports whether a path is a folder, or inside it.
func Below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
