package parquet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"turns/export/outfile"
)

// A set is written to a hidden folder next to its tables. When all files are complete, their list
// is added to it, and from then on they are the content of the tables: the next program moves those
// that were not moved yet. A folder without a list is discarded.

const (
	stagePrefix = ".turns-"
	listName    = "commit.json"
	lockName    = ".turns.lock"
)

// moves is the list of a complete set.
type moves struct {
	Replace bool     `json:"replace"` // previous tables are removed
	Files   []string `json:"files"`
}

// Commit makes the written tables visible.
func (s *Set) Commit() (Totals, error) {
	defer s.Abort()
	if !s.Complete() {
		return s.total, errors.New("one session is incomplete in the tables")
	}
	if err := s.noOrphans(); err != nil {
		return s.total, err
	}
	for _, t := range s.shelves {
		if err := t.close(); err != nil {
			return s.total, err
		}
	}
	list := moves{Replace: s.o.Force && !s.o.Append, Files: s.files}
	_, err := outfile.Write(filepath.Join(s.stage, listName), 0o644, true, func(w io.Writer) error { return json.NewEncoder(w).Encode(&list) })
	if err == nil {
		err = roll(s.dir, s.stage)
	}
	return s.total, err
}

// noOrphans writes a table of orphans without rows if there is none, so that a query may name both
// tables of calls.
func (s *Set) noOrphans() error {
	_, err := os.Lstat(filepath.Join(s.dir, names[4]))
	if there := err == nil && (s.o.Append || !s.o.Force); there || s.total.Orphans > 0 || s.total.Runs == 0 {
		return nil
	}
	_, err = s.orphans.begin(folderOf("", ""))
	return err
}

// Abort discards everything since the last Commit.
func (s *Set) Abort() {
	if s.stage == "" {
		return
	}
	// with a list, the next program finishes it
	if _, err := os.Lstat(filepath.Join(s.stage, listName)); err != nil {
		_ = os.RemoveAll(s.stage)
	}
	s.stage = ""
	s.free()
}

// recover_ finishes the sets that a killed run completed, and removes incomplete ones.
func recover_(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("looking for tables: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), stagePrefix) {
			continue
		}
		if err := roll(dir, filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// roll moves the files of a complete set to their places, and removes its folder. It is idempotent.
func roll(dir, stage string) error {
	data, err := outfile.Read(filepath.Join(stage, listName), 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(stage)
	}
	var list moves
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		return fmt.Errorf("finishing the tables in %q: %w", stage, err)
	}
	if list.Replace {
		if err := retire(dir, stage); err != nil {
			return fmt.Errorf("replacing the tables: %w", err)
		}
	}
	for _, name := range list.Files {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("finishing the tables in %q: %q is no name of a part", stage, name)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return fmt.Errorf("finishing the tables: %w", err)
		}
		if err := os.Rename(filepath.Join(stage, name), to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			// a missing one was moved before
			return fmt.Errorf("finishing the tables: %w", err)
		}
	}
	return os.RemoveAll(stage)
}

// retire moves the replaced tables away, once.
func retire(dir, stage string) error {
	old := filepath.Join(stage, "old")
	if err := os.Mkdir(old, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, name := range names {
		to := filepath.Join(old, name)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		switch err := os.Rename(filepath.Join(dir, name), to); {
		case err == nil:
		case !errors.Is(err, fs.ErrNotExist):
			return err
		default: // there was none: leave a marker for the next program
			if err := os.Mkdir(to, 0o755); err != nil {
				return err
			}
		}
	}
	return nil
}

// lock prevents other programs from writing the same tables.
func lock(dir string) (free func(), err error) {
	free, err = outfile.Lock(filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("writing tables into %q: %w", dir, err)
	}
	return free, nil
}
