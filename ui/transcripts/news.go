package transcripts

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/model/source/remote"
	"turns/query/session"
)

// sessionLister reports the transcripts of some folders to the screen: first all that exist, then
// the exact counts of the long ones, then the changes.
type sessionLister struct {
	lib     *Store
	cache   *listCache
	changes *load.Changes
	report  func(Update)
	far     bool                       // some are remote
	partial []string                   // files reported in part
	live    map[string]model.Summary   // reported as being written
	rows    map[string]map[string]bool // the paths of each store's rows
	tails   map[string]*load.Tail      // of the transcripts being written
	unread  map[string]error           // unreadable files
	// unlisted joins why the last look could not list some places.
	unlisted error
	tailed   load.Tails
}

// wholeMost is the maximum size of a partly read transcript that is read completely after the list.
const wholeMost = 64 << 20

// The list goes to the screen in batches: the first page as soon as it is complete, the rest a few
// times per second. After that the lister looks for changes every listEvery, or less often if a
// look takes long.
const (
	firstBatch = 50
	foretold   = 10 // number of rows reported while a bucket is still being listed
	batchEvery = 200 * time.Millisecond
	countEvery = 500 * time.Millisecond
	listEvery  = 2 * tailEvery
	tailEvery  = 900 * time.Millisecond // for transcripts being written: reported within a second
	// for remote places, where each look is a request
	farEvery  = 30 * time.Second
	tailsMost = 1000
)

// Update is a change of a list of sessions: sessions, some at a time as they are found.
type Update struct {
	// a session with a reported path replaces the earlier one
	Sessions []session.Session
	Gone     []string // paths of removed sessions
	// all existing sessions were reported; later updates add details, or are changes
	Listed bool
	// number of partly read sessions to count in full, and how many of them are done; 0: none
	Counting, Counted int
	// number of unreadable files and folders, and the reason for one of them
	Unread int
	Why    error
}

// List reports the sessions of the store, and the conversations of the open file if it has several,
// until ctx ends. It requests a server's list of dialogs only once.
func (l *Store) List(ctx context.Context, report func(Update)) error {
	labelled := func(n Update) {
		l.o.Labels.Label(n.Sessions)
		report(n)
	}
	labelled(Update{Sessions: l.parts.list(ctx, l)})
	if len(l.o.Dirs) == 1 && ListsDialogs(l.o.Dirs[0]) {
		dialogs, err := l.Dialogs(ctx, l.o.Dirs[0])
		report(Update{Sessions: dialogs, Listed: true})
		return err
	}
	lister, err := l.newLister(ctx, labelled)
	if err != nil {
		return err
	}
	return lister.run(ctx)
}

func (l *sessionLister) run(ctx context.Context) error {
	defer func() {
		for _, t := range l.tails {
			t.Close()
		}
	}()
	if err := l.list(ctx); err != nil {
		return err
	}
	l.count(ctx)
	every := listEvery
	if l.far {
		every = farEvery
	}
	for took := time.Duration(0); ; {
		for range max(every, newestShare*took) / tailEvery {
			if l.follow(ctx); ctx.Err() != nil {
				return ctx.Err()
			}
		}
		began := time.Now()
		l.look(ctx)
		took = time.Since(began)
	}
}

// follow waits, and then reports the new parts of the transcripts being written.
func (l *sessionLister) follow(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(tailEvery):
	}
	var news Update
	l.grow(ctx, &news)
	if len(news.Sessions) > 0 {
		l.report(news)
	}
}

// grow reads the new parts of the transcripts being written.
func (l *sessionLister) grow(ctx context.Context, news *Update) {
	news.Sessions = make([]session.Session, 0, len(l.tails))
	for path, t := range l.tails {
		switch s, grew, ok := t.Grow(ctx); {
		case !ok: // the next look reports its new state
			l.leave(path)
			l.changes.Forget(path)
		case grew:
			l.cache.keep(&load.Listed{Summary: s})
			l.live[path] = s
			size, at := t.Written()
			l.changes.Know(path, size, at)
			news.Sessions = append(news.Sessions, l.lib.sessionOf(s))
		}
	}
}

