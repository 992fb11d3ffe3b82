package model

import "strings"

// IndexFold returns the first place of needle in data, or -1, ignoring the case of ASCII letters.
// needle is in lower case and not empty; index is [bytes.IndexByte] or [strings.IndexByte]. To find
// every place, use a [FoldFinder].
func IndexFold[T string | []byte](data, needle T, index func(T, byte) int) int {
	f := NewFoldFinder(data, needle, index)
	return f.Next(0)
}

// FoldFinder finds all places of a needle in one text from left to right, like [IndexFold]. It
// searches for the rarest byte of the needle in both cases and compares around it. It remembers how
// far it has searched for each, so that all calls together read the text once for each case.
type FoldFinder[T string | []byte] struct {
	data, needle T
	index        func(T, byte) int
	k            int    // index of the rarest byte in needle
	seen         [2]int // its next place in lower and in upper case; the length of data for none
}

// NewFoldFinder prepares a search; the arguments are those of [IndexFold].
func NewFoldFinder[T string | []byte](data, needle T, index func(T, byte) int) FoldFinder[T] {
	return FoldFinder[T]{data: data, needle: needle, index: index, k: rarest(needle), seen: [2]int{-1, -1}}
}

// Next returns the first place at or after from, or -1. A later call must not have a smaller from.
func (f *FoldFinder[T]) Next(from int) int {
	lower := f.needle[f.k]
	last := len(f.data) - len(f.needle)
	for i := from; i <= last; {
		at := f.byteAt(0, lower, i+f.k)
		if lower >= 'a' && lower <= 'z' {
			at = min(at, f.byteAt(1, lower-('a'-'A'), i+f.k))
		}
		start := at - f.k
		if start > last {
			return -1
		}
		if equalFold(f.data[start:start+len(f.needle)], f.needle) {
			return start
		}
		i = start + 1
	}
	return -1
}

// byteAt returns the first place of b at or after from.
func (f *FoldFinder[T]) byteAt(which int, b byte, from int) int {
	if f.seen[which] < from {
		f.seen[which] = len(f.data)
		if i := f.index(f.data[from:], b); i >= 0 {
			f.seen[which] = from + i
		}
	}
	return f.seen[which]
}

func equalFold[T string | []byte](data, lower T) bool {
	for i := range len(data) {
		b := data[i]
		if b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != lower[i] {
			return false
		}
	}
	return true
}

// commonness ranks the bytes of transcripts (English, code, JSON) from the rarest to the most
// common; bytes not listed are rarer than all of these.
const commonness = "zZqQjJxX~^`#@$%&*+<>;!?|KkVv9876YyWwBb543GgPpMmUuFf20CcDdHhLlOoIiSsNnRrAaTtEe1}{][)(=-_.,:'\" "

// rarity is the index of each byte in commonness, -1 for other bytes.
var rarity = func() (places [256]int8) {
	for b := range places {
		places[b] = int8(strings.IndexByte(commonness, byte(b)))
	}
	return places
}()

// rarest returns the index of the rarest byte of a needle.
func rarest[T string | []byte](needle T) int {
	best := 0
	for i := range len(needle) {
		if rarity[needle[i]] < rarity[needle[best]] {
			best = i
		}
	}
	return best
}

// rarestLetter returns the index of the rarest letter or digit of a needle; -1 if there is none.
func rarestLetter(needle []byte) int {
	best := -1
	for i, c := range needle {
		if !sign(c) && (best < 0 || rarity[c] < rarity[needle[best]]) {
			best = i
		}
	}
	return best
}
