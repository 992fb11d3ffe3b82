package query

// pages is a column of numbers about rows that later answers share: a fork sees
// what was there and copies only the pages that it writes to. The pages of a
// column that was forked must not be written to through the column any more.
type pages[T any] struct {
	list  [][]T
	owned []bool
	n     int
}

const (
	pageBits = 10
	pageMask = 1<<pageBits - 1
)

// grow makes the column n rows long; new rows are fill.
func (p *pages[T]) grow(n int, fill T) {
	for ; p.n < n; p.n++ {
		if p.n&pageMask == 0 {
			p.list = append(p.list, make([]T, 1<<pageBits))
			p.owned = append(p.owned, true)
		}
		*p.at(p.n) = fill
	}
}

// row is row i, for reading.
func (p *pages[T]) row(i int) *T { return &p.list[i>>pageBits][i&pageMask] }

// at is row i, for writing.
func (p *pages[T]) at(i int) *T {
	k := i >> pageBits
	if !p.owned[k] {
		p.list[k] = append([]T(nil), p.list[k]...)
		p.owned[k] = true
	}
	return &p.list[k][i&pageMask]
}

// fork is a column that begins as p is.
func (p *pages[T]) fork() pages[T] {
	return pages[T]{append([][]T(nil), p.list...), make([]bool, len(p.list)), p.n}
}
