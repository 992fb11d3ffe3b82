package model

import (
	"math/rand"
	"strings"
	"testing"
)

// TestNeedlesLookAsThorough: if the rarest letter shows that there are no pieces of a text,
// recording all of them finds none either, for any chunks.
func TestNeedlesLookAsThorough(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	texts := []string{"exit status 1", "quux", "no-jazz", "an tn", "rate limit", "7zz", "...", "n\\t x"}
	may, quick := 0, 0
	for i := range 4000 {
		text := []byte(texts[i%len(texts)])
		fast, slow := NewNeedles([][]byte{text}), NewNeedles([][]byte{text})
		if fast == nil {
			continue
		}
		chunks := pieced(r, strings.ToLower(string(text)))
		slow[0].Thorough()
		for _, chunk := range chunks {
			fast[0].Look(chunk, chunk, false)
			slow[0].Look(chunk, chunk, false)
		}
		if !fast[0].pieced {
			quick++
		}
		if fast[0].Unsure() {
			fast[0].Thorough()
			for _, chunk := range chunks {
				fast[0].Look(chunk, chunk, false)
			}
		}
		if fast[0].May() != slow[0].May() {
			t.Fatalf("%q in %q: may is %v, and %v when all pieces are noted", text, chunks, fast[0].May(), slow[0].May())
		}
		if slow[0].May() {
			may++
		}
	}
	if may < 500 || quick < 500 {
		t.Errorf("only %d texts could be put together, and of %d no pieces were noted", may, quick)
	}
}

// pieced returns some lines of JSON with pieces of a text in them, some of which form it.
func pieced(r *rand.Rand, text string) (chunks [][]byte) {
	around := []string{"", "", "", " ", `\n`, `\\n`, `\"`, `\t `, "x", "n", "."}
	pick := func() string { return around[r.Intn(len(around))] }
	for at := 0; at < len(text); {
		n := min(1+r.Intn(len(text)), len(text)-at)
		piece := text[at : at+n]
		at += n
		if r.Intn(12) == 0 {
			continue // omits a piece
		}
		if r.Intn(3) == 0 {
			piece = strings.ToUpper(piece)
		}
		line := `{"other":"said so","delta":"` + pick() + piece + pick() + `"}` + "\n"
		if last := len(chunks) - 1; last >= 0 && r.Intn(2) == 0 {
			chunks[last] = append(chunks[last], line...)
		} else {
			chunks = append(chunks, []byte(line))
		}
	}
	return chunks
}

// TestLongNeedles: the first 64 bytes of a text are searched for.
func TestLongNeedles(t *testing.T) {
	for size, want := range map[int]int{3: 3, 64: 64, 65: 64, 100: 64} {
		if got := len(NewNeedles([][]byte{[]byte(strings.Repeat("a", size))})[0].text); got != want {
			t.Errorf("%d bytes of %d are searched for", got, size)
		}
	}
}
