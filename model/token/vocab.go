package token

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"sync"

	"github.com/pkoukk/tiktoken-go-loader/assets"
)

// none stands for "no token".
const none = ^uint32(0)

// idBits is the width of a token id: three fit into a uint64.
const idBits = 18

// vocab is an encoding's vocabulary, prepared for bpe.go. It is never written
// to after newVocab, so all counters of a process share it.
type vocab struct {
	// length, prefix and split are indexed by token id: how many bytes it has;
	// the longest token that is a proper prefix of it, or none; and the two
	// tokens whose merge makes it (itself, twice, for a single byte).
	length []uint8
	prefix []uint32
	split  [][2]uint32

	// pairs is split the other way round, as a hash table with open addressing.
	// An entry is left, right and merged id; 0 is empty, for no merge makes id 0.
	pairs []uint64
	shift uint8

	// A trie of all tokens, its nodes in breadth-first order: the children of
	// node i are nodes[i].child up to nodes[i+1].child, by ascending label. Its
	// first two levels are tables: single by one byte, double by two.
	nodes  []node
	labels []byte
	single [256]uint32
	double []uint32
}

type node struct {
	child uint32
	token uint32 // none where only longer tokens pass through
}

// vocabularies are loaded by the first call, once for the process. It takes
// some 100 ms and 12 MB, which nobody pays who does not count.
var vocabularies = [...]func() *vocab{
	O200k:  sync.OnceValue(func() *vocab { return mustLoad(O200k) }),
	Cl100k: sync.OnceValue(func() *vocab { return mustLoad(Cl100k) }),
}

// mustLoad panics where the ranks that are linked into the program are damaged:
// no input leads there, and the tests load both.
func mustLoad(e Encoding) *vocab {
	file, err := assets.Assets.Open(e.String() + ".tiktoken") // ReadFile would copy all of it
	if err != nil {
		panic(fmt.Sprintf("token: reading the ranks of %s: %v", e, err))
	}
	defer file.Close()
	text, starts, err := parseRanks(file)
	if err != nil {
		panic(fmt.Sprintf("token: parsing the ranks of %s: %v", e, err))
	}
	v, err := newVocab(text, starts)
	if err != nil {
		panic(fmt.Sprintf("token: preparing the ranks of %s: %v", e, err))
	}
	return v
}

// parseRanks reads lines of a token in base64, a space and its rank. The ranks
// ascend from 0, so the answer is all tokens in one text, token i between
// starts[i] and starts[i+1].
func parseRanks(file io.Reader) (text []byte, starts []uint32, err error) {
	text, starts = make([]byte, 0, mostRanks*8), make([]uint32, 1, mostRanks)
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			continue
		}
		at := len(starts)
		token, rank, _ := bytes.Cut(line, []byte{' '})
		if text, err = base64.StdEncoding.AppendDecode(text, token); err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", at, err)
		}
		if id, err := strconv.Atoi(string(rank)); err != nil || id != at-1 {
			return nil, nil, fmt.Errorf("line %d: rank %q, expected %d", at, rank, at-1)
		}
		starts = append(starts, uint32(len(text)))
	}
	return text, starts, lines.Err()
}

// mostRanks is about how many tokens the larger vocabulary has.
const mostRanks = 200_000

func newVocab(text []byte, starts []uint32) (*vocab, error) {
	n := len(starts) - 1
	if n <= 0 || n >= 1<<idBits {
		return nil, fmt.Errorf("%d tokens, expected 1 to %d", n, 1<<idBits-1)
	}
	v := &vocab{length: make([]uint8, n), prefix: make([]uint32, n)}
	for i := range n {
		size := starts[i+1] - starts[i]
		if size == 0 || size > 255 {
			return nil, fmt.Errorf("token %d has %d bytes, expected 1 to 255", i, size)
		}
		v.length[i] = uint8(size)
	}
	v.buildTrie(text, starts)
	for b, id := range v.single {
		if id == none {
			return nil, fmt.Errorf("no token for the single byte %#x", b)
		}
	}
	return v, v.buildSplits(text, starts)
}

