package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"turns/model"
	"turns/model/source/disk"
	"turns/model/source/parquet"
	"turns/model/source/remote"
	"turns/model/source/spool"
	"turns/model/source/web"
)

// maxWindow limits the search for a first record. maxLine limits the search for the record's end,
// to distinguish a document of one line from the first of many lines.
const (
	maxWindow = 4 << 20
	maxLine   = 64 << 20
)

// Open opens a path, "-" or an http(s) URL. It waits until it has enough to recognise the content:
// for a pipe, one complete record.
func Open(ctx context.Context, arg string, opts Options) (*Source, error) {
	opts.Limits = opts.Limits.WithDefaults()
	s := &Source{arg: arg, name: filepath.Base(arg), opts: opts, stream: nothing{}, meter: newMeter(opts.Limits)}
	// The source's goroutines outlive the opening and end with Close. While opening, cancelling ctx
	// also ends them.
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, s.cancel)
	err := s.open(ctx)
	if stop(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Source) open(ctx context.Context) error {
	var err error
	elsewhere, far := remote.Parse(s.arg)
	if err := Allowed(ctx, s.arg); err != nil {
		return err
	}
	switch {
	case s.arg == "":
		err = errors.New("open: no file was named")
	case s.arg == "-":
		s.openPipe()
	case web.IsURL(s.arg):
		err = s.openURL(ctx)
	case far:
		err = s.openElsewhere(elsewhere)
	default:
		err = s.openPath()
	}
	if err != nil {
		return err
	}
	if s.fed != nil {
		if err := s.unpackFed(ctx); err != nil {
			return err
		}
	}
	first, err := s.sample(ctx, true)
	if s.file != nil && s.fed == nil && s.watch == nil {
		s.first = first // the file is not followed, so its sample never changes
	} else {
		s.begin = nil
	}
	return err
}

// Beginning returns the bytes of [Source.Stream] that the source has already read for its sample.
// It returns nil if the stream may change, or is not a file.
func (s *Source) Beginning() []byte {
	if s.first == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stream != model.Stream(s.file) {
		return nil
	}
	return s.begin
}

// feed fills a spool from r, which is input, not unpacked content.
func (s *Source) feed(r io.Reader) { s.fill(s.meter.reads(r)) }

// fill fills a spool from r in the background.
func (s *Source) fill(r io.Reader) {
	s.fed = spool.New(s.opts.Limits, s.opts.TempDir)
	s.stream = s.fed
	s.wg.Go(func() { feed(s.ctx, r, s.fed, s.meter) })
}

func (s *Source) openPipe() {
	s.name = "stdin"
	in := s.opts.Stdin
	if in == nil {
		in = os.Stdin
	}
	if c, ok := in.(io.Closer); ok && in != os.Stdin {
		s.closers = append(s.closers, c.Close)
	} else {
		s.detached = true
	}
	s.feed(in)
}

func (s *Source) openURL(ctx context.Context) error {
	s.name = web.Name(s.arg)
	pages := spool.New(s.opts.Limits, s.opts.TempDir)
	answer, err := web.Open(ctx, s.ctx, s.arg, s.opts.asking(), pages)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, answer.Close)
	s.former = append(s.former, pages)
	s.feed(answer)
	return nil
}

func (s *Source) openPath() error {
	info, err := os.Stat(s.arg)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.opts.Follow:
		s.follow(nil)
		return nil
	case err != nil:
		if strings.Contains(s.arg, "://") {
			return fmt.Errorf("open %q: only http and https addresses are read, and those of buckets: s3 and gs", web.Shown(s.arg))
		}
		return disk.PathError(s.arg, err)
	case info.IsDir():
		set, err := openFolder(s.arg, s.opts.Limits)
		if err != nil {
			return err
		}
		s.set, s.shape = set, model.Folder
		return nil
	case info.Mode()&fs.ModeNamedPipe != 0:
		return s.openNamedPipe()
	}
	if s.file, err = s.opts.System.OpenFile(s.arg); err != nil {
		return err
	}
	if s.opts.Follow {
		s.file.Sum()
	}
	return s.openFile()
}

