package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"turns/model/format"
)

// ByAge puts paths in the order in which they were written, the newest first.
func ByAge(paths []string) []string {
	sorted := make([]string, 0, len(paths))
	for _, f := range byAge(paths) {
		sorted = append(sorted, f.path)
	}
	return sorted
}

// Usual are the places on this machine where the agents keep their transcripts,
// as the formats declare them.
func Usual(home string) []string {
	var places []string
	for _, f := range format.All() {
		for _, where := range f.Where {
			if rest, ok := strings.CutPrefix(where, "~/"); ok {
				places = append(places, filepath.Join(home, filepath.FromSlash(rest)))
			}
		}
	}
	return places
}

// Find gives the transcripts under the places, which are files, folders or
// patterns: of a folder all files that could be one. What cannot be listed is
// left out.
func Find(places []string) []string {
	seen := make(map[string]bool)
	var paths []string
	add := func(p string) {
		if !seen[p] {
			seen[p] = true
			paths = append(paths, p)
		}
	}
	for _, place := range places {
		if info, err := os.Stat(place); err == nil && info.IsDir() {
			for _, p := range walk(place) {
				add(p)
			}
			continue
		} else if err == nil {
			add(place)
			continue
		}
		found, _ := filepath.Glob(place)
		for _, p := range found {
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
				add(p)
			}
		}
	}
	return paths
}

// walk is the files below a folder whose names could be those of transcripts. The
// folder may be a link to one; links in it are not followed.
func walk(dir string) []string {
	var paths []string
	root := dir + string(filepath.Separator) // leads through a link
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			if name := d.Name(); p != root && (name == ".git" || name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		case d.Type().IsRegular() && transcriptName(d.Name()):
			paths = append(paths, p)
		}
		return nil
	})
	_ = err // WalkDir gives only what the function gives, which is nothing
	return paths
}

func transcriptName(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".zst")
	for _, ext := range []string{".jsonl", ".ndjson", ".json", ".db", ".sqlite", ".eval", ".traj", ".vscdb"} {
		if strings.HasSuffix(name, ext) {
			return true
		}
	}
	return name == ".aider.chat.history.md"
}

// Listed is a summary, or why there is none.
type Listed struct {
	Summary
	Err error
}

// List summarises transcripts, several at a time, in the order in which they were
// written, the newest first. known gives a summary that was made before and still
// holds; nil for none.
func List(ctx context.Context, paths []string, known func(path string, info fs.FileInfo) (Summary, bool)) iter.Seq[Listed] {
	return func(yield func(Listed) bool) {
		ctx, cancel := context.WithCancel(ctx)
		files := byAge(paths)
		h := &hints{}
		jobs := make(chan int)
		results := make([]chan Listed, len(files))
		for i := range results {
			results[i] = make(chan Listed, 1)
		}
		var wg sync.WaitGroup
		defer func() { // also when yield panics
			cancel()
			wg.Wait()
		}()
		for range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				l := newLister(h)
				for i := range jobs {
					results[i] <- l.summarised(ctx, files[i], known)
				}
			})
		}
		wg.Go(func() {
			defer close(jobs)
			for i := range files {
				select {
				case jobs <- i:
				case <-ctx.Done():
					return
				}
			}
		})
		for i := range results {
			select {
			case r := <-results[i]:
				if !yield(r) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

type agedFile struct {
	path string
	info fs.FileInfo
	err  error
}

func byAge(paths []string) []agedFile {
	files := make([]agedFile, 0, len(paths))
	for _, p := range paths {
		info, err := os.Stat(p)
		files = append(files, agedFile{p, info, err})
	}
	slices.SortStableFunc(files, func(a, b agedFile) int { // what cannot be looked at stands last
		switch {
		case a.err != nil && b.err != nil:
			return 0
		case a.err != nil:
			return 1
		case b.err != nil:
			return -1
		}
		return b.info.ModTime().Compare(a.info.ModTime())
	})
	return files
}

func (l *lister) summarised(ctx context.Context, f agedFile, known func(string, fs.FileInfo) (Summary, bool)) (out Listed) {
	defer func() { // one damaged file must not end the list
		if r := recover(); r != nil {
			out = Listed{Summary{Path: f.path}, fmt.Errorf("summarising %q: %v", f.path, r)}
		}
	}()
	if f.err != nil {
		return Listed{Summary{Path: f.path}, f.err}
	}
	if known != nil {
		if s, ok := known(f.path, f.info); ok {
			return Listed{s, nil}
		}
	}
	s, err := l.summarise(ctx, f.path, f.info)
	if errors.Is(err, context.Canceled) {
		err = ctx.Err()
	}
	return Listed{s, err}
}
