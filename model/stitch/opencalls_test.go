package stitch

import (
	"math/rand/v2"
	"slices"
	"testing"

	"turns/model"
)

// slowCalls are open calls that each look-up scans in order.
type slowCalls []openCall

func (s *slowCalls) remove(at int) openCall {
	c := (*s)[at]
	*s = slices.Delete(*s, at, at+1)
	return c
}

func (s *slowCalls) take(id model.Key, name uint16) (openCall, bool) {
	at, turn, named := -1, model.NoID, false
	for i := len(*s) - 1; i >= 0; i-- {
		c := &(*s)[i]
		if c.id != id {
			continue
		}
		if at >= 0 && c.turn != turn {
			break
		}
		turn = c.turn
		if hasName := name != 0 && c.name == name; at < 0 || hasName || !named {
			at, named = i, hasName
		}
	}
	if at < 0 {
		return openCall{}, false
	}
	return s.remove(at), true
}

func (s *slowCalls) takeInOrder(thread uint32, name uint16) (openCall, bool) {
	for _, unnamed := range []bool{true, false} {
		for i, c := range *s {
			if (c.id == 0) == unnamed && c.thread == thread && (name == 0 || c.name == name) {
				return s.remove(i), true
			}
		}
	}
	return openCall{}, false
}

// TestOpenCallsAgainstAList does the same to both, in random order.
func TestOpenCallsAgainstAList(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		fast := openCalls{byID: map[model.Key]openCall{}, more: map[model.Key][]callGroup{}}
		var slow slowCalls
		msg := model.ID(0)
		for row := range model.CallID(400) {
			switch r.IntN(8) {
			case 0:
				msg = model.ID(r.IntN(6))
			case 1, 2, 3:
				c := openCall{row: row, turn: msg, id: model.Key(r.IntN(4)), name: uint16(r.IntN(3)), thread: uint32(r.IntN(2))}
				fast.add(c)
				slow = append(slow, c)
			case 4, 5:
				id, name := model.Key(1+r.IntN(3)), uint16(r.IntN(3))
				got, ok := fast.take(id, name)
				if want, wanted := slow.take(id, name); ok != wanted || got != want {
					t.Fatalf("seed %d: take %d: %v, not %v", seed, id, got, want)
				}
			case 6:
				thread, name := uint32(r.IntN(2)), uint16(r.IntN(3))
				got, ok := fast.takeInOrder(thread, name)
				if want, wanted := slow.takeInOrder(thread, name); ok != wanted || got != want {
					t.Fatalf("seed %d: in order %d, %d: %v, not %v", seed, thread, name, got, want)
				}
			case 7:
				if len(slow) > 0 && r.IntN(4) == 0 {
					fast.forget([]model.CallID{slow.remove(r.IntN(len(slow))).row})
				}
			}
		}
		for _, q := range fast.unnamed.queues {
			if len(q) > 64+4*len(fast.unnamed.open) {
				t.Errorf("seed %d: %d calls are kept, %d are open", seed, len(q), len(fast.unnamed.open))
			}
		}
	}
}
