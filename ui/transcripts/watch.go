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

// Feed is where snapshots come from: a file that was opened, a pipe, a session that
// is followed.
type Feed interface {
	// Next waits for the next change and describes the state after it; the first call
	// gives the first state at once. Changes that came together may be told together.
	// The error is ctx's, or io.EOF when nothing more will come.
	Next(ctx context.Context) (State, error)
}

// State is the state of a feed after a change. Everything but Snap and Event stands
// until the next one.
type State struct {
	Snap *model.Snapshot // nil: as before
	// Snap is a window on the beginning or the end; its numbers are not final
	Preview   bool
	Indexed   float64 // how much of the source Snap covers, 0 to 1; 1 is all
	Following bool    // the source is watched
	// the source may still be written to (watched, or a pipe that is open)
	Growing   bool
	Waiting   string     // name of a file that does not exist yet
	Event     load.Event // what happened to the file
	Newer     string     // a newer session of the followed folder
	Path      string     // of the transcript, as to be shown
	Bytes     int64      // size of the source
	LastWrite time.Time  // when the source was last written to; zero: unknown
	Err       error      // what went wrong while reading; what was read stays
}

// StaticFeed is a feed of one snapshot that never changes.
func StaticFeed(path string, snap *model.Snapshot) Feed {
	return &staticFeed{update: State{Snap: snap, Indexed: 1, Path: path}}
}

type staticFeed struct {
	update State
	told   bool
}

func (f *staticFeed) Next(ctx context.Context) (State, error) {
	if f.told {
		<-ctx.Done()
		return State{}, ctx.Err()
	}
	f.told = true
	return f.update, nil
}

// watched is a transcript that is open.
type watched struct {
	c     *load.Conversation
	path  string
	part  bool // it is one conversation of a file of many
	snap  atomic.Pointer[model.Snapshot]
	newer string // the newer one that was told
	newest
	last State
	told bool // the state before the first change
}

// Watch opens a transcript and tells what happens to it.
func (l *Store) Watch(ctx context.Context, path string) (Feed, error) {
	return l.watch(ctx, path, newest{})
}

// WatchNewest is Watch of a transcript that is to be left for a newer one of the
// store when there is one.
func (l *Store) WatchNewest(ctx context.Context, path string) (Feed, error) {
	l.mu.Lock()
	shown := l.shown
	l.mu.Unlock()
	if shown != nil && shown.newer == path { // on to what that one told of
		return l.watch(ctx, path, shown.newest)
	}
	dirs, err := l.Places(ctx)
	if err != nil {
		return nil, err
	}
	return l.watch(ctx, path, newest{dirs: dirs})
}

// Follow watches the transcript of the store that was written to last and that is
// wanted (nil: any), and tells of newer ones; nil where there is none.
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
	// A file is watched in any case: what grows is seen to grow.
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

// Rival says which other reading of the transcript that was opened last is close, and how to choose
// it; "" for none.
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

// Fetch gets the rest of a text that the transcript that was opened last keeps
// elsewhere: a full result from its server, a file beside it.
func (l *Store) Fetch(ctx context.Context, b *model.Content) (string, error) {
	l.mu.Lock()
	w := l.shown
	l.mu.Unlock()
	if w == nil {
		return "", errors.New("no transcript is open")
	}
	return w.c.FetchText(ctx, b)
}

// newestEvery is how often followed folders are looked at; where there are so many
// files that a look takes long, it is rarer, so that it costs no more than a
// fiftieth of the time.
const (
	newestEvery = 2 * time.Second
	newestShare = 50
)

// newest are the transcripts of which the newest is followed: those of some
// folders, nil for none, that are wanted.
type newest struct {
	dirs  []string
	wants func(*model.Summary) bool // nil: all
}

// path is the transcript that was written to last, "" for none. What lies there for
// other purposes is passed over; known is a transcript for sure.
func (n *newest) path(ctx context.Context, known string) string {
	paths, _ := load.Find(ctx, n.dirs) // what cannot be listed has no newest
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

// nextOrNewer waits for the next change of the transcript, or for a newer
// transcript in the followed folder.
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
	if !w.told {
		w.told = true
		path := w.c.Path() // w.path may name one conversation of it
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

// errNoTranscript says that a folder holds none.
func errNoTranscript(dir string) error { return fmt.Errorf("no transcript in %q", dir) }
