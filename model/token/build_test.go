package token

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/pkoukk/tiktoken-go-loader/assets"

	"turns/model/modeltest"
)

// TestVocabularies builds the vocabularies from the ranks and compares them with those in the
// program.
func TestVocabularies(t *testing.T) {
	modeltest.Long(t, "it builds both vocabularies from their ranks")
	for e, linked := range map[Encoding]string{O200k: o200k, Cl100k: cl100k} {
		built := build(t, e)
		name := e.String()[:len(e.String())-len("_base")] + ".vocab"
		if modeltest.Update() {
			if err := os.WriteFile(name, built.file(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !reflect.DeepEqual(readVocab(linked), built) {
			t.Errorf("%s is not what its ranks give; go test ./model/token -run TestVocabularies -update rewrites it", name)
		}
	}
}

func build(t testing.TB, e Encoding) *vocab {
	t.Helper()
	file, err := assets.Assets.Open(e.String() + ".tiktoken") // ReadFile would make a copy
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, starts, err := parseRanks(file)
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVocab(text, starts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// file returns the vocabulary in the format of readVocab.
func (v *vocab) file() []byte {
	n := len(v.nodes) - 1
	out := binary.LittleEndian.AppendUint32(nil, uint32(n))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(v.length)))
	out = append(out, v.labels...)
	for i := range n {
		out = append(out, byte(v.nodes[i+1].child-v.nodes[i].child))
	}
	three := func(id uint32) { out = append(out, byte(id), byte(id>>8), byte(id>>16)) }
	for i := range n {
		three(v.nodes[i].token)
	}
	for _, s := range v.split {
		three(s[0])
		three(s[1])
	}
	return out
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

// mostRanks is the approximate number of tokens in the larger vocabulary.
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
	labels := make([]byte, 1, 3*len(order))
	spans[0] = span{0, uint32(len(order)), none}
	depth, level := uint32(0), 1 // level is the start of the next depth
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
			labels = append(labels, b)
			s.lo = end
		}
	}
	v.nodes = append(v.nodes, node{child: uint32(len(spans))}) // ends the last one's children
	v.labels = string(labels)
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
	v.makePairs(n)
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
