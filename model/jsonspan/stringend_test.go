package jsonspan

import (
	"math/rand/v2"
	"testing"
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
	for range 200_000 {
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