// openFile selects how to read a regular file by its first bytes.
func (s *Source) openFile() error {
	s.stream = s.file
	head := make([]byte, 16)
	n, err := s.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	switch c := magic(head[:n]); {
	case c == zipBytes:
		s.meter.in.Add(s.file.Size())
		set, err := openArchive(s.file, s.file.Size(), s.arg, s.meter)
		if err != nil || s.tryUnpack(s.ctx, set) {
			return err
		}
		s.set, s.shape = set, model.Archive
	case c == sqliteBytes:
		s.openDatabase()
	case c == parquetBytes:
		s.meter.in.Add(s.file.Size())
		return s.fillRows(s.file, s.file.Size(), s.arg)
	case c.encoded():
		s.feed(io.NewSectionReader(s.file, 0, s.file.Size()))
	case n == 0 && !remote.Is(s.arg):
		return s.openSizeless()
	case s.opts.Follow:
		s.follow(s.file)
	}
	return nil
}

// openDatabase prepares a database. SQLite reads only local files.
func (s *Source) openDatabase() {
	path := s.arg
	if remote.Is(path) {
		path = remote.LocalPath(s.ctx, path)
	}
	if path == "" {
		s.feed(io.NewSectionReader(s.file, 0, s.file.Size()))
		return
	}
	s.dbase, s.shape = path, model.Database
}

// fillRows reads the rows of a Parquet file as lines.
func (s *Source) fillRows(r io.ReaderAt, size int64, name string) error {
	rows, err := parquet.Open(r, size, s.opts.Limits)
	if err != nil {
		return fmt.Errorf("open %q: %w", name, err)
	}
	s.fill(s.meter.gives(rows))
	return nil
}

// openSizeless opens a file of size 0: it may be empty, or a file of /proc, which has no size.
func (s *Source) openSizeless() error {
	f, err := os.Open(s.arg)
	if err != nil {
		return disk.PathError(s.arg, err)
	}
	var one [1]byte
	n, err := f.ReadAt(one[:], 0)
	if n == 0 && err != nil && err != io.EOF {
		f.Close()
		return fmt.Errorf("read %q: %w", s.arg, disk.BareError(err))
	}
	if n == 0 || s.file.Size() > 0 {
		f.Close()
		if s.opts.Follow {
			s.follow(s.file)
		}
		return nil
	}
	s.closers = append(s.closers, f.Close)
	s.feed(f)
	return nil
}

func (s *Source) follow(file *disk.File) { s.watch = watch(s.arg, file, s.opts.System) }

// openNamedPipe reads a named pipe. Opening one waits for its writer.
func (s *Source) openNamedPipe() error {
	pr, pw := io.Pipe()
	opened := make(chan struct{})
	s.closers = append(s.closers, func() error {
		s.detached = !s.wakeReader(opened)
		return pr.Close()
	})
	s.wg.Go(func() {
		f, err := os.Open(s.arg)
		close(opened)
		if err != nil {
			pw.CloseWithError(disk.PathError(s.arg, err))
			return
		}
		defer f.Close()
		stop := context.AfterFunc(s.ctx, func() { f.Close() })
		defer stop()
		_, err = io.Copy(pw, f)
		pw.CloseWithError(err)
	})
	s.feed(pr)
	return nil
}

// wakeReader ends the wait for the writer of a named pipe by opening it for writing for a moment.
// It returns false if the path is gone: then the reader waits forever.
func (s *Source) wakeReader(opened <-chan struct{}) bool {
	for {
		select {
		case <-opened:
			return true
		case <-time.After(time.Millisecond):
		}
		if info, err := os.Stat(s.arg); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			return false
		}
		disk.ReleasePipe(s.arg)
	}
}

