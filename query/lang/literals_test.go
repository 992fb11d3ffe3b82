package lang

import (
	"fmt"
	"regexp/syntax"
	"testing"
)

// TestLiteralsOfPatterns: the literals of a pattern, whether case may differ, and whether each text
// with one of them matches.
func TestLiteralsOfPatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		"ab|cd": `["ab" "cd"] false true`, "[a-c]x": `["ax" "bx" "cx"] false true`, "(?i)ab": `["AB"] true true`,
		"(?:ab){1}": `["ab"] false true`, "(?:ab){1,2}": `["ab"] false false`, "(?:ab){2}": `["ab"] false false`, "(?:ab)?c": `["abc" "c"] false true`,
		"ab+": `["a"] false false`, "^ab": `["ab"] false false`, "ab.cde": `["cde"] false false`, "abc.de": `["abc"] false false`, "a(?i)bc": `["BC"] true false`,
		"(?i:ab)|cd": `["AB" "cd"] true false`, "a*": "[] false false", ".": "[] false false", "a\ufffd": "[] false false",
	} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		lits, fold, exact := LangLiterals(re)
		if got := fmt.Sprintf("%q %v %v", lits, fold, exact); got != want {
			t.Errorf("%s has %s, want %s", pattern, got, want)
		}
	}
}
