package source

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"turns/model"
)

// An account's export stores pictures, sounds and files next to its conversations. These refer to a
// file by an id: file-service://file-AbC is the file file-AbC-cat.png, in the same folder or below.

// assetOf returns the file id in a reference of such an export, "" if there is none.
func assetOf(place string) string {
	for _, scheme := range [...]string{"file-service://", "sediment://"} {
		if rest, ok := strings.CutPrefix(place, scheme); ok {
			rest = rest[strings.LastIndexByte(rest, '#')+1:]
			if !strings.ContainsAny(rest, `/\`) {
				return rest
			}
		}
	}
	if (strings.HasPrefix(place, "file-") || strings.HasPrefix(place, "file_")) && !strings.ContainsAny(place, `/\`) {
		return place
	}
	return ""
}

// isAsset reports whether a file has the id as its name, or as the part of it before -, . or _.
func isAsset(name, id string) bool {
	rest, ok := strings.CutPrefix(path.Base(name), id)
	return ok && (rest == "" || strings.IndexByte("-._", rest[0]) >= 0)
}

// The limits of a search for a file: the depth of folders and the number of files.
const (
	assetDepth = 3
	assetFiles = 100_000
)

// findAsset returns the path of the file with an id in a folder or below it, "" if there is none.
func findAsset(dir fs.FS, id string) (found string) {
	seen := 0
	_ = fs.WalkDir(dir, ".", func(name string, e fs.DirEntry, err error) error {
		if seen++; seen > assetFiles {
			return fs.SkipAll
		}
		switch {
		case err != nil && e != nil && e.IsDir():
			return fs.SkipDir // skip unreadable folders
		case err != nil:
			return nil
		case e.IsDir() && strings.Count(name, "/") >= assetDepth-1 && name != ".":
			return fs.SkipDir
		case e.Type().IsRegular() && isAsset(name, id):
			found = name
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// fetchMember reads a file from the archive that the conversations were unpacked from. It returns
// nil without an error if the transcript is not an archive.
func (s *Source) fetchMember(elsewhere string) ([]byte, error) {
	f, err := os.Open(s.arg)
	if err != nil {
		return nil, nil // the search in the folder reports the error
	}
	defer f.Close()
	head := make([]byte, 16)
	info, err := f.Stat()
	if n, _ := f.ReadAt(head, 0); err != nil || magic(head[:n]) != zipBytes {
		return nil, nil
	}
	a, err := openArchive(f, info.Size(), s.arg, newMeter(s.opts.Limits))
	if err != nil {
		return nil, fmt.Errorf("fetch %q: %w", elsewhere, err)
	}
	id := assetOf(elsewhere)
	i := slices.IndexFunc(a.list, func(m *zip.File) bool {
		return m.Name == elsewhere || path.Base(m.Name) == elsewhere || id != "" && isAsset(m.Name, id)
	})
	if i < 0 {
		return nil, fmt.Errorf("fetch %q: there is no such file in the archive %q", elsewhere, s.arg)
	}
	r, err := a.open(a.list[i].Name)
	if err != nil {
		return nil, fmt.Errorf("fetch %q: %w", elsewhere, err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxFetched+1))
	if err == nil && len(data) > maxFetched {
		err = fmt.Errorf("it is larger than the limit of %s", model.SizeOf(maxFetched))
	}
	if err != nil {
		return nil, fmt.Errorf("fetch %q: %w", elsewhere, err)
	}
	return data, nil
}
