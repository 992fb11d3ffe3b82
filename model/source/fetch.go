package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"turns/model"
	"turns/model/source/remote"
	"turns/model/source/web"
)

// maxFetched is the maximum size of a body outside the transcript.
const maxFetched = 16 << 20

// Fetch reads a body outside the transcript, by the place named in the transcript. Transcripts are
// not trusted, so Fetch reads only two places: for a URL, addresses below the transcript's own on
// the same server; for a file, files in the folder of the transcript or below it.
func (s *Source) Fetch(ctx context.Context, elsewhere string) ([]byte, error) {
	switch {
	case elsewhere == "":
		return nil, errors.New("fetch: no place is named")
	case web.IsURL(s.arg):
		return web.Fetch(ctx, s.arg, elsewhere, s.opts.asking(), maxFetched)
	case remote.Is(s.arg):
		a, _ := remote.Parse(s.arg)
		return s.fetchElsewhere(remote.With(ctx, remote.Of(s.ctx)), a, elsewhere)
	case s.arg == "" || s.arg == "-":
		return nil, fmt.Errorf("fetch %q: the transcript came through a pipe, so nothing lies beside it", elsewhere)
	}
	return s.fetchFile(elsewhere)
}

func (s *Source) fetchFile(elsewhere string) ([]byte, error) {
	dir := s.arg
	if info, err := os.Stat(s.arg); err != nil {
		return nil, fmt.Errorf("fetch %q: %w", elsewhere, err)
	} else if !info.IsDir() {
		dir = filepath.Dir(s.arg)
	}
	if data, err := s.fetchMember(elsewhere); data != nil || err != nil {
		return data, err
	}
	root, err := os.OpenRoot(dir) // protects against .. and links that lead outside
	if err != nil {
		return nil, fmt.Errorf("fetch %q: %w", elsewhere, err)
	}
	defer root.Close()
	places := s.nearby(dir, elsewhere)
	if asset := assetOf(elsewhere); asset != "" {
		if found := findAsset(root.FS(), asset); found != "" {
			places = append(places, found)
		}
	}
	for _, name := range places {
		info, err := root.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if info.Size() > maxFetched {
			return nil, fmt.Errorf("fetch %q: it is larger than the limit of %s", elsewhere, model.SizeOf(maxFetched))
		}
		f, err := root.Open(name)
		if err != nil {
			return nil, fmt.Errorf("fetch %q: %w", elsewhere, err)
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, maxFetched))
	}
	return nil, fmt.Errorf("fetch %q: there is no such file in the transcript's folder %q or below it", elsewhere, dir)
}

// nearby returns the possible paths of a place below dir: the named path, and for a moved
// transcript, the path below the folder with the transcript's name.
func (s *Source) nearby(dir, elsewhere string) []string {
	place := filepath.FromSlash(strings.TrimPrefix(elsewhere, "file://"))
	var names []string
	if filepath.IsAbs(place) {
		if whole, err := filepath.Abs(dir); err == nil {
			if rel, err := filepath.Rel(whole, place); err == nil {
				names = append(names, rel)
			}
		}
	} else {
		names = append(names, place)
	}
	stem := strings.TrimSuffix(filepath.Base(s.arg), filepath.Ext(s.arg))
	parts := strings.Split(filepath.ToSlash(place), "/")
	if i := slices.Index(parts, stem); i >= 0 {
		names = append(names, filepath.Join(parts[i:]...))
	}
	return slices.DeleteFunc(names, func(n string) bool { return !filepath.IsLocal(n) })
}
