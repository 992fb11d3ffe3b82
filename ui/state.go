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

// savedState is what is kept of a transcript: where the reader was, what was folded by hand, marks.
// It holds no texts.
type savedState struct {
	Version int       `json:"version"`
	Path    string    `json:"path"` // for people who look at the file
	When    time.Time `json:"saved"`
	Filter  string    `json:"filter,omitempty"`
	Pane    savedPane `json:"pane,omitzero"`
	timeline.Saved
}

// savedPane is what was open next to the timeline.
type savedPane struct {
	Side  screen.PaneKind `json:"side,omitempty"`
	Focus screen.PaneKind `json:"focus,omitempty"`
	Full  bool            `json:"full,omitempty"`
}

const (
	stateVersion = 1
	saveDelay    = 2 * time.Second
	maxState     = 4 << 20 // of a file that is read
	historyName  = "filters.json"
	columnsName  = "columns.json"
)

// stateKey is the identity of a transcript as a file name: its recorded session, else the key of
// its first record, else its path.
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

// readJSON reads a file of the state folder; false where there is none that can be read.
func readJSON(dir, name string, into any) bool {
	b, err := outfile.Read(filepath.Join(dir, name), maxState)
	return err == nil && json.Unmarshal(b, into) == nil
}

// writeJSON replaces a file of the state folder at once; only its owner may read it.
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

// state is what there is to keep.
func (a *app) state() savedState {
	st := savedState{Version: stateVersion, Path: a.h.State.Path, When: a.h.Opts.Time().UTC(), Saved: a.list.Save()}
	if a.h.View.On {
		st.Filter = a.h.View.Text
	}
	st.Pane = savedPane{a.side, a.h.Focus, a.full}
	return st
}

// restore puts cursor, scroll, folds, marks, pane and filter back to where the reader left this
// transcript, and says what is new since then. A place that is not loaded yet is gone to as soon as
// it is, unless the reader has moved meanwhile.
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

// restoreList restores the stored state of the timeline and which rows were read.
func (a *app) restoreList(st *savedState) {
	a.h.Read = st.Rows
	a.list.LeftAt(st.When)
	a.list.Restore(st.Saved)
}

// restoreFilter applies the filter that was left, and goes to the place when it holds.
func (a *app) restoreFilter(st *savedState) tea.Cmd {
	o := &a.h.Opts
	if st.Filter == "" || o.Filter != "" || o.At != "" || o.Search != "" || o.Follow {
		return nil
	}
	cmd, err := a.filtering.apply(st.Filter)
	if err != nil {
		return nil // of another version
	}
	a.bar.Set(st.Filter)
	a.filtering.place = &st.Saved
	return cmd
}

// saveState asks to save the state of the session soon.
type saveState struct{}

// saveDueMsg says that the state that was to be saved soon is due.
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

// saveSoon saves the state a little later; several in a row save once.
func (a *app) saveSoon() tea.Cmd {
	if a.h.Opts.StateDir == "" {
		return nil
	}
	a.saveGen++
	gen := a.saveGen
	return a.h.After(saveDelay, saveDueMsg{gen})
}

// saveNow saves the state at once. What goes wrong is not worth a word when the reader leaves.
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

// saving takes a copy of what is to be kept and gives what writes it; nil where nothing is kept.
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
