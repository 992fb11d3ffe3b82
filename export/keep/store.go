package keep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"turns/export/outfile"
	"turns/export/redact"
)

const (
	// OwnDir is hidden, so that nothing in it is taken for a transcript.
	OwnDir    = ".turns-keep"
	indexName = "index.jsonl"
	lockName  = "lock"
	oldDir    = "old"
	newDir    = "new" // files that are being written
	ending    = ".zst"
	batch     = 256 // lines of the index that are written at once
)

// Entry is a line of the index: what is kept of a file.
type Entry struct {
	Path     string `json:"path"` // of the native file
	Size     int64  `json:"size"` // of what was kept of it
	Time     int64  `json:"time"` // when it was written, Unix ns
	Hash     string `json:"sha256"`
	Kept     string `json:"kept"`   // below the folder, with slashes
	Stored   int64  `json:"stored"` // bytes of the kept file
	Redacted bool   `json:"redacted,omitempty"`
}

// Store is a folder that keeps files. Keep is for use by several goroutines.
type Store struct {
	dir    string
	free   func()
	redact *redact.Redactor // nil: files are kept as they are

	encoders sync.Pool

	mu     sync.Mutex
	known  map[string]*Entry // by the path of the native file
	hashes map[string]*Entry // by what was kept
	lines  bytes.Buffer      // that are not in the index yet
	count  int
}

// Open opens a folder that keeps files, and makes it where there is none. Nobody else
// writes it until Close.
func Open(dir string, redacted bool) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, OwnDir, oldDir), 0o700); err != nil {
		return nil, fmt.Errorf("making the folder that keeps transcripts: %w", err)
	}
	free, err := outfile.Lock(filepath.Join(dir, OwnDir, lockName))
	if err != nil {
		return nil, fmt.Errorf("keeping transcripts in %q: %w", dir, err)
	}
	fresh := filepath.Join(dir, OwnDir, newDir) // what is there was left by a killed run: nobody else writes
	if err := errors.Join(os.RemoveAll(fresh), os.Mkdir(fresh, 0o700)); err != nil {
		free()
		return nil, fmt.Errorf("keeping transcripts in %q: %w", dir, err)
	}
	s := &Store{dir: dir, free: free, known: map[string]*Entry{}, hashes: map[string]*Entry{}}
	if redacted {
		s.redact = redact.New()
	}
	if err := s.read(); err != nil {
		free()
		return nil, err
	}
	return s, nil
}

// read reads the index. A line that a killed run has left half written tells nothing.
func (s *Store) read() error {
	f, err := os.Open(filepath.Join(s.dir, OwnDir, indexName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading what is kept: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e Entry
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Path != "" && filepath.IsLocal(filepath.FromSlash(e.Kept)) {
			s.known[e.Path] = &e
			if !e.Redacted {
				s.hashes[e.Hash] = &e
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading what is kept: %w", err)
	}
	return nil
}

// add takes a line for the index.
func (s *Store) add(e *Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[e.Path] = e
	if !e.Redacted {
		s.hashes[e.Hash] = e
	}
	s.lines.Write(append(line, '\n'))
	if s.count++; s.count < batch {
		return nil
	}
	return s.flush()
}

// put writes a kept file whole, or not at all. It grows in a folder of its own: looking for what a
// killed run left beside each of ten thousand files would read their folder as often.
func (s *Store) put(path string, perm fs.FileMode, write func(io.Writer) error) (size int64, err error) {
	f, err := os.CreateTemp(filepath.Join(s.dir, OwnDir, newDir), "")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name()) // it has its name by then, or none
	if err = write(f); err == nil {
		err = errors.Join(f.Chmod(perm), f.Sync())
	}
	if info, serr := f.Stat(); err == nil && serr == nil {
		size = info.Size()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	return size, os.Rename(f.Name(), path)
}

func (s *Store) flush() error {
	if s.lines.Len() == 0 {
		return nil
	}
	err := outfile.Append(filepath.Join(s.dir, OwnDir, indexName), 0o600, s.lines.Bytes())
	s.lines.Reset()
	s.count = 0
	if err != nil {
		return fmt.Errorf("writing down what is kept: %w", err)
	}
	return nil
}

// Close completes the index, and lets others write.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.free()
	return s.flush()
}

// Holds reports whether a path lies in the folder itself.
func (s *Store) Holds(path string) bool {
	abs, err := filepath.Abs(path)
	return err == nil && (abs == s.dir || strings.HasPrefix(abs, s.dir+string(filepath.Separator)))
}

// file is a file below the folder.
func (s *Store) file(kept string) string { return filepath.Join(s.dir, filepath.FromSlash(kept)) }

// place is where a native file is kept.
func place(abs string, plain bool) string {
	name := strings.TrimLeft(strings.ReplaceAll(filepath.ToSlash(abs), ":", ""), "/")
	if !plain {
		name += ending
	}
	return name
}
