package timeline

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"turns/model"
	"turns/ui/screen"
)

// Saved is the stored state of a timeline: the reader's place, rows folded by hand, marks. It
// contains no texts.
type Saved struct {
	Rows   int                 `json:"rows"` // number of rows then; later rows are new
	Cursor *savedRow           `json:"cursor,omitempty"`
	Marks  map[string]savedRow `json:"marks,omitempty"`
	Folds  []Fold              `json:"folds,omitempty"`
	Turns  []Fold              `json:"turns,omitempty"`
	Level  int                 `json:"level,omitempty"`
	Whole  bool                `json:"whole,omitempty"` // level shows bodies in full
	Top    *savedLine          `json:"top,omitempty"`   // first line of the screen
	Events uint8               `json:"events,omitempty"`
}

// savedRow identifies a row. The key of its message is stable when earlier messages disappear.
type savedRow struct {
	Row  int    `json:"row"` // in order of arrival
	Key  string `json:"key,omitempty"`
	Kind uint8  `json:"kind,omitempty"`
	Line uint16 `json:"line,omitempty"`
}

// savedLine is a line of a row: 0 and 0 is the row itself, others are in its body.
type savedLine struct {
	savedRow
	Part int `json:"part,omitempty"`
	At   int `json:"at,omitempty"`
}

// Fold is a row that was opened or closed by hand.
type Fold struct {
	savedRow
	State uint8 `json:"state"`
	Mode  uint8 `json:"mode,omitempty"`
}

// MaxFolds is the most stored folds: a file of some 100 kB.
const MaxFolds = 2000

func (l *List) savedRow(k screen.RowKey) savedRow {
	r := savedRow{Row: int(k.ID), Kind: uint8(k.Kind), Line: k.N}
	if key := l.h.Snap.HeadRow(k.ID).Key; key != 0 {
		r.Key = strconv.FormatUint(uint64(key), 16)
	}
	return r
}

// near is how far from its old place a row is searched.
const near = 50_000

// key returns the key of the message; false if it had none.
func (r *savedRow) key() (uint64, bool) {
	key, err := strconv.ParseUint(r.Key, 16, 64)
	return key, err == nil
}

// kept returns all stored rows.
func (st *Saved) kept() []*savedRow {
	var rows []*savedRow
	if st.Cursor != nil {
		rows = append(rows, st.Cursor)
	}
	if st.Top != nil {
		rows = append(rows, &st.Top.savedRow)
	}
	for _, list := range [...][]Fold{st.Folds, st.Turns} {
		for i := range list {
			rows = append(rows, &list[i].savedRow)
		}
	}
	for _, r := range st.Marks {
		rows = append(rows, &r)
	}
	return rows
}

// places finds the rows with the stored keys, in one pass over the nearby rows. If the transcript
// was rewritten, no key may be there.
func (st *Saved) places(s *model.Snapshot) map[uint64][]int {
	at := map[uint64][]int{}
	first, last := s.Rows(), 0
	for _, r := range st.kept() {
		if key, ok := r.key(); ok && r.Row >= 0 && r.Row < s.Rows()+near {
			at[key] = nil
			first, last = min(first, r.Row-near), max(last, r.Row+near)
		}
	}
	for n := max(first, 0); n < min(last, s.Rows()); n++ {
		key := uint64(s.HeadRow(model.ID(n)).Key)
		if rows, wanted := at[key]; wanted {
			at[key] = append(rows, n)
		}
	}
	return at
}

// found finds a stored row: the nearest one with its key.
func (r *savedRow) found(s *model.Snapshot, at map[uint64][]int) (screen.RowKey, bool) {
	k := screen.RowKey{ID: model.ID(r.Row), Kind: screen.RowKind(r.Kind), N: r.Line}
	key, ok := r.key()
	if !ok {
		return k, r.Row >= 0 && r.Row < s.Rows() && s.HeadRow(k.ID).Key == 0
	}
	rows := at[key]
	i, _ := slices.BinarySearch(rows, r.Row)
	best := near
	for _, n := range rows[max(i-1, 0):min(i+1, len(rows))] {
		if d := max(n-r.Row, r.Row-n); d < best {
			best, k.ID = d, model.ID(n)
		}
	}
	return k, best < near
}

