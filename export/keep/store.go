package keep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"turns/export/outfile"
	"turns/query/redact"
)

const (
	// OwnDir is hidden, so that lists of transcripts skip it.
	OwnDir    = ".turns-keep"
	indexName = "index.jsonl"
	lockName  = "lock"
	oldDir    = "old"
	newDir    = "new" // files that are being written
	ending    = ".zst"
)

// Entry is a line of the index: one archived file.
type Entry struct {
	Path     string `json:"path"` // of the native file
	Size     int64  `json:"size"` // bytes of the original
	Time     int64  `json:"time"` // modification time, Unix ns
	Hash     string `json:"sha256"`
	Kept     string `json:"kept"`   // below the folder, with slashes
	Stored   int64  `json:"stored"` // bytes of the copy
	Redacted bool   `json:"redacted,omitempty"`
	// turns replaced names, in the path as well: size and hash are those of the replaced bytes
	Anonymized bool  `json:"anonymized,omitempty"`
	Original   int64 `json:"original,omitempty"` // bytes before names were replaced
	Plain      bool  `json:"plain,omitempty"`    // uncompressed, with any name
	Gone       bool  `json:"gone,omitempty"`     // a former log of a database
}

// compressed reports whether the archived file is a zstd version of the native one.
func (e *Entry) compressed() bool { return !e.Plain && filepath.Ext(e.Kept) == ending }

// Store is an archive. Several goroutines may call Keep.
type Store struct {
	dir    string
	free   func()
	redact *redact.Redactor // nil: files do not change
	o      Options

	encoders *sync.Pool
	through  through // wraps writers to make them fail in tests; nil: none
	sync     func(path string) error

	mu     sync.Mutex
	index  *os.File
	known  map[string]*Entry // by path of the native file
	hashes map[string]*Entry // by hash of the archived content
	places map[string]string // native file by place
	lines  bytes.Buffer      // lines that are not written to the index yet
	placed map[string]bool   // folders with newly named files since it was opened

	restored map[string]string // native file by restored path

	damaged int // unreadable lines of the index
}

// through wraps the writer of an archived file, or of the index.
type through func(path string, to io.Writer) io.Writer

// Options select the replacements in the copies. The zero value archives files unchanged.
type Options struct {
	Redact bool          // secrets
	Names  *redact.Names // names of people, machines and private repositories; nil: they stay
}

// exact reports whether the hash of an entry is that of the restored file.
func (e *Entry) exact() bool { return !e.Redacted || e.Anonymized }

// Open opens an archive and creates it if necessary. It locks out other writers until Close.
func Open(dir string, o Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := ownFolder(dir); err != nil {
		return nil, fmt.Errorf("making the archive: %w", err)
	}
	free, err := outfile.Lock(filepath.Join(dir, OwnDir, lockName))
	if err != nil {
		return nil, fmt.Errorf("keeping transcripts in %q: %w", dir, err)
	}
	// existing files are from a killed run: this is the only writer
	fresh := filepath.Join(dir, OwnDir, newDir)
	if err := errors.Join(os.RemoveAll(fresh), os.Mkdir(fresh, 0o700)); err != nil {
		free()
		return nil, fmt.Errorf("keeping transcripts in %q: %w", dir, err)
	}
	s := bare(dir)
	s.free = free
	s.o = o
	switch {
	case o.Names != nil:
		s.redact = o.Names.Redactor(o.Redact)
	case o.Redact:
		s.redact = redact.New()
	}
	s.named(OwnDir + "/" + indexName)
	if err = s.read(); err == nil {
		s.index, err = outfile.OpenRegularAt(filepath.Join(dir, OwnDir, indexName), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	}
	if err != nil {
		free()
		return nil, err
	}
	return s, nil
}

// Read opens an archive only for Entries and Restore, for example on a full or read-only disk.
func Read(dir string) (*Store, error) {
	s := bare(dir)
	return s, s.read()
}

func bare(dir string) *Store {
	return &Store{
		dir: dir, encoders: &sync.Pool{}, sync: outfile.Sync,
		known: map[string]*Entry{}, hashes: map[string]*Entry{}, places: map[string]string{}, placed: map[string]bool{}, restored: map[string]string{},
	}
}

// read reads the index. It counts damaged lines and uses the others.
func (s *Store) read() error {
	if info, err := os.Lstat(filepath.Join(s.dir, OwnDir)); err == nil && !info.IsDir() {
		return fmt.Errorf("reading the index of the archive: %q is not a folder", filepath.Join(s.dir, OwnDir))
	}
	f, err := outfile.OpenRegular(filepath.Join(s.dir, OwnDir, indexName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the index of the archive: %w", err)
	}
	defer f.Close()
	if err := eachLine(f, s.take, func() { s.damaged++ }); err != nil {
		return fmt.Errorf("reading the index of the archive: %w", err)
	}
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		last := []byte{0}
		if _, err := f.ReadAt(last, info.Size()-1); err != nil || last[0] != '\n' {
			s.lines.WriteByte('\n') // the next line must be separate
		}
	}
	return nil
}

func (s *Store) know(e *Entry) {
	s.known[e.Path] = e
	s.places[e.Kept] = e.Path
	if !e.Redacted && !e.Anonymized && !e.Gone {
		s.hashes[e.Hash] = e
	}
}

// add writes lines of the index in one write. Lines that fail are written again with the next ones.
func (s *Store) add(entries ...*Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		s.know(e)
		s.lines.Write(append(line, '\n'))
	}
	return s.flush()
}