// unpackFed checks whether the arriving bytes are a container that is readable only when complete.
func (s *Source) unpackFed(ctx context.Context) error {
	size, ended, err := int64(0), false, error(nil)
	for size < 2 && !ended {
		if size, ended, err = s.fed.Wait(ctx, size); err != nil {
			return s.fedError(size, err)
		}
	}
	head := make([]byte, 16)
	n, _ := s.fed.ReadAt(head, 0)
	for n < len(head) && (slices.Contains([]container{zipBytes, parquetBytes}, magic(head[:min(n, 4)])) || strings.HasPrefix(sqliteMagic, string(head[:n]))) && !ended {
		if size, ended, err = s.fed.Wait(ctx, size); err != nil {
			return s.fedError(size, err)
		}
		n, _ = s.fed.ReadAt(head, 0)
	}
	c := magic(head[:n])
	if c != zipBytes && c != sqliteBytes && c != parquetBytes {
		return nil
	}
	for !ended {
		if size, ended, err = s.fed.Wait(ctx, size); err != nil {
			return s.fedError(0, err)
		}
	}
	if c == parquetBytes {
		s.former = append(s.former, s.fed)
		return s.fillRows(s.fed, size, s.name)
	}
	if c == zipBytes {
		arrived := s.fed
		set, err := openArchive(arrived, size, s.name, s.meter)
		switch {
		case err != nil:
		case s.tryUnpack(ctx, set):
			s.former = append(s.former, arrived)
			return s.unpackFed(ctx)
		default:
			s.set, s.shape = set, model.Archive
		}
		return err
	}
	return s.saveDatabase(ctx)
}

// fedError returns err if no bytes arrived. Otherwise the source can show them, and Next returns
// the error.
func (s *Source) fedError(size int64, err error) error {
	if size > 0 && s.ctx.Err() == nil && !errors.Is(err, context.Canceled) {
		return nil
	}
	if web.IsURL(s.arg) {
		return err
	}
	return fmt.Errorf("open %q: %w", s.called(), err)
}

// called returns the name for errors: two files of a folder may share a base name.
func (s *Source) called() string {
	if s.arg == "-" {
		return s.name
	}
	return web.Shown(s.arg)
}

// saveDatabase saves an arriving database as a file, because SQLite reads only files.
func (s *Source) saveDatabase(ctx context.Context) error {
	dir, release, err := disk.Keep(s.opts.TempDir)
	if err != nil {
		return fmt.Errorf("keep database %q: %w", s.name, err)
	}
	s.closers = append(s.closers, func() error { defer release(); return os.RemoveAll(dir) })
	s.dbase = filepath.Join(dir, "db")
	s.shape = model.Database
	out, err := os.OpenFile(s.dbase, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = io.Copy(out, ctxReader{ctx, io.NewSectionReader(s.fed, 0, s.fed.Size())})
		err = errors.Join(err, out.Close())
	}
	if err == nil {
		err = s.saveLog(ctx)
	}
	if err != nil {
		return fmt.Errorf("keep database %q: %w", s.name, err)
	}
	return nil
}

// Sample returns the current beginning of the source, for detection. It reads growing sources again
// on each call, so that a pipe that had only one record can be judged again.
func (s *Source) Sample() *model.Sample {
	if s.first != nil {
		return s.first
	}
	sample, err := s.sample(context.Background(), false)
	if err != nil {
		return &model.Sample{Path: s.Path(), Shape: s.Shape()}
	}
	return sample
}

