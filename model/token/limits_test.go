package token

import (
	"strings"
	"testing"
)

// TestPiecesAroundTheLongestCached: words of every length count the same the first time, again, and
// among others that begin alike.
func TestPiecesAroundTheLongestCached(t *testing.T) {
	letters := "qzxjvkwpybfgmcudlhrsnioate"
	for n := 10; n <= 20; n++ {
		var words []string
		for i := range 26 {
			words = append(words, letters[i:i+1]+strings.Repeat("ab", n)[:n-2]+letters[25-i:26-i])
		}
		c := New(O200k)
		for range 2 {
			for _, word := range words {
				if got, want := c.Count([]byte(word)), New(O200k).Count([]byte(word)); got != want {
					t.Fatalf("%q counts %d tokens behind other words, want %d", word, got, want)
				}
			}
		}
	}
}

// TestWordsOfOtherEncodings: a word is encoded in parts of 1,024 bytes, and words in parts that end
// after 16 kB.
func TestWordsOfOtherEncodings(t *testing.T) {
	word := strings.Repeat("x", 1023) + " "
	for _, test := range []struct {
		text string
		want int
	}{
		{strings.Repeat("x", 1024), 1024},
		{strings.Repeat("x", 1025), 1024},
		{"x " + strings.Repeat("y", 1023), 1025},
		{"x " + strings.Repeat("y", 1024), 1},
		{strings.Repeat(word, 20), 16*1024 - 1 + 1024},
	} {
		if got := window(test.text); got != test.want {
			t.Errorf("%d bytes, %.10q: a part of %d, want %d", len(test.text), test.text, got, test.want)
		}
	}
}
