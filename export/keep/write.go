package keep

import (
	"bufio"
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

// Change is what became of a file.
type Change uint8

// What may become of a file.
const (
	Same   Change = iota // it is as it was kept
	New                  // it was not kept yet
	Grown                // what was added to it is kept, too
	Anew                 // it was written anew; what it was before stays
	Linked               // its content was kept already, under another name
)

// Keep keeps a file. Plain keeps it uncompressed: it is read by its name, or is a
// database.
func (s *Store) Keep(ctx context.Context, path string, plain bool) (Change, *Entry, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Same, nil, err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return Same, nil, fmt.Errorf("keeping a file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return Same, nil, fmt.Errorf("keeping %q: it is no regular file", path)
	}
	w := writing{s: s, ctx: ctx, info: info, now: Entry{
		Path: abs, Size: info.Size(), Time: info.ModTime().UnixNano(), Kept: place(abs, plain), Redacted: s.redact != nil,
	}}
	s.mu.Lock()
	w.was = s.known[abs]
	s.mu.Unlock()
	if w.was != nil && w.was.Size == w.now.Size && w.was.Time == w.now.Time && w.was.Redacted == w.now.Redacted && s.there(w.was) {
		return Same, w.was, nil
	}
	change, err := w.keep()
	if err != nil {
		return Same, nil, fmt.Errorf("keeping %q: %w", path, err)
	}
	return change, &w.now, nil
}

// File is a file that is to be kept.
type File struct {
	Path  string
	Plain bool // uncompressed: it is read by its name, or is compressed, or a database
}

// All keeps files, several at a time, and tells what became of each. What it tells comes one
// after another.
func (s *Store) All(ctx context.Context, files []File, tell func(f File, c Change, e *Entry, err error)) {
	next := make(chan File)
	var telling sync.Mutex
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for f := range next {
				c, e, err := s.Keep(ctx, f.Path, f.Plain)
				telling.Lock()
				tell(f, c, e, err)
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

// there reports whether a kept file is as the index says.
func (s *Store) there(e *Entry) bool {
	info, err := os.Lstat(s.file(e.Kept))
	return err == nil && info.Size() == e.Stored
}

// writing is a file that is being kept.
type writing struct {
	s    *Store
	ctx  context.Context
	info fs.FileInfo
	was  *Entry // nil: nothing is kept of it
	now  Entry
	hash hash.Hash
}

// errShrunk is the error of a file that is written anew while it is read.
var errShrunk = errors.New("it changed while it was read; the next time keeps it")

func (w *writing) keep() (Change, error) {
	f, err := os.Open(w.now.Path)
	if err != nil {
		return Same, err
	}
	defer f.Close()
	if w.was != nil && !w.s.there(w.was) {
		w.was = nil
	}
	w.hash = sha256.New()
	change := New
	if w.was != nil {
		change = Anew
		if same, err := w.begins(f); err != nil {
			return Same, err
		} else if same && w.was.Size == w.now.Size && w.was.Redacted == w.now.Redacted { // only touched
			w.now.Hash, w.now.Kept, w.now.Stored = w.was.Hash, w.was.Kept, w.was.Stored
			return Same, w.s.add(&w.now)
		} else if same && !w.now.Redacted && !w.was.Redacted && w.was.Kept == w.now.Kept && filepath.Ext(w.now.Kept) == ending {
			return Grown, w.write(f, true)
		}
	}
	if err := w.rewind(f); err != nil {
		return Same, err
	}
	if w.was == nil && !w.now.Redacted {
		if linked, err := w.link(f); linked || err != nil {
			return Linked, err
		}
	}
	if change == Anew {
		if err := w.retire(); err != nil {
			return Same, err
		}
	}
	return change, w.write(f, false)
}

func (w *writing) rewind(f *os.File) error {
	w.hash.Reset()
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// begins reports whether a file begins with what was kept of it, and stands behind it then.
func (w *writing) begins(f *os.File) (bool, error) {
	if w.now.Size < w.was.Size {
		return false, nil
	}
	_, err := io.CopyN(w.hash, reader{w.ctx, f}, w.was.Size)
	if errors.Is(err, io.EOF) {
		err = errShrunk
	}
	return err == nil && hex.EncodeToString(w.hash.Sum(nil)) == w.was.Hash, err
}

// link gives a content that is kept already a second name.
func (w *writing) link(f *os.File) (bool, error) {
	if _, err := io.CopyN(w.hash, reader{w.ctx, f}, w.now.Size); err != nil {
		if errors.Is(err, io.EOF) {
			err = errShrunk
		}
		return false, err
	}
	w.now.Hash = hex.EncodeToString(w.hash.Sum(nil))
	w.s.mu.Lock()
	same := w.s.hashes[w.now.Hash]
	w.s.mu.Unlock()
	if same != nil && same.Size == w.now.Size && filepath.Ext(same.Kept) == filepath.Ext(w.now.Kept) && w.s.there(same) {
		to := w.s.file(w.now.Kept)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return false, err
		}
		if err := os.Link(w.s.file(same.Kept), to); err == nil {
			w.now.Stored = same.Stored
			return true, w.s.add(&w.now)
		}
	}
	return false, w.rewind(f)
}

// retire keeps what a file was before it was written anew.
func (w *writing) retire() error {
	from := w.s.file(w.was.Kept)
	name := w.was.Hash
	if w.was.Redacted {
		name += "-redacted"
	}
	to := w.s.file(OwnDir + "/" + oldDir + "/" + name + filepath.Ext(w.was.Kept))
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	_, err = w.s.put(to, 0o600, func(out io.Writer) error { // a file system without links
		in, err := os.Open(from)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(out, in)
		return err
	})
	return err
}

// write writes the kept file whole, or not at all. Of one that has grown the frames that
// are there stay as they are.
func (w *writing) write(f *os.File, grown bool) error {
	to := w.s.file(w.now.Kept)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	stored, err := w.s.put(to, w.info.Mode().Perm()|0o600, func(out io.Writer) error {
		rest := w.now.Size
		if grown {
			rest -= w.was.Size
			if err := copyFirst(out, to, w.was.Stored); err != nil {
				return err
			}
		}
		in := io.TeeReader(io.LimitReader(reader{w.ctx, f}, rest), w.hash)
		return w.encode(out, in, rest)
	})
	if err != nil {
		return err
	}
	w.now.Hash, w.now.Stored = hex.EncodeToString(w.hash.Sum(nil)), stored
	_ = os.Chtimes(to, w.info.ModTime(), w.info.ModTime()) // lists say when it was written
	return w.s.add(&w.now)
}

// encode writes so many bytes of a file as they are kept.
func (w *writing) encode(out io.Writer, in io.Reader, size int64) error {
	count := &counter{r: in}
	to, done := out, func() error { return nil }
	if filepath.Ext(w.now.Kept) == ending {
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
	if w.now.Redacted {
		err = w.redacted(to, count)
	} else {
		_, err = io.Copy(to, count)
	}
	if err = errors.Join(err, done()); err == nil && count.n != size {
		err = errShrunk
	}
	return err
}

// redacted copies lines without their credentials.
func (w *writing) redacted(to io.Writer, from io.Reader) error {
	lines := bufio.NewReaderSize(from, 1<<20)
	var clean []byte
	for {
		line, err := lines.ReadBytes('\n')
		clean, _ = w.s.redact.Redact(clean[:0], line)
		if _, werr := to.Write(clean); werr != nil {
			return werr
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func copyFirst(out io.Writer, path string, n int64) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.CopyN(out, in, n)
	return err
}

// counter counts what it reads.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// reader ends when its context does.
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
