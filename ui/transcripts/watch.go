package transcripts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/model/source/remote"
	"turns/model/source/web"
)

// Feed is a source of snapshots: an opened file, a pipe, a followed session.
type Feed interface {
	// Next waits for the next change and returns the state after it; the first call returns the
	// initial state without waiting. It may combine several changes. The error is ctx's, or io.EOF
	// if no more changes will follow.
	Next(ctx context.Context) (State, error)
}

// State is the state of a feed after a change. Everything except Snap and Event is valid until the
// next one.
type State struct {
	Snap *model.Snapshot // nil: as before
	// Snap is a window on the beginning or the end; its numbers are not final
	Preview   bool
	Indexed   float64 // share of the source in Snap, 0 to 1
	Following bool    // the source is watched
	// the source may still be written to (watched, or an open pipe)
	Growing   bool
	Waiting   string     // name of a file that does not exist yet
	Event     load.Event // a change of the file
	Newer     string     // a newer session of the followed folder
	Path      string     // of the transcript, for display
	Bytes     int64      // size of the source
	LastWrite time.Time  // time of the last write to the source; zero: unknown
	Err       error      // error during reading; the part read stays
}

// StaticFeed returns a feed of one snapshot that never changes.
func StaticFeed(path string, snap *model.Snapshot) Feed {
	return &staticFeed{update: State{Snap: snap, Indexed: 1, Path: path}}
}

type staticFeed struct {
	update   State
	reported bool
}

func (f *staticFeed) Next(ctx context.Context) (State, error) {
	if f.reported {
		<-ctx.Done()
		return State{}, ctx.Err()
	}
	f.reported = true
	return f.update, nil
}

// watched is an open transcript.
type watched struct {
	c     *load.Conversation
	path  string
	part  bool // one of several conversations in a file
	snap  atomic.Pointer[model.Snapshot]
	newer string // the newer one that was reported
	newest
	last     State
	reported bool // the initial state was returned
}

// Watch opens a transcript and reports its changes.
func (l *Store) Watch(ctx context.Context, path string) (Feed, error) {
	return l.watch(ctx, path, newest{})
}

// WatchNewest is Watch for a transcript that the user leaves for a newer one of the store, if there
// is one.
func (l *Store) WatchNewest(ctx context.Context, path string) (Feed, error) {
	l.mu.Lock()
	shown := l.shown
	l.mu.Unlock()
	if shown != nil && shown.newer == path { // continue with the one that it reported
		return l.watch(ctx, path, shown.newest)
	}
	dirs, err := l.Places(ctx)
	if err != nil {
		return nil, err
	}
	return l.watch(ctx, path, newest{dirs: dirs})
}

// Follow watches the most recently written transcript of the store that is wanted (nil: any), and
// reports newer ones; nil if there is none.
func (l *Store) Follow(ctx context.Context, wants func(*model.Summary) bool) (Feed, error) {
	dirs, err := l.Places(ctx)
	if err != nil {
		return nil, err
	}
	n := newest{dirs, wants}
	path := n.path(ctx, "")
	if path == "" {
		return nil, nil
	}
	return l.watch(ctx, path, n)
}

func (l *Store) watch(ctx context.Context, path string, n newest) (Feed, error) {
	o := l.o.Load
	file, part := PartOf(path)
	// Watch a file in any case, to see its growth.
	o.Follow, o.Session, o.Workers = true, part, l.o.Workers
	c, err := load.Open(ctx, file, o)
	if err != nil {
		return nil, err
	}
	l.keep(c)
	w := &watched{c: c, path: path, part: part != nil, newest: n}
	l.parts.of(w)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = w
	return w, nil
}

// Rival returns the competing reading of the last opened transcript, if there is one, and how to
// choose it; "" if there is none.
func (l *Store) Rival() string {
	l.mu.Lock()
	w := l.shown
	l.mu.Unlock()
	if w == nil {
		return ""
	}
	if r := w.c.Rival(); r != nil {
		return "another reading is close: " + r.Words()
	}
	return ""
}

// Fetch reads the rest of a text of the last opened transcript from elsewhere: a full result from
// its server, or a file next to it.
func (l *Store) Fetch(ctx context.Context, b *model.Content) (string, error) {
	l.mu.Lock()
	w := l.shown
	l.mu.Unlock()
	if w == nil {
		return "", errors.New("no transcript is open")
	}
	return w.c.FetchText(ctx, b)
}

// newestEvery is the interval for looks into followed folders. If a look takes long because of many
// files, looks are rarer, so that they take at most a fiftieth of the time.
const (
	newestEvery = 2 * time.Second
	newestShare = 50
)

// newest selects the transcripts of some folders (nil: none) that are wanted, to follow the newest
// of them.
type newest struct {
	dirs  []string
	wants func(*model.Summary) bool // nil: all
}

// path returns the most recently written transcript, "" if there is none. It skips other files;
// known is certainly a transcript.
func (n *newest) path(ctx context.Context, known string) string {
	paths, _ := load.Find(ctx, n.dirs) // unlistable folders are skipped
	for _, path := range load.ByAge(ctx, paths) {
		if path == known {
			return path
		}
		if s, err := load.Summarise(ctx, path); err == nil && s.Format != "records" && (n.wants == nil || n.wants(&s)) {
			return path
		}
	}
	return ""
}

// nextOrNewer waits for the next change of the transcript, or for a newer transcript in the
// followed folder.
func (w *watched) nextOrNewer(ctx context.Context) (u load.Update, newer bool, err error) {
	if w.dirs == nil {
		u, err = w.c.Next(ctx)
		return u, false, err
	}
	every := newestEvery
	for {
		short, cancel := context.WithTimeout(ctx, every)
		u, err := w.c.Next(short)
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return u, false, err
		}
		began := time.Now()
		path := w.newest.path(ctx, w.path)
		every = max(newestEvery, newestShare*time.Since(began))
		if path != "" && path != w.path && path != w.newer {
			w.newer = path
			return load.Update{}, true, nil
		}
	}
}

// Next waits for the next change.
func (w *watched) Next(ctx context.Context) (State, error) {
	if !w.reported {
		w.reported = true
		path := w.c.Path() // w.path may name one of its conversations
		if _, err := remote.Stat(ctx, path); errors.Is(err, fs.ErrNotExist) && path != "" && !strings.Contains(path, "://") {
			w.last = State{Waiting: w.c.Name(), Path: web.Shown(w.path), Following: true, Growing: true}
			return w.last, nil
		}
	}
	u, newer, err := w.nextOrNewer(ctx)
	if err != nil {
		return State{}, err
	}
	if newer {
		w.last.Newer, w.last.Event = w.newer, load.Event{}
		return w.last, nil
	}
	out := State{
		Snap: u.Snap, Preview: u.Preview, Indexed: u.Indexed, Following: true, Growing: u.Growing,
		Event: u.Event, Path: web.Shown(w.path), Bytes: u.Bytes, Err: u.Err,
	}
	if u.Waiting {
		out.Waiting = w.c.Name()
	}
	if path := w.c.Path(); path != "" {
		if info, err := remote.Stat(ctx, path); err == nil {
			out.LastWrite = info.ModTime()
		}
	}
	w.snap.Store(u.Snap)
	out.Newer, w.last = w.newer, out
	return out, nil
}

// errNoTranscript reports a folder without transcripts.
func errNoTranscript(dir string) error { return fmt.Errorf("no transcript in %q", dir) }
