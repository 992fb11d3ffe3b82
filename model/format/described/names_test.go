package described

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// TestEachWord checks the meaning of each word of testdata/words.txt: a speaker, a question or
// answer, a heading, a bot, a product, the kind of a record.
func TestEachWord(t *testing.T) {
	words, err := os.ReadFile(filepath.Join("testdata", "words.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for word := range strings.Lines(string(words)) {
		word = strings.TrimSuffix(word, "\n")
		last := word[strings.LastIndexByte(word, ' ')+1:]
		fmt.Fprintf(&b, "%s: speaker %d side %d heading %d bot %v product %v class %d, with a word before it %d\n", word, SpeakerOf(word), SideOf(word),
			HeadingOf(word), NamesBot("Weather "+last), NamesProduct(word), ClassOf(word), ClassOf("user_"+word))
	}
	modeltest.Golden(t, filepath.Join("testdata", "words.golden"), b.String())
}
