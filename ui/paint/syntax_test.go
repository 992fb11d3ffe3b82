package paint

import (
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2/lexers"

	"turns/model/modeltest"
)

// TestSyntaxOfIsWhatChromaFinds: the lookup of a name finds the same language as trying every
// pattern. It tests each file extension once, because chroma takes milliseconds per name.
func TestSyntaxOfIsWhatChromaFinds(t *testing.T) {
	names := []string{"new src/main.go", "Makefile", "Makefile.am", ".env.local", "a.php4", "x.1", "CMakeLists.txt", "notes", "a.b.c", "README.md"}
	for i, lexer := range lexers.GlobalLexerRegistry.Lexers {
		for _, pattern := range lexer.Config().Filenames {
			if i%16 == 0 && modeltest.Some(i/16, 1) {
				names = append(names, "dir/"+strings.NewReplacer("*", "some", "[", "", "]", "").Replace(pattern))
			}
		}
	}
	for _, name := range names {
		want := lexers.Match(name[strings.LastIndexAny(name, " /")+1:])
		if got := syntaxOf(name); got != want {
			t.Errorf("%q is %v, want %v", name, got, want)
		}
	}
	if syntaxOf(strings.Repeat("a", 1000)+".go") != nil {
		t.Error("a name that no disk holds has a language")
	}
}
