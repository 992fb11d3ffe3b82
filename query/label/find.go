package label

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"turns/model"
)

// Placed is a line with its current place.
type Placed struct {
	Line
	Session uint32       // of the snapshot
	ID      model.ID     // NoID: the session
	Call    model.CallID // NoRow: not about a call
}

// Here has the annotations of a snapshot. It never changes; nil is empty.
type Here struct {
	Placed []Placed // in the order of writing
	Lost   []Line   // those whose message is gone
	at     map[model.ID][]int32
}

// Find finds the places of all annotations in a snapshot.
func (s *Set) Find(ctx context.Context, snap *model.Snapshot, from Source) (*Here, error) {
	h := &Here{at: map[model.ID][]int32{}}
	if s == nil || len(s.current) == 0 {
		return h, nil
	}
	f := &finder{prints: newPrints(ctx, snap)}
	for i := range snap.Sessions() {
		ss := &snap.Sessions()[i]
		if ss.Count == 0 {
			continue
		}
		f.session = uint32(i)
		f.run = f.name(s, from)
		lines := s.About(f.run)
		f.learn(lines)
		for _, l := range lines {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			h.put(f, l)
		}
	}
	h.settle(snap)
	return h, nil
}

// name returns the names of the current session. Its opening requires reading its first messages,
// so it is only set if the id cannot identify the session.
func (f *finder) name(s *Set, from Source) *Run {
	r := from.run(f.snap, f.session)
	elsewhere := func(i int32) bool { return s.current[i].Run.Path != r.Path }
	if len(r.Session) < sure || s.nameless || slices.ContainsFunc(s.session[r.Session], elsewhere) {
		r.Opens = f.opens(f.session)
	}
	return &r
}

// NewHere returns the placed annotations of a snapshot.
func NewHere(snap *model.Snapshot, placed []Placed) *Here {
	h := &Here{Placed: placed, at: map[model.ID][]int32{}}
	h.settle(snap)
	return h
}

// Change returns the annotations without the lines whose ids are in gone, and with those of add.
func (h *Here) Change(snap *model.Snapshot, gone map[string]bool, add []Placed) *Here {
	var placed []Placed
	for _, p := range h.All() {
		if !gone[p.Line.ID] {
			placed = append(placed, p)
		}
	}
	next := NewHere(snap, append(placed, add...))
	if h != nil {
		next.Lost = slices.DeleteFunc(slices.Clone(h.Lost), func(l Line) bool { return gone[l.ID] })
	}
	return next
}

// settle removes from Lost the lines found in another conversation of the file: all of them have
// one path.
func (h *Here) settle(snap *model.Snapshot) {
	have := map[string]bool{}
	for i := range h.Placed {
		have[h.Placed[i].Line.ID] = true
	}
	h.Lost = slices.DeleteFunc(h.Lost, func(l Line) bool {
		lost := !have[l.ID]
		have[l.ID] = true
		return !lost
	})
	slices.SortStableFunc(h.Placed, func(a, b Placed) int { return a.Time.Compare(b.Time) })
	for i := range h.Placed {
		p := &h.Placed[i]
		if p.ID == model.NoID {
			continue
		}
		h.at[p.ID] = append(h.at[p.ID], int32(i))
		if p.Call == model.CallID(model.NoRow) {
			continue
		}
		if r := snap.Call(p.Call).Result; r != model.NoID && r != p.ID {
			h.at[r] = append(h.at[r], int32(i))
		}
	}
}

func (h *Here) put(f *finder, l *Line) {
	if l.At == nil || l.Scope == OfRun {
		h.Placed = append(h.Placed, Placed{*l, f.session, model.NoID, model.CallID(model.NoRow)})
		return
	}
	if id, call, ok := f.find(l); ok {
		h.Placed = append(h.Placed, Placed{*l, f.session, id, call})
		return
	}
	if !f.run.kin(&l.Run) {
		h.Lost = append(h.Lost, *l)
	}
}

