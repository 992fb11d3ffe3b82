package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"turns/model"
	"turns/model/source/disk"
	"turns/model/source/spool"
)

// For speed only: the polling intervals for the files of a followed database, and for a followed
// folder.
const (
	databaseEvery = 500 * time.Millisecond
	folderEvery   = time.Second
)

// Unroll makes Stream a spool of framed records and starts to fill it in the background; Next
// reports the progress. It does not change lines and prose. New records of a followed container are
// appended; if a document changes in the middle, it is unrolled again and Next returns Replaced.
func (s *Source) Unroll(plan Plan) error {
	if s.Framed() {
		return fmt.Errorf("unroll %q: it is unrolled already", s.name)
	}
	var job job
	u := plan.Unroll
	switch {
	case s.set != nil:
		if u == nil || u.Members == nil {
			return fmt.Errorf("unroll %q: the format does not say how to read %s", s.name, containerName(s.Shape()))
		}
		job = s.membersJob(u, plan.Only)
	case s.dbase != "":
		if u == nil || len(u.Queries) == 0 {
			return fmt.Errorf("unroll %q: the format does not say how to read %s", s.name, containerName(s.Shape()))
		}
		job = s.databaseJob(u.Queries)
	case u != nil && u.Replay != nil:
		job = s.documentJob(s.replay(u.Replay, plan.Lists), false)
	case plan.Lists != nil || s.Shape() == model.Document:
		job = s.documentJob(func(ctx context.Context, r io.ReaderAt, sink *recordSink) error {
			return unrollDocument(ctx, r, plan.Lists, sink)
		}, true)
	default:
		return nil
	}
	out := spool.New(s.opts.Limits, s.opts.TempDir)
	s.mu.Lock()
	s.stream, s.framed, s.seen, s.ended = out, true, 0, false
	s.mu.Unlock()
	s.wg.Go(func() { s.run(job, out) })
	return nil
}

func containerName(shape model.Shape) string {
	switch shape {
	case model.Folder:
		return "a folder"
	case model.Archive:
		return "an archive"
	}
	return "a database"
}

// job defines how a container is unrolled, and when it is unrolled again.
type job struct {
	run    func(ctx context.Context, sink *recordSink) error
	memory func() *memory // for a new stream; nil: run remembers itself
	// wait returns when run should check again; it posts events for Next. nil: the source is not
	// followed.
	wait func(ctx context.Context) error
}

// run unrolls, and for a followed container repeats until the source is closed.
func (s *Source) run(j job, out *spool.Spool) {
	var m *memory
	if j.wait != nil && j.memory != nil {
		m = j.memory()
	}
	reported := ""
	for first := true; ; first = false {
		err := s.once(j, out, m)
		if first && err == nil && j.wait != nil && out.Written() == 0 {
			s.post(Event{Kind: Grown}) // it is empty: this ends the wait for its content
		}
		if errors.Is(err, errRewritten) {
			out = spool.New(s.opts.Limits, s.opts.TempDir)
			if j.memory != nil {
				m = j.memory()
			}
			if err = s.once(j, out, m); err == nil {
				reported = "" // a new stream begins without trouble
			}
			s.post(Event{Kind: Replaced, Stream: out})
		}
		if j.wait == nil {
			out.Finish(err)
			return
		}
		if s.ctx.Err() != nil {
			return
		}
		if out.Broken() {
			return // no space: Next returns the spool's error
		}
		if err == nil && reported != "" {
			reported = ""
			s.post(Event{Kind: Regained})
		} else if err != nil && reported != err.Error() {
			reported = err.Error()
			s.post(Event{Kind: Trouble, Err: err})
		}
		if j.wait(s.ctx) != nil {
			return
		}
	}
}

func (s *Source) once(j job, out *spool.Spool, m *memory) error {
	if m != nil {
		m.begin()
	}
	sink := newSink(out, m)
	sink.most = s.meter.limits.Records
	err := j.run(s.ctx, sink)
	if err == nil && m != nil {
		err = m.end()
	}
	return err
}

// documentJob reads the raw bytes as a document; plain means that unroll reads them in order.
func (s *Source) documentJob(unroll func(context.Context, io.ReaderAt, *recordSink) error, plain bool) job {
	j := job{
		run: func(ctx context.Context, sink *recordSink) error {
			switch {
			case s.fed != nil:
				return unroll(ctx, s.fed.Reader(ctx), sink)
			case s.watch != nil:
				f := s.watch.File()
				if f == nil {
					return nil
				}
				s.reads(f)
				if !plain {
					return unroll(ctx, f, sink)
				}
				sink.memory.start(f)
				sink.gather = true
				err := unroll(ctx, f, sink)
				sink.spool.Commit()
				sink.memory.left(f)
				return err
			}
			return unroll(ctx, s.file, sink)
		},
		memory: newMemory,
	}
	if s.watch != nil {
		s.watch.rewrites, s.watch.queue = true, nil // the first run reads the present file anyway
		j.wait = s.waitFile
	}
	return j
}