func (s *Source) sample(ctx context.Context, wait bool) (*model.Sample, error) {
	sample := &model.Sample{Path: s.Path(), Shape: s.Shape()}
	switch {
	case s.dbase != "":
		if s.tables == nil {
			// The opener waits for this, so it uses the real clock.
			err := atRest(s.ctx, s.dbase, disk.System{}.WithDefaults(), func(_ stamp, copied bool) (bool, error) {
				d, err := openDatabase(s.ctx, s.dbase, s.opts.TempDir, copied, s.opts.Limits)
				if err != nil {
					return false, err
				}
				defer d.Close()
				if s.tables, err = d.tables(s.ctx); err == nil {
					s.peeked = d.peek(s.ctx)
				}
				return false, err
			})
			if err != nil {
				return nil, err
			}
		}
		sample.Tables, sample.Rows = s.tables, s.peeked
		return sample, nil
	case s.set != nil:
		if s.listed == nil {
			var err error
			if s.listed, err = s.set.names(s.ctx); err != nil {
				return nil, err
			}
		}
		sample.Names = s.listed
		return sample, nil
	}
	v, win, err := s.look(ctx, s.raw(), wait)
	if err != nil {
		return nil, err
	}
	if v.shape == model.Lines && len(v.records) == 0 && v.doc != nil && web.IsURL(s.arg) {
		v.shape = model.Document // a complete response: the document is truncated
	}
	s.mu.Lock()
	s.shape = v.shape
	s.mu.Unlock()
	if wait { // the opener, before other goroutines
		s.begin = win
	}
	return v.sample(s.Path(), win), nil
}

// look judges the raw bytes by a window that grows until the verdict is final. With wait it waits
// until enough bytes have arrived.
func (s *Source) look(ctx context.Context, raw model.Stream, wait bool) (v verdict, win []byte, err error) {
	size, seen := int64(window), int64(0)
	for {
		var whole bool
		if win, whole, err = s.window(ctx, raw, size, seen, wait); err != nil {
			return v, nil, err
		}
		v = judge(win, whole)
		full := int64(len(win)) >= size
		if wait && !whole && v.shape == model.Lines && bytes.IndexByte(win, '\n') < 0 {
			// one value without a newline: only later bytes show whether more follow
			v.more = true
		}
		switch {
		case !v.more || whole || full && size >= maxWindow || !full && !wait:
			if v.more && v.shape == model.Document {
				s.longLine(raw, int64(len(win)), &v)
			}
			return v, win, nil
		case full:
			size *= 4
		}
		seen = int64(len(win))
	}
}

// raw returns the stream before any unrolling.
func (s *Source) raw() model.Stream {
	s.mu.Lock() // a followed document is unrolled by another goroutine
	defer s.mu.Unlock()
	switch {
	case s.fed != nil:
		return s.fed
	case s.watch != nil && !s.framed:
		// the watcher's file may be newer than the reported events
		return s.stream
	case s.file != nil:
		return s.file
	}
	return nothing{}
}

// window reads up to size bytes of the available ones; with wait it first waits for more than seen
// bytes.
func (s *Source) window(ctx context.Context, raw model.Stream, size, seen int64, wait bool) (win []byte, whole bool, err error) {
	whole = raw.Size() <= size
	if sp, ok := raw.(*spool.Spool); ok {
		have, ended, _, err := sp.Look()
		if wait && have <= seen && !ended {
			have, ended, err = sp.Wait(ctx, seen)
		}
		if err != nil && (!ended || have == 0) {
			return nil, false, s.fedError(0, err)
		}
		whole = ended && have <= size
	}
	win = make([]byte, min(size, raw.Size()))
	n, err := raw.ReadAt(win, 0)
	if err != nil && err != io.EOF && n == 0 {
		return nil, false, err
	}
	return win[:n], whole, nil
}

// longLine decides whether a line longer than the window is a complete document or the first of
// many lines. For many it judges the next ones.
func (s *Source) longLine(raw model.Stream, from int64, v *verdict) {
	buf := make([]byte, window)
	for off := from; off < from+maxLine; {
		n, err := raw.ReadAt(buf, off)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			n, _ = raw.ReadAt(buf, off+int64(i)+1)
			next := skipPreface(buf[:n])
			if len(next) == 0 || next[0] != '{' {
				return
			}
			lines := judgeLines(next, n < len(buf), SampleRecords)
			lines.doc = v.doc
			if len(lines.records) == 0 { // the next line is as long: use the part of the first
				lines.records = [][]byte{closed(v.doc)}
			}
			lines.shape = model.Lines
			*v = lines
			return
		}
		if err != nil || n == 0 {
			return
		}
		off += int64(n)
	}
}