// At returns the annotations of a message and its calls; for a message with results also those of
// the calls that it answers.
func (h *Here) At(id model.ID) []*Placed {
	if h == nil || len(h.at[id]) == 0 {
		return nil
	}
	out := make([]*Placed, len(h.at[id]))
	for i, n := range h.at[id] {
		out[i] = &h.Placed[n]
	}
	return out
}

// Of returns the annotations to show with a message in an export: those of the message and its
// calls, and with the first message of a conversation those of the conversation.
func (h *Here) Of(s *model.Snapshot, id model.ID) []*Placed {
	if h == nil || len(h.Placed) == 0 {
		return nil
	}
	all := h.At(id)
	if s.HeadRow(id).Flags&model.HasResults != 0 { // annotations of a call appear with the call
		all = slices.DeleteFunc(all, func(p *Placed) bool { return p.ID != id })
	}
	n := s.Threads()[s.HeadRow(id).Thread].Session
	if s.Sessions()[n].First == id {
		all = append(h.OfRun(n), all...)
	}
	return all
}

// OfRun returns the annotations of a complete conversation.
func (h *Here) OfRun(session uint32) []*Placed {
	if h == nil {
		return nil
	}
	var out []*Placed
	for i := range h.Placed {
		if p := &h.Placed[i]; p.ID == model.NoID && p.Session == session {
			out = append(out, p)
		}
	}
	return out
}

// All returns all found annotations.
func (h *Here) All() []Placed {
	if h == nil {
		return nil
	}
	return h.Placed
}

// Marks returns the marks of lines.
func Marks(placed []*Placed) []Mark {
	out := make([]Mark, len(placed))
	for i, p := range placed {
		out[i] = p.Mark
	}
	return out
}

// finder searches for places in one conversation of a snapshot.
type finder struct {
	*prints
	session uint32
	run     *Run
	keyed   map[string][]model.ID // rows of the requested recorded ids
	index   map[string][]model.ID // rows by print; nil until the texts are needed
	built   uint32                // session of index
}

// learn finds the rows of the recorded ids in lines.
func (f *finder) learn(lines []*Line) {
	wanted := map[model.Key]string{}
	for _, l := range lines {
		if at := l.At; at != nil && at.Message != "" {
			if k, err := strconv.ParseUint(at.Message, 16, 64); err == nil {
				wanted[model.Key(k)] = at.Message
			}
		}
	}
	f.keyed = map[string][]model.ID{}
	if len(wanted) == 0 {
		return
	}
	threads := f.snap.Threads()
	for n := range f.snap.Rows() {
		h := f.snap.HeadRow(model.ID(n))
		if name, ok := wanted[h.Key]; ok && h.Key != 0 && threads[h.Thread].Session == f.session {
			f.keyed[name] = append(f.keyed[name], model.ID(n))
		}
	}
}

// find finds a place: by the recorded id, by its number, otherwise by the content of all messages.
func (f *finder) find(l *Line) (model.ID, model.CallID, bool) {
	at := l.At
	var grown []model.ID
	for _, id := range f.keyed[at.Message] {
		if f.matches(id, at) {
			return f.placed(id, l)
		}
		if f.related(id, at) {
			grown = append(grown, id)
		}
	}
	if at.Index >= 0 && at.Index < f.snap.Len() {
		// from a table that has only numbers
		if at.Hash == "" && at.Message == "" && at.Call == "" {
			return f.placed(f.snap.At(at.Index), l)
		}
		if id := f.snap.At(at.Index); f.mine(id) && f.matches(id, at) && f.neighbours(id, at) >= f.least(id, at) {
			return f.placed(id, l)
		}
	}
	if id, ok := f.best(at); ok {
		return f.placed(id, l)
	}
	if len(grown) > 0 {
		return f.placed(grown[0], l)
	}
	return 0, 0, false
}

func (f *finder) mine(id model.ID) bool {
	return f.snap.Threads()[f.snap.HeadRow(id).Thread].Session == f.session
}

