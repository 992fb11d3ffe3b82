package model

import (
	"math"
	"strings"
)

// IndexFold is the first place of needle in data, where case does not matter for
// ASCII letters; needle is in lower case and not empty. It looks for the rarest
// byte of the needle in both cases and compares around it: index, which is
// [bytes.IndexByte] or [strings.IndexByte], makes that several times as fast as
// comparing everywhere.
func IndexFold[T string | []byte](data, needle T, index func(T, byte) int) int {
	k := rarest(needle)
	lower := needle[k]
	upper := lower
	if lower >= 'a' && lower <= 'z' {
		upper -= 'a' - 'A'
	}
	next := func(from int, b byte) int { // MaxInt for none
		if i := index(data[from:], b); i >= 0 {
			return from + i
		}
		return math.MaxInt
	}
	last := len(data) - len(needle)
	nextLower, nextUpper := -1, -1
	for i := 0; i <= last; {
		if nextLower < i+k {
			nextLower = next(i+k, lower)
		}
		at := nextLower
		if upper != lower {
			if nextUpper < i+k {
				nextUpper = next(i+k, upper)
			}
			at = min(at, nextUpper)
		}
		start := at - k
		if start > last {
			return -1
		}
		if equalFold(data[start:start+len(needle)], needle) {
			return start
		}
		i = start + 1
	}
	return -1
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

// commonness ranks the bytes of transcripts (English, code, JSON) from the rarest
// to the most common; what is not listed is rarer than all of it.
const commonness = "zZqQjJxX~^`#@$%&*+<>;!?|KkVv9876YyWwBb543GgPpMmUuFf20CcDdHhLlOoIiSsNnRrAaTtEe1}{][)(=-_.,:'\" "

func rarest[T string | []byte](needle T) int {
	best, rank := 0, len(commonness)+1
	for i := range len(needle) {
		if r := strings.IndexByte(commonness, needle[i]); r < rank {
			best, rank = i, r
		}
	}
	return best
}

// rarestLetter is the place of the rarest letter or digit of a needle; -1 for none.
func rarestLetter(needle []byte) int {
	best, rank := -1, len(commonness)+1
	for i, c := range needle {
		if r := strings.IndexByte(commonness, c); !sign(c) && r < rank {
			best, rank = i, r
		}
	}
	return best
}
