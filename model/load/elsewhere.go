package load

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"turns/model/source/remote"
)

// dirOf returns the folder of a file.
func dirOf(path string) string {
	if at, ok := remote.Parse(path); ok {
		return at.Dir().String()
	}
	return filepath.Dir(path)
}

// joinKeys is filepath.Join for addresses, whose names must not be cleaned.
func joinKeys(parts ...string) string {
	dir, name := parts[0], filepath.ToSlash(parts[1])
	if name == "." {
		return dir
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

// lookElsewhere implements look for a folder of a bucket or of another host, with one listing of
// everything below.
func (f *finder) lookElsewhere(at remote.Address) folder {
	objects, err := remote.List(f.ctx, at)
	if err != nil {
		f.errs = append(f.errs, err)
	}
	return lookAmong(at, objects)
}

// IsWhole reports whether a folder is one transcript. The first names in a remote folder decide.
func IsWhole(ctx context.Context, dir string) bool {
	if at, ok := remote.Parse(dir); ok {
		objects, _ := remote.First(ctx, at)
		return slices.ContainsFunc(lookAmong(at, objects).stores, func(s store) bool { return s.dir == "." })
	}
	paths, _ := Find(ctx, []string{dir})
	return slices.Contains(paths, filepath.Clean(dir))
}

// lookAmong returns the content of a folder from the objects below it.
func lookAmong(at remote.Address, objects []remote.Object) folder {
	prefix := strings.TrimSuffix(at.Key, "/") + "/"
	if at.Key == "" {
		prefix = ""
	}
	root := &branch{}
	for _, o := range objects {
		root.add(strings.TrimPrefix(o.Key, prefix))
	}
	return root.look(at.String())
}

// branch is a folder of names.
type branch struct {
	files   []string
	names   []string // of the folders, in order
	folders map[string]*branch
}

func (b *branch) add(name string) {
	for {
		dir, rest, below := strings.Cut(name, "/")
		if !below {
			b.files = append(b.files, name)
			return
		}
		if skipped(dir) {
			return
		}
		next := b.folders[dir]
		if next == nil {
			if b.folders == nil {
				b.folders = map[string]*branch{}
			}
			next = &branch{}
			b.folders[dir], b.names = next, append(b.names, dir)
		}
		b, name = next, rest
	}
}

// look returns the files below the branch, and the stores in it.
func (b *branch) look(dir string) folder {
	below := folder{files: b.files}
	var inStores []string
	for _, name := range b.names {
		inStores = append(inStores, below.take(name, b.folders[name].look(joinKeys(dir, name)))...)
	}
	below.claim(dir, inStores)
	return below
}

var errNoFile = errors.New("it is no regular file")

// skimmed is a file to read up to its size at the time of opening.
type skimmed struct {
	*io.SectionReader
	io.Closer
	far bool
}

func openToSkim(ctx context.Context, path string) (*skimmed, error) {
	f, err := remote.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, cmp.Or(err, errNoFile)
	}
	return &skimmed{io.NewSectionReader(f, 0, info.Size()), f, remote.Is(path)}, nil
}
