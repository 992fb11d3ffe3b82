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

// Entries yields the archived files, by path.
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

// Restore writes a file byte for byte below a folder; "/" puts it back in its old place. It
// returns false if the file exists there with the same contents. Without force it does not
// overwrite another file.
func (s *Store) Restore(ctx context.Context, e *Entry, into string, force bool) (bool, error) {
	name := filepath.FromSlash(place(e.Path, true))
	if !filepath.IsLocal(name) { // the index may be from someone else
		return false, fmt.Errorf("restoring %q: it leads out of the folder", e.Path)
	}
	to := filepath.Join(into, name)
	s.mu.Lock()
	other := s.restored[to]
	if s.restored[to] = e.Path; other == "" {
		other = e.Path
	}
	s.mu.Unlock()
	if other != e.Path {
		return false, fmt.Errorf("restoring %q: %q was restored to %q", e.Path, other, to)
	}
	if sum, err := sumOf(ctx, to); err == nil && e.exact() && bytes.Equal(sum, decoded(e.Hash)) {
		return false, nil
	}
	err := os.MkdirAll(into, 0o700)
	if err == nil {
		err = mkdirBelow(into, filepath.ToSlash(filepath.Dir(name)))
	}
	if err != nil {
		return false, fmt.Errorf("restoring %q: %w", e.Path, err)
	}
	write := func(from string) error {
		_, err := outfile.Write(to, 0o600, force, func(w io.Writer) error { return s.copy(ctx, w, e, from) })
		return err
	}
	err = write(e.Kept)
	if err != nil && !errors.Is(err, fs.ErrExist) && ctx.Err() == nil && e.exact() {
		// A killed run may have put a version there that the index does not contain.
		if old := oldPlace(e.Hash, e.Kept); write(old) == nil {
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

// copy writes the native file from its place in the archive. It ignores data after the known
// frames: a killed run added them without recording them.
func (s *Store) copy(ctx context.Context, w io.Writer, e *Entry, kept string) error {
	in, err := s.openInside(kept)
	if err != nil {
		return err
	}
	defer in.Close()
	from := io.Reader(reader{ctx, in})
	if e.exact() {
		from = io.LimitReader(from, e.Stored)
	}
	from, done, err := e.content(from)
	if err != nil {
		return err
	}
	defer done()
	most := e.Size + 1 // an additional byte changes the hash
	if !e.exact() {
		most = 4*e.Size + redactedMore
	}
	from = io.LimitReader(from, most)
	sum := sha256.New()
	if _, err = io.Copy(io.MultiWriter(w, sum), from); err != nil {
		return err
	}
	if !e.Redacted && !bytes.Equal(sum.Sum(nil), decoded(e.Hash)) {
		return errors.New("what is kept is damaged: it has another hash than it had")
	}
	return nil
}

// redactedMore is the maximum growth of a file by the replacements of its secrets.
const redactedMore = 1 << 20

// content returns a reader for the original content of an archived file.
func (e *Entry) content(from io.Reader) (_ io.Reader, done func(), err error) {
	if !e.compressed() {
		return from, func() {}, nil
	}
	z, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return nil, nil, err
	}
	return z, z.Close, nil
}

func sumOf(ctx context.Context, path string) ([]byte, error) {
	f, err := outfile.OpenRegular(path)
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
