package ui

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/export/outfile"
	"turns/model"
	"turns/ui/screen"
	"turns/ui/sessions"
	"turns/ui/timeline"
	"turns/ui/transcripts"
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

// state returns the state to save.
func (a *app) state() savedState {
	st := savedState{Version: stateVersion, Path: a.h.State.Path, When: a.h.Opts.Time().UTC(), Saved: a.list.Save()}
	if a.h.View.On {
		st.Filter = a.h.View.Text
	}
	st.Pane = savedPane{a.side, a.h.Focus, a.full}
	return st
}

// restore restores cursor, scroll, folds, marks, pane and filter of this transcript, and shows what
// is new since then. If the place is not loaded yet, the cursor goes there later, unless the reader
// has moved.
func (a *app) restore() tea.Cmd {
	dir := a.h.Opts.StateDir
	if dir == "" || a.h.Snap == nil {
		return nil
	}
	if a.left != nil && !a.h.State.Preview {
		st := a.left
		a.left = nil
		if a.list.CurKey != a.waitsAt {
			return nil
		}
		a.restoreList(st)
		a.cameTo = st
		return a.restoreFilter(st)
	}
	if a.bar.Recalled {
		return nil
	}
	a.bar.Recalled = true
	var history []string
	if readJSON(dir, historyName, &history) {
		a.bar.Recall(history)
	}
	var st savedState
	if !readJSON(dir, stateKey(a.h.Snap, a.h.State.Path)+".json", &st) || st.Version != stateVersion {
		return nil
	}
	a.restorePane(st.Pane)
	a.restoreList(&st)
	if a.h.State.Preview {
		a.left, a.waitsAt = &st, a.list.CurKey
		return nil
	}
	a.cameTo = &st
	return a.restoreFilter(&st)
}

// restoreList restores the state of the timeline and which rows were read.
func (a *app) restoreList(st *savedState) {
	a.h.Read = st.Rows
	a.list.LeftAt(st.When)
	a.list.Restore(st.Saved)
}

// restoreFilter applies the saved filter, and goes to the saved place once it is computed.
func (a *app) restoreFilter(st *savedState) tea.Cmd {
	o := &a.h.Opts
	if st.Filter == "" || o.Filter != "" || o.At != "" || o.Search != "" || o.Follow {
		return nil
	}
	cmd, err := a.filtering.apply(st.Filter)
	if err != nil {
		return nil // written by another version
	}
	a.bar.Set(st.Filter)
	a.filtering.place = &st.Saved
	return cmd
}

// saveState requests a save soon.
type saveState struct{}

// saveDueMsg starts the save requested by saveSoon.
type saveDueMsg struct{ gen int }

func (a *app) saveDue(m saveDueMsg) tea.Cmd {
	if m.gen != a.saveGen {
		return nil
	}
	save := a.saving()
	if save == nil {
		return nil
	}
	return func() tea.Msg {
		if err := save(); err != nil {
			return screen.Wrote{Err: err}
		}
		return nil
	}
}

// saveSoon saves the state after a delay; several requests in a row save once.
func (a *app) saveSoon() tea.Cmd {
	if a.h.Opts.StateDir == "" {
		return nil
	}
	a.saveGen++
	gen := a.saveGen
	return a.h.After(saveDelay, saveDueMsg{gen})
}

// saveNow saves the state immediately. It ignores errors because the reader is leaving.
func (a *app) saveNow() {
	for _, d := range append(a.inFront(), a.returnTo...) {
		if _, list := d.(*sessions.List); list {
			_ = a.h.Opts.Reads.KeepList(a.h.Opts.Time().UnixMilli())
		}
	}
	if save := a.saving(); save != nil {
		_ = save()
	}
}

// saving copies the state and returns a function that writes it; nil if it is not saved.
func (a *app) saving() func() error {
	dir := a.h.Opts.StateDir
	if dir == "" || a.h.Snap == nil || a.h.State.Preview || !a.bar.Recalled {
		return nil
	}
	name, st := stateKey(a.h.Snap, a.h.State.Path)+".json", a.state()
	history := append([]string{}, a.bar.History...)
	reads, read := a.h.Opts.Reads, transcripts.Read{Rows: st.Rows, Last: a.h.About().Last, When: st.When.UnixMilli()}
	return func() error {
		err := errors.Join(writeJSON(dir, name, &st), reads.Keep(st.Path, read))
		if len(history) > 0 {
			err = errors.Join(err, writeJSON(dir, historyName, history))
		}
		return err
	}
}
