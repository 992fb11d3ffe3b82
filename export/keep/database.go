package keep

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// databaseTries is the maximum number of attempts to copy a changing database.
const databaseTries = 4

// KeepDatabase archives a SQLite database together with its logs, all of the same moment. If the
// database changes during the copy, it tries again.
func (s *Store) KeepDatabase(ctx context.Context, path string) (Change, *Entry, error) {
	for try := 1; ; try++ {
		change, e, err := s.keepDatabase(ctx, path)
		if errors.Is(err, errChanged) && try < databaseTries && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return Same, nil, fmt.Errorf("keeping the database %q: %w", path, err)
		}
		return change, e, nil
	}
}

func (s *Store) keepDatabase(ctx context.Context, path string) (Change, *Entry, error) {
	parts, gone, err := s.parts(ctx, path)
	if err != nil {
		return Same, nil, err
	}
	same := len(gone) == 0
	for _, w := range parts {
		same = same && w.same()
	}
	if same {
		return Same, parts[0].was, nil
	}
	defer func() {
		for _, w := range parts {
			_ = os.Remove(w.temp) // the file has its final name, or none
		}
	}()
	for _, w := range parts {
		if err := w.copy(); err != nil {
			return Same, nil, err
		}
	}
	after, _, err := s.parts(ctx, path)
	if err == nil && len(after) != len(parts) {
		err = errChanged
	}
	for i := range after {
		if a, b := &after[i].now, &parts[i].now; err == nil && (a.Path != b.Path || a.Size != b.Size || a.Time != b.Time) {
			err = errChanged
		}
	}
	if err != nil {
		return Same, nil, err
	}
	change, err := s.putDatabase(parts, gone)
	return change, &parts[0].now, err
}

// parts returns the files of a database, and the archived logs that no longer exist.
func (s *Store) parts(ctx context.Context, path string) (parts []*writing, gone []*Entry, err error) {
	for _, end := range []string{"", "-journal", "-wal"} {
		w, err := s.begin(ctx, path+end, true)
		if err == nil {
			parts = append(parts, w)
			continue
		}
		if end == "" || !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		abs, _ := filepath.Abs(path + end)
		s.mu.Lock()
		if was := s.known[abs]; was != nil && !was.Gone {
			gone = append(gone, was)
		}
		s.mu.Unlock()
	}
	return parts, gone, nil
}

// copy stages the current content of a file.
func (w *writing) copy() error {
	f, err := os.Open(w.now.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return errChanged
	}
	if err != nil {
		return err
	}
	defer f.Close()
	w.hash = sha256.New()
	return w.stage(f, false)
}

// putDatabase moves the files of a database to their places. It first removes logs that changed,
// because SQLite would apply them to the newer database.
func (s *Store) putDatabase(parts []*writing, gone []*Entry) (Change, error) {
	var entries []*Entry
	old, change := slices.Clone(gone), Rewritten
	for _, was := range gone {
		now := *was
		now.Gone = true
		entries = append(entries, &now)
	}
	var news []*writing
	for i, w := range parts {
		entries = append(entries, &w.now)
		switch {
		case w.was != nil && w.was.Hash == w.now.Hash:
			w.touched()
			continue
		case w.was != nil && i > 0:
			old = append(old, w.was)
		case w.was != nil:
			if err := w.retire(); err != nil {
				return Same, err
			}
		}
		news = append(news, w)
	}
	for _, was := range old {
		if err := s.takeAway(was); err != nil {
			return Same, err
		}
	}
	for _, w := range news {
		if w.was == nil {
			if _, err := w.adopt(); err != nil {
				return Same, err
			}
		}
		if err := w.place(); err != nil {
			return Same, err
		}
	}
	if parts[0].was == nil {
		change = New
	} else if len(news)+len(gone) == 0 {
		change = Same
	}
	return change, s.add(entries...)
}

// takeAway leaves a file only among the previous versions.
func (s *Store) takeAway(e *Entry) error {
	if !s.there(e) {
		return nil
	}
	if err := s.retire(e.Kept, e.Hash); err != nil {
		return err
	}
	return os.Remove(s.file(e.Kept))
}
