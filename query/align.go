package query

// AlignedPair is a place in two aligned sequences: an element of each, or of one of them, with -1
// for the other.
type AlignedPair struct{ A, B int32 }

// Align finds a longest common subsequence of two sequences of keys and returns its pairs in
// order. It is Myers' algorithm in linear memory, with a limit for very different sequences
// (see alignEdits). Keys of only one sequence are removed first, since they cannot be in a
// common subsequence; that makes very different sessions cheap.
func Align(a, b []uint64) []AlignedPair {
	w := aligner{}
	inA, inB := make(map[uint64]uint32, len(a)), make(map[uint64]bool, len(b))
	number := func(k uint64) uint32 {
		n, ok := inA[k]
		if !ok {
			n = uint32(len(inA))
			inA[k] = n
		}
		return n
	}
	for _, k := range b {
		inB[k] = true
	}
	for i, k := range a {
		n := number(k)
		if inB[k] {
			w.a, w.placeA = append(w.a, n), append(w.placeA, int32(i))
		}
	}
	for i, k := range b {
		if n, ok := inA[k]; ok {
			w.b, w.placeB = append(w.b, n), append(w.placeB, int32(i))
		}
	}
	size := 2*((len(w.a)+len(w.b)+1)/2+1) + 2
	w.down, w.up = make([]int32, size), make([]int32, size)
	w.run(0, len(w.a), 0, len(w.b))
	return w.pairs
}

type aligner struct {
	a, b           []uint32
	placeA, placeB []int32
	down, up       []int32
	pairs          []AlignedPair
}

func (w *aligner) match(a, b int) {
	w.pairs = append(w.pairs, AlignedPair{w.placeA[a], w.placeB[b]})
}

// run aligns a[a0:a1] with b[b0:b1].
func (w *aligner) run(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && w.a[a0] == w.b[b0] {
		w.match(a0, b0)
		a0, b0 = a0+1, b0+1
	}
	tail := 0
	for a0 < a1 && b0 < b1 && w.a[a1-1] == w.b[b1-1] {
		a1, b1, tail = a1-1, b1-1, tail+1
	}
	switch {
	case a0 == a1 || b0 == b1:
	case a1-a0 == 1:
		w.single(a0, b0, b1, true)
	case b1-b0 == 1:
		w.single(b0, a0, a1, false)
	default:
		x, y := w.middle(a0, a1, b0, b1)
		w.run(a0, x, b0, y)
		w.run(x, a1, y, b1)
	}
	for i := range tail {
		w.match(a1+i, b1+i)
	}
}

// single aligns one element with many.
func (w *aligner) single(one, from, to int, oneIsA bool) {
	for i := from; i < to; i++ {
		switch {
		case oneIsA && w.a[one] == w.b[i]:
			w.match(one, i)
			return
		case !oneIsA && w.b[one] == w.a[i]:
			w.match(i, one)
			return
		}
	}
}

// middle finds a point in the middle of a shortest edit script.
func (w *aligner) middle(a0, a1, b0, b1 int) (x, y int) {
	n, m := a1-a0, b1-b0
	delta := n - m
	odd := delta&1 != 0
	half := (n + m + 1) / 2
	base := len(w.down) / 2
	w.down[base+1], w.up[base+1] = 0, 0
	for d := 0; d <= half; d++ {
		if d > alignEdits {
			return w.furthest(a0, a1, b0, b1, d-1)
		}
		for k := -d; k <= d; k += 2 {
			v := w.step(w.down, base, k, d)
			for v < n && v-k < m && v-k >= 0 && w.a[a0+v] == w.b[b0+v-k] {
				v++
			}
			w.down[base+k] = int32(v)
			if r := delta - k; odd && r >= -(d-1) && r <= d-1 && v+int(w.up[base+r]) >= n {
				return a0 + min(v, n), b0 + min(max(v-k, 0), m)
			}
		}
		for k := -d; k <= d; k += 2 {
			v := w.step(w.up, base, k, d)
			for v < n && v-k < m && v-k >= 0 && w.a[a1-1-v] == w.b[b1-1-(v-k)] {
				v++
			}
			w.up[base+k] = int32(v)
			if r := delta - k; !odd && r >= -d && r <= d && v+int(w.down[base+r]) >= n {
				return a1 - min(v, n), b1 - min(max(v-k, 0), m)
			}
		}
	}
	return a0 + n/2, b0 + m/2 // not reached: the two searches meet
}

// alignEdits is the number of edits after which a search settles for its furthest point. Only
// sessions with the same content in a different order differ that much. The result for them is a
// common subsequence, but possibly not the longest.
const alignEdits = 2000

// furthest returns the furthest point that the search from the beginning reached.
func (w *aligner) furthest(a0, a1, b0, b1, d int) (x, y int) {
	base, best := len(w.down)/2, -1
	for k := -d; k <= d; k += 2 {
		v := int(w.down[base+k])
		if v > a1-a0 || v-k < 0 || v-k > b1-b0 || 2*v-k <= best {
			continue
		}
		best, x, y = 2*v-k, a0+v, b0+v-k
	}
	if best <= 0 {
		return a0 + (a1-a0)/2, b0 + (b1-b0)/2
	}
	return x, y
}

// step returns how far the search gets on diagonal k in d edits, before it follows common elements.
func (w *aligner) step(v []int32, base, k, d int) int {
	if k == -d || k != d && v[base+k-1] < v[base+k+1] {
		return int(v[base+k+1])
	}
	return int(v[base+k-1]) + 1
}