// matches reports whether a message has the labelled content.
func (f *finder) matches(id model.ID, at *Place) bool {
	all := f.of(id)
	return at.Hash != "" && slices.Contains(all, at.Hash) || at.Call != "" && slices.Contains(all, callPrint(at.Call))
}

// least returns how many neighbours a message with the labelled content must have: all, for another
// call with the same words. Some formats assign their own ids to calls.
func (f *finder) least(id model.ID, at *Place) int {
	if at.Call == "" || slices.Contains(f.of(id), callPrint(at.Call)) {
		return 1
	}
	return 2
}

// related reports whether a message with the recorded id can be the labelled one although its text
// differs: it has grown, or is in the same place. Some formats number their messages, and another
// message can have that number now.
func (f *finder) related(id model.ID, at *Place) bool {
	if f.neighbours(id, at) > 0 {
		return true
	}
	m, err := f.snap.Body(f.ctx, id)
	if err != nil {
		return false
	}
	start := strings.TrimSuffix(at.Text, "…")
	return start != "" && strings.HasPrefix(begin(m), start) || at.Hash == ""
}

// neighbours returns how many of the two messages around a row are the recorded ones.
func (f *finder) neighbours(id model.ID, at *Place) (n int) {
	for dir, want := range map[int]string{-1: at.Before, 1: at.After} {
		o := near(f.snap, id, dir)
		switch {
		case want == "" && o == model.NoID: // it is the first or the last
			n++
		case want == "" || o == model.NoID:
		case slices.Contains(f.of(o), want) || slices.Contains(f.of(id), want):
			n++
		}
	}
	return n
}

// long is the number of letters from which a text does not repeat by chance.
const long = 24

// best returns the message with the labelled content; of several, the one with most of its
// neighbours, then the nearest. A short text without any neighbour may be a different message.
func (f *finder) best(at *Place) (best model.ID, ok bool) {
	f.build()
	var found []model.ID
	if at.Call != "" {
		found = f.index[callPrint(at.Call)]
	}
	if len(found) == 0 && at.Hash != "" {
		found = f.index[at.Hash]
	}
	top, far := -1, 0
	for _, id := range found {
		n, d := f.neighbours(id, at), f.snap.Pos(id)-at.Index
		if d < 0 {
			d = -d
		}
		if n > top || n == top && d < far {
			best, top, far = id, n, d
		}
	}
	if top >= 0 && f.least(best, at) > 1 {
		return best, top > 1
	}
	return best, top > 0 || top == 0 && len(found) == 1 && (at.Call != "" || len(at.Text) >= long)
}

// build indexes all messages of the conversation.
func (f *finder) build() {
	if f.index != nil && f.built == f.session {
		return
	}
	f.index, f.built = map[string][]model.ID{}, f.session
	for n := range f.snap.Rows() {
		id := f.snap.Row(n)
		if !f.mine(id) || f.ctx.Err() != nil {
			continue
		}
		for i, p := range f.of(id) {
			if !slices.Contains(f.of(id)[:i], p) {
				f.index[p] = append(f.index[p], id)
			}
		}
	}
}

// placed finds the call of a place in its message.
func (f *finder) placed(id model.ID, l *Line) (model.ID, model.CallID, bool) {
	found := model.CallID(model.NoRow)
	if l.Scope != OfCall {
		return id, found, true
	}
	m, err := f.snap.Body(f.ctx, id)
	if err != nil {
		return id, found, true
	}
	calls := m.Calls()
	for _, c := range f.snap.Calls(id) {
		if int(c.Block) >= len(calls) {
			continue
		}
		b := &calls[c.Block]
		if l.At.Call != "" && b.ID == l.At.Call {
			return id, c.ID, true
		}
		if found == model.CallID(model.NoRow) && printOf("call", b.Name, plainJSON(b.Text)) == l.At.Hash {
			found = c.ID
		}
	}
	return id, found, true
}
