package keep

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"turns/export/outfile"
)

// Entries are what is kept, by path.
func (s *Store) Entries() iter.Seq[*Entry] {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*Entry, 0, len(s.known))
	for _, e := range s.known {
		if !e.Gone {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *Entry) int { return strings.Compare(a.Path, b.Path) })
	return slices.Values(list)
}

// Restore writes a file as it was, byte for byte, below a folder; "/" puts it back in its
// place. It reports false where it is there already. Without force another file of that
// name stays.
func (s *Store) Restore(ctx context.Context, e *Entry, into string, force bool) (bool, error) {
	name := filepath.FromSlash(place(e.Path, true))
	if !filepath.IsLocal(name) { // of an index that somebody else wrote
		return false, fmt.Errorf("restoring %q: it leads out of the folder", e.Path)
	}
	to := filepath.Join(into, name)
	if sum, err := sumOf(ctx, to); err == nil && !e.Redacted && bytes.Equal(sum, decoded(e.Hash)) {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return false, fmt.Errorf("restoring %q: %w", e.Path, err)
	}
	write := func(from string) error {
		_, err := outfile.Write(to, 0o600, force, func(w io.Writer) error { return e.copy(ctx, w, from) })
		return err
	}
	err := write(s.file(e.Kept))
	if err != nil && !errors.Is(err, fs.ErrExist) && ctx.Err() == nil && !e.Redacted {
		// A run that was killed may have put in its place what the index does not know yet.
		if old := s.old(e.Hash, e.Kept); write(old) == nil {
			err = nil
		}
	}
	if err != nil {
		return false, fmt.Errorf("restoring %q: %w", e.Path, err)
	}
	at := time.Unix(0, e.Time)
	_ = os.Chtimes(to, at, at)
	return true, nil
}

// copy writes the native file. What a kept one has beyond the frames that are known was added by
// a run that was killed before it could say so.
func (e *Entry) copy(ctx context.Context, w io.Writer, path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	from := io.Reader(reader{ctx, in})
	if !e.Redacted {
		from = io.LimitReader(from, e.Stored)
	}
	from, done, err := e.content(from)
	if err != nil {
		return err
	}
	defer done()
	if !e.Redacted { // one byte more has another hash
		from = io.LimitReader(from, e.Size+1)
	}
	sum := sha256.New()
	if _, err = io.Copy(io.MultiWriter(w, sum), from); err != nil {
		return err
	}
	if !e.Redacted && !bytes.Equal(sum.Sum(nil), decoded(e.Hash)) {
		return errors.New("what is kept is damaged: it has another hash than it had")
	}
	return nil
}

// content reads a kept file as it was.
func (e *Entry) content(from io.Reader) (_ io.Reader, done func(), err error) {
	if !e.compressed() {
		return from, func() {}, nil
	}
	z, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, nil, err
	}
	return z, z.Close, nil
}

func sumOf(ctx context.Context, path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, reader{ctx, f})
	return sum.Sum(nil), err
}

func decoded(hash string) []byte {
	sum, _ := hex.DecodeString(hash)
	return sum
}
