package model

import (
	"encoding/binary"
	"math/bits"
)

// Key is a 64-bit hash of a recorded identifier (a message id, a call id, a uuid). The zero Key
// means that there is none and is never returned for recorded bytes.
type Key uint64

// The multipliers are those of wyhash (Wang Yi, public domain).
const (
	keyP0 = 0xa0761d6478bd642f
	keyP1 = 0xe7037ed1a0b428db
	keyP2 = 0x8ebc6af09c88c6e3
)

// Hash returns the Key of b, zero if b is empty.
func Hash(b []byte) Key {
	if len(b) == 0 {
		return 0
	}
	return keyOf(mix(keyP0, b))
}

// HashString is Hash for a string.
func HashString(s string) Key { return Hash([]byte(s)) }

// HashNumber returns the Key of a recorded number, such as a step index, within a name space that
// separates it from other numbers.
func HashNumber(space string, n int64) Key {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	return Hash([]byte(space)).With(b[:])
}

// With returns the Key of k followed by b: a name within a name space, or a link of a chain. It
// returns k if b is empty.
func (k Key) With(b []byte) Key {
	if len(b) == 0 {
		return k
	}
	return keyOf(mix(uint64(k)^keyP1, b))
}

// Join returns the Key of the pair (k, other).
func (k Key) Join(other Key) Key {
	hi, lo := bits.Mul64(uint64(k)^keyP1, uint64(other)^keyP2)
	return keyOf(hi ^ lo)
}

func keyOf(h uint64) Key {
	if h == 0 {
		return 1
	}
	return Key(h)
}

func mix(seed uint64, b []byte) uint64 {
	n := uint64(len(b))
	h := seed
	for len(b) >= 16 {
		hi, lo := bits.Mul64(binary.LittleEndian.Uint64(b)^keyP1, binary.LittleEndian.Uint64(b[8:])^h)
		h = hi ^ lo
		b = b[16:]
	}
	var x, y uint64
	switch {
	case len(b) >= 8:
		x = binary.LittleEndian.Uint64(b)
		y = binary.LittleEndian.Uint64(b[len(b)-8:])
	case len(b) >= 4:
		x = uint64(binary.LittleEndian.Uint32(b))
		y = uint64(binary.LittleEndian.Uint32(b[len(b)-4:]))
	case len(b) > 0:
		x = uint64(b[0])<<16 | uint64(b[len(b)/2])<<8 | uint64(b[len(b)-1])
	}
	hi, lo := bits.Mul64(x^keyP2, y^h)
	h = hi ^ lo
	hi, lo = bits.Mul64(h^keyP0, n^keyP1)
	return hi ^ lo
}
