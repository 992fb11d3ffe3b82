package query

// pages is a column of numbers about rows. Later answers share it: a fork copies only the pages
// that it writes to. After a fork, do not write to shared pages through the original column.
type pages[T any] struct {
	list  [][]T
	owned []bool
	n     int
}

// For speed only: a page has 1,024 rows.
const (
	pageBits = 10
	pageMask = 1<<pageBits - 1
)

// grow extends the column to n rows; new rows are fill. The first page of a short session is short:
// lists ask about thousands of them.
func (p *pages[T]) grow(n int, fill T) {
	for ; p.n < n; p.n++ {
		k := p.n >> pageBits
		if k == len(p.list) {
			p.list, p.owned = append(p.list, nil), append(p.owned, true)
		}
		if page := p.list[k]; p.n&pageMask == len(page) {
			longer := make([]T, min(max(n-k<<pageBits, 2*len(page)), 1<<pageBits))
			copy(longer, page)
			p.list[k], p.owned[k] = longer, true
		}
		*p.at(p.n) = fill
	}
}

// row returns row i for reading.
func (p *pages[T]) row(i int) *T { return &p.list[i>>pageBits][i&pageMask] }

// at returns row i for writing.
func (p *pages[T]) at(i int) *T {
	k := i >> pageBits
	if !p.owned[k] {
		p.list[k] = append([]T(nil), p.list[k]...)
		p.owned[k] = true
	}
	return &p.list[k][i&pageMask]
}

// fork returns a column that starts with the content of p.
func (p *pages[T]) fork() pages[T] {
	return pages[T]{append([][]T(nil), p.list...), make([]bool, len(p.list)), p.n}
}
