package token

import (
	_ "embed" // the vocabularies
	"math/bits"
	"strings"
	"sync"
)

// none stands for "no token".
const none = ^uint32(0)

// For speed only: idBits is the width of a token id, so that three fit into a uint64.
const idBits = 18

// vocab is an encoding's vocabulary, prepared for bpe.go. It does not change after readVocab, so
// all counters of a process share it.
type vocab struct {
	// length, prefix and split are indexed by token id: the number of bytes; the longest token that
	// is a proper prefix, or none; and the two tokens whose merge makes it (itself, twice, for a
	// single byte).
	length []uint8
	prefix []uint32
	split  [][2]uint32

	// pairs is the inverse of split, as a hash table with open addressing. An entry is left, right
	// and merged id; 0 is empty, because no merge makes id 0.
	pairs []uint64
	shift uint8

	// A trie of all tokens, its nodes in breadth-first order: the children of node i are
	// nodes[i].child up to nodes[i+1].child, by ascending label. Its first two levels are tables:
	// single by one byte, double by two.
	nodes  []node
	labels string
	single [256]uint32
	double []uint32
}

type node struct {
	child uint32
	token uint32 // none if the node is not a token
}

// vocabularies are loaded by the first call, once per process. Loading takes about 10 ms and 11 MB,
// which programs that do not count avoid.
var vocabularies = [...]func() *vocab{
	O200k:  sync.OnceValue(func() *vocab { return readVocab(o200k) }),
	Cl100k: sync.OnceValue(func() *vocab { return readVocab(cl100k) }),
}

// The vocabularies in the format of readVocab; go test -update writes them from the ranks that
// tiktoken publishes.
var (
	//go:embed o200k.vocab
	o200k string
	//go:embed cl100k.vocab
	cl100k string
)

// readVocab reads a vocabulary. The file is the trie in order; most of the rest follows from one
// pass over it:
//
//	number of nodes, number of tokens   4 bytes each, as all numbers little endian
//	label, for each node                1 byte
//	number of children, of each         1 byte, and 256 of the root
//	token, for each node                3 bytes, all ones for none
//	the merge of each token             3 bytes for its left, 3 for its right
//
// The tests check that the files match a fresh build.
func readVocab(file string) *vocab {
	nodes, tokens := int(u32(file)), int(u32(file[4:]))
	labels, file := file[8:8+nodes], file[8+nodes:]
	children, file := file[:nodes], file[nodes:]
	ids, merges := file[:3*nodes], file[3*nodes:]
	v := &vocab{
		length: make([]uint8, tokens), prefix: make([]uint32, tokens), split: make([][2]uint32, tokens),
		nodes: make([]node, nodes+1), labels: labels, double: make([]uint32, 1<<16),
	}
	v.readTrie(children, ids)
	v.makePairs(tokens)
	for i := range v.split {
		left, right := u24(merges[6*i:]), u24(merges[6*i+3:])
		v.split[i] = [2]uint32{left, right}
		if v.length[i] > 1 {
			v.addPair(left, right, uint32(i))
		}
	}
	return v
}

func (v *vocab) readTrie(children, ids string) {
	below := make([]uint32, len(children)) // the longest token that is a proper prefix of a node
	below[0] = none
	depth, level, next := uint8(0), 1, 1
	for i := range children {
		if i == level { // the nodes of each depth are contiguous
			depth, level = depth+1, next
		}
		id, prefix, n := u24(ids[3*i:]), below[i], int(children[i])
		if i == 0 {
			n = 256
		}
		if id == 1<<24-1 {
			id = none
		} else {
			v.length[id], v.prefix[id], prefix = depth, prefix, id
		}
		v.nodes[i] = node{child: uint32(next), token: id}
		for k := next; k < next+n; k++ {
			below[k] = prefix
			if depth == 1 {
				v.double[int(v.labels[i])<<8|int(v.labels[k])] = uint32(k)
			}
		}
		next += n
		if depth == 1 {
			v.single[v.labels[i]] = id
		}
	}
	v.nodes[len(children)] = node{child: uint32(next)} // ends the last node's children
}

// makePairs allocates the table for the merges of n tokens, a quarter to half full.
func (v *vocab) makePairs(n int) {
	size := bits.Len(uint(n)) + 1
	v.pairs = make([]uint64, 1<<size)
	v.shift = uint8(64 - size)
}

func u24(s string) uint32 { return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 }

func u32(s string) uint32 { return u24(s) | uint32(s[3])<<24 }

// child returns the node below i for the byte b, or 0, which is the root and no node's child.
func (v *vocab) child(i uint32, b byte) uint32 {
	lo, hi := v.nodes[i].child, v.nodes[i+1].child
	labels := v.labels[lo:hi]
	if len(labels) <= 4 {
		for k := range len(labels) {
			if labels[k] == b {
				return lo + uint32(k)
			}
		}
		return 0
	}
	if k := strings.IndexByte(labels, b); k >= 0 {
		return lo + uint32(k)
	}
	return 0
}

// longest returns the longest token that is a prefix of t, which is not empty.
func (v *vocab) longest(t []byte) uint32 {
	best := v.single[t[0]]
	if len(t) == 1 {
		return best
	}
	at := v.double[int(t[0])<<8|int(t[1])]
	for i := 2; at != 0; i++ {
		if id := v.nodes[at].token; id != none {
			best = id
		}
		if i == len(t) {
			break
		}
		at = v.child(at, t[i])
	}
	return best
}

func (v *vocab) slot(key uint64) uint64 {
	return key * 0x9E3779B97F4A7C15 >> v.shift
}

func (v *vocab) addPair(left, right, merged uint32) {
	key := uint64(left)<<idBits | uint64(right)
	i := v.slot(key)
	for v.pairs[i] != 0 {
		i = (i + 1) & uint64(len(v.pairs)-1)
	}
	v.pairs[i] = key<<idBits | uint64(merged)
}

// merged returns the token that left and right merge into, or none.
func (v *vocab) merged(left, right uint32) uint32 {
	key := uint64(left)<<idBits | uint64(right)
	for i := v.slot(key); ; i = (i + 1) & uint64(len(v.pairs)-1) {
		switch e := v.pairs[i]; {
		case e == 0:
			return none
		case e>>idBits == key:
			return uint32(e & (1<<idBits - 1))
		}
	}
}