// leave stops following a transcript.
func (l *sessionLister) leave(path string) {
	if t := l.tails[path]; t != nil {
		t.Close()
		delete(l.tails, path)
	}
}

// tail follows a transcript that is being written, if possible.
func (l *sessionLister) tail(ctx context.Context, s *load.Listed) {
	l.leave(s.Path)
	if _, live := l.live[s.Path]; !live || s.Store || len(l.tails) >= tailsMost {
		return
	}
	if t, ok := l.tailed.Follow(ctx, &s.Summary); ok {
		l.tails[s.Path] = t
	}
}

func (l *Store) newLister(ctx context.Context, report func(Update)) (*sessionLister, error) {
	places, err := l.Places(ctx)
	if err != nil {
		return nil, err
	}
	s := &sessionLister{
		lib: l, far: slices.ContainsFunc(places, remote.Is), cache: l.openCache(), changes: load.NewChanges(places),
		live: make(map[string]model.Summary), rows: make(map[string]map[string]bool), tails: make(map[string]*load.Tail), unread: map[string]error{},
	}
	s.report = func(n Update) {
		n.Unread, n.Why = s.unreadNow()
		report(n)
	}
	return s, nil
}

// unreadNow returns the number of unreadable places, and the reason for one of them.
func (l *sessionLister) unreadNow() (n int, why error) {
	for _, path := range slices.Sorted(maps.Keys(l.unread)) {
		n, why = n+1, UnreadAt(path, l.unread[path])
	}
	// not every agent is on this machine
	if all, ok := l.unlisted.(interface{ Unwrap() []error }); ok && len(l.lib.o.Dirs) > 0 {
		n, why = n+len(all.Unwrap()), all.Unwrap()[0]
	}
	return n, why
}

