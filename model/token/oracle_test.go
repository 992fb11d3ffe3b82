package token

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	tiktoken "github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"

	"turns/model/modeltest"
)

var encodings = []Encoding{O200k, Cl100k}

// oracles are tiktoken-go's encoders. It is the same algorithm as tiktoken's,
// with a general regular expression engine and merging done literally.
var oracles = [...]func() *tiktoken.Tiktoken{
	O200k:  sync.OnceValue(func() *tiktoken.Tiktoken { return newOracle(O200k) }),
	Cl100k: sync.OnceValue(func() *tiktoken.Tiktoken { return newOracle(Cl100k) }),
	P50k:   tiktokens[P50k],
	R50k:   tiktokens[R50k],
}

// newOracle returns a tiktoken-go encoder with the ranks of tiktoken-go-loader. tiktoken-go has one
// global loader, so a lock prevents a second oracle from replacing it meanwhile.
func newOracle(e Encoding) *tiktoken.Tiktoken {
	loading.Lock()
	defer loading.Unlock()
	offline()
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	defer tiktoken.SetBpeLoader(ranks{})
	t, err := tiktoken.GetEncoding(e.String())
	if err != nil {
		panic(err)
	}
	return t
}

var loading sync.Mutex

// TestRanks compares the ranks in the program with those of tiktoken-go-loader.
func TestRanks(t *testing.T) {
	for _, name := range []string{"p50k_base.tiktoken", "r50k_base.tiktoken"} {
		got, err := ranks{}.LoadTiktokenBpe("https://example.com/" + name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := loader.NewOfflineLoader().LoadTiktokenBpe(name)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %d ranks that differ from the %d published", name, len(got), len(want))
		}
	}
	if _, err := (ranks{}).LoadTiktokenBpe("o200k_base.tiktoken"); err == nil {
		t.Error("found ranks that the program lacks")
	}
}

func oracle(e Encoding, text string) []uint32 {
	var ids []uint32
	for _, id := range oracles[e]().EncodeOrdinary(text) {
		ids = append(ids, uint32(id))
	}
	return ids
}

// oracleErrs reports whether a text has a part that tiktoken-go gets wrong, because its engine
// differs from tiktoken's. TestKnown covers both.
func oracleErrs(text string) bool {
	// tiktoken ignores case by Unicode's rules, where the long s is an s:
	// 'ſ is the contraction 's. tiktoken-go's engine does not fold it.
	if strings.Contains(text, "'ſ") {
		return true
	}
	// tiktoken knows the letters of Unicode 16, package unicode those of 15.
	for _, r := range text {
		if r > utf8.RuneSelf && addedSince15(r) {
			return true
		}
	}
	return false
}

// compare fails the test if Encode or Count differs from the oracle.
func compare(t testing.TB, c *Counter, text string) {
	t.Helper()
	want := oracle(c.encoding, text)
	got := c.Encode(nil, []byte(text))
	if !slices.Equal(got, want) {
		t.Errorf("%s: Encode(%q)\n got %v\nwant %v", c.encoding, text, got, want)
	}
	// Twice: the second count is from the cache.
	for range 2 {
		if n := c.Count([]byte(text)); n != len(want) {
			t.Errorf("%s: Count(%q) = %d, want %d", c.encoding, text, n, len(want))
		}
	}
}

// generated returns the number of texts that TestOracle compares in either encoding. FuzzOracle
// continues after them.
func generated() int {
	switch {
	case modeltest.Whole():
		return 100_000
	case testing.Short():
		return 300
	}
	return 5_000
}

// TestOracle compares the ids of generated texts with tiktoken-go's, in
// either encoding.
func TestOracle(t *testing.T) {
	for i, e := range encodings {
		t.Run(e.String(), func(t *testing.T) {
			t.Parallel()
			g := newGenerator(uint64(i))
			c := New(e)
			for range generated() {
				text := g.text()
				for oracleErrs(text) {
					text = g.text()
				}
				if compare(t, c, text); t.Failed() {
					return
				}
			}
		})
	}
}

// TestOracleLong compares longer pieces, in which merging goes back and forth.
func TestOracleLong(t *testing.T) {
	modeltest.Long(t, "it counts by a slow library")
	for i, e := range encodings {
		g := newGenerator(uint64(100 + i))
		c := New(e)
		for range 300 {
			text := g.long()
			if oracleErrs(text) {
				continue
			}
			if compare(t, c, text); t.Failed() {
				return
			}
		}
	}
}

func FuzzOracle(f *testing.F) {
	for _, k := range known {
		f.Add(k.text)
	}
	g := newGenerator(7)
	for range 100 {
		f.Add(g.text())
	}
	counters := []*Counter{New(O200k), New(Cl100k)}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 || oracleErrs(text) {
			return // beyond the oracle
		}
		for _, c := range counters {
			compare(t, c, text)
		}
	})
}
