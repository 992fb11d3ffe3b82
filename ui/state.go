package ui

import (
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
	"turns/ui/timeline"
)

// savedState is what is kept of a transcript: where the reader was, what was folded by hand, marks. It holds no texts.
type savedState struct {
	Version int                 `json:"version"`
	Path    string              `json:"path"` // for people who look at the file
	Saved   time.Time           `json:"saved"`
	Rows    int                 `json:"rows"` // that there were: what is new begins behind them
	Cursor  *savedRow           `json:"cursor,omitempty"`
	Marks   map[string]savedRow `json:"marks,omitempty"`
	Folds   []savedFold         `json:"folds,omitempty"`
	Turns   []savedFold         `json:"turns,omitempty"`
	Level   int                 `json:"level,omitempty"`
}

// savedRow names a row of the timeline: the key of its message survives when messages before it go.
type savedRow struct {
	Row  int    `json:"row"` // arrival
	Key  string `json:"key,omitempty"`
	Kind uint8  `json:"kind,omitempty"`
	Line uint16 `json:"line,omitempty"`
}

// savedFold is a row that was opened or closed by hand.
type savedFold struct {
	savedRow
	State uint8 `json:"state"`
	Mode  uint8 `json:"mode,omitempty"`
}

const (
	stateVersion = 1
	maxFolds     = 2000 // a file of some 100 kB
	saveDelay    = 2 * time.Second
	historyName  = "filters.json"
)

// stateKey is the identity of a transcript as a file name: its recorded session, else the key of its first record, else its path.
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
	if id == "" {
		id = "path:" + path
	}
	return fmt.Sprintf("%016x", uint64(model.HashString(id)))
}

// readJSON reads a file of the state folder; false where there is none that can be read.
func readJSON(dir, name string, into any) bool {
	b, err := os.ReadFile(filepath.Join(dir, name))
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

func (a *app) savedRow(k screen.RowKey) savedRow {
	r := savedRow{Row: int(k.ID), Kind: uint8(k.Kind), Line: k.N}
	if key := a.h.Snap.HeadRow(k.ID).Key; key != 0 {
		r.Key = strconv.FormatUint(uint64(key), 16)
	}
	return r
}

// found finds a row that was kept.
func (r *savedRow) found(s *model.Snapshot) (screen.RowKey, bool) {
	k := screen.RowKey{ID: model.ID(r.Row), Kind: screen.RowKind(r.Kind), N: r.Line}
	want, err := strconv.ParseUint(r.Key, 16, 64)
	if r.Key == "" || err != nil {
		return k, r.Row >= 0 && r.Row < s.Rows() && s.HeadRow(k.ID).Key == 0
	}
	const near = 50_000 // rows that are looked at on each side
	for d := range near {
		for _, n := range [...]int{r.Row - d, r.Row + d} {
			if n >= 0 && n < s.Rows() && uint64(s.HeadRow(model.ID(n)).Key) == want {
				k.ID = model.ID(n)
				return k, true
			}
		}
		if r.Row-d < 0 && r.Row+d >= s.Rows() {
			break
		}
	}
	return k, false
}

// state is what there is to keep.
func (a *app) state() savedState {
	l := a.list
	st := savedState{Version: stateVersion, Path: a.h.State.Path, Saved: a.h.Opts.Time().UTC(), Rows: a.h.Snap.Rows(), Level: l.Level}
	if l.CurKey.ID != model.NoID && int(l.CurKey.ID) < a.h.Snap.Rows() {
		r := a.savedRow(l.CurKey)
		st.Cursor = &r
	}
	for name, k := range l.Marks {
		if st.Marks == nil {
			st.Marks = map[string]savedRow{}
		}
		st.Marks[string(name)] = a.savedRow(k)
	}
	for k, o := range l.Opened {
		if len(st.Folds) < maxFolds && (o.State != timeline.OpenDefault || o.Mode != screen.BodyRendered) {
			st.Folds = append(st.Folds, savedFold{a.savedRow(k), uint8(o.State), uint8(o.Mode)})
		}
	}
	for id, o := range l.TurnOpen {
		if len(st.Turns) < maxFolds && o != timeline.OpenDefault {
			st.Turns = append(st.Turns, savedFold{savedRow: a.savedRow(screen.RowKey{ID: id}), State: uint8(o)})
		}
	}
	return st
}

// restore puts cursor, folds and marks back to where the reader left this transcript, and says what is new since then.
func (a *app) restore() {
	dir := a.h.Opts.StateDir
	if dir == "" || a.h.Snap == nil || a.bar.recalled {
		return
	}
	a.bar.recalled = true
	var history []string
	if readJSON(dir, historyName, &history) {
		a.bar.recall(history)
	}
	var st savedState
	if !readJSON(dir, stateKey(a.h.Snap, a.h.State.Path)+".json", &st) || st.Version != stateVersion {
		return
	}
	s, l := a.h.Snap, a.list
	for name, r := range st.Marks {
		if k, ok := r.found(s); ok && len([]rune(name)) == 1 {
			l.Marks[[]rune(name)[0]] = k
		}
	}
	for i := range st.Folds {
		f := &st.Folds[i]
		if k, ok := f.found(s); ok && f.State <= uint8(timeline.OpenWhole) && f.Mode <= uint8(screen.BodyRaw) {
			l.Opened[k] = timeline.Opening{State: timeline.OpenState(f.State), Mode: screen.BodyMode(f.Mode)}
		}
	}
	for i := range st.Turns {
		f := &st.Turns[i]
		if k, ok := f.found(s); ok && f.State <= uint8(timeline.OpenWhole) {
			l.TurnOpen[k.ID] = timeline.OpenState(f.State)
		}
	}
	if st.Level >= 1 && st.Level <= 4 {
		l.Level, a.h.Level = st.Level, st.Level
	}
	if st.Rows > 0 && st.Rows < s.Rows() {
		l.ReadMark = model.ID(st.Rows)
	}
	l.Made.Clear()
	l.Invalidate()
	if st.Cursor != nil {
		if k, ok := st.Cursor.found(s); ok {
			if p, ok := l.Locate(k); ok {
				l.SelectPlace(p)
				l.Center(l.Rows / 3)
				l.Reveal()
			}
		}
	}
}

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
	if save := a.saving(); save != nil {
		_ = save()
	}
}

// saving takes a copy of what is to be kept and gives what writes it; nil where nothing is kept.
func (a *app) saving() func() error {
	dir := a.h.Opts.StateDir
	if dir == "" || a.h.Snap == nil || a.h.State.Preview || !a.bar.recalled {
		return nil
	}
	name, st := stateKey(a.h.Snap, a.h.State.Path)+".json", a.state()
	history := append([]string{}, a.bar.history...)
	return func() error {
		err := writeJSON(dir, name, &st)
		if len(history) > 0 {
			err = errors.Join(err, writeJSON(dir, historyName, history))
		}
		return err
	}
}
