package load

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestLastNewline compares the result with that of the slower library function.
func TestLastNewline(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		buf := bytes.Repeat([]byte("x"), rnd.IntN(3*4096))
		for range rnd.IntN(4) {
			if len(buf) > 0 {
				buf[rnd.IntN(len(buf))] = '\n'
			}
		}
		if got, want := lastNewline(buf), bytes.LastIndexByte(buf, '\n'); got != want {
			t.Fatalf("of %d bytes: %d, want %d", len(buf), got, want)
		}
	}
}
