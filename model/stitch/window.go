package stitch

import "turns/model"

// windowSize is how many keys a window remembers at least: far more than lie
// between the lines of one response.
const windowSize = 4096

// window remembers what the last keys stood for, between windowSize and twice as
// many. Two maps take turns, so that nothing has to be removed one by one.
type window[V any] struct {
	now, before map[model.Key]V
	had         sieve
}

func (w *window[V]) get(key model.Key) (v V, ok bool) {
	if !w.had.maybe(key) {
		return v, false
	}
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
		w.had.turn()
	}
	w.now[key] = v
	w.had.add(key)
}

// sieve says of most keys that were not added of late that they were not. Most
// look-ups of an index are for new keys, and its bits stay in the cache of a
// core, which the maps behind it do not.
type sieve struct{ now, before []uint64 }

// sieveBits is some thirty times as many as a window has keys between two turns.
const sieveBits = 1 << 17

func (s *sieve) add(key model.Key) {
	if s.now == nil {
		s.now = make([]uint64, sieveBits/64)
	}
	s.now[key%sieveBits/64] |= 1 << (key % 64)
}

func (s *sieve) maybe(key model.Key) bool {
	at, bit := key%sieveBits/64, uint64(1)<<(key%64)
	return s.now != nil && s.now[at]&bit != 0 || s.before != nil && s.before[at]&bit != 0
}

// turn forgets what was added before the last turn.
func (s *sieve) turn() {
	s.before, s.now = s.now, s.before
	clear(s.now)
}

// again is an empty sieve in the memory of this one.
func (s *sieve) again() sieve {
	clear(s.now)
	return sieve{now: s.now}
}

// recordRing remembers the last records and the rows that they made.
type recordRing struct {
	keys []model.Key
	ids  []model.ID
	next int
	// had finds out most keys that are not in the ring, else a transcript in which
	// every prompt names a parent that does not exist would be walked thousands of
	// records back for each.
	had sieve
}

const recordRingSize = 1 << 14

func (r *recordRing) add(key model.Key, id model.ID) {
	r.had.add(key)
	if len(r.keys) < recordRingSize {
		r.keys, r.ids = append(r.keys, key), append(r.ids, id)
		return
	}
	r.keys[r.next], r.ids[r.next] = key, id
	if r.next++; r.next == recordRingSize {
		r.next = 0
		r.had.turn()
	}
}

// find looks from the newest backwards, at reach records at the most: parents are
// mostly near.
func (r *recordRing) find(key model.Key, reach int) (model.ID, bool) {
	n := len(r.keys)
	if n == 0 || !r.had.maybe(key) {
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
