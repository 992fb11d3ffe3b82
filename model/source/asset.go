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

// An account's export keeps pictures, sounds and files beside its conversations, which name them
// by an id: file-service://file-AbC is the file file-AbC-cat.png, here or in a folder below.

// assetOf is the id of a file in a place as such exports write it, "" where it is none.
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

// isAsset reports whether a file is that of an id: it has its name, alone or before a sign.
func isAsset(name, id string) bool {
	rest, ok := strings.CutPrefix(path.Base(name), id)
	return ok && (rest == "" || strings.IndexByte("-._", rest[0]) >= 0)
}

// How far, and among how many files, one is looked for.
const (
	assetDepth = 3
	assetFiles = 100_000
)

// findAsset is the file of an id in a folder or one below it, nil where there is none.
func findAsset(dir fs.FS, id string) []string {
	var found []string
	seen := 0
	_ = fs.WalkDir(dir, ".", func(name string, e fs.DirEntry, err error) error {
		if seen++; seen > assetFiles {
			return fs.SkipAll
		}
		switch {
		case err != nil && e != nil && e.IsDir():
			return fs.SkipDir // what cannot be read holds nothing for us
		case err != nil:
			return nil
		case e.IsDir() && strings.Count(name, "/") >= assetDepth-1 && name != ".":
			return fs.SkipDir
		case e.Type().IsRegular() && isAsset(name, id):
			found = []string{name}
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// fetchMember reads what an archive holds beside the conversations that were unpacked from it;
// nil without an error where the transcript is no archive.
func (s *Source) fetchMember(elsewhere string) ([]byte, error) {
	f, err := os.Open(s.arg)
	if err != nil {
		return nil, nil // the folder's turn to say so
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