// Save returns the state to store.
func (l *List) Save() Saved {
	st := Saved{Rows: l.h.Snap.Rows(), Level: l.Level, Whole: l.whole, Events: uint8(l.Events)}
	if l.topKey.ID != model.NoID && int(l.topKey.ID) < l.h.Snap.Rows() {
		st.Top = &savedLine{l.savedRow(l.topKey), l.Top.Chunk, l.Top.line}
	}
	if l.CurKey.ID != model.NoID && int(l.CurKey.ID) < l.h.Snap.Rows() {
		r := l.savedRow(l.CurKey)
		st.Cursor = &r
	}
	st.Marks = maps.Clone(l.kept)
	if l.h.Opts.Labels == nil { // labels store them otherwise
		for name, p := range l.h.Letters() {
			if st.Marks == nil {
				st.Marks = map[string]savedRow{}
			}
			st.Marks[string(name)] = l.savedRow(screen.KeyOf(p))
		}
	}
	for k, o := range l.Opened {
		if len(st.Folds) < MaxFolds && (o.State != OpenDefault || o.Mode != screen.BodyRendered) {
			st.Folds = append(st.Folds, Fold{l.savedRow(k), uint8(o.State), uint8(o.Mode)})
		}
	}
	for id, o := range l.turnOpen {
		if len(st.Turns) < MaxFolds && o != OpenDefault {
			st.Turns = append(st.Turns, Fold{savedRow: l.savedRow(screen.RowKey{ID: id}), State: uint8(o)})
		}
	}
	return st
}

// LeftAt sets when the reader left the session, the zero time if unknown.
func (l *List) LeftAt(when time.Time) {
	if !when.IsZero() {
		l.readSince = when.UnixMilli()
	}
}

// ForgetMark removes an old mark after a label replaced it.
func (l *List) ForgetMark(letter string) { delete(l.kept, letter) }

// KeptMarks returns the rows of the marks stored before labels existed, by letter.
func (l *List) KeptMarks() map[string]screen.Row {
	out := map[string]screen.Row{}
	at := (&Saved{Marks: l.kept}).places(l.h.Snap)
	for name, r := range l.kept {
		k, ok := r.found(l.h.Snap, at)
		if !ok || len([]rune(name)) != 1 {
			continue
		}
		out[name] = screen.Row{Key: k, Call: screen.NoCall}
		if p, ok := l.Locate(k); ok {
			if it, ok := l.item(p); ok && it.Key == k {
				out[name] = l.row(&it)
			}
		}
	}
	return out
}

// Restore restores cursor, folds and marks, and marks the beginning of the new rows.
func (l *List) Restore(st Saved) {
	s := l.h.Snap
	st.Folds, st.Turns = st.Folds[:min(len(st.Folds), MaxFolds)], st.Turns[:min(len(st.Turns), MaxFolds)]
	at := st.places(s)
	l.kept = st.Marks
	for i := range st.Folds {
		f := &st.Folds[i]
		if k, ok := f.found(s, at); ok && f.State <= uint8(OpenWhole) && f.Mode <= uint8(screen.BodyRaw) {
			l.Opened[k] = Opening{State: OpenState(f.State), Mode: screen.BodyMode(f.Mode)}
		}
	}
	for i := range st.Turns {
		f := &st.Turns[i]
		if k, ok := f.found(s, at); ok && f.State <= uint8(OpenWhole) {
			l.turnOpen[k.ID] = OpenState(f.State)
		}
	}
	if st.Level >= 1 && st.Level <= 4 {
		l.Level, l.whole = st.Level, st.Whole
	}
	if st.Rows > 0 && st.Rows < s.Rows() {
		l.ReadMark = model.ID(st.Rows)
	}
	if st.Events < uint8(eventModes) {
		l.Events = eventMode(st.Events)
	}
	l.made.Clear()
	l.Invalidate()
	l.RestorePlace(st)
}

// RestorePlace restores the cursor and the first line of the screen if the row of the cursor is
// loaded.
func (l *List) RestorePlace(st Saved) {
	s := l.h.Snap
	if st.Cursor == nil {
		return
	}
	at := st.places(s)
	k, ok := st.Cursor.found(s, at)
	if !ok {
		return
	}
	l.openHosts(k.ID)
	p, ok := l.Locate(k)
	if it, there := l.item(p); !ok || !there || it.Key.ID != k.ID {
		return
	}
	l.SelectPlace(p)
	if !l.restoreTop(st, at) {
		l.Center(l.Rows / 3)
		l.Reveal()
	}
}

// restoreTop restores the first line of the screen; false if it is gone, or if the cursor would be
// off the screen.
func (l *List) restoreTop(st Saved, at map[uint64][]int) bool {
	if st.Top == nil {
		return false
	}
	k, ok := st.Top.found(l.h.Snap, at)
	if !ok {
		return false
	}
	p, ok := l.Locate(k)
	it, there := l.item(p)
	if !ok || !there || it.Key != k {
		return false
	}
	p.Chunk, p.line = st.Top.Part, st.Top.At
	if !l.hasLine(&it, p) {
		p.Chunk, p.line = 0, 0
	}
	l.setTop(p)
	places := l.OnScreen()
	l.keepTop()
	return len(places) == 0 || !before(l.Cur, l.Top) && !before(places[len(places)-1], l.Cur) || l.Cur.Slot == l.Top.Slot && l.Cur.Item == l.Top.Item
}
