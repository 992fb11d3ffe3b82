package ui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"turns/ui/screen"
	"turns/ui/timeline"
	"turns/ui/transcripts"
)

// remembering saves the reader's place in the session, and restores the last one.
type remembering struct {
	h         *screen.Host
	list      *timeline.List
	stage     *stage
	bar       *screen.FilterBar
	filtering *filtering

	left    *savedState   // the reader's last place, until the session is fully read
	waitsAt screen.RowKey // row of the cursor until then
	gen     int           // of the latest request to save
}

// pending reports whether the last place can be restored only when the session is fully read.
func (r *remembering) pending() bool { return r.left != nil }

// waits reports whether the last place is pending and the reader has not moved since.
func (r *remembering) waits() bool { return r.pending() && r.list.CurKey == r.waitsAt }

// wait records the row of the cursor as the one from which the reader has not moved.
func (r *remembering) wait() { r.waitsAt = r.list.CurKey }

// forget drops a pending place.
func (r *remembering) forget() { r.left = nil }

// state returns the state to save.
func (r *remembering) state() savedState {
	st := savedState{Version: stateVersion, Path: r.h.State.Path, When: r.h.Opts.Time().UTC(), Saved: r.list.Save()}
	if r.h.View.On {
		st.Filter = r.h.View.Text
	}
	st.Pane = savedPane{r.stage.side, r.h.Focus, r.stage.full}
	return st
}

// restore restores cursor, scroll, folds, marks, pane and filter of this transcript, and shows what
// is new since then. If the place is not loaded yet, the cursor goes there later, unless the reader
// has moved.
func (r *remembering) restore() tea.Cmd {
	dir := r.h.Opts.StateDir
	if dir == "" || r.h.Snap == nil {
		return nil
	}
	if r.pending() && !r.h.State.Preview {
		st, stayed := r.left, r.waits()
		r.forget()
		if !stayed {
			return nil
		}
		return r.restorePlace(st)
	}
	if r.bar.Recalled {
		return nil
	}
	r.bar.Recalled = true
	var history []string
	if readJSON(dir, historyName, &history) {
		r.bar.Recall(history)
	}
	var st savedState
	if !readJSON(dir, stateKey(r.h.Snap, r.h.State.Path)+".json", &st) || st.Version != stateVersion {
		return nil
	}
	r.stage.restorePane(st.Pane)
	if r.h.State.Preview {
		r.restoreList(&st)
		r.left = &st
		r.wait()
		return nil
	}
	return r.restorePlace(&st)
}

// restorePlace restores the place in a fully read session.
func (r *remembering) restorePlace(st *savedState) tea.Cmd {
	r.restoreList(st)
	r.stage.cameTo = st
	return r.restoreFilter(st)
}

// restoreList restores the state of the timeline and which rows were read.
func (r *remembering) restoreList(st *savedState) {
	r.h.Read = st.Rows
	r.list.LeftAt(st.When)
	r.list.Restore(st.Saved)
}

// restoreFilter applies the saved filter, and goes to the saved place once it is computed.
func (r *remembering) restoreFilter(st *savedState) tea.Cmd {
	o := &r.h.Opts
	if st.Filter == "" || o.Filter != "" || o.At != "" || o.Search != "" || o.Follow {
		return nil
	}
	cmd, err := r.filtering.apply(st.Filter)
	if err != nil {
		return nil // written by another version
	}
	r.bar.Set(st.Filter)
	r.filtering.place = &st.Saved
	return cmd
}

// saveDueMsg starts the save requested by saveSoon.
type saveDueMsg struct{ gen int }

func (r *remembering) saveDue(m saveDueMsg) tea.Cmd {
	if m.gen != r.gen {
		return nil
	}
	save := r.saving()
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
func (r *remembering) saveSoon() tea.Cmd {
	if r.h.Opts.StateDir == "" {
		return nil
	}
	r.gen++
	gen := r.gen
	return r.h.After(saveDelay, saveDueMsg{gen})
}

// saveNow saves the state immediately. It ignores errors because the reader is leaving.
func (r *remembering) saveNow() {
	if save := r.saving(); save != nil {
		_ = save()
	}
}

// saving copies the state and returns a function that writes it; nil if it is not saved.
func (r *remembering) saving() func() error {
	dir := r.h.Opts.StateDir
	if dir == "" || r.h.Snap == nil || r.h.State.Preview || !r.bar.Recalled {
		return nil
	}
	name, st := stateKey(r.h.Snap, r.h.State.Path)+".json", r.state()
	history := append([]string{}, r.bar.History...)
	reads, read := r.h.Opts.Reads, transcripts.Read{Rows: st.Rows, Last: r.h.About().Last, When: st.When.UnixMilli()}
	return func() error {
		err := errors.Join(writeJSON(dir, name, &st), reads.Keep(st.Path, read))
		if len(history) > 0 {
			err = errors.Join(err, writeJSON(dir, historyName, history))
		}
		return err
	}
}
