package stitch

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

// TestUniqueIDs: ids of twelve bytes are unique in a transcript, and numbers of five digits.
func TestUniqueIDs(t *testing.T) {
	for id, want := range map[string]bool{"call_1234567": true, "call_123456": false, "12345": true, "1234": false, "12a45": false, "": false} {
		if got := isUnique([]byte(id)); got != want {
			t.Errorf("%q is unique: %v", id, got)
		}
	}
}

// TestLongNames: a name keeps 16 kB, and all names of a conversation 32 MB.
func TestLongNames(t *testing.T) {
	b := New(model.Arrival, false, nil)
	name := func(s string) string {
		n := b.intern(s)
		return b.ix.Names[n]
	}
	if long := strings.Repeat("x", 16<<10); name(long) != long || name(long+"y") == long+"y" {
		t.Error("a name of 16 kB is cut, or a longer one is not")
	}
	b = New(model.Arrival, false, nil)
	long := strings.Repeat("x", 16<<10-8)
	kept := 0
	for i := range 2100 {
		s := fmt.Sprintf("%08d%s", i, long)
		if name(s) == s {
			kept++
		}
	}
	if kept != 2047 && kept != 2048 {
		t.Errorf("%d names of 16 kB are kept", kept)
	}
	if name("other") != manyNames {
		t.Errorf("a further name is %q", name("other"))
	}
}

// TestKindsOfNotes: records without a message are notes of a kind.
func TestKindsOfNotes(t *testing.T) {
	for op, want := range map[model.Op]string{model.Meter: "usage", model.About: "about", model.Leaf: "branch", model.Life: "life cycle", model.Child: "subagent", model.Retract: "retraction"} {
		if opKinds[op] != want {
			t.Errorf("operation %d is a note of the kind %q, want %q", op, opKinds[op], want)
		}
	}
}

// TestWindowHolds: a window remembers at least 4,096 keys, and at most twice as many.
func TestWindowHolds(t *testing.T) {
	var w window[int]
	for i := range 2*4096 + 1 {
		w.set(model.HashNumber("k", int64(i)), i)
	}
	for i, want := range map[int]bool{0: false, 4095: false, 4096: true, 8192: true} {
		if got, ok := w.get(model.HashNumber("k", int64(i))); ok != want || ok && got != i {
			t.Errorf("key %d: %d, %v", i, got, ok)
		}
	}
}

// TestNamesAmongCallsOfOneID: a result finds its call by name among the first hundred calls of its
// id and turn, and otherwise answers the first.
func TestNamesAmongCallsOfOneID(t *testing.T) {
	for n, want := range map[int]model.CallID{99: 100, 100: 1} {
		o := openCalls{byID: map[model.Key]openCall{}, more: map[model.Key][]callGroup{}}
		o.add(openCall{id: 7, turn: 0, name: 1}) // of an earlier turn
		for i := range n + 1 {
			c := openCall{id: 7, turn: 1, name: 1, row: model.CallID(i + 1)}
			if i == n {
				c.name = 2
			}
			o.add(c)
		}
		if c, ok := o.take(7, 2); !ok || c.row != want {
			t.Errorf("the call after %d others: row %d, want %d", n, c.row, want)
		}
	}
}