func (s *Store) flush() error {
	if s.lines.Len() == 0 {
		return nil
	}
	n, err := s.to(indexName, s.index).Write(s.lines.Bytes())
	if err == nil {
		s.lines.Reset()
		return nil
	}
	if n > 0 { // a line may be incomplete: write it again
		rest := append([]byte{'\n'}, bytes.TrimPrefix(s.lines.Bytes(), []byte{'\n'})...)
		s.lines = *bytes.NewBuffer(rest)
	}
	return fmt.Errorf("writing down what is kept: %w", err)
}

func (s *Store) to(path string, w io.Writer) io.Writer {
	if s.through == nil {
		return w
	}
	return s.through(path, w)
}

// temp writes a file without its final name. It is in a separate folder: searching for remains of a
// killed run next to each of ten thousand files would read their folder as often.
func (s *Store) temp(of string, perm fs.FileMode, write func(io.Writer) error) (name string, size int64, err error) {
	f, err := os.CreateTemp(filepath.Join(s.dir, OwnDir, newDir), "")
	if err != nil {
		return "", 0, err
	}
	if err = write(s.to(of, f)); err == nil {
		err = errors.Join(f.Chmod(perm), f.Sync())
	}
	if info, serr := f.Stat(); err == nil && serr == nil {
		size = info.Size()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
	}
	return f.Name(), size, err
}

// retire stores the file at a place under a separate name, before another file replaces it.
func (s *Store) retire(kept, name string) error {
	from, to := s.file(kept), s.old(name, kept)
	if err := s.inside(kept); err != nil {
		return err
	}
	s.named(OwnDir + "/" + oldDir + "/" + name)
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	temp, _, err := s.temp(kept, 0o600, func(out io.Writer) error { // a file system without links
		in, err := s.openInside(kept)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(out, in)
		return err
	})
	if err != nil {
		return err
	}
	return os.Rename(temp, to)
}

// old returns the path of the previous version of a rewritten file.
func (s *Store) old(name, kept string) string { return s.file(oldPlace(name, kept)) }

func oldPlace(name, kept string) string {
	return OwnDir + "/" + oldDir + "/" + name + filepath.Ext(kept)
}

// named records that a file below the folder got its name.
func (s *Store) named(kept string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for dir := path.Dir(kept); !s.placed[dir]; dir = path.Dir(dir) {
		s.placed[dir] = true
	}
}

// settle makes names survive a power failure. Until then the index may contain a file without a
// name: the next run archives it again.
func (s *Store) settle() error {
	var errs []error
	for _, dir := range slices.Sorted(maps.Keys(s.placed)) {
		errs = append(errs, s.sync(s.file(dir)))
	}
	return errors.Join(append(errs, s.sync(s.file(OwnDir+"/"+indexName)))...)
}

// Close completes the index and allows other writers. Afterwards all copies are safely on disk, and
// the originals may be deleted.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index == nil {
		return nil
	}
	defer s.free()
	return errors.Join(s.flush(), s.settle(), s.index.Close())
}

// Holds reports whether a path is inside the archive.
func (s *Store) Holds(name string) bool {
	abs, err := filepath.Abs(name)
	return err == nil && (abs == s.dir || strings.HasPrefix(abs, s.dir+string(filepath.Separator)))
}

// file returns the path of a file below the folder.
func (s *Store) file(kept string) string { return filepath.Join(s.dir, filepath.FromSlash(kept)) }

// reserve finds a free place for a native file: a.jsonl and a.jsonl.zst both want the same one.
func (s *Store) reserve(abs string, plain bool) (kept string, was *Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was = s.known[abs]; was != nil && !plain == was.compressed() {
		return was.Kept, was
	}
	kept = place(abs, plain)
	for s.places[kept] != "" && s.places[kept] != abs {
		dir, base := path.Split(kept)
		stem, ext, _ := strings.Cut(base, ".")
		kept = dir + stem + "~." + ext
	}
	s.places[kept] = abs
	return kept, was
}

// place returns the place of a native file: its path, without the colon of a Windows drive. Two
// files never share one.
func place(abs string, plain bool) string {
	volume := filepath.VolumeName(abs)
	name := strings.TrimLeft(filepath.ToSlash(strings.ReplaceAll(volume, ":", "")+abs[len(volume):]), "/")
	if !plain {
		name += ending
	}
	return name
}