// list reports all transcripts, the newest first.
func (l *sessionLister) list(ctx context.Context) error {
	defer l.cache.save()
	var news Update
	reported, first := time.Now(), true
	paths, gone := l.firstLook(ctx)
	news.Gone = gone
	for s := range rowsOf(l.stores(load.List(ctx, paths, load.ListOptions{Known: l.cache.known}), &news)) {
		if !l.take(&s, &news) {
			continue
		}
		if s.Partial && !s.Store && s.Bytes <= wholeMost && !remote.Is(s.Path) {
			l.partial = append(l.partial, s.Path)
		}
		if first && len(news.Sessions) >= firstBatch || time.Since(reported) > batchEvery {
			l.report(news)
			news, reported, first = Update{}, time.Now(), false
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	news.Listed, news.Counting = true, len(l.partial)
	l.report(news)
	return nil
}

// firstLook is the first look for transcripts. If listing a bucket takes many answers, it reports
// some transcripts of the first answer before the last one arrives. It returns as gone those that
// turn out to be part of another transcript.
func (l *sessionLister) firstLook(ctx context.Context) (paths, gone []string) {
	early, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	var first []string
	looking := ctx
	if l.far {
		looking = remote.WithPages(ctx, func(names []string) {
			if first != nil || len(names) == 0 {
				return
			}
			first = load.Likely(ctx, names, firstBatch)
			wg.Go(func() { l.listEarly(early, first) })
		})
	}
	paths, _ = l.changes.Look(looking)
	stop()
	wg.Wait()
	l.unlisted = l.changes.Unlisted
	there := make(map[string]bool, len(paths))
	for _, path := range paths {
		there[path] = true
	}
	for _, path := range first {
		if !there[path] {
			delete(l.live, path)
			delete(l.unread, path)
			gone = append(gone, path)
		}
	}
	return paths, gone
}

// listEarly reports some transcripts early.
func (l *sessionLister) listEarly(ctx context.Context, paths []string) {
	var news Update
	for s := range load.List(ctx, paths, load.ListOptions{Known: l.cache.known}) {
		if s.Err != nil || s.Store || !l.take(&s, &news) {
			continue
		}
		l.cache.old[keptAs(s.Path, s.Info)] = s.Summary // it need not be read again later
		if len(news.Sessions) == foretold {
			l.report(news)
			news = Update{}
		}
	}
	if len(news.Sessions) > 0 {
		l.report(news)
	}
}

// stores records the rows of the stores in a list, and reports rows that a store no longer has.
func (l *sessionLister) stores(list iter.Seq[load.Listed], news *Update) iter.Seq[load.Listed] {
	return func(yield func(load.Listed) bool) {
		for s := range list {
			if s.Store && s.Err == nil {
				rows := make(map[string]bool, len(s.Parts))
				for i := range s.Parts {
					rows[PartPath(s.Path, s.Parts[i].Number)] = true
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

// take adds a row to the news; false if it is not a session.
func (l *sessionLister) take(s *load.Listed, news *Update) bool {
	if why := cmp.Or(s.Err, s.Unread); why != nil {
		l.unread[s.Path] = why
	} else {
		delete(l.unread, s.Path)
	}
	if s.Err != nil || s.Format == "records" {
		return false
	}
	if s.Unread == nil {
		l.cache.keep(s)
	}
	delete(l.live, s.Path)
	if session.Live(&s.Summary, l.lib.now()) {
		l.live[s.Path] = s.Summary
	}
	news.Sessions = append(news.Sessions, l.lib.sessionOf(s.Summary))
	return true
}

// count completely reads the transcripts that the list read in part, the newest first. It leaves
// half of the machine to the screen.
func (l *sessionLister) count(ctx context.Context) {
	defer l.cache.save()
	news := Update{Counting: len(l.partial)}
	reported, counted := time.Now(), 0
	for s := range load.List(ctx, l.partial, load.ListOptions{Whole: true, Workers: workers()}) {
		counted++
		l.take(&s, &news)
		if time.Since(reported) > countEvery || counted == len(l.partial) {
			news.Counted = counted
			l.report(news)
			news.Sessions, reported = nil, time.Now()
		}
	}
	l.partial = nil
}

// look reports the changes since the last look.
func (l *sessionLister) look(ctx context.Context) {
	var news Update
	changed, gone := l.changes.Look(ctx)
	l.unlisted = l.changes.Unlisted
	for _, path := range gone {
		news.Gone = append(news.Gone, path)
		for row := range l.rows[path] {
			delete(l.live, row)
			news.Gone = append(news.Gone, row)
		}
		delete(l.live, path)
		delete(l.rows, path)
		l.leave(path)
		delete(l.unread, path)
	}
	unread := len(l.unread)
	var short, long []string
	for _, path := range changed {
		if l.tails[path] != nil {
			continue // a tail reported its growth already
		}
		if wholeFor(ctx, path) {
			short = append(short, path)
		} else {
			long = append(long, path)
		}
	}
	l.takeAll(ctx, load.List(ctx, short, load.ListOptions{Whole: true}), &news)
	l.takeAll(ctx, load.List(ctx, long, load.ListOptions{}), &news)
	for path, s := range l.live {
		if !session.Live(&s, l.lib.now()) { // no writes for a while
			delete(l.live, path)
			l.leave(path)
			news.Sessions = append(news.Sessions, l.lib.sessionOf(s))
		}
	}
	if len(news.Sessions)+len(news.Gone) > 0 || len(l.unread) != unread {
		l.report(news)
	}
}

// takeAll adds the rows of a list to the news.
func (l *sessionLister) takeAll(ctx context.Context, list iter.Seq[load.Listed], news *Update) {
	for s := range rowsOf(l.stores(list, news)) {
		if l.take(&s, news) {
			l.tail(ctx, &s)
		}
	}
}

// wholeFor reports whether a transcript is short enough to be read completely after each write.
func wholeFor(ctx context.Context, path string) bool {
	info, err := remote.Stat(ctx, path)
	return err == nil && info.Mode().IsRegular() && info.Size() <= wholeMost && !remote.Is(path)
}
