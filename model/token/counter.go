package token

import (
	"encoding/binary"
	"unicode/utf8"
)

// Counter counts tokens. It caches pieces of text, so it is not safe for concurrent use: make one
// for each goroutine. They share the vocabulary.
type Counter struct {
	encoding Encoding
	vocab    *vocab // nil until the first use
	cache    *cache
	// stack and dead belong to mergeAll, short to merge, clean to valid.
	stack []uint32
	dead  []uint64
	short []byte
	clean []byte
	steps int // of mergeAll, for the test that it is linear
}

// New returns a counter. It takes no time: the first text to count loads the vocabulary, unless
// another counter has. An unknown encoding counts as O200k.
func New(e Encoding) *Counter {
	if int(e) >= len(names) {
		e = O200k
	}
	return &Counter{encoding: e}
}

// Count returns the number of tokens in a text. In O200k and Cl100k only the first calls allocate.
func (c *Counter) Count(text []byte) int {
	if int(c.encoding) >= len(vocabularies) {
		total := 0
		c.encodeOther(text, func(ids []int) { total += len(ids) })
		return total
	}
	c.load()
	next := splitters[c.encoding]
	dirty := !utf8.Valid(text)
	total := 0
	for i := 0; i < len(text); {
		end := next(text, i)
		switch n := end - i; {
		case dirty && !utf8.Valid(text[i:end]):
			total += c.countPiece(c.valid(text[i:end]))
		case n == 1: // every byte is a token
			total++
		case n <= maxCached:
			total += c.countShort(text, i, end)
		default:
			total += c.countPiece(text[i:end])
		}
		i = end
	}
	c.trim()
	return total
}

// Encode appends the ids of a text's tokens to dst.
func (c *Counter) Encode(dst []uint32, text []byte) []uint32 {
	if int(c.encoding) >= len(vocabularies) {
		c.encodeOther(text, func(ids []int) {
			for _, id := range ids {
				dst = append(dst, uint32(id))
			}
		})
		return dst
	}
	c.load()
	next := splitters[c.encoding]
	dirty := !utf8.Valid(text)
	for i := 0; i < len(text); {
		end := next(text, i)
		piece := text[i:end]
		if dirty {
			piece = c.valid(piece)
		}
		if token := c.vocab.longest(piece); int(c.vocab.length[token]) == len(piece) {
			dst = append(dst, token)
		} else {
			dst = c.merge(piece).appendTo(dst)
		}
		i = end
	}
	c.trim()
	return dst
}

func (c *Counter) load() {
	if c.vocab == nil {
		c.vocab = vocabularies[c.encoding]()
		c.cache = new(cache)
	}
}

var splitters = [...]func(text []byte, i int) (end int){O200k: nextO200k, Cl100k: nextCl100k}

func (c *Counter) countPiece(piece []byte) int {
	token := c.vocab.longest(piece)
	if int(c.vocab.length[token]) == len(piece) {
		return 1
	}
	return c.merge(piece).count()
}

// countShort counts the piece text[i:end], of at most maxCached bytes, and caches the result.
func (c *Counter) countShort(text []byte, i, end int) int {
	var k key
	if i+16 <= len(text) {
		k = key{binary.LittleEndian.Uint64(text[i:]), binary.LittleEndian.Uint64(text[i+8:])}
	} else {
		var b [16]byte
		copy(b[:], text[i:])
		k = key{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
	}
	n := end - i
	k.lo &= keyMasks[n].lo
	k.hi = k.hi&keyMasks[n].hi | uint64(n)<<56
	slot := &c.cache.pieces[k.slot()]
	if slot.lo == k.lo && slot.hi&(1<<60-1) == k.hi {
		return int(slot.hi >> 60)
	}
	count := c.countPiece(text[i:end])
	*slot = key{k.lo, k.hi | uint64(count)<<60}
	return count
}

// maxCached is the length of the longest piece that fits into a key.
const maxCached = 15

// For speed only: most pieces of real text are among a few thousand, and the entire cache should
// fit into the second-level cache of a processor.
const cacheBits = 15

// For speed only: enough for the tokens of one repeated character.
const pairBits = 14

// cache stores for recent pieces their number of tokens, and for pairs of tokens whether they may
// be neighbours. A new entry replaces the one in its slot.
type cache struct {
	// A piece has its number of tokens, 1 to 15, in the upper bits of hi.
	pieces [1 << cacheBits]key
	// A pair is its left id, its right id, a one (so that 0 is empty) and the result.
	pairs [1 << pairBits]uint64
}

// key is a piece of up to 15 bytes, padded with zeros, with its length in the
// lower half of the last byte.
type key struct{ lo, hi uint64 }

func (k key) slot() uint64 {
	h := k.lo*0x9E3779B97F4A7C15 ^ k.hi*0xC2B2AE3D27D4EB4F
	h ^= h >> 32
	return h * 0x9E3779B97F4A7C15 >> (64 - cacheBits)
}

// keyMasks reduce 16 bytes to the first n.
var keyMasks = makeKeyMasks()

func makeKeyMasks() (masks [maxCached + 1]key) {
	for n := range masks {
		masks[n] = key{uint64(1)<<(8*min(n, 8)) - 1, uint64(1)<<(8*max(n-8, 0)) - 1}
	}
	return masks
}

// valid returns the piece with U+FFFD for each byte of invalid UTF-8. The result is valid until the
// next call.
func (c *Counter) valid(piece []byte) []byte {
	if utf8.Valid(piece) {
		return piece
	}
	c.clean = c.clean[:0]
	for i := 0; i < len(piece); {
		r, n := utf8.DecodeRune(piece[i:])
		c.clean = utf8.AppendRune(c.clean, r)
		i += n
	}
	return c.clean
}

// trim frees the memory for one enormous piece.
func (c *Counter) trim() {
	const most = 1 << 20
	if cap(c.stack) > most {
		c.stack = nil
	}
	if len(c.dead) > most {
		c.dead = nil
	}
	if cap(c.short) > most {
		c.short = nil
	}
	if cap(c.clean) > most {
		c.clean = nil
	}
}
