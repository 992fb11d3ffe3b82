package jsonspan

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// slowStringEnd is the twin of stringEnd that looks at one byte at a time.
func slowStringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}

func TestStringEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []byte("aaaaaaaaaaaaaaaaaaaaaaaaaa\\\"!#[]\x00\x80\xa2\xdc\xff")
	for range modeltest.Fewer(200_000, 200_000) {
		b := make([]byte, 1+r.IntN(160))
		few := 1 + r.IntN(len(alphabet)-1)
		for i := range b {
			b[i] = alphabet[len(alphabet)-1-r.IntN(few)]
			if r.IntN(3) > 0 {
				b[i] = 'a'
			}
		}
		b[0] = '"'
		if got, want := stringEnd(b, 0), slowStringEnd(b, 0); got != want {
			t.Fatalf("%q: %d, want %d", b, got, want)
		}
	}
}

// slowAfterSpace is the twin of afterSpace that looks at one byte at a time.
func slowAfterSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func TestAfterSpace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []byte("           \n\r\t\x00\x1f!\x80\xa0,")
	for range 200_000 {
		b := make([]byte, r.IntN(60))
		few := 1 + r.IntN(len(alphabet))
		for i := range b {
			b[i] = alphabet[r.IntN(few)]
		}
		from := r.IntN(len(b) + 1)
		if got, want := afterSpace(b, from), slowAfterSpace(b, from); got != want {
			t.Fatalf("%q from %d: %d, want %d", b, from, got, want)
		}
	}
}

// TestWhiteSpace reads values with and without white space in all places: the results are equal.
func TestWhiteSpace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	blanks := []string{"", "", " ", "\n", "\r\n\t", "\n        ", "\n                       "}
	for range 20_000 {
		var loose, tight strings.Builder
		randomValue(r, 0, func(token string) {
			loose.WriteString(blanks[r.IntN(len(blanks))] + token + blanks[r.IntN(len(blanks))])
			tight.WriteString(token)
		})
		a, b := New([]byte(loose.String())), New([]byte(tight.String()))
		var got, want []string
		collect(&a, &got)
		collect(&b, &want)
		if a.Err != nil || b.Err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, %v; want %q, %v", loose.String(), got, a.Err, want, b.Err)
		}
		skipped, rest, err := Cut([]byte(loose.String()))
		if err != nil || strings.TrimSpace(loose.String()) != string(skipped) || strings.TrimSpace(string(rest)) != "" {
			t.Fatalf("%q: passed over %q, left %q, %v", loose.String(), skipped, rest, err)
		}
	}
}

// randomValue yields the tokens of a random value.
func randomValue(r *rand.Rand, depth int, token func(string)) {
	kind := r.IntN(6)
	if depth > 4 {
		kind = r.IntN(4)
	}
	strings := []string{`""`, `"a"`, `"\\\""`, `"a b, c: {\"d\"}"`, `"a long text that is no short string"`}
	switch kind {
	case 0, 1:
		token(strings[r.IntN(len(strings))])
	case 2:
		token("-1.5e3")
	case 3:
		token("null")
	default:
		token(string("{["[kind-4]))
		for i := range r.IntN(4) {
			if i > 0 {
				token(",")
			}
			if kind == 4 {
				token(strings[r.IntN(len(strings))])
				token(":")
			}
			randomValue(r, depth+1, token)
		}
		token(string("}]"[kind-4]))
	}
}
