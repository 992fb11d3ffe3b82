package model

import "bytes"

// indexFold is the first place of needle in data, where case does not matter for
// ASCII letters; needle is in lower case. It looks for the rarest byte of the
// needle in both cases and compares around it, which bytes.IndexByte makes
// several times as fast as comparing everywhere.
func indexFold(data, needle []byte) int {
	k := rarest(needle)
	lower := needle[k]
	upper := lower
	if lower >= 'a' && lower <= 'z' {
		upper -= 'a' - 'A'
	}
	last := len(data) - len(needle)
	nextLower, nextUpper := -1, -1
	for i := 0; i <= last; {
		if nextLower < i+k {
			nextLower = indexFrom(data, i+k, lower)
		}
		at := nextLower
		if upper != lower {
			if nextUpper < i+k {
				nextUpper = indexFrom(data, i+k, upper)
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

// indexFrom is the first place of b at or after from; len(data)+1 or more for
// none.
func indexFrom(data []byte, from int, b byte) int {
	if i := bytes.IndexByte(data[from:], b); i >= 0 {
		return from + i
	}
	return int(^uint(0) >> 1)
}

func equalFold(data, lower []byte) bool {
	for i, b := range data {
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

func rarest(needle []byte) int {
	best, rank := 0, len(commonness)+1
	for i, b := range needle {
		r := bytes.IndexByte([]byte(commonness), b)
		if r < rank {
			best, rank = i, r
		}
	}
	return best
}