// buildTrie fills nodes, labels, single, double and prefix.
func (v *vocab) buildTrie(text []byte, starts []uint32) {
	type span struct{ lo, hi, prefix uint32 } // of order: the tokens below a node
	order := sortTokens(text, starts)
	byteAt := func(i, depth uint32) byte {
		if depth < 8 {
			return byte(order[i].key >> (56 - 8*depth))
		}
		return text[starts[order[i].id]+depth]
	}
	spans := make([]span, 1, 3*len(order))
	v.nodes = make([]node, 1, 3*len(order))
	v.labels = make([]byte, 1, 3*len(order))
	spans[0] = span{0, uint32(len(order)), none}
	depth, level := uint32(0), 1 // level is where the next depth begins
	for i := 0; i < len(spans); i++ {
		if i == level {
			depth, level = depth+1, len(spans)
		}
		s := spans[i]
		v.nodes[i] = node{child: uint32(len(spans)), token: none}
		if id := order[s.lo].id; uint32(v.length[id]) == depth {
			v.nodes[i].token = id
			v.prefix[id] = s.prefix
			s.prefix = id
			s.lo++
		}
		for s.lo < s.hi {
			b := byteAt(s.lo, depth)
			end := s.lo + 1
			for end < s.hi && byteAt(end, depth) == b {
				end++
			}
			spans = append(spans, span{s.lo, end, s.prefix})
			v.nodes = append(v.nodes, node{})
			v.labels = append(v.labels, b)
			s.lo = end
		}
	}
	v.nodes = append(v.nodes, node{child: uint32(len(spans))}) // ends the last one's children
	// What append grew too far would stay for the life of the process.
	v.nodes, v.labels = slices.Clone(v.nodes), slices.Clone(v.labels)
	v.double = make([]uint32, 1<<16)
	for b := range v.single {
		v.single[b] = none
		first := v.child(0, byte(b))
		if first == 0 {
			continue
		}
		v.single[b] = v.nodes[first].token
		for c := range 256 {
			v.double[b<<8|c] = v.child(first, byte(c))
		}
	}
}

// entry is a token with its first eight bytes: comparing two seldom needs more.
type entry struct {
	key uint64
	id  uint32
}

// sortTokens returns the tokens in the order of their bytes: by radix for the
// first eight, by comparing for the few that agree in them.
func sortTokens(text []byte, starts []uint32) []entry {
	sorted := make([]entry, len(starts)-1)
	for i := range sorted {
		var b [8]byte
		copy(b[:], text[starts[i]:starts[i+1]])
		sorted[i] = entry{binary.BigEndian.Uint64(b[:]), uint32(i)}
	}
	other := make([]entry, len(sorted))
	at := make([]uint32, 1<<16+1)
	for shift := 0; shift < 64; shift += 16 {
		clear(at)
		for _, e := range sorted {
			at[e.key>>shift&0xFFFF+1]++
		}
		for i := 1; i < len(at); i++ {
			at[i] += at[i-1]
		}
		for _, e := range sorted {
			p := &at[e.key>>shift&0xFFFF]
			other[*p] = e
			*p++
		}
		sorted, other = other, sorted
	}
	for i := 0; i < len(sorted); {
		end := i + 1
		for end < len(sorted) && sorted[end].key == sorted[i].key {
			end++
		}
		slices.SortFunc(sorted[i:end], func(a, b entry) int {
			return bytes.Compare(text[starts[a.id]:starts[a.id+1]], text[starts[b.id]:starts[b.id+1]])
		})
		i = end
	}
	return sorted
}

// buildSplits finds the merge that makes each token: of all ways to cut it into
// two tokens of lower rank, the one that merging would arrive at.
func (v *vocab) buildSplits(text []byte, starts []uint32) error {
	n := len(v.length)
	size := bits.Len(uint(n)) + 1 // filled to between a quarter and a half
	v.pairs = make([]uint64, 1<<size)
	v.shift = uint8(64 - size)
	v.split = make([][2]uint32, n)
	for i := range n {
		id := uint32(i)
		v.split[i] = [2]uint32{id, id}
		token := text[starts[i]:starts[i+1]]
		if len(token) == 1 {
			continue
		}
		left, right := v.prefix[i], none
		for ; left != none; left = v.prefix[left] {
			rest := token[v.length[left]:]
			right = v.longest(rest)
			if left < id && right < id && int(v.length[right]) == len(rest) && v.adjacent(left, right) {
				break
			}
		}
		if left == none {
			return fmt.Errorf("token %d (%q) is not the merge of two others", i, token)
		}
		v.split[i] = [2]uint32{left, right}
		v.addPair(left, right, id)
	}
	return nil
}

// child returns the node below i by the byte b, or 0: the root is nobody's child.
func (v *vocab) child(i uint32, b byte) uint32 {
	lo, hi := v.nodes[i].child, v.nodes[i+1].child
	labels := v.labels[lo:hi]
	if len(labels) <= 4 {
		for k, l := range labels {
			if l == b {
				return lo + uint32(k)
			}
		}
		return 0
	}
	if k := bytes.IndexByte(labels, b); k >= 0 {
		return lo + uint32(k)
	}
	return 0
}

// longest returns the longest token that t, which is not empty, begins with.
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
