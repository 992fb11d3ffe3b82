package model

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTextString(t *testing.T) {
	tests := []struct{ raw, want string }{
		{`"plain"`, "plain"},
		{`"a\nb\t\"\\\/\u00e9\ud83d\ude00"`, "a\nb\t\"\\/é😀"},
		{`"lone \ud800 surrogate"`, "lone \ufffd surrogate"},
		{`"two lone \ud800\ud800x"`, "two lone \ufffd\ufffdx"},
		{`"bad \u12"`, "bad \ufffd12"},
		{`{"a":1}`, `{"a":1}`},
		{`12`, `12`},
	}
	for _, test := range tests {
		if got := ValueText([]byte(test.raw)).String(); got != test.want {
			t.Errorf("%s: %q, want %q", test.raw, got, test.want)
		}
	}
	if text := ValueText([]byte("null")); !text.IsNull() || text.Absent() {
		t.Errorf("null is recorded as nothing: %v", text)
	}
	if text := ValueText([]byte(`""`)); text.IsNull() || !text.Empty() {
		t.Errorf(`"" is an empty text: %v`, text)
	}
}

func TestTextTrimAndBlank(t *testing.T) {
	text := ValueText([]byte(`" \n\t x\\n \r\n"`))
	if got := text.TrimSpace().String(); got != `x\n` {
		t.Errorf("TrimSpace = %q", got)
	}
	if text.Blank() || !ValueText([]byte(`" \n\t"`)).Blank() {
		t.Error("Blank is wrong")
	}
}

func FuzzTextAgainstEncodingJSON(f *testing.F) {
	for _, s := range []string{`"a"`, `"\u0041\ud83d\ude00"`, `"\ud800x"`, "\"\\\"\\\\\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want string
		if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' || json.Unmarshal(raw, &want) != nil {
			return
		}
		got := ValueText(raw).String()
		if strings.ToValidUTF8(got, "\ufffd") != strings.ToValidUTF8(want, "\ufffd") && !bytes.ContainsRune(raw, '\ufffd') && json.Valid(raw) {
			if bytes.Equal(bytes.ToValidUTF8(raw, nil), raw) {
				t.Errorf("%s: %q, want %q", raw, got, want)
			}
		}
	})
}

func TestIndexFoldIsNaiveSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []byte("aAbBzZ_ 1")
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[rng.IntN(len(alphabet))]
		}
		return b
	}
	for range 20000 {
		data, needle := random(rng.IntN(60)), bytes.ToLower(random(1+rng.IntN(4)))
		want := bytes.Index(bytes.ToLower(data), needle)
		if got := IndexFold(data, needle, bytes.IndexByte); got != want {
			t.Fatalf("IndexFold(%q, %q) = %d, want %d", data, needle, got, want)
		}
	}
}

// TestFoldFinderFindsEveryPlace: each next hit equals that of a new search from there.
func TestFoldFinderFindsEveryPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	alphabet := []byte("aAbBzZ_ 1")
	for range 5000 {
		data, needle := make([]byte, rng.IntN(80)), make([]byte, 1+rng.IntN(3))
		for _, b := range [][]byte{data, needle} {
			for i := range b {
				b[i] = alphabet[rng.IntN(len(alphabet))]
			}
		}
		needle = bytes.ToLower(needle)
		f := NewFoldFinder(data, needle, bytes.IndexByte)
		for from := 0; from <= len(data); from += 1 + rng.IntN(4) {
			want := IndexFold(data[from:], needle, bytes.IndexByte)
			if want >= 0 {
				want += from
			}
			if got := f.Next(from); got != want {
				t.Fatalf("%q in %q from %d: %d, want %d", needle, data, from, got, want)
			}
		}
	}
}

// TestFoldFinderReadsTheTextOnce: if a word occurs often but only in one case, the search still
// reads each byte at most once for either case.
func TestFoldFinderReadsTheTextOnce(t *testing.T) {
	for _, word := range []string{"zebra", "ZEBRA", "nothing", "zeb ZEBRA"} {
		data := strings.Repeat("line of a "+word+" here\n", 2000)
		read := 0
		f := NewFoldFinder(data, "zebra", func(s string, b byte) int {
			i := strings.IndexByte(s, b)
			if read += i + 1; i < 0 {
				read += len(s)
			}
			return i
		})
		hits := 0
		for at := f.Next(0); at >= 0; at = f.Next(at + 1) {
			hits++
		}
		if want := strings.Count(strings.ToLower(data), "zebra"); hits != want || read > 2*len(data) {
			t.Errorf("%q: %d hits, want %d; read %d bytes of %d", word, hits, want, read, len(data))
		}
	}
}

// TestHitFinderIsNaive: each hit equals the first needle, escape of ASCII or invisible character
// that separate searches find.
func TestHitFinderIsNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"ab", "Zz", "zz", "\u200b", `\u200b`, `\u0041`, `\u00e9`, "x", " ", "A", "é"}
	needles := [][]byte{[]byte("zz"), []byte("ab")}
	for range 5000 {
		var text []byte
		for range rng.IntN(30) {
			text = append(text, pieces[rng.IntN(len(pieces))]...)
		}
		h := newHitFinder(text, needles)
		for from := 0; from <= len(text); from += 1 + rng.IntN(6) {
			want := len(text)
			for _, at := range []int{
				IndexFold(text[from:], needles[0], bytes.IndexByte), IndexFold(text[from:], needles[1], bytes.IndexByte), indexEscape(text[from:]),
			} {
				if at >= 0 {
					want = min(want, from+at)
				}
			}
			if want = min(want, NextInvisible(text, from)); want == len(text) {
				want = -1
			}
			if got := h.next(from); got != want {
				t.Fatalf("%q from %d: %d, want %d", text, from, got, want)
			}
		}
	}
}

func TestHash(t *testing.T) {
	if Hash(nil) != 0 || Hash([]byte{0}) == 0 {
		t.Error("only nothing has the key zero")
	}
	seen := make(map[Key]string)
	for n := range 40 {
		for c := byte('a'); c <= 'd'; c++ {
			s := strings.Repeat("x", n) + string(c) + strings.Repeat("y", 40-n)
			if other, ok := seen[HashString(s)]; ok {
				t.Errorf("%q and %q have one key", s, other)
			}
			seen[HashString(s)] = s
		}
	}
}

func TestColumnSnapshotsNeverChange(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var col Column[int]
	var twin []int
	type frozen struct {
		col  Column[int]
		twin []int
	}
	var old []frozen
	for range 30000 {
		switch n := rng.IntN(100); {
		case n < 90 || col.Len() == 0:
			x := rng.Int()
			col.Append(x)
			twin = append(twin, x)
		case n < 99:
			i, x := rng.IntN(col.Len()), rng.Int()
			*col.Amend(i) = x
			twin[i] = x
		case len(old) < 40:
			old = append(old, frozen{col.Snapshot(), append([]int(nil), twin...)})
		}
	}
	for k, f := range append(old, frozen{col, twin}) {
		if f.col.Len() != len(f.twin) {
			t.Fatalf("snapshot %d has %d rows, want %d", k, f.col.Len(), len(f.twin))
		}
		for i, want := range f.twin {
			if f.col.At(i) != want {
				t.Fatalf("snapshot %d: row %d changed", k, i)
			}
		}
	}
}
