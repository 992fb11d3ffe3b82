package ui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"turns/export/outfile"
	"turns/model"
	"turns/ui/screen"
	"turns/ui/timeline"
)

// savedState is the stored state of a transcript: the reader's place, rows folded by hand, marks.
// It contains no texts.
type savedState struct {
	Version int       `json:"version"`
	Path    string    `json:"path"` // for people who read the file
	When    time.Time `json:"saved"`
	Filter  string    `json:"filter,omitempty"`
	Pane    savedPane `json:"pane,omitzero"`
	timeline.Saved
}

// savedPane is the pane open next to the timeline.
type savedPane struct {
	Side  screen.PaneKind `json:"side,omitempty"`
	Focus screen.PaneKind `json:"focus,omitempty"`
	Full  bool            `json:"full,omitempty"`
}

const (
	stateVersion = 1
	saveDelay    = 2 * time.Second
	maxState     = 4 << 20 // largest file that is read
	historyName  = "filters.json"
	columnsName  = "columns.json"
)

// stateKey identifies a transcript as a file name: by its recorded session, otherwise by the key of
// its first record, otherwise by its path.
func stateKey(s *model.Snapshot, path string) string {
	id := ""
	if ss := s.Sessions(); len(ss) > 0 {
		if name := ss[0].Field("session"); name != "" {
			id = "session:" + s.Format() + ":" + name
		}
	}
	for n := 0; id == "" && n < min(s.Rows(), 8); n++ {
		if k := s.HeadRow(model.ID(n)).Key; k != 0 {
			id = "key:" + s.Format() + ":" + strconv.FormatUint(uint64(k), 16)
		}
	}
	id = cmp.Or(id, "path:"+path)
	return fmt.Sprintf("%016x", uint64(model.HashString(id)))
}

// readJSON reads a file of the state folder; false if it is missing or invalid.
func readJSON(dir, name string, into any) bool {
	b, err := outfile.Read(filepath.Join(dir, name), maxState)
	return err == nil && json.Unmarshal(b, into) == nil
}

// writeJSON atomically replaces a file of the state folder; only its owner may read it.
func writeJSON(dir, name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("keeping the state: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keeping the state: %w", err)
	}
	_, err = outfile.Write(filepath.Join(dir, name), 0o600, true, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
	if err != nil {
		return fmt.Errorf("keeping the state: %w", err)
	}
	return nil
}

// saveState requests a save soon.
type saveState struct{}
