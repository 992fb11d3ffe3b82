package query

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// lcsLength returns the length of a longest common subsequence, by the slow textbook method.
func lcsLength(a, b []uint64) int {
	row := make([]int, len(b)+1)
	for i := range a {
		last := 0
		for j := range b {
			was := row[j+1]
			if a[i] == b[j] {
				row[j+1] = last + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			last = was
		}
	}
	return row[len(b)]
}

func TestAlignIsAsLongAsTheNaiveOne(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		make1 := func() []uint64 {
			list := make([]uint64, rnd.IntN(24))
			for i := range list {
				list[i] = rnd.Uint64N(1 + rnd.Uint64N(8))
			}
			return list
		}
		a, b := make1(), make1()
		pairs := Align(a, b)
		for i, p := range pairs {
			if a[p.A] != b[p.B] {
				t.Fatalf("%v %v: pair %v is of different keys", a, b, p)
			}
			if i > 0 && (pairs[i-1].A >= p.A || pairs[i-1].B >= p.B) {
				t.Fatalf("%v %v: pairs %v do not ascend", a, b, pairs)
			}
		}
		if want := lcsLength(a, b); len(pairs) != want {
			t.Fatalf("%v %v: %d pairs, want %d", a, b, len(pairs), want)
		}
	}
}

// A longest common subsequence is certain for up to 4,000 edits: of a permutation, it is the
// longest ascending part.
func TestAlignManyEdits(t *testing.T) {
	for n, want := range map[int]bool{2040: true, 2140: false} {
		a, b := make([]uint64, n), make([]uint64, n)
		var ends []uint64 // by length, the smallest end of an ascending part
		for i, v := range rand.New(rand.NewPCG(3, 4)).Perm(n) {
			a[i], b[i] = uint64(i), uint64(v)
			at, _ := slices.BinarySearch(ends, b[i])
			ends = append(ends[:at], append([]uint64{b[i]}, ends[min(at+1, len(ends)):]...)...)
		}
		edits := 2 * (n - len(ends))
		if got := len(Align(a, b)) == len(ends); got != want || edits <= 4000 != want {
			t.Errorf("%d edits: the longest is %v, want %v", edits, got, want)
		}
	}
}

func BenchmarkAlignTenThousand(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	x, y := make([]uint64, 10_000), make([]uint64, 10_000)
	for i := range x {
		x[i], y[i] = rnd.Uint64N(500), rnd.Uint64N(500)
	}
	for b.Loop() {
		Align(x, y)
	}
}
