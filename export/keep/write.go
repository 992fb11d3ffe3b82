package keep

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Change is the result of archiving a file.
type Change uint8

// Results of archiving a file.
const (
	Same      Change = iota // unchanged
	New                     // new
	Grown                   // additions archived
	Rewritten               // rewritten; its previous version remains
	Linked                  // same contents as another archived file
)

// Keep archives a file. Plain stores it uncompressed: databases, and files with a name in
// transcripts.
func (s *Store) Keep(ctx context.Context, path string, plain bool) (Change, *Entry, error) {
	w, err := s.begin(ctx, path, plain)
	if err != nil {
		return Same, nil, err
	}
	if w.same() {
		return Same, w.was, nil
	}
	change, err := w.keep()
	if err != nil {
		return Same, nil, fmt.Errorf("keeping %q: %w", path, err)
	}
	return change, &w.now, nil
}

// mostSize is the size of the largest file to archive. A file without content can have any size,
// and reading it would not end.
const mostSize = 64 << 30

// begin examines a file to archive, and its archived version.
func (s *Store) begin(ctx context.Context, path string, plain bool) (*writing, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return nil, fmt.Errorf("keeping a file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("keeping %q: it is no regular file", path)
	}
	if info.Size() > mostSize {
		return nil, fmt.Errorf("keeping %q: it has %d bytes, the most is %d", path, info.Size(), int64(mostSize))
	}
	w := &writing{s: s, ctx: ctx, from: abs, info: info, now: Entry{
		Path: abs, Size: info.Size(), Time: info.ModTime().UnixNano(), Redacted: s.o.Redact, Plain: plain,
	}}
	if s.o.Names != nil {
		w.now.Path, w.now.Anonymized, w.now.Original = s.o.Names.String(abs), true, info.Size()
	}
	w.now.Kept, w.was = s.reserve(w.now.Path, plain)
	if w.was != nil && (w.was.Gone || !s.there(w.was)) {
		w.was = nil
	}
	return w, nil
}

// same reports whether a file is unchanged since it was archived.
func (w *writing) same() bool {
	return w.was != nil && w.was.original() == w.now.original() && w.was.Anonymized == w.now.Anonymized && w.was.Time == w.now.Time && w.was.Redacted == w.now.Redacted
}

// File is a file to archive.
type File struct {
	Path     string
	Plain    bool // uncompressed: read by its name, already compressed, or a database
	Database bool // SQLite, archived together with its logs
}

