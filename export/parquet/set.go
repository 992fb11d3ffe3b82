package parquet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"turns/query/many"
	"turns/query/redact"
)

// Options are the settings of the tables.
type Options struct {
	Append bool // add only new sessions
	Force  bool // replace existing tables
	Redact bool // replace credentials
	// replaces names of people, machines and private repositories; nil: they stay
	Names       *redact.Names
	NoReasoning bool
	NoResults   bool           // omit the output of tools
	Zone        *time.Location // of days; nil: UTC
}

// Totals are the counts of the written rows.
type Totals struct {
	Runs, Messages, Calls, Labels int64
	Orphans                       int64 // results without a call
	Known                         int64 // sessions already in the tables
	Grown                         int64 // part of Known with more messages now
	Unread                        int64 // messages with unreadable texts
	Secrets                       int64 // number of replaced secrets
}

// Set is a set of tables during writing. Commit makes them visible together. Several goroutines may
// call Run.
type Set struct {
	dir, stage string
	o          Options
	redact     *redact.Redactor
	codec      *codec
	free       func() // unlocks the tables for other programs

	runs *table[runRow, *runRow]
	// the same table: sessions without messages, which are only in it
	bare     *table[runRow, *runRow]
	messages *table[messageRow, *messageRow]
	// the same table: usage of no single message. Its files have a distinct name, because turns
	// reads this usage from the details of a session.
	usage   *table[messageRow, *messageRow]
	calls   *table[callRow, *callRow]
	orphans *table[callRow, *callRow] // results without a call
	labels  *table[labelRow, *labelRow]
	shelves []shelf
	waits   atomic.Int64 // bytes of the waiting rows

	mu    sync.Mutex
	files []string // paths below stage, later the same below dir
	ids   map[string]string
	known known
	total Totals
	spare []*pen
	torn  bool // a part of a session was written, and the rest was not
}

// names are the folders of the tables.
var names = [...]string{"runs", "messages", "calls", "labels", "orphans"}

// Create prepares to write tables into a folder. It first finishes or removes leftovers of a killed
// program.
func Create(dir string, o Options) (*Set, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%q is a file, and tables are a folder", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder for tables: %w", err)
	}
	free, err := lock(dir)
	if err != nil {
		return nil, err
	}
	s := &Set{dir: dir, o: o, free: free, codec: newCodec(), ids: map[string]string{}, known: newKnown()}
	switch {
	case o.Names != nil:
		s.redact = o.Names.Redactor(o.Redact)
	case o.Redact:
		s.redact = redact.New()
	}
	if err := s.prepare(); err != nil {
		free()
		return nil, err
	}
	s.runs = newTable[runRow](s, names[0])
	s.bare = newTable[runRow](s, names[0])
	s.bare.begins = "bare-"
	s.messages = newTable[messageRow](s, names[1])
	s.usage = newTable[messageRow](s, names[1])
	s.usage.begins = "usage-"
	s.calls = newTable[callRow](s, names[2])
	s.labels = newTable[labelRow](s, names[3])
	s.orphans = newTable[callRow](s, names[4])
	return s, nil
}

// ErrExist reports existing tables, without instructions to append or replace.
var ErrExist = errors.New("there are tables already")

func (s *Set) prepare() error {
	if err := recover_(s.dir); err != nil {
		return err
	}
	there := slices.ContainsFunc(names[:], func(name string) bool {
		_, err := os.Lstat(filepath.Join(s.dir, name))
		return !errors.Is(err, fs.ErrNotExist)
	})
	switch {
	case there && s.o.Append:
		if err := s.known.read(filepath.Join(s.dir, names[0])); err != nil {
			return err
		}
	case there && !s.o.Force:
		return fmt.Errorf("%q: %w", s.dir, ErrExist)
	}
	s.stage = filepath.Join(s.dir, stagePrefix+rand.Text())
	if err := os.Mkdir(s.stage, 0o755); err != nil {
		return fmt.Errorf("writing tables: %w", err)
	}
	return nil
}

// create makes a file of a table.
func (s *Set) create(table, folder, begins string) (*os.File, error) {
	name := filepath.Join(table, folder, begins+rand.Text()+".parquet")
	path := filepath.Join(s.stage, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("writing the table %s: %w", table, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("writing the table %s: %w", table, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, name)
	return f, nil
}

// Has reports whether the only session of a file is already in the tables, and the file is
// unchanged.
func (s *Set) Has(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was, ok := s.known.paths[path]
	if ok = ok && was == sourceOf(info); ok {
		s.total.Known++
	}
	return ok
}

// Run writes a session. After a write error, the set is unusable.
func (s *Set) Run(ctx context.Context, in *Run) error {
	id, wanted := s.claim(in)
	if !wanted {
		return nil
	}
	p := s.pen(in, id)
	err := p.write(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spare = append(s.spare, p)
	if err != nil {
		s.torn = s.torn || p.handed
		return err
	}
	s.total.Runs++
	s.total.Messages += p.total.Messages
	s.total.Calls += p.total.Calls
	s.total.Orphans += p.total.Orphans
	s.total.Labels += p.total.Labels
	s.total.Unread += p.total.Unread
	s.total.Secrets += p.total.Secrets
	return nil
}

// claim assigns an id to a session. A session in the tables is not wanted again; two files of one
// session each count separately.
func (s *Set) claim(in *Run) (id string, wanted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id = in.id()
	if was, ok := s.known.find(id, in); ok {
		s.total.Known++
		if was.messages > 0 && in.N[many.Messages] > was.messages {
			s.total.Grown++
		}
		return id, false
	}
	_, known := s.known.ids[id] // the session of another file
	if path, taken := s.ids[id]; known || taken && path != in.Path {
		id += "-" + short(in.Path)
	}
	s.ids[id] = in.Path
	return id, true
}

// hand passes rows of a session to the tables, and writes rows to files while too many wait.
func (s *Set) hand(folder string, p *pen) error {
	if s.o.Names != nil {
		p.anonymize()
	}
	runs := s.runs
	if p.total.Messages == 0 {
		runs = s.bare
	}
	err := errors.Join(runs.add(folder, p.runs), s.messages.add(folder, p.messages), s.usage.add(folder, p.usage),
		s.calls.add(folder, p.calls), s.orphans.add(folder, p.orphans), s.labels.add(folder, p.labels))
	p.empty()
	for err == nil && s.waits.Load() > waiting {
		var heavy shelf
		var most int64
		var of string
		for _, t := range s.shelves {
			if name, bytes := t.heaviest(); bytes > most {
				heavy, of, most = t, name, bytes
			}
		}
		if heavy == nil {
			break // other goroutines are writing it
		}
		err = heavy.settle(of)
	}
	return err
}

// Complete reports whether all sessions so far were written completely.
func (s *Set) Complete() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.torn
}
