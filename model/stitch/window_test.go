package stitch

import (
	"math/rand/v2"
	"testing"

	"turns/model"
)

// TestWindow compares a window with a map of everything: it has the last windowSize keys, and only
// values that were set.
func TestWindow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var w window[int]
	all := make(map[model.Key]int)
	var order []model.Key
	for i := range 20 * windowSize {
		key := model.Key(rnd.Uint64())
		if i%5 == 0 && i > 0 {
			key = order[rnd.IntN(len(order))] // a repeat
		}
		w.set(key, i)
		all[key] = i
		order = append(order, key)
		asked := order[max(0, len(order)-1-rnd.IntN(3*windowSize))]
		got, ok := w.get(asked)
		if ok && got != all[asked] {
			t.Fatalf("key %d is %d, want %d", asked, got, all[asked])
		}
		if !ok && i-all[asked] < windowSize {
			t.Fatalf("a key that was set %d keys ago is not there", i-all[asked])
		}
		if _, ok := w.get(model.Key(rnd.Uint64())); ok {
			t.Fatal("a key that was never set is there")
		}
	}
}

// TestRecordRing compares the ring with a map: it finds each of the last records, wherever the ring
// wraps around.
func TestRecordRing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var r recordRing
	var keys []model.Key
	for i := range 4 * recordRingSize {
		keys = append(keys, model.Key(rnd.Uint64()))
		r.add(keys[i], model.ID(i))
		if i%97 != 0 {
			continue
		}
		back := rnd.IntN(min(i+1, recordRingSize))
		if id, ok := r.find(keys[i-back], recordRingSize); !ok || id != model.ID(i-back) {
			t.Fatalf("the record %d back is %d, %t", back, id, ok)
		}
		if _, ok := r.find(model.Key(rnd.Uint64()), recordRingSize); ok {
			t.Fatal("a record that was never added is found")
		}
	}
}
