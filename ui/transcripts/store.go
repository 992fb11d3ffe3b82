// Package transcripts opens, lists, watches and searches many transcripts for the screen, the
// command line and the MCP server. Other programs import [turns/ui/library].
//
// A [Store] lists the sessions of folders and of this machine's agents, and caches their summaries.
// [Map] asks the same question about many transcripts, several at a time. [Labels] is the file of
// labels.
package transcripts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/model/source"
	"turns/model/source/remote"
	"turns/query"
	"turns/query/redact"
	"turns/query/summary"
)

// Options define where transcripts are and how to read them.
type Options struct {
	// folders to list, or only the address of a server's list of dialogs; none: the usual places of
	// this machine's agents
	Dirs    []string
	Cache   string       // folder for cached data about transcripts; "": no cache
	Load    load.Options // options for opening a transcript: its format, headers, standard input
	Workers int          // parsers of a watched transcript; 0: one for each core
	Zone    *time.Location
	// prices for sessions without recorded costs; nil: none
	Prices func() summary.PriceTable
	// Choose selects the part of a session to compare; nil: everything.
	Choose func(context.Context, *model.Snapshot) (query.Selection, error)
	// Counter counts the tokens of sessions to compare; nil: no counts.
	Counter func(*model.Snapshot) *query.Counter
	Labels  *Labels // people's labels of sessions; nil: none
	Reads   *Reads  // how far the user has read sessions; nil: unknown
	// Redact replaces the secrets of transcripts before their texts are described and cut.
	Redact bool
	Now    func() time.Time // the clock for sessions in lists; nil: the machine's
}

// Store is a set of transcripts. It is safe for concurrent use.
type Store struct {
	o     Options
	mu    sync.Mutex
	parts partList
	shown *watched             // the last opened one
	open  []*load.Conversation // until Close
}

// Within returns a context in which transcripts are listed and opened only below some folders and
// files, wherever links lead.
func Within(ctx context.Context, roots []string) context.Context { return source.Within(ctx, roots) }

// New returns a store. It reads nothing yet.
func New(o Options) *Store { return &Store{o: o} }

// now returns the time by the clock of the options.
func (l *Store) now() time.Time {
	if l.o.Now != nil {
		return l.o.Now()
	}
	return time.Now()
}

// Close closes all opened transcripts.
func (l *Store) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, c := range l.open {
		errs = append(errs, c.Close())
	}
	l.open = nil
	return errors.Join(errs...)
}

// keep registers a conversation, which Close closes.
func (l *Store) keep(c *load.Conversation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, c)
}

// Places returns the folders and files whose transcripts are listed.
func (l *Store) Places(ctx context.Context) ([]string, error) { return places(ctx, l.o.Dirs) }

func places(ctx context.Context, dirs []string) ([]string, error) {
	for _, d := range dirs {
		if _, err := remote.Stat(ctx, d); err != nil {
			return nil, err
		}
	}
	if len(dirs) > 0 {
		return dirs, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	return load.Usual(home, os.Getenv), nil
}

// isTranscript reports whether a folder is itself a transcript, as in some formats, rather than a
// folder of transcripts.
func isTranscript(ctx context.Context, dir string) bool { return load.IsWhole(ctx, dir) }

// IsFolder reports whether a path is a folder of transcripts.
func IsFolder(ctx context.Context, path string) bool {
	info, err := remote.Stat(ctx, path)
	return err == nil && info.IsDir() && !isTranscript(ctx, path)
}

// openPart opens a transcript, or one of several conversations in a file.
func (l *Store) openPart(ctx context.Context, path string, progress func(done, total int64)) (*load.Conversation, error) {
	o := l.o.Load
	file, part := PartOf(path)
	o.Session, o.Progress = part, progress
	o.Limits = l.limits()
	return load.Open(ctx, file, o)
}

// load reads a complete transcript, without its secrets if the store redacts them.
func (l *Store) load(ctx context.Context, c *load.Conversation) (*model.Snapshot, error) {
	snap, err := c.Load(ctx)
	if snap != nil && l.o.Redact {
		snap = redact.Snapshot(snap)
	}
	return snap, err
}

// limits returns limits for a transcript with few messages in memory.
func (l *Store) limits() model.Limits {
	limits := l.o.Load.Limits
	limits.Bodies = 4 << 20
	return limits
}

// atOnce returns the number of transcripts to read at a time: one for each processor, and more if
// some are remote.
func atOnce(paths []string) int { return max(runtime.GOMAXPROCS(0), farAtOnce(paths)) }

func farAtOnce(paths []string) int {
	if slices.ContainsFunc(paths, remote.Is) {
		return remote.AtOnce / 2
	}
	return 0
}

// workers returns half of the processors: the other half is for the screen.
func workers() int { return max(runtime.GOMAXPROCS(0)/2, 1) }

// DirOf returns the folder of a transcript.
func DirOf(path string) string {
	if at, ok := remote.Parse(path); ok {
		return at.Dir().String()
	}
	return filepath.Dir(path)
}
