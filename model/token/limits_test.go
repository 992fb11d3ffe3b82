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
