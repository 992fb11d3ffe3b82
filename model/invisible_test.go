package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A word recorded with invisible characters between its letters is not ruled out by its bytes, raw
// or escaped, and is found by a search rune by rune.
func TestInvisibleIsNotRuledOut(t *testing.T) {
	hidden := []rune{0x00ad, 0x034f, 0x061c, 0x115f, 0x1160, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x2028, 0x202e, 0x2060, 0x2066, 0x3164, 0xfe01, 0xfe0f, 0xfeff, 0xffa0, 0x1bca0, 0x1d173, 0xe0041, 0xe0100}
	rnd := rand.New(rand.NewPCG(4, 2))
	for range 2000 {
		word := "timeout"
		cut := 1 + rnd.IntN(len(word)-1)
		text := strings.Repeat("é—日 x ", rnd.IntN(9)) + strings.Repeat("y", rnd.IntN(20)) + word[:cut] + string(hidden[rnd.IntN(len(hidden))]) + word[cut:] + " z"
		raw, _ := json.Marshal(text)
		var ascii bytes.Buffer
		for _, r := range text {
			switch {
			case r < 0x80:
				ascii.WriteByte(byte(r))
			case r < 0x10000:
				fmt.Fprintf(&ascii, `\u%04x`, r)
			default:
				fmt.Fprintf(&ascii, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
			}
		}
		needles := needlesOf([][]byte{[]byte(word)})
		for _, data := range [][]byte{[]byte(text), raw, ascii.Bytes()} {
			if newHitFinder(data, needles).next(0) < 0 {
				t.Fatalf("%q is ruled out", data)
			}
		}
		at := NextInvisible([]byte(text), 0)
		for i, r := range text {
			if Invisible(r) && i != at {
				t.Fatalf("%q: found at %d, want %d", text, at, i)
			}
		}
	}
	if at := newHitFinder([]byte(`{"text":"é — 日本 \u2014 \n \"x\" tim eout"}`), [][]byte{[]byte("timeout")}).next(0); at >= 0 {
		t.Errorf("a text without it is kept: %d", at)
	}
}
