package source

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"turns/model"
	"turns/model/source/disk"
	"turns/model/source/spool"
	"turns/model/source/web"
)

// Options configure Open. The zero value is useful.
type Options struct {
	Limits model.Limits
	Stdin  io.Reader   // the reader for "-"; nil: the process's standard input
	Header http.Header // sent with the requests to the host of a URL, and to no other
	// continue at the end, and wait for a file that does not exist yet
	Follow  bool
	Timeout time.Duration // for an entire HTTP response; zero is ten minutes
	TempDir string        // folder for spools that outgrow memory; "" is the system's
	// file system and clock; the zero value is the operating system's
	System disk.System
}

// asking returns the options for requests to servers.
func (o Options) asking() web.Options {
	return web.Options{Limits: o.Limits, Header: o.Header, Timeout: o.Timeout}
}

// Plan configures how a container becomes a stream of records.
type Plan struct {
	Lists  []string      // of a document, like the Lists of [model.Format]; nil for JSON lines
	Unroll *model.Unroll // of a database, archive, folder or op-log; nil: none
	Only   *int          // number of the requested conversation; nil: all
}

// Source is one opened argument.
type Source struct {
	arg, name string
	opts      Options
	meter     *meter          // of the output of the container
	ctx       context.Context // of the source's goroutines
	cancel    context.CancelFunc
	wg        sync.WaitGroup
	// the goroutine that fills fed cannot be stopped: it waits for a terminal or a removed pipe
	detached bool

	fed   *spool.Spool // raw bytes that arrive, or arrived, from elsewhere
	file  *disk.File   // raw bytes in place; the watcher's file, if there is a watcher
	watch *watcher     // follows file
	set   members      // of an archive or folder
	dbase string       // path of a database
	lacks error        // why a part of it may be missing

	first   *model.Sample // of a file that is not followed
	begin   []byte        // the bytes that it was made from
	tables  map[string][]string
	peeked  map[string][][]byte // of a database: the first rows of tables that may have messages
	listed  []string            // names of the members
	closers []func() error

	mu      sync.Mutex
	shape   model.Shape
	stream  model.Stream
	framed  bool
	seen    int64 // size of stream, as Next reported it
	ended   bool
	former  []*spool.Spool // streams that were replaced
	depth   int            // number of enclosing archives
	pending []Event
	wake    chan struct{}
}

// Path returns the argument for display, "" for a pipe.
func (s *Source) Path() string {
	if s.arg == "-" {
		return ""
	}
	return web.Shown(s.arg)
}

// Name returns the source's name: its base name, "stdin" for a pipe.
func (s *Source) Name() string { return s.name }

// Shape returns the shape of the source at the last call of Sample; Open calls it.
func (s *Source) Shape() model.Shape {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shape
}

// Stream returns the current stream. After Unroll it has framed records ([CutRecord]), before that
// the bytes as recorded.
func (s *Source) Stream() model.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stream
}

// Framed reports whether Stream has framed records.
func (s *Source) Framed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.framed
}

// nothing is the stream of a file that does not exist yet.
type nothing struct{}

func (nothing) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }
func (nothing) Size() int64                       { return 0 }

// Next waits for the next event. After Ended or Failed it returns io.EOF. Only one goroutine may
// call it at a time.
func (s *Source) Next(ctx context.Context) (Event, error) {
	if s.watch != nil && !s.Framed() {
		return s.nextOfFile(ctx)
	}
	for {
		ev, ok, changes, err := s.poll()
		if ok || err != nil {
			return ev, err
		}
		select {
		case <-ctx.Done():
			return Event{}, ctx.Err()
		case <-s.ctx.Done():
			return Event{}, os.ErrClosed
		case <-changes[0]:
		case <-changes[1]:
		}
	}
}

// poll returns the next event if there is one, otherwise the channels to wait for.
func (s *Source) poll() (ev Event, ok bool, changes [2]<-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return Event{}, false, changes, io.EOF
	}
	if len(s.pending) > 0 {
		ev = s.pending[0]
		s.pending = s.pending[1:]
		if ev.Stream != nil {
			s.replace(ev.Stream)
		}
		ev.Stream, ev.Size = s.stream, s.seen
		return ev, true, changes, nil
	}
	size, done := s.stream.Size(), true
	var why error
	if sp, is := s.stream.(*spool.Spool); is {
		size, done, changes[0], why = sp.Look()
	}
	why = cmp.Or(why, s.lacks)
	switch {
	case size > s.seen:
		s.seen = size
		return Event{Kind: Grown, Size: size, Stream: s.stream}, true, changes, nil
	case done && why != nil:
		s.ended = true
		return Event{Kind: Failed, Size: size, Stream: s.stream, Err: why}, true, changes, nil
	case done:
		s.ended = true
		return Event{Kind: Ended, Size: size, Stream: s.stream}, true, changes, nil
	}
	if s.wake == nil {
		s.wake = make(chan struct{})
	}
	changes[1] = s.wake
	return Event{}, false, changes, nil
}

// replace switches to another stream. The previous one stays readable until the next replace.
func (s *Source) replace(stream model.Stream) {
	for _, sp := range s.former {
		sp.Close()
	}
	s.former = s.former[:0]
	if sp, ok := s.stream.(*spool.Spool); ok {
		s.former = append(s.former, sp)
	}
	s.stream, s.seen = stream, 0
}

// post queues an event for Next; a Stream in it becomes the current stream with the event.
func (s *Source) post(ev Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, ev)
	if s.wake != nil {
		close(s.wake)
		s.wake = nil
	}
}

// nextOfFile implements Next for a file that is followed in place.
func (s *Source) nextOfFile(ctx context.Context) (Event, error) {
	fe, err := s.watch.Next(ctx)
	if err != nil {
		return Event{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch fe.Kind {
	case Truncated, Replaced, Appeared:
		s.file, s.stream = fe.File, fe.File
	}
	return Event{Kind: fe.Kind, Size: fe.Size, Stream: s.stream, Err: fe.Err}, nil
}

// Stop ends all work for the source. Its current bytes stay readable, and no more will follow.
func (s *Source) Stop() { s.cancel() }

// Close stops the source's goroutines and frees its spools and files. Next must have returned.
func (s *Source) Close() error {
	s.cancel()
	var err error
	for _, c := range s.closers {
		if e := c(); err == nil {
			err = e
		}
	}
	s.closers = nil
	if !s.detached {
		s.wg.Wait()
	}
	if s.watch != nil {
		s.watch.Close()
	} else if s.file != nil {
		s.file.Close()
	}
	if s.set != nil {
		s.set.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fed != nil {
		s.fed.Close()
	}
	if sp, ok := s.stream.(*spool.Spool); ok {
		sp.Close()
	}
	for _, sp := range s.former {
		sp.Close()
	}
	for _, ev := range s.pending {
		if sp, ok := ev.Stream.(*spool.Spool); ok {
			sp.Close()
		}
	}
	return err
}