// reads sets the file for Sample. Earlier files are closed with the source.
func (s *Source) reads(f *disk.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file = f
}

// waitFile waits until a followed file has changed.
func (s *Source) waitFile(ctx context.Context) error {
	changed := false
	for !changed || len(s.watch.queue) > 0 {
		ev, err := s.watch.Next(ctx)
		if err != nil {
			return err
		}
		switch ev.Kind {
		case Gone, Lost, Regained, Trouble:
			s.post(Event{Kind: ev.Kind, Err: ev.Err})
		case Appeared:
			s.post(Event{Kind: Regained}) // one stream covers all files at the path
			changed = true
		default:
			changed = true
		}
	}
	return nil
}

// replay makes a document of an op-log and unrolls it.
func (s *Source) replay(replay func(io.Reader, io.Writer) error, lists []string) func(context.Context, io.ReaderAt, *recordSink) error {
	return func(ctx context.Context, r io.ReaderAt, sink *recordSink) error {
		doc := spool.New(s.opts.Limits, s.opts.TempDir)
		defer doc.Close()
		m := newMeter(s.opts.Limits) // an edit may copy earlier content
		in := m.reads(ctxReader{ctx, &sequential{r: r}})
		replayErr := replay(in, m.bounds(doc))
		doc.Commit()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if doc.Broken() {
			_, _, _, err := doc.Look()
			return err
		}
		if replayErr != nil && doc.Size() == 0 {
			return fmt.Errorf("replay %q: %w", s.name, replayErr)
		}
		err := unrollDocument(ctx, doc, lists, sink)
		if replayErr != nil {
			return fmt.Errorf("replay %q: %w", s.name, replayErr)
		}
		return err
	}
}

// sequential reads a stream from its start.
type sequential struct {
	r   io.ReaderAt
	off int64
}

func (s *sequential) Read(p []byte) (int, error) {
	n, err := s.r.ReadAt(p, s.off)
	s.off += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (s *Source) membersJob(how *model.Unroll, only *int) job {
	u := &unroller{set: s.set, pick: how.Members, session: how.Together, meter: s.meter}
	if how.Stub != nil && only != nil {
		u.stub = func(name string, place int) []byte { return how.Stub(name, place, *only) }
	}
	j := job{run: u.unroll}
	if s.opts.Follow && s.Shape() == model.Folder {
		j.memory = func() *memory {
			u.stamps, u.failed = map[string]string{}, map[string]error{}
			m := newMemory()
			m.loose = true
			return m
		}
		j.wait = func(ctx context.Context) error { return s.sleep(ctx, folderEvery) }
	}
	return j
}

// sleep waits for d.
func (s *Source) sleep(ctx context.Context, d time.Duration) error {
	return s.opts.System.Pause(ctx, d)
}

func (s *Source) databaseJob(queries []model.Query) job {
	var rows *rowMemory
	var last stamp
	gone, failed := false, 0
	j := job{run: func(ctx context.Context, sink *recordSink) error {
		last = stampOf(s.dbase)
		if gone = last.missing; gone && rows != nil {
			s.post(Event{Kind: Gone})
			return nil
		}
		err := readDatabase(ctx, s.dbase, queries, sink, rows, s.opts)
		if errors.Is(err, errRewritten) {
			rows = newRowMemory()
			return err
		}
		if failed++; err == nil {
			failed = 0
		}
		if rows != nil && errors.Is(err, errBusy) && failed < maxReads {
			return nil // the next check may find it at rest
		}
		return err
	}}
	if !s.opts.Follow || s.fed != nil {
		return j
	}
	rows = newRowMemory()
	j.wait = func(ctx context.Context) error {
		for {
			if err := s.sleep(ctx, databaseEvery); err != nil {
				return err
			}
			// The failure may be due to a write: retry a few times, even without a change.
			if now := stampOf(s.dbase); now != last || failed > 0 && failed < maxReads {
				if gone && !now.missing {
					s.post(Event{Kind: Regained})
				}
				return nil
			}
		}
	}
	return j
}
