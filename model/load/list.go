package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"turns/model"
	"turns/model/source/remote"
)

// ByAge sorts paths by the time of writing, the newest first.
func ByAge(ctx context.Context, paths []string) []string {
	sorted := make([]string, 0, len(paths))
	for _, f := range byAge(ctx, paths) {
		sorted = append(sorted, f.path)
	}
	return sorted
}

// Likely returns the newest files, at most most, whose names suggest transcripts.
func Likely(ctx context.Context, names []string, most int) []string {
	named := make([]string, 0, len(names))
	for _, name := range names {
		if transcriptName(path.Base(name)) && !otherTable(name) && !passedOver(name) {
			named = append(named, name)
		}
	}
	newest := ByAge(ctx, named)
	return newest[:min(most, len(newest))]
}

// Listed is a summary, or the reason why there is none.
type Listed struct {
	model.Summary
	Err error
	// Unread is why a part of it was unreadable.
	Unread error
	Info   fs.FileInfo // of the file when it was listed; nil if there is none
	// it is a database or a folder, whose size and time do not show changes
	Store bool
	Parts []Part // the conversations of a store with several
}

// ListOptions configure List.
type ListOptions struct {
	// returns an earlier summary if it is still valid; nil: no earlier ones
	Known   func(path string, info fs.FileInfo) (model.Summary, bool)
	Whole   bool // read complete transcripts of any size
	Workers int  // 0: one for each core
}

// List summarises transcripts, several in parallel, by the time of writing, the newest first.
func List(ctx context.Context, paths []string, opts ListOptions) iter.Seq[Listed] {
	return func(yield func(Listed) bool) {
		ctx, cancel := context.WithCancel(ctx)
		l := listing{files: byAge(ctx, paths), opts: opts}
		l.made = make([]Listed, len(l.files))
		l.pages = make([]page, (len(l.files)+pageSize-1)/pageSize)
		for i := range l.pages {
			l.pages[i].done = make(chan struct{})
			l.pages[i].left.Store(int32(min(pageSize, len(l.files)-i*pageSize)))
		}
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		workers := cmp.Or(opts.Workers, runtime.GOMAXPROCS(0))
		if slices.ContainsFunc(paths, remote.Is) {
			workers = remote.AtOnce
		}
		for range min(workers, len(l.files)) {
			wg.Go(func() { l.work(ctx) })
		}
		for i := range l.pages {
			select {
			case <-l.pages[i].done:
			case <-ctx.Done():
				return
			}
			for _, r := range l.made[i*pageSize : min((i+1)*pageSize, len(l.made))] {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// listing is the state shared by a list's workers. Each processes the next file and stores its
// summary at the file's index. They hand over summaries a page at a time, because handing over each
// of thousands of rows would take as long as reading the files.
type listing struct {
	files []agedFile
	opts  ListOptions
	hints Hints
	taken atomic.Int64
	made  []Listed
	pages []page
}

// page is a run of summaries that is handed over together.
type page struct {
	left atomic.Int32
	done chan struct{}
}

// For speed only: a worker takes so many files at a time.
const pageSize = 16

func (l *listing) work(ctx context.Context) {
	w := newLister(&l.hints)
	w.wholly = l.opts.Whole
	for ctx.Err() == nil {
		i := int(l.taken.Add(1)) - 1
		if i >= len(l.files) {
			return
		}
		l.made[i] = w.summarised(ctx, l.files[i], l.opts.Known)
		if p := &l.pages[i/pageSize]; p.left.Add(-1) == 0 {
			close(p.done)
		}
	}
}

type agedFile struct {
	path    string
	info    fs.FileInfo
	err     error
	written time.Time
	size    int64
}

func byAge(ctx context.Context, paths []string) []agedFile {
	files := make([]agedFile, 0, len(paths))
	for _, p := range paths {
		f := agedFile{path: p}
		if f.info, f.err = remote.Stat(ctx, p); f.err == nil {
			if f.written, f.size = f.info.ModTime(), f.info.Size(); f.info.IsDir() {
				f.written, f.size = folderAge(ctx, p, f.written)
			}
		}
		files = append(files, f)
	}
	slices.SortStableFunc(files, func(a, b agedFile) int { // unreadable files last
		switch {
		case a.err != nil && b.err != nil:
			return 0
		case a.err != nil:
			return 1
		case b.err != nil:
			return -1
		}
		return b.written.Compare(a.written)
	})
	return files
}

func (l *lister) summarised(ctx context.Context, f agedFile, known func(string, fs.FileInfo) (model.Summary, bool)) (out Listed) {
	defer func() { // one damaged file must not end the list
		if r := recover(); r != nil {
			out = Listed{Summary: model.Summary{Path: f.path}, Err: fmt.Errorf("summarising %q: %v", f.path, r)}
		}
	}()
	if f.err != nil {
		return Listed{Summary: model.Summary{Path: f.path}, Err: f.err}
	}
	if known != nil && !f.info.IsDir() {
		if s, ok := known(f.path, f.info); ok && !(l.wholly && s.Partial) {
			return Listed{Summary: s, Info: f.info}
		}
	}
	out = l.summarise(ctx, f)
	out.Info = f.info
	if errors.Is(out.Err, context.Canceled) {
		out.Err = ctx.Err()
	}
	return out
}
