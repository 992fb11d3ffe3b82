package jsonspan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// The code checks eight bytes at a time: a byte of w^quotes is zero where w has a quote, and the
// lowest bit in the result of zeroes is that of the first zero byte.
const (
	lows   = 0x0101010101010101
	highs  = 0x8080808080808080
	quotes = lows * '"'
	spaces = lows * ' '
)

func zeroes(w uint64) uint64 { return (w - lows) &^ w & highs }

// stringEnd returns the offset after the string that begins at b[i], or -1.
func stringEnd(b []byte, i int) int {
	i++
	from := i
	for i+8 <= len(b) {
		m := zeroes(binary.LittleEndian.Uint64(b[i:]) ^ quotes)
		if m == 0 {
			if i += 8; i > from+64 { // bytes.IndexByte is faster for long distances
				return longStringEnd(b, from, i)
			}
			continue
		}
		if i += bits.TrailingZeros64(m) >> 3; b[i-1] != '\\' || !isEscaped(b[from:i]) {
			return i + 1
		}
		i++
	}
	return longStringEnd(b, from, i)
}

// longStringEnd is stringEnd for the string that begins before from and does not end before i.
func longStringEnd(b []byte, from, i int) int {
	for {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		if i += n + 1; !isEscaped(b[from : i-1]) {
			return i
		}
	}
}

// isEscaped reports whether the byte after the beginning of a string is escaped, by an odd number
// of backslashes before it.
func isEscaped(begin []byte) bool {
	n := len(begin)
	for n > 0 && begin[n-1] == '\\' {
		n--
	}
	return (len(begin)-n)%2 == 1
}
