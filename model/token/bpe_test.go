package token

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"turns/model/modeltest"
)

// mergeSlowly is byte pair encoding by its definition, to compare with mergeAll.
func mergeSlowly(v *vocab, piece []byte) []uint32 {
	var parts [][]byte
	for i := range piece {
		parts = append(parts, piece[i:i+1])
	}
	rank := func(b []byte) uint32 {
		if id := v.longest(b); int(v.length[id]) == len(b) {
			return id
		}
		return none
	}
	for {
		best, at := uint32(none), 0
		for i := 0; i+1 < len(parts); i++ {
			joined := parts[i][:len(parts[i])+len(parts[i+1])]
			if r := rank(joined); r < best {
				best, at = r, i
			}
		}
		if best == none {
			break
		}
		parts[at] = parts[at][:len(parts[at])+len(parts[at+1])]
		parts = slices.Delete(parts, at+1, at+2)
	}
	var ids []uint32
	for _, p := range parts {
		ids = append(ids, rank(p))
	}
	return ids
}

func TestMergeSlowly(t *testing.T) {
	for i, e := range encodings {
		g := newGenerator(uint64(200 + i))
		c := New(e)
		c.load()
		for range modeltest.Fewer(3000, 3000) {
			piece := []byte(g.text())
			if g.IntN(3) == 0 {
				piece = []byte(g.long())
			}
			piece = piece[:min(len(piece), 80)]
			want := mergeSlowly(c.vocab, piece)
			if got := c.mergeAll(piece); !slices.Equal(got, want) {
				t.Fatalf("%s: mergeAll(%q)\n got %v\nwant %v", e, piece, got, want)
			}
		}
	}
}

// TestEveryToken checks the basis of mergeAll: each token is the only way to merge its own bytes.
func TestEveryToken(t *testing.T) {
	for _, e := range encodings {
		c := New(e)
		c.load()
		for id, s := range c.vocab.split {
			if one := c.vocab.length[id] == 1; one != (s[0] == uint32(id)) {
				t.Errorf("%s: token %d of length %d is split into %v", e, id, c.vocab.length[id], s)
			} else if !one && c.vocab.merged(s[0], s[1]) != uint32(id) {
				t.Errorf("%s: %v merge into %d, want %d", e, s, c.vocab.merged(s[0], s[1]), id)
			}
		}
	}
}

// TestRuns compares the shortcut for long runs with merging them.
func TestRuns(t *testing.T) {
	runs := modeltest.Fewer(150, 150)
	units := []string{"a", " ", "=", "-", "─", "中", "=-", "ab", "\n", "é", "🎉", "-----=", "*/", "aaab", "."}
	frame := []string{"", "// ", "x", "=", "--", "\n", "中", "|"}
	for i, e := range encodings {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		c := New(e)
		c.load()
		shortened := 0
		for range runs {
			unit := units[r.IntN(len(units))]
			piece := []byte(frame[r.IntN(len(frame))] +
				strings.Repeat(unit, (longPiece-100+r.IntN(3000))/len(unit)) + frame[r.IntN(len(frame))])
			got := c.merge(piece)
			if got.extra > 0 {
				shortened++
			}
			all, n := got.appendTo(nil), got.count()
			if want := c.mergeAll(piece); !slices.Equal(all, want) || n != len(want) {
				t.Fatalf("%s: a run of %q, %d bytes: got %d tokens, want %d", e, unit, len(piece), n, len(want))
			}
		}
		if shortened < runs/3 {
			t.Errorf("%s: only %d of %d runs went the short way", e, shortened, runs)
		}
	}
}

// pathological pieces, of n bytes.
var pathological = []struct {
	name string
	make func(n int) []byte
}{
	{"letter", func(n int) []byte { return bytes.Repeat([]byte("a"), n) }},
	{"spaces", func(n int) []byte { return bytes.Repeat([]byte(" "), n) }},
	{"equals", func(n int) []byte { return bytes.Repeat([]byte("="), n) }},
	{"hyphens", func(n int) []byte { return bytes.Repeat([]byte("-"), n) }},
	{"cjk", func(n int) []byte { return bytes.Repeat([]byte("的"), n/3) }},
	{"base64", func(n int) []byte {
		return random(n, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
	}},
	{"letters", func(n int) []byte { return random(n, "abcdefghijklmnopqrstuvwxyz") }},
	{"rules", func(n int) []byte { return random(n, strings.Repeat("-", 99)+"=") }},
}

func random(n int, alphabet string) []byte {
	r := rand.New(rand.NewPCG(5, 5))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return b
}

// TestLinear counts the steps of merging: sixteen times the length may take sixteen times the
// steps, and the steps per byte are limited by the number of tokens at a position.
func TestLinear(t *testing.T) {
	modeltest.Long(t, "it counts what is large")
	for _, e := range encodings {
		for _, p := range pathological {
			c := New(e)
			c.load()
			steps := func(n int) float64 {
				c.steps = 0
				c.mergeAll(p.make(n))
				return float64(c.steps)
			}
			small, large := steps(16<<10), steps(256<<10)
			if large > 16.5*small || large > 40*256<<10 {
				t.Errorf("%s, %s: %.0f steps for 16 KB, %.0f for 256 KB", e, p.name, small, large)
			}
		}
	}
}

// TestNoAlloc checks that counting does not allocate once its buffers exist.
func TestNoAlloc(t *testing.T) {
	text := agentText(100 << 10)
	dirty := append([]byte("bad \xff\xfe bytes "), text...)
	long := bytes.Repeat([]byte("-"), 10_000)
	for _, e := range encodings {
		c := New(e)
		count := func() { c.Count(text); c.Count(dirty); c.Count(long) }
		count()
		if n := testing.AllocsPerRun(3, count); n != 0 {
			t.Errorf("%s: %v allocations for counting again", e, n)
		}
	}
}

// TestEncodeAppends checks that Encode preserves the content of dst.
func TestEncodeAppends(t *testing.T) {
	got := New(O200k).Encode([]uint32{7}, []byte("hello world"))
	if want := []uint32{7, 24912, 2375}; !slices.Equal(got, want) {
		t.Errorf("Encode = %v, want %v", got, want)
	}
}

// TestConcurrent uses counters that share the vocabulary, for the race detector.
func TestConcurrent(t *testing.T) {
	text := agentText(20 << 10)
	want := New(O200k).Count(text)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if n := New(O200k).Count(text); n != want {
				t.Errorf("Count = %d, want %d", n, want)
			}
		})
	}
	group.Wait()
}

// TestLazy runs itself in a process that only makes counters: neither importing
// the package nor New may load a vocabulary.
func TestLazy(t *testing.T) {
	if os.Getenv("TOKEN_TEST_LAZY") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLazy$")
		cmd.Env = append(os.Environ(), "TOKEN_TEST_LAZY=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	c := New(O200k)
	if n := testing.AllocsPerRun(1, func() { New(Cl100k) }); n > 1 {
		t.Errorf("New makes %v allocations", n)
	}
	if c.vocab != nil || c.cache != nil {
		t.Error("New has loaded the vocabulary")
	}
	before := heap()
	c.Count(nil)
	if grown := heap() - before; grown < 5<<20 {
		t.Errorf("the first count has loaded %d bytes: the vocabulary was there before", grown)
	}
}
