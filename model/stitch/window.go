package stitch

import "turns/model"

// windowSize is how many keys a window remembers at least: far more than lie
// between the lines of one response.
const windowSize = 8192

// window remembers what the last keys stood for, between windowSize and twice as
// many. Two maps take turns, so that nothing has to be removed one by one.
type window[V any] struct {
	now, before map[model.Key]V
}

func (w *window[V]) get(key model.Key) (v V, ok bool) {
	if v, ok = w.now[key]; !ok {
		v, ok = w.before[key]
	}
	return v, ok
}

func (w *window[V]) set(key model.Key, v V) {
	if w.now == nil {
		w.now = make(map[model.Key]V)
	}
	if len(w.now) >= windowSize {
		w.before, w.now = w.now, w.before
		if w.now == nil {
			w.now = make(map[model.Key]V, windowSize)
		} else {
			clear(w.now)
		}
	}
	w.now[key] = v
}

// recordRing remembers the last records and the rows that they made.
type recordRing struct {
	keys []model.Key
	ids  []model.ID
	next int
	// marks counts the keys by their last bits. Most keys that are not in the ring
	// are found out by it, else a transcript in which every prompt names a parent
	// that does not exist would be walked thousands of records back for each.
	marks []uint16
}

const recordMarks = 1 << 17

const recordRingSize = 1 << 14

func (r *recordRing) add(key model.Key, id model.ID) {
	if r.marks == nil {
		r.marks = make([]uint16, recordMarks)
	}
	r.marks[key%recordMarks]++
	if len(r.keys) < recordRingSize {
		r.keys, r.ids = append(r.keys, key), append(r.ids, id)
		return
	}
	r.marks[r.keys[r.next]%recordMarks]--
	r.keys[r.next], r.ids[r.next] = key, id
	r.next = (r.next + 1) % recordRingSize
}

// find looks from the newest backwards, at reach records at the most: parents are
// mostly near.
func (r *recordRing) find(key model.Key, reach int) (model.ID, bool) {
	n := len(r.keys)
	if n == 0 || r.marks[key%recordMarks] == 0 {
		return model.NoID, false
	}
	for i := range min(n, reach) {
		k := (r.next - 1 - i + 2*n) % n
		if r.keys[k] == key {
			return r.ids[k], true
		}
	}
	return model.NoID, false
}

func (r *recordRing) each(f func(model.Key, model.ID)) {
	n := len(r.keys)
	for i := range n {
		k := (r.next + i) % n
		f(r.keys[k], r.ids[k])
	}
}

// openCall is a call that waits for its result.
type openCall struct {
	row    model.CallID
	msg    model.ID
	time   int64
	id     model.Key // as recorded; zero: none
	args   model.Key // hash of its arguments
	name   uint16
	thread uint32
}

// openCalls are the calls without a result, found by id, or in order where there
// are no ids. Results that came before their call wait too.
type openCalls struct {
	byID    map[model.Key]openCall
	more    map[model.Key][]openCall   // further calls with an id that is in use
	unnamed []openCall                 // calls without an id, oldest first
	early   map[model.Key]model.CallID // results without a call, by id
	ahead   []aheadResult              // results without an id that came before the call that they follow
}

// aheadResult is a result that was written before its call, although it comes
// after it.
type aheadResult struct {
	row    model.CallID
	seq    int64
	thread uint32
	name   uint16
}

// takeAhead removes and gives the first result that follows a call with that
// place.
func (o *openCalls) takeAhead(seq int64, thread uint32, name uint16) (model.CallID, bool) {
	for i, r := range o.ahead {
		if r.seq > seq && r.thread == thread && (r.name == 0 || r.name == name) {
			o.ahead = append(o.ahead[:i], o.ahead[i+1:]...)
			return r.row, true
		}
	}
	return 0, false
}

func (o *openCalls) init() {
	o.byID = make(map[model.Key]openCall)
	o.more = make(map[model.Key][]openCall)
	o.early = make(map[model.Key]model.CallID)
}

func (o *openCalls) add(c openCall) {
	if c.id == 0 {
		o.unnamed = append(o.unnamed, c)
		return
	}
	if _, ok := o.byID[c.id]; ok {
		o.more[c.id] = append(o.more[c.id], c)
		return
	}
	o.byID[c.id] = c
}

// take removes and gives the call that a result with this id answers: of several
// with one id the first of the latest message that made any.
func (o *openCalls) take(id model.Key) (openCall, bool) {
	first, ok := o.byID[id]
	if !ok {
		return openCall{}, false
	}
	more := o.more[id]
	if len(more) == 0 {
		delete(o.byID, id)
		return first, true
	}
	all := append([]openCall{first}, more...)
	at := len(all) - 1
	for at > 0 && all[at-1].msg == all[len(all)-1].msg {
		at--
	}
	c := all[at]
	all = append(all[:at], all[at+1:]...)
	o.byID[id] = all[0]
	if len(all) > 1 {
		o.more[id] = all[1:]
	} else {
		delete(o.more, id)
	}
	return c, true
}

// takeInOrder removes and gives the oldest call of the thread for a result
// without an id: the oldest of that name, else, if the result has no name, the
// oldest at all.
func (o *openCalls) takeInOrder(thread uint32, name uint16) (openCall, bool) {
	for i, c := range o.unnamed {
		if c.thread == thread && (name == 0 || c.name == name) {
			o.unnamed = append(o.unnamed[:i], o.unnamed[i+1:]...)
			return c, true
		}
	}
	var best openCall
	found := false
	for _, c := range o.byID {
		if c.thread == thread && (name == 0 || c.name == name) && (!found || c.row < best.row) {
			best, found = c, true
		}
	}
	if found {
		return o.remove(best), true
	}
	return openCall{}, false
}

func (o *openCalls) remove(c openCall) openCall {
	if more := o.more[c.id]; len(more) > 0 {
		o.byID[c.id] = more[0]
		if len(more) > 1 {
			o.more[c.id] = more[1:]
		} else {
			delete(o.more, c.id)
		}
		return c
	}
	delete(o.byID, c.id)
	return c
}

// forget removes a call that is gone.
func (o *openCalls) forget(row model.CallID) {
	for _, c := range o.byID {
		if c.row == row {
			o.remove(c)
			return
		}
	}
	for i, c := range o.unnamed {
		if c.row == row {
			o.unnamed = append(o.unnamed[:i], o.unnamed[i+1:]...)
			return
		}
	}
}
