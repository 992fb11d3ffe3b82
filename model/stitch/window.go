package stitch

import (
	"iter"
	"maps"
	"slices"

	"turns/model"
)

// windowSize is the minimum number of keys that a window remembers: far more than occur between the
// lines of one response.
const windowSize = 4096

// window maps recent keys to their values. It remembers between windowSize and twice as many. Two
// maps alternate, so that keys need not be removed one by one.
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
	if w.had.now != nil {
		w.had.add(key)
	} else if len(w.now) == sieveFrom {
		w.had.make(maps.Keys(w.now))
	}
}

// sieve rules out most keys that were not added recently. Most look-ups of an index are for new
// keys, and its bits stay in the cache of a core, unlike the maps behind it. An empty one
// excludes no key.
type sieve struct{ now, before []uint64 }

// For speed only: sieveBits is about thirty times the number of keys that a window adds between two
// turns. A sieve is made for the first sieveFrom keys together, because most sessions are short.
const (
	sieveBits = 1 << 17
	sieveFrom = 256
)

// make starts the sieve with keys.
func (s *sieve) make(keys iter.Seq[model.Key]) {
	s.now = make([]uint64, sieveBits/64)
	for key := range keys {
		s.add(key)
	}
}

func (s *sieve) add(key model.Key) { s.now[key%sieveBits/64] |= 1 << (key % 64) }

func (s *sieve) maybe(key model.Key) bool {
	at, bit := key%sieveBits/64, uint64(1)<<(key%64)
	return s.now == nil || s.now[at]&bit != 0 || s.before != nil && s.before[at]&bit != 0
}

// turn forgets the keys added before the last turn.
func (s *sieve) turn() {
	s.before, s.now = s.now, s.before
	if s.now == nil {
		s.now = make([]uint64, sieveBits/64)
	}
	clear(s.now)
}

// again returns an empty sieve that reuses the memory.
func (s *sieve) again() sieve {
	clear(s.now)
	return sieve{now: s.now}
}

// recordRing remembers the latest records and the rows that they made.
type recordRing struct {
	keys []model.Key
	ids  []model.ID
	next int
	// had rules out most keys that are not in the ring. Without it, a transcript in which every
	// prompt names a missing parent would cost a search of thousands of records for each.
	had sieve
}

const recordRingSize = 1 << 14

func (r *recordRing) add(key model.Key, id model.ID) {
	if r.had.now != nil {
		r.had.add(key)
	}
	if len(r.keys) < recordRingSize {
		r.keys, r.ids = append(r.keys, key), append(r.ids, id)
		if len(r.keys) == sieveFrom && r.had.now == nil {
			r.had.make(slices.Values(r.keys))
		}
		return
	}
	r.keys[r.next], r.ids[r.next] = key, id
	if r.next++; r.next == recordRingSize {
		r.next = 0
		r.had.turn()
	}
}

// find searches from the newest record back, at most reach records: parents are usually near.
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