// All archives files, several at a time, and calls tell with each result, one after another.
func (s *Store) All(ctx context.Context, files []File, report func(f File, c Change, e *Entry, err error)) {
	next := make(chan File)
	var telling sync.Mutex
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for f := range next {
				c, e, err := s.keepFile(ctx, f)
				telling.Lock()
				report(f, c, e, err)
				telling.Unlock()
			}
		})
	}
	defer wg.Wait()
	defer close(next)
	for _, f := range files {
		select {
		case next <- f:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Store) keepFile(ctx context.Context, f File) (Change, *Entry, error) {
	if f.Database {
		return s.KeepDatabase(ctx, f.Path)
	}
	return s.Keep(ctx, f.Path, f.Plain)
}

// there reports whether an archived file matches the index.
func (s *Store) there(e *Entry) bool {
	info, err := os.Lstat(s.file(e.Kept))
	return err == nil && info.Mode().IsRegular() && info.Size() == e.Stored && s.inside(e.Kept) == nil
}

// writing is a file during its archiving.
type writing struct {
	s    *Store
	ctx  context.Context
	from string // the native file
	info fs.FileInfo
	was  *Entry // nil: not archived yet
	now  Entry
	hash hash.Hash
	temp string // written file without its final name
}

// errChanged is the error of a file that is rewritten while it is read.
var errChanged = errors.New("it changed while it was read; the next time keeps it")

func (w *writing) keep() (Change, error) {
	f, err := os.Open(w.from)
	if err != nil {
		return Same, err
	}
	defer f.Close()
	if err := w.look(f); err != nil {
		return Same, err
	}
	w.hash = sha256.New()
	change := New
	if w.was != nil && (w.was.Anonymized || w.now.Anonymized) {
		change = Rewritten
	} else if w.was != nil {
		change = Rewritten
		if same, err := w.begins(f); err != nil {
			return Same, err
		} else if same && w.was.Size == w.now.Size && w.was.Redacted == w.now.Redacted { // a new time
			w.touched()
			return Same, w.s.add(&w.now)
		} else if same && !w.now.Redacted && !w.was.Redacted && w.was.Kept == w.now.Kept && w.now.compressed() {
			return Grown, w.write(f, true)
		}
	}
	if err := w.rewind(f); err != nil {
		return Same, err
	}
	if w.was == nil && w.s.redact == nil {
		if linked, err := w.link(f); linked || err != nil {
			return Linked, err
		}
	}
	if w.was == nil {
		if known, err := w.adopt(); known || err != nil {
			return New, err
		}
	} else if err := w.retire(); err != nil {
		return Same, err
	}
	return change, w.write(f, false)
}

// look takes size and time from the opened file, which may have replaced the listed one.
func (w *writing) look(f *os.File) error {
	info, err := f.Stat()
	if err == nil {
		w.info, w.now.Size, w.now.Time = info, info.Size(), info.ModTime().UnixNano()
		if w.now.Anonymized {
			w.now.Original = info.Size()
		}
	}
	return err
}

// touched adopts the archived version of a file with unchanged content.
func (w *writing) touched() {
	w.now.Hash, w.now.Kept, w.now.Stored, w.now.Plain = w.was.Hash, w.was.Kept, w.was.Stored, w.was.Plain
}

func (w *writing) rewind(f *os.File) error {
	w.hash.Reset()
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// begins reports whether a file begins with its archived content; it then leaves the offset after
// that.
func (w *writing) begins(f *os.File) (bool, error) {
	if w.now.Size < w.was.Size {
		return false, nil
	}
	_, err := io.CopyN(w.hash, reader{w.ctx, f}, w.was.Size)
	if errors.Is(err, io.EOF) {
		err = errChanged
	}
	return err == nil && hex.EncodeToString(w.hash.Sum(nil)) == w.was.Hash, err
}

// link adds a second name to an already archived content.
func (w *writing) link(f *os.File) (bool, error) {
	if _, err := io.CopyN(w.hash, reader{w.ctx, f}, w.now.Size); err != nil {
		if errors.Is(err, io.EOF) {
			err = errChanged
		}
		return false, err
	}
	w.now.Hash = hex.EncodeToString(w.hash.Sum(nil))
	w.s.mu.Lock()
	same := w.s.hashes[w.now.Hash]
	w.s.mu.Unlock()
	if same != nil && same.Size == w.now.Size && same.compressed() == w.now.compressed() && w.s.there(same) {
		to := w.s.file(w.now.Kept)
		if err := w.s.mkdir(w.now.Kept); err != nil {
			return false, err
		}
		if err := os.Link(w.s.file(same.Kept), to); err == nil {
			w.s.named(w.now.Kept)
			w.now.Stored = same.Stored
			return true, w.s.add(&w.now)
		}
	}
	return false, w.rewind(f)
}

// retire stores the previous version of a rewritten file.
func (w *writing) retire() error {
	name := w.was.Hash
	if !w.was.exact() {
		name += "-redacted"
	}
	return w.s.retire(w.was.Kept, name)
}

// adopt uses an archived file that is not in the index, because a run was killed or the disk was
// full, if it has the same content. Otherwise it moves the file away.
func (w *writing) adopt() (bool, error) {
	at := w.s.file(w.now.Kept)
	in, err := w.s.openInside(w.now.Kept)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer in.Close()
	sum := sha256.New()
	from, done, err := w.now.content(reader{w.ctx, in})
	if err == nil {
		_, err = io.Copy(sum, from)
		done()
	}
	if w.ctx.Err() != nil {
		return false, w.ctx.Err()
	}
	name := hex.EncodeToString(sum.Sum(nil))
	if info, serr := in.Stat(); err == nil && serr == nil && name == w.now.Hash {
		w.s.named(w.now.Kept) // its name may not have survived the previous run
		w.now.Stored = info.Size()
		return true, w.s.add(&w.now)
	}
	if err != nil { // damaged: leave its remains
		if raw, err := sumOf(w.ctx, at); err == nil {
			name = hex.EncodeToString(raw) + "-damaged"
		}
	}
	return false, w.s.retire(w.now.Kept, name)
}

// write writes the archived file atomically. If a file has grown, its existing frames do not
// change.
func (w *writing) write(f *os.File, grown bool) error {
	if err := w.stage(f, grown); err != nil {
		return err
	}
	if err := w.place(); err != nil {
		return err
	}
	return w.s.add(&w.now)
}

// stage writes the archived content to a file without its final name.
func (w *writing) stage(f *os.File, grown bool) (err error) {
	w.temp, w.now.Stored, err = w.s.temp(w.now.Path, w.info.Mode().Perm()|0o600, func(out io.Writer) error {
		rest := w.now.Size
		if grown {
			rest -= w.was.Size
			if err := w.s.copyFirst(out, w.now.Kept, w.was.Stored); err != nil {
				return err
			}
		}
		in := io.LimitReader(reader{w.ctx, f}, rest)
		if !w.now.Anonymized {
			in = io.TeeReader(in, w.hash)
		}
		if err := w.encode(out, in, rest); err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil && info.Size() <= rest && info.ModTime().UnixNano() != w.now.Time {
			err = errChanged
		}
		return err
	})
	if err != nil {
		return err
	}
	w.now.Hash = hex.EncodeToString(w.hash.Sum(nil))
	_ = os.Chtimes(w.temp, w.info.ModTime(), w.info.ModTime()) // lists show this time
	return nil
}

// place renames the written file to its final name.
func (w *writing) place() error {
	to := w.s.file(w.now.Kept)
	err := w.s.mkdir(w.now.Kept)
	if err == nil {
		err = os.Rename(w.temp, to)
	}
	if err != nil {
		_ = os.Remove(w.temp)
	}
	w.s.named(w.now.Kept)
	return err
}

// encode writes that many bytes of a file in archived form.
func (w *writing) encode(out io.Writer, in io.Reader, size int64) error {
	count := &counter{r: in}
	to, done := out, func() error { return nil }
	if w.now.compressed() {
		z, ok := w.s.encoders.Get().(*zstd.Encoder)
		if !ok {
			var err error
			if z, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(4<<20)); err != nil {
				return err
			}
		}
		defer w.s.encoders.Put(z)
		z.Reset(out)
		to, done = z, z.Close
	}
	var err error
	if w.s.redact != nil {
		err = w.redacted(to, count)
	} else {
		_, err = io.Copy(to, count)
	}
	if cerr := done(); err == nil { // it repeats the error of the copy
		err = cerr
	}
	if err == nil && count.n != size {
		err = errChanged
	}
	return err
}

// original returns the size of the native file.
func (e *Entry) original() int64 {
	if e.Anonymized {
		return e.Original
	}
	return e.Size
}

// counting counts the bytes written to it.
type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// redacted copies text without its secrets and names. It refuses binary data, because redaction
// would damage it.
func (w *writing) redacted(to io.Writer, from io.Reader) error {
	text := bufio.NewReaderSize(from, 1<<20)
	if first, _ := text.Peek(1 << 12); bytes.IndexByte(first, 0) >= 0 {
		return errors.New("secrets and names can be replaced in text only")
	}
	written := &counting{w: to}
	if w.now.Anonymized {
		written.w = io.MultiWriter(to, w.hash)
	}
	clean := w.s.redact.Writer(written)
	if _, err := text.WriteTo(clean); err != nil {
		return err
	}
	err := clean.Close()
	if w.now.Anonymized {
		w.now.Size = written.n
	}
	return err
}

func (s *Store) copyFirst(out io.Writer, kept string, n int64) error {
	in, err := s.openInside(kept)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.CopyN(out, in, n)
	return err
}

// counter counts the bytes that it reads.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// reader ends when its context ends.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
