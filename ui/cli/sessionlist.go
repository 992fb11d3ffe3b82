package cli

import (
	"context"
	"iter"
	"os"
	"runtime"
	"time"

	"turns/model/load"
	"turns/ui"
)

// sessionLister tells the screen of the transcripts of some folders: at once what
// there is, then the exact counts of the long ones, then what changes.
type sessionLister struct {
	cache   *listCache
	changes *load.Changes
	tell    func(ui.SessionNews)
	partial []string                   // files that were told in part
	live    map[string]load.Summary    // told as being written
	rows    map[string]map[string]bool // of stores: the paths of their rows
}

// wholeMost is the size up to which a transcript, of which the list read a part, is
// read whole after the list is there.
const wholeMost = 64 << 20

// The list goes to the screen in batches: the first page as soon as there is one,
// the rest some times a second. After that it is looked at for changes every
// listEvery, or rarer where there is so much that a look takes long.
const (
	firstBatch = 50
	batchEvery = 200 * time.Millisecond
	countEvery = 500 * time.Millisecond
	listEvery  = 2 * time.Second
)

// sessions lists transcripts for the screen, until ctx ends.
func (a *app) sessions(ctx context.Context, dirs []string, tell func(ui.SessionNews)) error {
	l, err := a.newSessionLister(dirs, tell)
	if err != nil {
		return err
	}
	if err := l.list(ctx); err != nil {
		return err
	}
	l.count(ctx)
	for took := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(max(listEvery, newestShare*took)):
		}
		began := time.Now()
		l.look(ctx)
		took = time.Since(began)
	}
}

func (a *app) newSessionLister(dirs []string, tell func(ui.SessionNews)) (*sessionLister, error) {
	places, err := a.places(dirs)
	if err != nil {
		return nil, err
	}
	return &sessionLister{
		cache: a.openListCache(), changes: load.NewChanges(places), tell: tell,
		live: make(map[string]load.Summary), rows: make(map[string]map[string]bool),
	}, nil
}

// list tells of all transcripts, the newest first.
func (l *sessionLister) list(ctx context.Context) error {
	defer l.cache.save()
	var news ui.SessionNews
	told, first := time.Now(), true
	paths, _ := l.changes.Look()
	for s := range rowsOf(l.stores(load.List(ctx, paths, load.ListOptions{Known: l.cache.known}), &news)) {
		if !l.take(&s, &news) {
			continue
		}
		if s.Partial && !s.Store && s.Bytes <= wholeMost {
			l.partial = append(l.partial, s.Path)
		}
		if first && len(news.Sessions) >= firstBatch || time.Since(told) > batchEvery {
			l.tell(news)
			news, told, first = ui.SessionNews{}, time.Now(), false
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	news.Listed, news.Counting = true, len(l.partial)
	l.tell(news)
	return nil
}

// stores remembers which rows the stores of a list have. Those that a store had
// before and has no more are news.
func (l *sessionLister) stores(list iter.Seq[load.Listed], news *ui.SessionNews) iter.Seq[load.Listed] {
	return func(yield func(load.Listed) bool) {
		for s := range list {
			if s.Store && s.Err == nil {
				rows := make(map[string]bool, len(s.Parts))
				for i := range s.Parts {
					rows[partPath(s.Path, s.Parts[i].Number)] = true
				}
				if len(rows) == 0 {
					rows[s.Path] = true
				}
				for path := range l.rows[s.Path] {
					if !rows[path] {
						delete(l.live, path)
						news.Gone = append(news.Gone, path)
					}
				}
				l.rows[s.Path] = rows
			}
			if !yield(s) {
				return
			}
		}
	}
}

// take adds a row to the news; false where it is none. turns ls says what could not
// be read.
func (l *sessionLister) take(s *load.Listed, news *ui.SessionNews) bool {
	if s.Err != nil || s.Format == "records" {
		return false
	}
	l.cache.keep(s)
	delete(l.live, s.Path)
	if isLive(&s.Summary, time.Now()) {
		l.live[s.Path] = s.Summary
	}
	news.Sessions = append(news.Sessions, sessionInfo(&s.Summary))
	return true
}

// count reads transcripts whole of which the list told in part, the newest first,
// and leaves half of the machine to the screen.
func (l *sessionLister) count(ctx context.Context) {
	defer l.cache.save()
	news := ui.SessionNews{Counting: len(l.partial)}
	told, counted := time.Now(), 0
	for s := range load.List(ctx, l.partial, load.ListOptions{Whole: true, Workers: max(runtime.GOMAXPROCS(0)/2, 1)}) {
		counted++
		l.take(&s, &news)
		if time.Since(told) > countEvery || counted == len(l.partial) {
			news.Counted = counted
			l.tell(news)
			news.Sessions, told = nil, time.Now()
		}
	}
	l.partial = nil
}

// look tells what has changed since the last look.
func (l *sessionLister) look(ctx context.Context) {
	var news ui.SessionNews
	changed, gone := l.changes.Look()
	for _, path := range gone {
		news.Gone = append(news.Gone, path)
		for row := range l.rows[path] {
			delete(l.live, row)
			news.Gone = append(news.Gone, row)
		}
		delete(l.live, path)
		delete(l.rows, path)
	}
	var short, long []string
	for _, path := range changed {
		if wholeFor(path) {
			short = append(short, path)
		} else {
			long = append(long, path)
		}
	}
	l.takeAll(load.List(ctx, short, load.ListOptions{Whole: true}), &news)
	l.takeAll(load.List(ctx, long, load.ListOptions{}), &news)
	for path, s := range l.live {
		if !isLive(&s, time.Now()) { // nothing was written for a while
			delete(l.live, path)
			news.Sessions = append(news.Sessions, sessionInfo(&s))
		}
	}
	if len(news.Sessions)+len(news.Gone) > 0 {
		l.tell(news)
	}
}

// takeAll adds the rows of a list to the news.
func (l *sessionLister) takeAll(list iter.Seq[load.Listed], news *ui.SessionNews) {
	for s := range rowsOf(l.stores(list, news)) {
		l.take(&s, news)
	}
}

// wholeFor reports whether a transcript is short enough to be read whole each time
// that it is written to.
func wholeFor(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() <= wholeMost
}
