package transcripts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"turns/export/outfile"
	"turns/model"
	"turns/query/session"
)

// Read is how far the user has read a session.
type Read struct {
	Rows int   `json:"rows"` // its rows at that time; later ones are unread
	Last int64 `json:"last"` // time of its last record in ms; 0: none
	When int64 `json:"when"` // time when the user left
}

// Reads remember, in a file of the state folder, how far the user has read each session and when
// they last left the list. A nil Reads remembers nothing. It is safe for concurrent use.
type Reads struct {
	path string
	mu   sync.Mutex
	file readsFile
}

type readsFile struct {
	Version int             `json:"version"`
	List    int64           `json:"list,omitzero"` // last use of the list, in ms
	Read    map[string]Read `json:"read"`          // by path
}

const (
	readsVersion = 1
	maxReads     = 20_000 // sessions; the oldest entries go first
	maxReadsFile = 16 << 20
)

// OpenReads reads the file of a state folder; nil without a folder.
func OpenReads(stateDir string) *Reads {
	if stateDir == "" {
		return nil
	}
	r := &Reads{path: filepath.Join(stateDir, "read.json")}
	r.file = r.load()
	return r
}

// load reads the file. A missing or invalid one counts as empty.
func (r *Reads) load() readsFile {
	f := readsFile{Version: readsVersion}
	if text, err := outfile.Read(r.path, maxReadsFile); err != nil || json.Unmarshal(text, &f) != nil || f.Version != readsVersion {
		f = readsFile{Version: readsVersion}
	}
	if f.Read == nil {
		f.Read = map[string]Read{}
	}
	return f
}

// placeKey returns the key of a path in the file.
func placeKey(path string) string {
	if file, _ := PartOf(path); path == "" || file == "-" || IsAddress(file) {
		return path
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// Of returns how far the user has read a session; false if never.
func (r *Reads) Of(path string) (Read, bool) {
	if r == nil {
		return Read{}, false
	}
	key := placeKey(path)
	r.mu.Lock()
	defer r.mu.Unlock()
	read, ok := r.file.Read[key]
	return read, ok
}

// LeftList returns when the user last left the list, in Unix milliseconds; 0: never.
func (r *Reads) LeftList() int64 {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.file.List
}

// Mark sets in each row whether the session has unread records.
func (r *Reads) Mark(rows []session.Session) {
	for i := range rows {
		rows[i].New = r.unread(&rows[i].Summary)
	}
}

func (r *Reads) unread(s *model.Summary) bool {
	read, ok := r.Of(s.Path)
	switch {
	case !ok:
		return true
	case s.Last != 0 && read.Last != 0:
		return s.Last > read.Last
	}
	return s.Written > read.When
}

// Keep stores how far the user has read a session.
func (r *Reads) Keep(path string, read Read) error {
	return r.change(func(f *readsFile) { f.Read[placeKey(path)] = read })
}

// KeepList stores when the user left the list.
func (r *Reads) KeepList(at int64) error {
	return r.change(func(f *readsFile) { f.List = max(f.List, at) })
}

// change reads the file again, because other programs write it, changes it, and replaces it
// atomically.
func (r *Reads) change(change func(*readsFile)) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(r.path), 0o700); err != nil {
		return fmt.Errorf("saving the read marks: %w", err)
	}
	free, err := outfile.Lock(r.path + ".lock")
	if err != nil {
		return fmt.Errorf("saving the read marks: %w", err)
	}
	defer free()
	r.file = r.load()
	change(&r.file)
	if n := len(r.file.Read) - maxReads; n > 0 {
		oldest := slices.SortedFunc(maps.Keys(r.file.Read), func(a, b string) int { return cmp.Compare(r.file.Read[a].When, r.file.Read[b].When) })
		for _, path := range oldest[:n] {
			delete(r.file.Read, path)
		}
	}
	text, err := json.Marshal(&r.file)
	if err == nil {
		_, err = outfile.Write(r.path, 0o600, true, func(w io.Writer) error {
			_, err := w.Write(append(text, '\n'))
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("saving the read marks: %w", err)
	}
	return nil
}
