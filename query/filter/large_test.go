package filter

import (
	"fmt"
	"strings"
	"testing"

	"turns/query/lang"
)

// TestLargePrograms: a regular expression that would need minutes for a long line is rejected with
// a readable error.
func TestLargePrograms(t *testing.T) {
	var words strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&words, "%d|", i*7919)
	}
	for src, want := range map[string]bool{
		"/" + strings.Repeat("a word or another|", 400) + "b/": true,
		"/" + words.String() + "b./":                           false,
		`/\pL{1000}/`:                                          false,
	} {
		f, err := lang.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		_, err = compileRegex(&f.Root().(*lang.Term).Values[0])
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "the most is 10000") {
			t.Errorf("%.40s: %v", src, err)
		}
	}
}
