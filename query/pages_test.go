package query

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPages compares columns with slices while they grow, fork and change.
func TestPages(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var column pages[int]
		var plain []int
		for range 12 {
			n := len(plain) + rnd.IntN(2<<pageBits)>>rnd.IntN(pageBits)
			fill := rnd.Int()
			column.grow(n, fill)
			for len(plain) < n {
				plain = append(plain, fill)
			}
			if n == 0 {
				continue
			}
			older, shared := column, slices.Clone(plain)
			column = column.fork()
			i := rnd.IntN(n)
			*column.at(i), plain[i] = -1, -1
			for i, want := range shared {
				if got := *older.row(i); got != want {
					t.Fatalf("row %d of %d is %d before the fork, want %d", i, n, got, want)
				}
			}
			for i, want := range plain {
				if got := *column.row(i); got != want {
					t.Fatalf("row %d of %d is %d, want %d", i, n, got, want)
				}
			}
		}
	}
}
