package model

// For speed only: a chunk of a Column has 4,096 rows, so that amending a row of a shared chunk
// copies at most a few hundred kilobytes.
const (
	columnBits = 12
	columnRows = 1 << columnBits
	columnMask = columnRows - 1
)

// Column is an append-only list of rows in chunks. A [Column.Snapshot] shares its chunks and never
// changes: [Column.Amend] copies a shared chunk before it changes a row.
type Column[T any] struct {
	chunks [][]T
	shared []bool // whether a snapshot shares chunk i
	spare  []T    // memory for the first chunk
	n      int
}

// Reused returns an empty column that reuses the memory of c. Neither c nor its snapshots may be
// used after that.
func (c *Column[T]) Reused() Column[T] {
	if len(c.chunks) == 0 {
		return Column[T]{spare: c.spare}
	}
	return Column[T]{chunks: c.chunks[:0], shared: c.shared[:0], spare: c.chunks[0][:0]}
}

// Len returns the number of rows.
func (c *Column[T]) Len() int { return c.n }

// Append adds a row and returns its number.
func (c *Column[T]) Append(row T) int {
	i := c.n
	if i&columnMask == 0 {
		c.chunks = append(c.chunks, c.newChunk(i))
		c.shared = append(c.shared, false)
	}
	last := len(c.chunks) - 1
	if chunk := c.chunks[last]; len(chunk) == cap(chunk) { // only the first chunk starts small
		grown := make([]T, len(chunk), min(columnRows, 4*cap(chunk)))
		copy(grown, chunk)
		c.chunks[last], c.shared[last] = grown, false
	}
	c.chunks[last] = append(c.chunks[last], row)
	c.n++
	return i
}

// newChunk returns the chunk that begins with row i. The first one starts small, because most
// conversations are far below one chunk.
func (c *Column[T]) newChunk(i int) []T {
	switch {
	case i > 0:
		return make([]T, 0, columnRows)
	case c.spare != nil:
		return c.spare
	}
	return make([]T, 0, 64)
}

// At returns a copy of row i, which must exist.
func (c *Column[T]) At(i int) T { return c.chunks[i>>columnBits][i&columnMask] }

// Row returns row i for reading in place; it must not be written to.
func (c *Column[T]) Row(i int) *T { return &c.chunks[i>>columnBits][i&columnMask] }

// Amend returns row i for writing. Existing snapshots still see the old row.
func (c *Column[T]) Amend(i int) *T {
	k := i >> columnBits
	if c.shared[k] {
		copied := make([]T, len(c.chunks[k]), cap(c.chunks[k]))
		copy(copied, c.chunks[k])
		c.chunks[k], c.shared[k] = copied, false
	}
	return &c.chunks[k][i&columnMask]
}

// Snapshot returns the current state of the column. Later rows are after its end, which the
// snapshot never reads, even in the same chunk.
func (c *Column[T]) Snapshot() Column[T] {
	for i := range c.shared {
		c.shared[i] = true
	}
	chunks := make([][]T, len(c.chunks))
	copy(chunks, c.chunks)
	return Column[T]{chunks: chunks, n: c.n}
}
