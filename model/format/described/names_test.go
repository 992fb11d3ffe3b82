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

// TestLongNames: names have few words and few bytes.
func TestLongNames(t *testing.T) {
	for name, want := range map[string]Class{
		"the Claude turbo instruct preview": Assistant, "the Claude turbo instruct preview chat": NoClass, "...": NoClass,
		"Claude 4." + strings.Repeat("0", 51): Assistant, "Claude 4." + strings.Repeat("0", 52): NoClass, "a1": NoClass,
	} {
		if got := SpeakerOf(name); got != want {
			t.Errorf("SpeakerOf(%q) is %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]bool{"one two three four bot": true, "one two three four five bot": false, "helpbot": true, "travelgpt": true, "abbot": false, "mychatbot": true, "superassistant": false} {
		if got := NamesBot(name); got != want {
			t.Errorf("NamesBot(%q) is %v, want %v", name, got, want)
		}
	}
	path := strings.Repeat("x", 43)
	for recorded, want := range map[string]Class{path + "/user": User, path + "x/user": NoClass} {
		if got := ClassOf(recorded); got != want {
			t.Errorf("ClassOf(%q) is %v, want %v", recorded, got, want)
		}
	}
}
